import type { ChildProcess } from "node:child_process";
import { type BigIntStats, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { isSecretInGit, projectRoot, realForm, scanTree, withScanLimit } from "@metnos-gate/shell-reading/files";
import {
  type GitFolders,
  gitCommand,
  gitFoldersOf,
  gitHistories,
  mayMeanGits,
  objectsIn,
  type SecretNames,
} from "@metnos-gate/shell-reading/git";
import { workingDirectoryOf } from "@metnos-gate/shell-reading/programs";
import type { ProposedCall } from "../../ipc/contract/wire.ts";
import { runGit } from "../box/git-process.ts";
import { COMMAND_ARGS, CommandLines } from "../decide/executors/command-lines.ts";

/** Looks through the names in the histories of the repositories that agents work in: git prints them, in a process of its own. */

/** So long the first call with git in it waits at the most, and the first one after the history has changed; in milliseconds. */
const WAIT_MS = 3000;
/** A history that takes longer isn't known. */
const LOOK_MS = 60_000;
/** Once it has changed it is looked through again after this many times what that took. */
const RARELY = 20;
const MAX_NAMES = 1000;
/** References to no commit that are remembered. */
const MAX_ODD = 1000;
/** What of one list is remembered, in characters. */
const MAX_FOUND = 64 * 1024;
/** Names that are compared with, before they are forgotten; together in characters. */
const MAX_SEEN = 8 * 1024 * 1024;
/** More than a path can be long, in characters: whatever has a longer name was never a file. */
const MAX_NAME = 8 * 1024;
/** What one agent's calls may wait for; beyond it, it isn't known what a word names. */
const MAX_WAITING = 16;
/** Hashes of one line that are looked up. */
const MAX_OBJECTS = 50;

/** What of one call's repositories takes longer to look at counts as changed; in milliseconds. */
const STATE_MS = 20;

interface Asked {
  agent_id: string;
  /** When there is no more time to see what has changed, by `performance.now()`. */
  until: number;
}

interface Looked {
  /** Which repository it is, whatever lies at its path later. */
  identity: string;
  running: Promise<unknown> | undefined;
  /** What git changes when references do. */
  state: string;
  /** When it may be looked through again, by `performance.now()`. */
  notBefore: number;
  /** Others of its agent come first. */
  isQueued: boolean;
}

export class GitHistories {
  readonly #home: string;
  readonly #looked = new Map<string, Looked>();
  readonly #children = new Set<ChildProcess>();
  /** By agent: git runs once at a time for each, whatever repositories it names. */
  readonly #turns = new Map<string, { last: Promise<unknown>; count: number }>();
  #isClosed = false;

  constructor(home: string) {
    this.#home = home;
  }

  /** What a call has to wait for before it is decided on; undefined where that is nothing. */
  before(call: ProposedCall, agentId = ""): Promise<unknown> | undefined {
    const values = Object.values(call.args);
    const lines = COMMAND_ARGS.flatMap((name) => textOf(call.args[name]));
    if (!values.some(mayNameGit) && !lines.some((text) => PUT_TOGETHER.test(text))) return undefined;
    const cwd = workingDirectoryOf(call, this.#home);
    if (cwd === undefined) return undefined;
    const until = performance.now() + STATE_MS;
    const folders = [...new Set([cwd, ...gitFoldersNamed(call, this.#home)])].slice(0, MAX_FOLDERS);
    // Where that takes too long, so does the decision, and its paths are asked about.
    const roots = withScanLimit(() => folders.map((folder) => projectRoot(realForm(folder) ?? folder, this.#home)));
    const objects = [...new Set(lines.flatMap(objectsIn))].slice(0, MAX_OBJECTS);
    const running = [...new Set(roots)].flatMap((root) =>
      root === null ? [] : (this.#begun({ agent_id: agentId, until }, root, objects) ?? []),
    );
    return running.length === 0 ? undefined : Promise.all(running);
  }

  /** @param objects words of a line that may name some */
  #begun(asked: Asked, root: string, objects: readonly string[]): Promise<unknown> | undefined {
    const { agent_id } = asked;
    const folders = gitFoldersOf(root);
    if (folders === null) return this.#looked.get(root)?.running;
    const look = this.#lookBegun(asked, root, folders);
    if (objects.length === 0) return look;
    gitHistories.noteCommits(root, objects, [], []);
    if ((this.#turns.get(agent_id)?.count ?? 0) >= MAX_WAITING) return look;
    return inTime(this.#inTurn(agent_id, () => lookUp(root, folders.git, objects, this.#children)));
  }

  #inTurn(agentId: string, run: () => Promise<void>): Promise<void> {
    const turns = this.#turns.get(agentId) ?? { last: Promise.resolve(), count: 0 };
    this.#turns.set(agentId, turns);
    turns.count++;
    const ran = turns.last.then(() => (this.#isClosed ? undefined : run()));
    turns.last = ran
      .catch(() => undefined)
      .then(() => {
        if (--turns.count === 0) this.#turns.delete(agentId);
      });
    return ran;
  }

  #lookBegun({ agent_id, until }: Asked, root: string, folders: GitFolders): Promise<unknown> | undefined {
    const identity = identityOf(folders);
    let known = this.#looked.get(root);
    if (known !== undefined && known.identity !== identity) {
      gitHistories.forget(root);
      known = undefined;
    }
    if (known?.isQueued === true && !this.#turns.has(agent_id)) known = undefined;
    if (known?.running !== undefined) {
      gitHistories.noteWaiting(root);
      return known.running;
    }
    if (performance.now() < (known?.notBefore ?? 0)) return undefined;
    const state = stateOf(folders, until);
    if (known?.state === state) return undefined;
    const isQueued = this.#turns.has(agent_id);
    const looked: Looked = { identity, state, notBefore: Number.POSITIVE_INFINITY, running: undefined, isQueued };
    if (this.#looked.size >= gitHistories.most) this.#looked.clear();
    this.#looked.set(root, looked);
    // Also where git has begun: a call may be decided on before it ends, as it is cancelled or has waited for long.
    gitHistories.noteWaiting(root);
    const look = async () => {
      const began = performance.now();
      looked.isQueued = false;
      await this.#look(root, folders.git, looked).finally(() => {
        looked.running = undefined;
        looked.notBefore = performance.now() + (performance.now() - began) * RARELY;
      });
    };
    looked.running = inTime(this.#inTurn(agent_id, look));
    return looked.running;
  }

  /** What is being looked through isn't any more. */
  close(): void {
    this.#isClosed = true;
    for (const child of this.#children) child.kill("SIGKILL");
  }

  async #look(root: string, git: string, looked: Looked): Promise<void> {
    // Meanwhile another repository may have come there.
    const isCurrent = () => this.#looked.get(root) === looked;
    if (!isCurrent()) return;
    const names = await lookThrough(git, this.#children);
    if (!isCurrent()) return;
    if (names === null) gitHistories.noteUnknown(root);
    else gitHistories.note(root, names);
  }
}

/** Where it fails, what it would have found isn't known. */
const inTime = (look: Promise<unknown>): Promise<unknown> =>
  Promise.race([look.catch(() => undefined), new Promise<void>((resolve) => setTimeout(resolve, WAIT_MS).unref())]);

/** Of what a line may mean by hashes, which are commits: their secrets' names are noted, also where no reference leads to them. */
async function lookUp(root: string, git: string, words: readonly string[], children: Set<ChildProcess>): Promise<void> {
  gitHistories.noteCommits(root, words, [], []);
  let said = "";
  const asked = words.map((word) => `${word}^{}\n`).join("");
  const isSaid = await printed(
    git,
    ["cat-file", "--batch-check=%(objecttype)"],
    children,
    (text) => (said += text),
    asked,
  );
  const lines = said.split("\n");
  if (!isSaid) return;
  const commits = words.filter((_, at) => lines[at] === "commit");
  const nothing = words.filter((_, at) => lines[at]?.endsWith(" missing"));
  const log = [...NAMES_OF, ...commits, "--not", "--all", "--reflog"];
  const secrets = commits.length === 0 ? [] : await secretsPrinted(git, log, children, { all: true });
  if (secrets !== null) gitHistories.noteCommits(root, words, [...commits, ...nothing], secrets);
}

const NAMES_OF = [
  ...["log", "--format=", "--name-only", "--no-renames", "--no-relative", "--no-ext-diff", "--no-textconv", "-c", "-z"],
  ...["--root", "-O/dev/null"],
];

/**
 * The secrets' names in all commits that references and their logs lead to; null where not all could be read.
 * @param git a repository's folder, whatever its settings say @param children the processes that print them
 */
export async function lookThrough(git: string, children = new Set<ChildProcess>()): Promise<SecretNames | null> {
  const ever = await secretsPrinted(git, [...NAMES_OF, "--all", "--reflog"], children);
  if (ever === null) return null;
  const odd = await oddReferences(git, children);
  const more = odd.length === 0 ? {} : { oddReferences: odd };
  if (ever.length === 0) return { ever, atHead: [], ...more };
  const tree = ["ls-tree", "-r", "-z", "--name-only", "--full-tree", "HEAD"];
  return { ever, atHead: (await secretsPrinted(git, tree, children)) ?? ever, ...more };
}

/** Those that lead to no commit: tags of files and folders, and names that git takes for hashes. */
async function oddReferences(git: string, children: Set<ChildProcess>): Promise<string[]> {
  const found = new FoundNames(MAX_ODD);
  const read = inParts("\n", (line) => {
    const [type, tagged, name = ""] = line.split(" ");
    if ((type !== "commit" && tagged !== "commit") || /\/[0-9a-f]{40,64}$/i.test(name)) found.add(name);
  });
  await printed(git, ["for-each-ref", "--format=%(objecttype) %(*objecttype) %(refname)"], children, read);
  return found.names;
}

/** Names in memory of their own: what is cut out of a longer text keeps all of it. */
class FoundNames {
  readonly #names = new Set<string>();
  readonly #max: number;
  #length = 0;

  constructor(max: number) {
    this.#max = max;
  }

  get names(): string[] {
    return [...this.#names];
  }

  get isFull(): boolean {
    return this.#names.size >= this.#max || this.#length >= MAX_FOUND;
  }

  add(name: string): void {
    if (this.isFull || this.#names.has(name)) return;
    this.#names.add(copyOf(name));
    this.#length += name.length;
  }
}

const copyOf = (text: string): string => Buffer.from(text).toString();

/** Hands on what comes between separators, but for what is too long: that isn't put together. */
function inParts(separator: string, on: (part: string) => void): (text: string) => void {
  let rest = "";
  let isTooLong = false;
  return (text) => {
    const parts = text.split(separator);
    const last = parts.pop() ?? "";
    for (const part of parts) {
      if (!isTooLong && rest.length + part.length <= MAX_NAME) on(rest + part);
      rest = "";
      isTooLong = false;
    }
    isTooLong ||= rest.length + last.length > MAX_NAME;
    rest = isTooLong ? "" : rest + last;
  };
}

/** Null where git failed, or, with `all`, where not all names were printed: else those that were are better known than none. */
async function secretsPrinted(
  git: string,
  words: readonly string[],
  children: Set<ChildProcess>,
  { all = false } = {},
): Promise<string[] | null> {
  const found = new FoundNames(MAX_NAMES);
  const seen = new Set<string>();
  let seenLength = 0;
  const read = inParts("\0", (part) => {
    const name = part.trimStart();
    // Most names come again with each commit.
    if (seen.has(name)) return;
    if (seenLength > MAX_SEEN) {
      seen.clear();
      seenLength = 0;
    }
    seen.add(copyOf(name));
    seenLength += name.length;
    if (isSecretInGit(`/${name}`) || mayMeanGits(name)) found.add(name);
  });
  const isWhole = await printed(git, words, children, (text, child) => {
    read(text);
    if (found.isFull) child.kill("SIGKILL");
  });
  return isWhole || (!all && found.names.length > 0) ? found.names : null;
}

/** What git prints, part by part; false where it failed, or isn't here: then none of an agent's is, either. */
function printed(
  git: string,
  words: readonly string[],
  children: Set<ChildProcess>,
  on: (text: string, child: ChildProcess) => void,
  input = "",
): Promise<boolean> {
  const run = { env: { ...ENV, GIT_DIR: git }, ms: LOOK_MS, input };
  const { child, ended } = runGit([...OVER_SETTINGS, ...words], run, on);
  children.add(child);
  return ended.finally(() => children.delete(child));
}

/** Git is run whatever the settings say, so none of them may have it run anything: what prints names asks no hook, filter or pager. */
const OVER_SETTINGS = [
  "--no-replace-objects",
  "--no-pager",
  ...["log.showSignature=false", "log.mailmap=false", "core.fsmonitor=false", "core.hooksPath=/dev/null"].flatMap(
    (one) => ["-c", one],
  ),
];
/** Nor does it reach anything by them. */
const ENV = {
  PATH: "/usr/local/bin:/usr/bin:/bin:/run/current-system/sw/bin",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_NO_LAZY_FETCH: "1",
  GIT_ALLOW_PROTOCOL: "none",
};

const textOf = (value: unknown): string[] =>
  typeof value === "string" ? [value] : Array.isArray(value) ? [value.join(" ")] : [];

const GIT = /\bg\W*i\W*t\b/;
const mayNameGit = (value: unknown): boolean => textOf(value).some((text) => GIT.test(text));
/** A shell may make the word of others. */
const PUT_TOGETHER = /[$`{]/;

/** Of one call, its own folder among them: more than are read of its commands. */
const MAX_FOLDERS = 520;

/** Where its command lines have git work, as far as they say so. */
function gitFoldersNamed(call: ProposedCall, home: string): string[] {
  const commands = new CommandLines(call, home).all.flatMap(({ reading }) => reading.commands);
  return commands.flatMap(({ name, argv, cwd }) => {
    if (name !== "git" || cwd === null) return [];
    const { folder } = gitCommand(argv.slice(1));
    return folder === "here" ? [cwd] : [resolve(cwd, folder.text)];
  });
}

/** @param until when, by `performance.now()`, what it is isn't known and counts as changed */
function stateOf({ git, common }: GitFolders, until: number): string {
  const isOver = () => performance.now() > until;
  const files = [
    ...["HEAD", "logs/HEAD"].map((name) => join(git, name)),
    ...["packed-refs", "shallow", "info/grafts", "refs", "worktrees"].map((name) => join(common, name)),
  ];
  for (const folder of isOver() ? [] : ["refs", "worktrees"])
    scanTree(join(common, folder), REFERENCES, ({ relative, is_folder }) => {
      if (is_folder) files.push(join(common, folder, relative));
      return !isOver();
    });
  if (isOver()) return `not known at ${until}`;
  return files.map((file) => statOf(file)?.mtimeNs).join();
}

function statOf(file: string): BigIntStats | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false, bigint: true });
  } catch {
    return undefined; // a loop of links, or a folder that can't be looked into: git finds nothing there, either
  }
}

/** Each folder changes with what lies in it. */
const REFERENCES = { maxEntries: 5000, maxDepth: 16, skipped: new Set<string>() };

function identityOf({ git, common }: GitFolders): string {
  const are = [git, common].map(statOf);
  return are.map((is) => `${is?.dev}:${is?.ino}:${is?.birthtimeNs}`).join();
}
