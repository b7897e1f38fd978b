import { lstatSync, type Stats, statSync } from "node:fs";
import { isAtOrBelow } from "@metnos-gate/shell-reading/files";
import { ownCommand } from "../../../ipc/base/own-command.ts";
import { shortened, visible } from "../../../ipc/base/visible-text.ts";
import type { Alarms } from "../../base/alarms.ts";
import { keepLatest } from "../../base/keep-latest.ts";
import type { Config } from "../../config/index.ts";
import type { ConfinedRun } from "../../decide/confinement/box.ts";
import type { SessionMarks } from "../../decide/flow/session-marks.ts";
import type { WrittenFiles } from "../../decide/flow/written-files.ts";
import { ProjectTree } from "./project-tree.ts";
import { TimeSlice } from "./time-slice.ts";

/**
 * What runs of a session that took in something untrusted really changed of what runs later, or instructs agents: no line has to name that.
 * Found by the times of these files before and after a run, which no program can set.
 */

interface LaterChangesParts {
  alarms: Pick<Alarms, "raise" | "list">;
  config: Pick<Config, "flow">;
  marks(): Pick<SessionMarks, "of">;
  /** What a call named as what it writes was decided on by its name. */
  writtenFiles: Pick<WrittenFiles, "isNamedWithin">;
  /** Such files were changed by an agent's call; that may be said more than once of it. */
  changed(agentId: string, decisionId: string): void;
  failed(what: string, error: unknown): void;
}

interface Going {
  run: ConfinedRun;
  /** When it was decided on at the earliest, in milliseconds since this process began. */
  since: number;
  /** States by path, with one character for each byte: a file that was exchanged or written has another one. */
  before: ReadonlyMap<string, string>;
}

/** Projects whose folders are remembered. */
const MAX_PROJECTS = 4;
/** So long after its call has ended, a run that continues is looked at, in milliseconds. */
const CONTINUES_MS = 1000;
/** A call is decided on so long before its run begins, in milliseconds. */
const DECIDED_MS = 60_000;
/** Of one alarm: files that it counts and names, their length, and calls. */
const [MAX_FILES, MAX_NAMED, MAX_LENGTH, MAX_CALLS] = [1000, 3, 120, 3];

const CODE = "untrusted_changed_later";
const WHAT = "looking at what runs later";

const ARGUMENTS = String.raw`(?: (?:--?(?:[bBqfdtuDgE]|quiet|force|detach|track|ff|ff-only|no-ff|no-edit|rebase|staged|worktree|ours|theirs|autostash|hard|index|save-dev|dev)|--|[\w./@~^:=+][\w./@~^:=+-]*))*`;
const oneOf = (commands: string): RegExp => new RegExp(`^(?:cd [\\w./@~-]+ && )?(?:${commands})${ARGUMENTS}$`);
/** Files that one plain command is known to put there: Git those of a commit, others what they install. Activity says it, and no alarm. */
const KNOWN: readonly (readonly [line: RegExp, names: RegExp])[] = [
  [oneOf("git (?:checkout|switch|merge|pull|rebase|restore|reset|stash(?: pop| apply)?)"), /^/],
  [
    oneOf("(?:npm|pnpm|yarn|bun|cargo|uv|poetry|go|bundle|composer) (?:i|ci|install|add|rm|remove|update|up|get)"),
    /^(?:package\.json|cargo\.toml|pyproject\.toml|go\.mod|gemfile|composer\.json)$/i,
  ],
  [/^/, /^(?:package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|bun\.lockb|[a-z]+\.lock)$/i],
];

export class LaterChanges {
  readonly #parts: LaterChangesParts;
  readonly #trees = new Map<string, ProjectTree>();
  /** By decision. */
  readonly #going = new Map<string, Going>();
  /** By agent, what its open alarm says. */
  readonly #reported = new Map<string, { files: Set<string>; calls: Set<string> }>();

  constructor(parts: LaterChangesParts) {
    this.#parts = parts;
  }

  /** Of a run that may write in its project, where its session took in something, or may do so by this very run. Never rejects. */
  beforeRun(run: ConfinedRun): Promise<void> {
    return this.#before(run).catch((error: unknown) => this.#parts.failed(WHAT, error));
  }

  async #before(run: ConfinedRun): Promise<void> {
    const { kind, project, writes, network, is_project_too_large } = run.declaration;
    const canWrite = kind === undefined || writes.some((path) => isAtOrBelow(path, project));
    if (run.decision_id === undefined || !canWrite || is_project_too_large === true) return;
    if (!network && this.#cameTo(run) === undefined) return;
    const since = performance.now() - DECIDED_MS;
    this.#going.set(run.decision_id, { run, since, before: await this.#look(project) });
  }

