import { type Dirent, lstatSync, opendirSync, readdirSync, readlinkSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { errorCode } from "../files/regular-bytes.ts";

/** A bounded look at what lies below a folder: breadth first, links are not followed. */

export interface TreeEntry {
  /** Below the scan's root, `a/b`. */
  relative: string;
  name: string;
  is_folder: boolean;
  is_link: boolean;
}

export interface ScanLimits {
  /** Entries that are looked at. */
  maxEntries: number;
  /** Folders below one another; the root's own entries are at 1. */
  maxDepth: number;
  /** Names of folders that are seen, and not entered. */
  skipped: ReadonlySet<string>;
}

/** Entries that all scans of one call look at together: no call may hold the others up. */
const MAX_ENTRIES_OF_CALL = 10_000;

// Decisions are made one after the other: what is counted here is always the call that is looked at now.
let leftOfCall: number | undefined;

/** Bytes of files that one call's looks read for what is in them. */
const MAX_BYTES_OF_CALL = 1024 * 1024;
let bytesLeftOfCall = MAX_BYTES_OF_CALL;

/** Of one call, in milliseconds of this thread's own work, that following paths may take where each takes long: chains of links, folders far away. */
const MAX_FOLLOWING_MS = 4;
/** Any other path takes a quarter of this, the most where the gate has just started, and isn't counted. */
const LONG_MS = 0.25;
let followedMs = 0;
/** A way of so many names takes the kernel less than that: where it took longer, that was the machine. Of all that took long in one call. */
const MAX_ORDINARY_NAMES = 2048;
let ordinaryNames = 0;
/** Letters of the paths that are looked at for that: the kernel goes to each of them from the root on. */
const MAX_ORDINARY_LETTERS = 128 * 1024;
let ordinaryLetters = 0;
const MAX_ORDINARY_PATH = 4000;
let isDeciding = false;
/** How many there were so far. */
let decisions = 0;

/** Decides one call: what following its paths may take is counted once for all looks of the decision. */
export function decidingCall<T>(decide: () => T): T {
  if (isDeciding) return decide();
  isDeciding = true;
  decisions++;
  followedMs = ordinaryNames = ordinaryLetters = 0;
  try {
    return decide();
  } finally {
    isDeciding = false;
  }
}

/**
 * Remembers what is found for the rest of one decision, which nothing interrupts; outside of any it is found anew each time. Null is what
 * took too long: that is looked for again.
 */
export function onceADecision<T>(): (key: string, find: () => T) => T {
  const known = new Map<string, T>();
  let of = 0;
  return (key, find) => {
    if (!isDeciding) return find();
    if (of !== decisions) known.clear();
    of = decisions;
    const found = known.get(key) ?? find();
    known.set(key, found);
    return found;
  };
}

/**
 * Follows a path; null once one call's paths have taken too long: then it isn't known where another one leads. What took long once may
 * have waited for a disk, a processor, the collection of garbage or another virtual machine: it is followed again, and what counts is the
 * least that it took, each time. A way of few names isn't counted, whatever it took.
 * @param path absolute: what `follow` asks the system for
 */
export function following<T>(path: string, follow: () => T): T | null {
  if (leftOfCall === undefined) return follow();
  if (followedMs > MAX_FOLLOWING_MS) return null;
  const began = performance.now();
  const found = follow();
  const firstMs = performance.now() - began;
  if (firstMs <= LONG_MS) return found;
  const few = firstMs > MAX_FOLLOWING_MS ? hasFewNames(path) : undefined;
  // A way of many names that takes all of it at once isn't gone twice.
  if (few === false) {
    followedMs += firstMs;
    return found;
  }
  const beganMs = ownMs();
  const again = follow();
  const leastMs = Math.min(firstMs, ownMs() - beganMs);
  if (leastMs > LONG_MS && !(few ?? hasFewNames(path))) followedMs += 2 * leastMs;
  return again;
}

/** The kernel follows no more of them on one way: round in circles it ends there, too. */
const MAX_LINKS = 40;

/** Whether the way to it, through all links, is an ordinary one. */
function hasFewNames(path: string): boolean {
  const left = path.split("/").reverse();
  let here = "/";
  let links = 0;
  for (let name = left.pop(); name !== undefined; name = left.pop()) {
    if (++ordinaryNames > MAX_ORDINARY_NAMES) return false;
    if (name === "..") here = dirname(here);
    if (/^\.{0,2}$/.test(name)) continue;
    const next = here === "/" ? `/${name}` : `${here}/${name}`;
    ordinaryLetters += next.length;
    // By a link the kernel continues where nobody can look by the whole path.
    if (ordinaryLetters > MAX_ORDINARY_LETTERS || next.length > MAX_ORDINARY_PATH) return false;
    const target = targetOf(next);
    // The way ends there; its other names count.
    if (target === undefined) {
      ordinaryNames += left.length;
      return ordinaryNames <= MAX_ORDINARY_NAMES;
    }
    if (target !== null && ++links > MAX_LINKS) return true;
    if (target === null) here = next;
    else left.push(...target.split("/").reverse());
    if (target?.startsWith("/")) here = "/";
  }
  return true;
}

/** Where a link leads; null for what is none, undefined for nothing that can be looked at. An error costs five times a look. */
function targetOf(path: string): string | null | undefined {
  try {
    const stat = lstatSync(path, { throwIfNoEntry: false });
    return stat === undefined ? undefined : stat.isSymbolicLink() ? readlinkSync(path) : null;
  } catch {
    return undefined;
  }
}

/** Whether one call's paths have taken too long: what wasn't found since may be there. */
export const isFollowingOver = (): boolean => leftOfCall !== undefined && followedMs > MAX_FOLLOWING_MS;

/**
 * This thread's own work, in milliseconds. Linux says it as it was at the last tick of its clock, up to 4 ms ago, but where the whole
 * process's was asked for just before: for that it brings the thread that asks up to date. Older Node says the process's alone.
 */
function ownMs(): number {
  const whole = process.cpuUsage();
  const { user, system } = process.threadCpuUsage?.() ?? whole;
  return (user + system) / 1000;
}

/** Counts what is read of a file; false once one call's looks have read all that they may: then it isn't known what a file holds. */
export function mayReadOn(bytes: number): boolean {
  if (leftOfCall === undefined) return true;
  bytesLeftOfCall -= bytes;
  return bytesLeftOfCall >= 0;
}

/** Counts another look of this call as so many entries; false once all that it may look at was. */
export function mayLookOn(entries: number): boolean {
  if (leftOfCall === undefined) return true;
  leftOfCall -= entries;
  return leftOfCall >= 0;
}

/** Counts all scans that `look` makes against one limit. Once it is used up, nothing is seen whole any more. */
export function withScanLimit<T>(look: () => T): T {
  if (leftOfCall !== undefined) return look();
  leftOfCall = MAX_ENTRIES_OF_CALL;
  bytesLeftOfCall = MAX_BYTES_OF_CALL;
  if (!isDeciding) followedMs = ordinaryNames = ordinaryLetters = 0;
  try {
    return look();
  } finally {
    leftOfCall = undefined;
  }
}

/** Packages and a repository's objects: many, and none of them is looked for. */
export const SKIPPED_FOLDERS: ReadonlySet<string> = new Set(["node_modules", ".git"]);

/**
 * Calls `visit` for each entry, until it returns false.
 * @returns true if everything below `root` was seen, but for skipped folders. A root that is no folder, or isn't there, has nothing below.
 */
export function scanTree(root: string, limits: ScanLimits, visit: (entry: TreeEntry) => boolean): boolean {
  const waiting = [{ path: root, prefix: "", depth: 1 }];
  let left = Math.min(limits.maxEntries, leftOfCall ?? limits.maxEntries);
  let isComplete = true;
  for (const folder of waiting) {
    if (left <= 0) return false;
    const entries = entriesOf(folder.path, left);
    if (entries === null) {
      isComplete = false;
      continue;
    }
    left -= entries.length;
    if (leftOfCall !== undefined) leftOfCall -= entries.length;
    for (const entry of entries) {
      const relative = folder.prefix + entry.name;
      const isFolder = entry.isDirectory();
      if (!visit({ relative, name: entry.name, is_folder: isFolder, is_link: entry.isSymbolicLink() })) return false;
      if (!isFolder || limits.skipped.has(entry.name)) continue;
      if (folder.depth < limits.maxDepth)
        waiting.push({ path: `${folder.path}/${entry.name}`, prefix: `${relative}/`, depth: folder.depth + 1 });
      else isComplete = false;
    }
    if (left <= 0) return false;
  }
  return isComplete;
}

/** At most `count` entries of a folder, by name but for a large one; null if it can't be read. */
function entriesOf(folder: string, count: number): Dirent[] | null {
  try {
    const stat = following(folder, () => statSync(folder));
    if (stat === null) return null;
    const isLarge = stat.size > LARGE_FOLDER_BYTES;
    // Those are some of more than are looked at: in what order says nothing.
    if (isLarge) return firstOf(folder, count);
    const entries = readdirSync(folder, { withFileTypes: true }).slice(0, count);
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    const code = errorCode(error);
    return code === "ENOENT" || code === "ENOTDIR" ? [] : null;
  }
}

/** Of more names than anybody works with, not all are read at once. */
const LARGE_FOLDER_BYTES = 256 * 1024;

function firstOf(folder: string, count: number): Dirent[] {
  const entries: Dirent[] = [];
  const opened = opendirSync(folder, { bufferSize: 1024 });
  try {
    while (entries.length < count) {
      const entry = opened.readSync();
      if (entry === null) break;
      entries.push(entry);
    }
  } finally {
    opened.closeSync();
  }
  return entries;
}
