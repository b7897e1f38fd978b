import { randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  fchmodSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmdirSync,
  type Stats,
  symlinkSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { MAX_FILE } from "./bounds.ts";
import { type Change, changesBetween, type Entry, isSame, kindOf, treeOf, UNKEPT } from "./entries.ts";
import { bytesIn, inFolder, isUnreadable, linkIn, looksOf, named, setMode, statIn } from "./in-folder.ts";
import { nameOf, type Objects } from "./objects.ts";

/** Taking back what calls did, file by file: only what is now as they left it, or what the user has chosen. */

/**
 * What would become of a file. `ready`: it is as the calls left it. `done`: it is as it was before them. `changed`: somebody else has
 * changed it since, or between them. `unsure`: nobody said that the call had ended, or it took long: who changed it isn't known. `unkept`: it was too
 * large, or couldn't be read; or what is there now is so large that it couldn't be put again.
 */
type FileState = "ready" | "done" | "changed" | "unsure" | "unkept";

export interface FileChange {
  path: string;
  state: FileState;
  before: Entry | null;
  /** As the last of the calls left it. */
  agent: Entry | null;
  now: Entry | null;
}

/** A file as it was looked at. */
interface Looked {
  entry: Entry | null;
  stat: Stats | undefined;
}

export type Choice = "before" | "agent" | "now";
export type Outcome = "restored" | "kept" | "failed";

/** What a call did, as two trees of the store. */
export interface CallTrees {
  before: string;
  after: string;
  /** Nobody said that it had ended, or it took long: what differs may be somebody else's. */
  isUnsure: boolean;
  /** Of what was taken back while it ran: who changed these isn't known. */
  unsurePaths: ReadonlySet<string>;
}

/** @param calls the oldest first @param objects keeps what is there now, too @throws where the store lacks something */
export async function planned(objects: Objects, rootFd: number, calls: readonly CallTrees[]): Promise<FileChange[]> {
  const merged = new Map<string, Change & { isBroken: boolean; isUnsure: boolean }>();
  for (const call of calls)
    for (const change of await changesBetween(objects, call.before, call.after)) {
      const known = merged.get(change.path);
      const isBroken = known !== undefined && (known.isBroken || !isSame(known.after, change.before));
      const isUnsure = known?.isUnsure === true || call.isUnsure || call.unsurePaths.has(change.path);
      const before = known === undefined ? change.before : known.before;
      merged.set(change.path, { ...change, before, isBroken, isUnsure });
    }
  const files: FileChange[] = [];
  const look = looksAt(objects, rootFd, merged.keys());
  for (const { path, before, after: agent, isBroken, isUnsure } of merged.values()) {
    if (isSame(before, agent) && !isBroken) continue;
    const { entry: now, stat } = look(path);
    // A folder that the agent closed, and is as it was then.
    const isClosed = agent?.mode === UNKEPT && stat?.isDirectory() === true && looksOf(stat) === agent.sha;
    const isAsLeft = !isBroken && (isSame(now, agent) || isClosed);
    const isLost = now?.mode === UNKEPT && stat?.isFile() === true && stat.size > MAX_FILE;
    files.push({ path, before, agent, now, state: stateOf({ before, agent, now }, isAsLeft, isUnsure, isLost) });
  }
  return files.sort((one, other) => (one.path < other.path ? -1 : 1));
}

function stateOf(
  { before, agent, now }: Omit<FileChange, "path" | "state">,
  isAsLeft: boolean,
  isUnsure: boolean,
  isLost: boolean,
): FileState {
  if (isSame(now, before)) return "done";
  if (before?.mode === UNKEPT || (before === null && agent?.mode === UNKEPT) || isLost) return "unkept";
  if (!isAsLeft) return "changed";
  return isUnsure ? "unsure" : "ready";
}

/** What it isn't known of whether it is a file or a folder. */
const UNKNOWN: Looked = { entry: { mode: UNKEPT, sha: "1".repeat(40) }, stat: undefined };
const NOTHING: Looked = { entry: null, stat: undefined };

/** What lies at some of these paths now, kept in the store. On disks that take two of them for one name it is what is listed so. */
function looksAt(objects: Objects, rootFd: number, paths: Iterable<string>): (path: string) => Looked {
  const counts = new Map<string, number>();
  for (const path of paths) counts.set(folded(path), (counts.get(folded(path)) ?? 0) + 1);
  return (path) => {
    try {
      const isListed = (counts.get(folded(path)) ?? 0) < 2 || isListedSo(rootFd, path);
      return (isListed ? inParent(rootFd, path, (name) => lookIn(objects, name)) : undefined) ?? NOTHING;
    } catch (error) {
      if (isUnreadable(error)) return UNKNOWN;
      throw error;
    }
  };
}

const folded = (path: string): string => Buffer.from(path, "latin1").toString().normalize("NFC").toLowerCase();

function isListedSo(rootFd: number, path: string): boolean {
  const names = path.split("/");
  return names.every(
    (name, at) =>
      inFolder(rootFd, names.slice(0, at).join("/"), () => readdirSync(".", { encoding: "latin1" }).includes(name)) ===
      true,
  );
}

function lookIn(objects: Objects, name: string): Looked {
  const stat = statIn(name);
  if (stat === undefined) return { entry: null, stat };
  const { mode } = stat;
  if (stat.isDirectory()) return { entry: { mode, sha: NO_FOLDER }, stat };
  const content = stat.isSymbolicLink() ? linkIn(name) : stat.isFile() ? bytesIn(name) : undefined;
  if (content === undefined) return { entry: { mode: UNKEPT, sha: looksOf(stat) }, stat };
  return { entry: { mode, sha: objects.add("blob", content) }, stat };
}

/** Git's name of a folder that holds nothing. */
const NO_FOLDER = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

function inParent<T>(rootFd: number, path: string, run: (name: string) => T): T | undefined {
  const at = path.lastIndexOf("/");
  return inFolder(rootFd, path.slice(0, Math.max(at, 0)), () => run(path.slice(at + 1)));
}

/** These paths as they are now, with the folders that they lie in, as a tree. @throws the system's error */
export function treeOfPaths(objects: Objects, rootFd: number, paths: Iterable<string>): string {
  const entries = new Map<string, Entry>();
  const parts = [...paths].map((path) => path.split("/").map((_, at, names) => names.slice(0, at + 1).join("/")));
  const look = looksAt(objects, rootFd, new Set(parts.flat()));
  for (const path of parts) {
    for (const part of path) {
      if (entries.has(part)) continue;
      const { entry } = look(part);
      // Where there is no folder, nothing lies in it.
      if (entry === null) break;
      entries.set(part, entry);
      if (kindOf(entry) !== "folder") break;
    }
  }
  return treeOf(objects, entries);
}

/** One step of taking back: what is there now goes, or what was there comes. */
interface Wanted {
  path: string;
  from: Entry | null;
  to: Entry | null;
}

/**
 * Puts these files back, each as a whole or not at all: what is at its place is looked at once more before that.
 * @returns what became of each, by path
 */
export async function putBack(objects: Objects, rootFd: number, all: readonly Wanted[]): Promise<Map<string, Outcome>> {
  // What isn't kept can't come back, so that what is there stays.
  const outcomes = new Map<string, Outcome>();
  for (const { path } of all.filter(({ to }) => to?.mode === UNKEPT)) outcomes.set(path, "failed");
  const wanted = all.filter(({ to }) => to?.mode !== UNKEPT);
  const attempt = (path: string, act: (name: string) => Outcome) => {
    try {
      outcomes.set(path, inParent(rootFd, path, act) ?? "failed");
    } catch {
      outcomes.set(path, "failed");
    }
  };
  const isFolder = (entry: Entry | null) => entry !== null && kindOf(entry) === "folder";
  const deepFirst = wanted.toReversed();
  // What is in them can be changed only while they are open.
  const closed = wanted.filter(({ from }) => isFolder(from) && ((from?.mode ?? 0) & 0o700) !== 0o700);
  for (const { path, from } of closed) attempt(path, (name) => modeSet(name, (from?.mode ?? 0) | 0o700));
  for (const { path, from, to } of deepFirst)
    if (from !== null && !isFolder(from) && (to === null || isFolder(to))) attempt(path, (name) => removed(name, from));
  for (const { path, from, to } of deepFirst) if (isFolder(from) && !isFolder(to)) attempt(path, emptied);
  for (const { path, from, to } of wanted)
    if (to !== null && isFolder(to) && outcomes.get(path) !== "failed" && outcomes.get(path) !== "kept")
      attempt(path, (name) => folderMade(name, to.mode, isFolder(from)));
  for (const { path, from, to } of wanted) {
    if (to === null || isFolder(to) || (outcomes.has(path) && outcomes.get(path) !== "restored")) continue;
    const content = await objects.read(to.sha).catch(() => undefined);
    if (content === undefined) outcomes.set(path, "failed");
    else attempt(path, (name) => made(name, to, content, isFolder(from) ? null : from));
  }
  // Last, as nothing can be made in a folder that can't be written.
  for (const { path, to } of deepFirst)
    if (to !== null && isFolder(to) && outcomes.get(path) === "restored")
      attempt(path, (name) => modeSet(name, to.mode));
  for (const { path, from } of closed.toReversed())
    if (outcomes.get(path) === "kept")
      attempt(path, (name) => {
        modeSet(name, from?.mode ?? 0);
        return "kept";
      });
  return outcomes;
}

/** Whether what has this name is what is expected there. */
function isThere(name: string, expected: Entry | null): boolean {
  const stat = statIn(name);
  if (stat === undefined || expected === null) return stat === undefined && expected === null;
  if (stat.mode !== expected.mode) return kindOf(expected) === "unkept" && looksOf(stat) === expected.sha;
  const content = stat.isSymbolicLink() ? linkIn(name) : bytesIn(name);
  if (content === undefined || nameOf("blob", content) !== expected.sha) return false;
  // Of a large one that has taken a while.
  const { ino, ctimeMs } = statIn(name) ?? {};
  return ino === stat.ino && ctimeMs === stat.ctimeMs;
}

function removed(name: string, from: Entry): Outcome {
  if (!isThere(name, from)) return "kept";
  unlinkSync(named(name));
  return "restored";
}

/** A folder that holds something of somebody else's stays. */
function emptied(name: string): Outcome {
  try {
    rmdirSync(named(name));
    return "restored";
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === "ENOTEMPTY" || code === "EEXIST" ? "kept" : code === "ENOENT" ? "restored" : "failed";
  }
}

function folderMade(name: string, mode: number, isThereAlready: boolean): Outcome {
  if (!isThereAlready) mkdirSync(named(name), 0o700);
  else if (statIn(name)?.isDirectory() !== true) return "kept";
  // So that what it held can be put into it.
  return modeSet(name, mode | 0o700);
}

const modeSet = (name: string, mode: number): Outcome => (setMode(name, mode) ? "restored" : "kept");

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants;

/** What is half made has such a name. */
const HALF = ".metnos-gate-undo-";
const IS_HALF = /^\.metnos-gate-undo-[0-9a-f]{12}$/;

/** Beside these paths, where a process was killed that put them back. */
export function removeHalfMade(rootFd: number, paths: readonly string[]): void {
  for (const folder of new Set(paths.map((path) => path.slice(0, Math.max(path.lastIndexOf("/"), 0)))))
    inFolder(rootFd, folder, () => {
      for (const name of readdirSync(".", { encoding: "latin1" }))
        if (IS_HALF.test(name) && statIn(name)?.isDirectory() === false) unlinkSync(name);
    });
}

function made(name: string, { mode }: Entry, content: Buffer, from: Entry | null): Outcome {
  const half = `${HALF}${randomBytes(6).toString("hex")}`;
  try {
    if (kindOf({ mode }) === "link") symlinkSync(content, half);
    else writeWhole(half, mode & 0o7777, content);
    if (!isThere(name, from)) return "kept";
    if (from !== null) renameSync(half, named(name));
    else appear(half, name);
    return "restored";
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return "kept";
    throw error;
  } finally {
    try {
      unlinkSync(half);
    } catch {
      // it has its own name now
    }
  }
}

/** Where somebody makes one at this moment, theirs stays; but on a disk without links. */
function appear(half: string, name: string): void {
  try {
    linkSync(half, named(name));
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (!["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"].includes(code)) throw error;
    renameSync(half, named(name));
  }
}

function writeWhole(path: string, mode: number, content: Buffer): void {
  const fd = openSync(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  try {
    for (let at = 0; at < content.length; ) at += writeSync(fd, content, at, content.length - at, null);
    fchmodSync(fd, mode);
  } finally {
    closeSync(fd);
  }
}
