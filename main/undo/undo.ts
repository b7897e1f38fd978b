import { createHash, randomUUID } from "node:crypto";
import { mkdirSync, renameSync, statSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { isAtOrBelow, kindOf as kindOfPath, projectRoot, realForm } from "@metnos-gate/shell-reading/files";
import { visible } from "../../ipc/base/visible-text.ts";
import { GateError } from "../../ipc/contract/gate-error.ts";
import { isoSeconds } from "../../ipc/contract/iso-seconds.ts";
import type { UndoChoice, UndoneCall, UndoneFile, UndoResult, UndoSelection } from "../../ipc/contract/undo.ts";
import { comesBack, filesAmong, isOpenCall, UNDO_WORDS } from "../../ipc/words/undo-words.ts";
import { keepLatest } from "../base/keep-latest.ts";
import type { ConfinedRun } from "../decide/confinement/box.ts";
import { RUN_LATER_FOLDERS, runsLater } from "../decide/places/run-later.ts";
import { readsOnly } from "../decide/policy/policy.ts";
import type { Denial, Reviewable } from "../decide/stages/examination.ts";
import { type Bounds, CALL_WAITS_MS, HELD_WAITS_MS, isOfRepository } from "./bounds.ts";
import type { Changer } from "./call-log.ts";
import { kindOf } from "./entries.ts";
import { type Held, heldNow } from "./held.ts";
import { isWhollyKept } from "./kept-whole.ts";
import { type Listed, ListedCalls } from "./listed-calls.ts";
import { StoreProcess } from "./store-process.ts";
import type { Asked } from "./store-program.ts";
import type { Missing } from "./undo-store.ts";
import { UnreportedUndos } from "./unreported.ts";

/** What the gate keeps before calls that can write, and takes back for its operator. Files are looked at in processes of their own. */

export interface UndoParts {
  /** In the gate's state folder. */
  folder: string;
  home: string;
  config: Bounds & { require: boolean };
  /** Node for the stores' processes. */
  node: string;
  /** What makes the boxes that Git runs in; null where none can be made, or not yet. */
  boxMaker(): string | null;
  now(): number;
  /** A file (absolute) is about to be as it was at some time before. */
  comesBack(path: string): void;
  failed(what: string, error: unknown): void;
}

/** What a call can change: these files of a project, or (null) all of it. */
interface Scope {
  root: string;
  paths: readonly string[] | null;
}

/** Stores that have a process at the same time, and how long it lasts where nothing is asked of it. */
const MAX_PROCESSES = 4;
const IDLE_MS = 120_000;
const TIDY_MS = 600_000;
/** A file's content is shown up to so many bytes. */
const MAX_SHOWN = 256 * 1024;
/** Paths that one file tool's call may name. */
const MAX_PATHS = 1000;
/** Files that are looked at before others have their turn. */
const FILES_A_TURN = 200;
/** Folders that agents said they work in. */
const MAX_SEEN = 1000;
/** Calls that run, as far as is known. */
const MAX_OPEN = 10_000;
/** A store's process that has said nothing for so long never will, in milliseconds. */
const SILENT_MS = 900_000;
/** Of calls whose store couldn't write that they can't be taken back. */
const MAX_UNKEPT = 1000;
const DAY_MS = 86_400_000;

interface Opened {
  process: StoreProcess;
  used: number;
  /** The project could be kept as a whole when that was tried last. */
  isReady: boolean;
}

type Why = Missing | "failed";

export class Undo {
  readonly #parts: UndoParts;
  readonly #opened = new Map<string, Opened>();
  /** The projects of calls that run, by the call's decision; `isRun`: a box says that it ended. */
  readonly #running = new Map<string, Scope & { isRun: boolean }>();
  /** Calls that can't be taken back, also where no store could write that. */
  readonly #unkept = new Map<string, Listed>();
  readonly #listed: ListedCalls;
  readonly unreported = new UnreportedUndos();
  /** Folders that were seen, since a store's process ended last. */
  readonly #seen = new Map<string, true>();
  readonly #timers: NodeJS.Timeout[];

  constructor(parts: UndoParts) {
    this.#parts = parts;
    this.#listed = new ListedCalls(parts.folder);
    this.#timers = [
      setInterval(() => this.#endIdle(), IDLE_MS / 4).unref(),
      setInterval(
        () => void this.tidy().catch((error: unknown) => parts.failed("tidying what can be undone", error)),
        TIDY_MS,
      ).unref(),
    ];
  }

  // Before and after calls.

  /** What a call that is allowed has to wait for; undefined where it changes no project's files, or its box sees to it. */
  keep(x: Reviewable, decisionId: string): Promise<Denial | null> | undefined {
    const { agent, level, session = "" } = x.subject;
    if (readsOnly(x.needs) && level !== "ReadOnly") this.see(x.call.context?.cwd);
    if (readsOnly(x.needs) || (x.confinement !== null && x.confinement.line !== null)) return undefined;
    const scope = scopeOf(x, this.#parts.home);
    if (scope === undefined || agent === null) return undefined;
    const call = { id: decisionId, agent: agent.name, session, executor: x.call.executor, at: this.#parts.now() };
    return this.#before(call, scope, false).then((why) =>
      why !== null && this.#parts.config.require ? denied(why) : null,
    );
  }

  /** A call is asked about: its project is read meanwhile. */
  prepare(x: Reviewable): void {
    const scope = readsOnly(x.needs) ? undefined : scopeOf(x, this.#parts.home);
    if (scope !== undefined) this.#prepare(scope.root);
  }

  /** A folder that an agent works in: its repository is read ahead of the first call that could change it. */
  see(cwd: string | undefined): void {
    if (cwd === undefined || this.#seen.has(cwd)) return;
    keepLatest(this.#seen, cwd, true, MAX_SEEN);
    const root = projectRoot(cwd, this.#parts.home);
    // What calls change goes first.
    const isWanted = root !== null && !this.#opened.has(root) && this.#opened.size < MAX_PROCESSES;
    if (isWanted && kindOfPath(root) === "folder") this.#prepare(root);
  }

  #prepare(root: string): void {
    const prepared = this.#ask(root, { do: "prepare" }).catch((): Why => "failed");
    void prepared.then((why) => this.#tried(root, why));
  }

  #tried(root: string, why: Why | null): void {
    const opened = this.#opened.get(root);
    if (opened !== undefined) opened.isReady = why === null;
  }

  /** What can be taken back after a call that is asked about, by its path; undefined where that isn't sure of anything. */
  keeps(x: Reviewable): ((path: string) => boolean) | undefined {
    const scope = scopeOf(x, this.#parts.home);
    if (scope === undefined || this.#opened.get(scope.root)?.isReady !== true) return undefined;
    const { confinement, lines } = x;
    const { project = scope.root, is_project_too_large } = confinement?.declaration ?? {};
    const isFileTool = confinement === null && lines.all.length === 0;
    if (!(isFileTool || confinement?.line != null) || project !== scope.root || is_project_too_large === true)
      return undefined;
    return (path) => isWhollyKept(scope.root, path);
  }

  /** Before a confined command begins. @throws GateError `box_unavailable` where it must not, as it couldn't be taken back */
  async beforeRun({ declaration, decision_id, agent_name: agent, session }: ConfinedRun): Promise<void> {
    const { kind, project: root, writes, is_project_too_large } = declaration;
    if (decision_id === undefined || (kind !== undefined && !writes.some((path) => isAtOrBelow(path, root)))) return;
    // Of a folder alone nothing would be kept of what it holds.
    const isNamed = is_project_too_large === true && writes.every((path) => kindOfPath(path) === "file");
    const paths = isNamed ? writes.flatMap((path) => pathBelow(root, path) ?? []) : null;
    const call = { id: decision_id, agent, session, executor: "shell", at: this.#parts.now() };
    const why = await this.#before(call, { root, paths }, true);
    if (why !== null && this.#parts.config.require) throw new GateError("box_unavailable", denied(why).reason);
  }

  afterRun({ decision_id = "" }: ConfinedRun): void {
    this.ended(decision_id, true);
  }

  /** An agent says that a call has ended; `isRun`: its box does. */
  ended(id: string, isRun = false): void {
    const call = this.#running.get(id);
    if (call === undefined || call.isRun !== isRun) return;
    this.#running.delete(id);
    this.#keepAfter(id, call).catch((error: unknown) => this.#parts.failed("keeping what a call left", error));
  }

  /** The few files of an edit at once: the store may get to it when the next call has changed them. */
  async #keepAfter(id: string, scope: Scope): Promise<void> {
    const held = await heldOf(scope, HELD_WAITS_MS);
    await this.#ask(scope.root, { do: "after", id, ...(this.#isCrowded(scope.root) ? {} : held) });
  }

  async #before(call: Changer, scope: Scope, isRun: boolean): Promise<Why | null> {
    if (this.#running.size >= MAX_OPEN) this.#running.delete(this.#running.keys().next().value ?? "");
    this.#running.set(call.id, { ...scope, isRun });
    const why = this.#isCrowded(scope.root) ? "late" : await within(CALL_WAITS_MS, this.#kept(call, scope), "late");
    this.#noteUnkept(call, scope.root, why);
    return why;
  }

  #isCrowded(root: string): boolean {
    return this.#opened.get(root)?.process.isCrowded === true;
  }

  async #kept(call: Changer, scope: Scope): Promise<Why | null> {
    const { root, paths } = scope;
    const until = Date.now() + CALL_WAITS_MS;
    const held = await heldOf(scope, CALL_WAITS_MS);
    const kept = this.#ask(root, { do: "before", call, paths, until, ...held }).catch((error: unknown): Why => {
      this.#parts.failed("keeping what a call could change", error);
      return "failed";
    });
    void kept.then((why) => {
      if (paths === null) this.#tried(root, why);
      this.#noteUnkept(call, root, why);
    });
    // What is held is stored whenever the store gets to it.
    return held === undefined || this.#parts.config.require ? kept : null;
  }

  #noteUnkept(call: Changer, root: string, why: Why | null): void {
    const missing = why === "failed" ? "disk" : why;
    const unkept = { before: null, hasEnded: false, isUndone: false, missing };
    if (missing !== null) keepLatest(this.#unkept, call.id, { ...call, ...unkept, project: root }, MAX_UNKEPT);
  }

  // The stores' processes.

  #ask<A extends Asked>(root: string, asked: A) {
    return this.#process(root).ask(asked);
  }

  #process(root: string): StoreProcess {
    const known = this.#opened.get(root);
    if (known !== undefined && !known.process.hasEnded) {
      known.used = performance.now();
      return known.process;
    }
    this.#endOthers();
    const { config: bounds, node, boxMaker } = this.#parts;
    const folder = join(this.#parts.folder, createHash("sha256").update(root).digest("hex").slice(0, 24));
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const process = new StoreProcess({ folder, root, bounds, node, boxMaker });
    this.#opened.set(root, { process, used: performance.now(), isReady: false });
    return process;
  }

  #endOthers(): void {
    const idle = [...this.#opened].filter(([, { process }]) => process.waiting === 0 || process.hasEnded);
    const [oldest] = idle.sort(([, one], [, other]) => one.used - other.used);
    if (this.#opened.size >= MAX_PROCESSES && oldest !== undefined) this.#end(oldest[0]);
  }

  #endIdle(): void {
    for (const [root, { process, used }] of this.#opened) {
      if (process.silentMs > SILENT_MS) process.kill();
      if (process.hasEnded || (process.waiting === 0 && performance.now() - used > IDLE_MS)) this.#end(root);
    }
    this.#listed.dropIdle(IDLE_MS);
  }

  #end(root: string): void {
    this.#opened.get(root)?.process.end();
    this.#opened.delete(root);
    this.#seen.clear();
  }

  /** Forgets what is too old, as the gate does now and then: also a project in which nothing has been done for so long. */
  async tidy(): Promise<void> {
    const now = this.#parts.now();
    for (const { root, folder } of await this.#listed.stores())
      try {
        const left = await this.#ask(root, { do: "tidy", now });
        const isIdle = left === 0 && this.#opened.get(root)?.process.waiting === 0;
        if (isIdle && seenAt(folder) < now - this.#parts.config.days * DAY_MS) await this.forget(root);
      } catch (error) {
        this.#parts.failed("tidying what can be undone", error); // the others have their turn all the same
      }
    await removeForgotten(this.#parts.folder);
  }

  close(): void {
    for (const timer of this.#timers) clearInterval(timer);
    for (const root of this.#opened.keys()) this.#end(root);
  }

  // For the operator.

  /** The newest first; of a selection also the undos of what is selected. @throws the system's error */
  async list(limit: number, selection: UndoSelection = {}): Promise<UndoneCall[]> {
    const isOf = isIn(selection);
    const all = await this.#all();
    const undos = all.filter(({ of }) => of !== undefined);
    const taken = new Set(undos.flatMap(({ of = [] }) => of));
    const ids = new Set(all.filter((one) => taken.has(one.id) && isOf(one)).map(({ id }) => id));
    const wanted = all.filter((one) => isOf(one) || one.of?.some((id) => ids.has(id)) === true);
    return wanted.slice(0, limit).map((one) => this.#shown(one));
  }

  /** The newest first, with those that no store could write. */
  async #all(): Promise<Listed[]> {
    const all = await this.#listed.all();
    if (this.#unkept.size === 0) return all;
    const known = new Set(all.map(({ id }) => id));
    const unkept = [...this.#unkept.values()].filter(({ id }) => !known.has(id)).reverse();
    return unkept.length === 0 ? all : [...unkept, ...all].sort((one, other) => other.at - one.at);
  }

  #shown(call: Listed): UndoneCall {
    const { before: _, hasEnded: __, isUndone: ___, hasFailed: ____, at, of, ...shown } = call;
    return { ...shown, at: isoSeconds(at), state: this.#stateOf(call), ...(of ? { of: [...of] } : {}) };
  }

  #stateOf({ id, before, hasEnded, isUndone }: Listed): UndoneCall["state"] {
    if (isUndone) return "undone";
    if (before === null) return "not-kept";
    if (hasEnded) return "kept";
    return this.#running.has(id) ? "running" : "unended";
  }

  /** What is selected, by project, the oldest first. @throws GateError `unknown_call` where there is nothing, `invalid_params` where it isn't said whose session */
  async #selected(selection: UndoSelection): Promise<{ root: string; ids: string[]; calls: Listed[] }[]> {
    const { call, session, since, agent } = selection;
    const all = (await this.#all()).filter(isIn(selection));
    const open = call === undefined ? all.filter((one) => isOpenCall({ ...one, state: this.#stateOf(one) })) : all;
    const isLastOnly = call !== undefined || (session === undefined && since === undefined);
    const last = isLastOnly && call === undefined ? all.find((one) => one.agent !== null && !one.isUndone) : undefined;
    if (last?.before === null) {
      const said = `the last call can't be taken back: ${whyText(last.missing)}`;
      throw new GateError("unknown_call", said, "see undo list, and name another");
    }
    const selected = isLastOnly ? open.slice(0, 1) : open.reverse();
    if (selected.length === 0) throw new GateError("unknown_call", "no such call can be taken back");
    const agents = [...new Set(selected.flatMap((one) => one.agent ?? []))].sort();
    if (session !== undefined && agent === undefined && agents.length > 1) {
      const said = `several agents have a session of this name: ${agents.join(", ")}`;
      throw new GateError("invalid_params", said, "say whose: --agent NAME");
    }
    const projects = [...Map.groupBy(selected, ({ project }) => project)];
    // One that is gone keeps no other from coming back.
    const there = projects.filter(([root]) => kindOfPath(root) === "folder");
    const shown = there.length > 0 ? there : projects;
    return shown.map(([root, own]) => ({ root, ids: own.map(({ id }) => id), calls: own }));
  }

  /** What would become of each file. @throws GateError `unknown_call`, `undo_failed` */
  async files(selection: UndoSelection): Promise<{ calls: string[]; files: UndoneFile[] }> {
    const selected = await this.#selected(selection);
    const files: UndoneFile[] = [];
    for (const { root, ids } of selected) files.push(...(await this.#filesOf(root, ids)));
    return { calls: selected.flatMap(({ ids }) => ids), files };
  }

  async #filesOf(root: string, ids: readonly string[]): Promise<UndoneFile[]> {
    const environment = { home: this.#parts.home, env: process.env };
    const found = await this.#answered(this.#ask(root, { do: "files", ids }));
    const files: UndoneFile[] = [];
    for (const { path: bytes, state, before, agent, now } of found) {
      if (files.length % FILES_A_TURN === 0) await nextTurn();
      const path = Buffer.from(bytes, "latin1").toString();
      const kind = (entry: typeof now) => (entry === null ? null : kindOf(entry));
      const isLink = before !== null && kindOf(before) === "link";
      const isSettings = isLink && RUN_LATER_FOLDERS.has(basename(path).toLowerCase());
      const later = () => (isSettings || runsLater(join(root, path), environment) ? "runs-later" : "file");
      const part = isOfRepository(bytes) ? "git" : later();
      const kinds = { before: kind(before), agent: kind(agent), now: kind(now) };
      files.push({ project: root, path, bytes, state, part, ...kinds });
    }
    return files;
  }

  /** The three contents of a file. @throws GateError as above */
  async contents(selection: UndoSelection, project: string, path: string): Promise<(string | null)[]> {
    const ids = (await this.#selected(selection)).find(({ root }) => root === project)?.ids ?? [];
    const texts = await this.#answered(this.#ask(project, { do: "contents", ids, path, max: MAX_SHOWN }));
    return texts.map((text) => (text === null ? null : Buffer.from(text, "latin1").toString()));
  }

  /**
   * Takes back what can be without asking, and what was chosen. @param choices by project and path
   * @returns an undo for each project, once that is done @throws GateError as above
   */
  async *takeBack(
    selection: UndoSelection,
    choices: readonly UndoChoice[],
    as: "undo" | "redo",
  ): AsyncGenerator<UndoResult> {
    for (const { root, ids, calls } of await this.#selected(selection)) {
      if (as === "redo" && calls.some(({ agent }) => agent !== null))
        throw new GateError("unknown_call", "that is a call, and nothing that was taken back");
      const files = await this.#filesOf(root, ids);
      const states = new Map(files.map(({ bytes, state }) => [bytes, state]));
      const own = choices.filter(
        ({ project, path, state }) => project === root && (state ?? states.get(path)) === states.get(path),
      );
      const chosen = new Map(own.map(({ path, choice }) => [path, choice]));
      const wishes = files.flatMap((file) => {
        const isUnasked = comesBack(file) || (file.state === "ready" && as === "redo");
        const choice = chosen.get(file.bytes) ?? (isUnasked ? null : undefined);
        return choice === undefined ? [] : [{ path: file.bytes, choice }];
      });
      const wished = new Set(wishes.map(({ path }) => path));
      for (const { bytes, path } of files) if (wished.has(bytes)) this.#parts.comesBack(join(root, path));
      const undo = { id: randomUUID(), agent: null, session: "", executor: as, at: this.#parts.now() };
      const outcomes = new Map(
        wishes.length === 0 ? [] : await this.#answered(this.#ask(root, { do: "takeBack", ids, undo, wishes })),
      );
      const back = files.filter(
        ({ bytes }) => outcomes.get(bytes) === "restored" && (chosen.get(bytes) ?? "before") === "before",
      );
      yield {
        id: undo.id,
        calls: ids,
        files: files.map((file) => ({ ...file, outcome: outcomes.get(file.bytes) ?? ("left" as const) })),
      };
      // Whatever comes of that, it is written down by now.
      await this.#tell(root, calls, filesAmong(back));
    }
  }

  /** The agents of these calls get to know it with their next ones, each of what it did itself. */
  async #tell(root: string, calls: readonly Listed[], files: readonly UndoneFile[]): Promise<void> {
    const all = new Map([...(await this.#all()), ...calls].map((call) => [call.id, call]));
    // With what they took back, and so on: a set has what it gets while it is gone through.
    const ids = new Set(calls.map(({ id }) => id));
    for (const id of ids) for (const taken of all.get(id)?.of ?? []) ids.add(taken);
    const agents = [...ids].flatMap((id) => all.get(id) ?? []).filter(({ agent }) => agent !== null);
    const isAgain = calls.some(({ agent, executor }) => agent === null && executor === "undo");
    const sessions = Map.groupBy(agents, ({ agent, session }) => JSON.stringify([agent, session]));
    for (const own of sessions.values()) {
      const asked = { do: "files", ids: own.map(({ id }) => id) } as const;
      const changed = sessions.size < 2 ? undefined : await this.#answered(this.#ask(root, asked));
      const paths = changed && new Set(changed.map(({ path }) => path));
      const names = files.flatMap(({ bytes, path }) => (paths?.has(bytes) === false ? [] : [visible(path)]));
      this.unreported.note(own, names, isAgain ? "again" : "back");
    }
  }

  /** The undo that was done last, and isn't put again. @throws GateError `unknown_call` */
  async lastUndo(): Promise<string> {
    const last = (await this.#all()).find(
      ({ executor, agent, isUndone }) => agent === null && executor === "undo" && !isUndone,
    );
    if (last === undefined) throw new GateError("unknown_call", "nothing was taken back that isn't there again");
    return last.id;
  }

  /** Removes what was kept, of one project or of all. @returns of how many */
  async forget(project?: string): Promise<number> {
    const stores = (await this.#listed.stores()).filter(({ root }) => project === undefined || root === project);
    for (const { root, folder } of stores) {
      await this.#opened.get(root)?.process.stop();
      this.#opened.delete(root);
      // At once, before another process begins. Killed halfway, nothing of it counts as kept, and the rest goes later.
      renameSync(folder, `${folder}-${randomUUID()}${FORGOTTEN}`);
      await removeForgotten(this.#parts.folder);
      for (const [id, call] of this.#unkept) if (call.project === root) this.#unkept.delete(id);
    }
    return stores.length;
  }

  #answered<T>(answer: Promise<T>): Promise<T> {
    return answer.catch((error: unknown) => {
      this.#parts.failed("taking back", error);
      throw new GateError("undo_failed", "what was kept can't be read, or the project is gone");
    });
  }
}

/** The files that a call names, as they are now; undefined where it may change any, or they can't be read in so many milliseconds. */
async function heldOf({ root, paths }: Scope, ms: number): Promise<{ held: Held[] } | undefined> {
  const held = paths === null ? undefined : await within(ms, heldNow(root, paths), undefined);
  return held && { held };
}

/** @returns what it comes to in so many milliseconds, or this */
function within<T>(ms: number, promise: Promise<T>, otherwise: T): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<T>((resolve) => {
    timer = setTimeout(() => resolve(otherwise), ms);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

/** What a selection names, whether or not it can be taken back. */
function isIn({ call, calls, session, since, agent }: UndoSelection): (one: Listed) => boolean {
  const from = since === undefined ? Number.NEGATIVE_INFINITY : Date.parse(since);
  const known = calls === undefined ? undefined : new Set(calls);
  return (one) =>
    (call === undefined || one.id.startsWith(call)) &&
    (known === undefined || known.has(one.id)) &&
    (session === undefined || one.session === session) &&
    (agent === undefined || one.agent === agent) &&
    one.at >= from;
}

const whyText = (why: string | null): string =>
  UNDO_WORDS.en.missing[why ?? ""] ?? "what it could change could not be stored";

/** Undefined where it changes no project's files. */
function scopeOf({ needs, runsIn, lines, call }: Reviewable, home: string): Scope | undefined {
  const written = needs.flatMap(({ capability, target }) =>
    capability === "fs:write" && target.kind === "path" && target.real !== null ? [target] : [],
  );
  const named = written[0]?.real;
  const folder = runsIn ?? (named == null ? undefined : dirname(named));
  const root =
    folder === undefined ? undefined : (projectRoot(folder, home) ?? workedIn(folder, call.context?.cwd, home));
  if (root === undefined || kindOfPath(root) !== "folder") return undefined;
  const isWhole = runsIn !== null || lines.all.length > 0 || written.some((target) => target.is_tree);
  if (isWhole || written.length > MAX_PATHS) return { root, paths: null };
  const paths = written.flatMap(({ real }) => pathBelow(root, real ?? "") ?? []);
  return paths.length === 0 ? undefined : { root, paths };
}

/** Where there is no repository: the folder that its agent works in. Never a home, nor what holds one, nor what all users share. */
function workedIn(folder: string, cwd: string | undefined, home: string): string | undefined {
  const root = cwd === undefined ? undefined : (realForm(cwd) ?? cwd);
  if (root === undefined || !isAtOrBelow(folder, root) || root.split("/").length < 3) return undefined;
  return isAtOrBelow(realForm(home) ?? home, root) ? undefined : root;
}

/** One character for each byte; undefined for the folder itself, and what lies elsewhere. */
const pathBelow = (root: string, path: string): string | undefined =>
  path !== root && isAtOrBelow(path, root) ? Buffer.from(path.slice(root.length + 1)).toString("latin1") : undefined;

const denied = (why: Why): Denial => ({
  stage: "safety",
  reason: `it could not be taken back: ${whyText(why)}`,
  explain: { rule: "safety.not-undoable", instead: "send the call again" },
});

const FORGOTTEN = ".forgotten";

async function removeForgotten(folder: string): Promise<void> {
  for (const name of await readdir(folder))
    if (name.endsWith(FORGOTTEN)) await rm(join(folder, name), { recursive: true, force: true });
}

/** When its project last looked otherwise than before, in Unix milliseconds. */
function seenAt(folder: string): number {
  const at = (name: string) => statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return Math.max(at("seen.json"), at("project"));
}