  /** Nothing of it is left. */
  afterRun({ decision_id: id = "" }: ConfinedRun): void {
    const going = this.#going.get(id);
    this.#going.delete(id);
    this.#after(id, going).catch((error: unknown) => this.#parts.failed(WHAT, error));
  }

  /** Its call has ended; it may continue. */
  ended(id: string): void {
    // What fails here is tried again at its end.
    const look = () => void this.#after(id, this.#going.get(id)).catch(() => undefined);
    if (this.#going.has(id)) setTimeout(look, CONTINUES_MS).unref();
  }

  async #after(id: string, going: Going | undefined): Promise<void> {
    const came = going && this.#cameTo(going.run);
    if (going === undefined || came === undefined) return;
    const { writtenFiles } = this.#parts;
    const { run, since, before } = going;
    const now = await this.#look(run.declaration.project);
    going.before = now;
    const changed = [...now].flatMap(([path, state]) => (before.get(path) === state ? [] : [textOf(path)]));
    const unnamed = changed.filter((path) => !writtenFiles.isNamedWithin(path, performance.now() - since));
    if (unnamed.length === 0) return;
    this.#parts.changed(run.agent_id, id);
    const known = KNOWN.filter(([line]) => line.test(run.line));
    const files = unnamed.filter((path) => !known.some(([, names]) => names.test(path.replace(/^.*\//s, ""))));
    if (files.length > 0) this.#report(run, id, files, came);
  }

  /** What its session took in; undefined where nothing counts. */
  #cameTo({ agent_id, agent_name: name, session }: ConfinedRun): string | undefined {
    const { config, marks } = this.#parts;
    if (config.flow.untrusted_later === "off") return undefined;
    return marks().of({ agent: { agent_id, name }, session })?.untrusted?.what;
  }

  /** @throws the system's error where the project can't be looked at */
  async #look(project: string): Promise<Going["before"]> {
    const tree = this.#trees.get(project) ?? new ProjectTree(project, "later");
    keepLatest(this.#trees, project, tree, MAX_PROJECTS);
    const turns = new TimeSlice();
    const states = new Map<string, string>();
    for (const { path } of (await tree.lookInTurns(turns)).places) {
      await turns.shared();
      const state = stateOf(Buffer.from(path, "latin1"));
      if (state !== "") states.set(path, state);
    }
    return states;
  }

  /** One alarm for an agent, as long as it is open: with the files and calls that are added to it. */
  #report({ agent_name: agent }: ConfinedRun, id: string, changed: readonly string[], came: string): void {
    const { alarms } = this.#parts;
    const isOpen = alarms.list().some(({ code, subject }) => code === CODE && subject === agent);
    const reported = (isOpen ? this.#reported.get(agent) : undefined) ?? { files: new Set(), calls: new Set() };
    this.#reported.set(agent, reported);
    for (const path of changed) if (reported.files.size < MAX_FILES) reported.files.add(path);
    reported.calls.add(id);
    const shown = (text: string) => shortened(visible(text), MAX_LENGTH);
    const files = [...reported.files].slice(0, MAX_NAMED).map(shown).join(", ");
    const more = reported.files.size > MAX_NAMED ? ` and ${reported.files.size - MAX_NAMED} more` : "";
    const calls = [...reported.calls].slice(-MAX_CALLS).map((call) => ownCommand(`undo ${call.slice(0, 8)}`));
    alarms.raise({
      code: CODE,
      subject: agent,
      message: `programs that ${agent} ran changed ${files}${more}, which their commands don't name, in a session that took in ${shown(came)}`,
      hint: `see what they hold before you build or begin a session there; ${calls.join(", ")} takes them back where that was kept`,
    });
  }
}

/** Which file it is, and when it was last changed; of a link also where it leads. Empty where there is none. */
function stateOf(path: Buffer): string {
  const of = (stat: Stats | undefined) => (stat === undefined ? "" : `${stat.dev}:${stat.ino}:${stat.ctimeMs}`);
  try {
    const stat = lstatSync(path, { throwIfNoEntry: false });
    return of(stat) + (stat?.isSymbolicLink() === true ? of(statSync(path, { throwIfNoEntry: false })) : "");
  } catch {
    return "unreadable";
  }
}

const textOf = (path: string): string => Buffer.from(path, "latin1").toString();
