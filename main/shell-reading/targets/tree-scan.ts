import { type Dirent, opendirSync, readdirSync, statSync } from "node:fs";
import { errorCode } from "../../base/errors.ts";

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
  max_entries: number;
  /** Folders below one another; the root's own entries are at 1. */
  max_depth: number;
  /** Names of folders that are seen, and not entered. */
  skipped: ReadonlySet<string>;
}

/** Entries that all scans of one call look at together: no call may hold the others up. */
const MAX_ENTRIES_OF_CALL = 10_000;

// Decisions are made one after the other: what is counted here is always the call that is looked at now.
let left_of_call: number | undefined;

/** Bytes of files that one call's looks read for what is in them. */
const MAX_BYTES_OF_CALL = 2 * 1024 * 1024;
let bytes_left_of_call = MAX_BYTES_OF_CALL;

/** Of one call, in milliseconds of this thread's own work, that following paths may take where each takes long: chains of links, folders far away. */
const MAX_FOLLOWING_MS = 4;
/** Any other path takes a quarter of this, the most where the gate has just started, and isn't counted. */
const LONG_MS = 0.25;
let followed_ms = 0;
let is_deciding = false;
/** How many there were so far. */
let decisions = 0;

/** Decides one call: what following its paths may take is counted once for all looks of the decision. */
export function decidingCall<T>(decide: () => T): T {
  if (is_deciding) return decide();
  is_deciding = true;
  decisions++;
  followed_ms = 0;
  try {
    return decide();
  } finally {
    is_deciding = false;
  }
}

/** Remembers what is found for the rest of one decision; outside of any it is found anew each time. */
export function onceADecision<T>(): (key: string, find: () => T) => T {
  const known = new Map<string, T>();
  let of = 0;
  return (key, find) => {
    if (!is_deciding) return find();
    if (of !== decisions) known.clear();
    of = decisions;
    const found = known.get(key) ?? find();
    known.set(key, found);
    return found;
  };
}

/**
 * Follows a path; null once one call's paths have taken too long: then it isn't known where another one leads. What took long once may
 * have waited for a disk, a processor, the collection of garbage or another virtual machine: it is followed again, where that matters
 * twice, and what counts is the least that it took, each time.
 */
export function following<T>(follow: () => T): T | null {
  if (left_of_call === undefined) return follow();
  if (followed_ms > MAX_FOLLOWING_MS) return null;
  const began = performance.now();
  const found = follow();
  const first_ms = performance.now() - began;
  if (first_ms <= LONG_MS) return found;
  const again = ownWork(follow);
  let least_ms = Math.min(first_ms, again.ms);
  let last = again.found;
  if (followed_ms + 2 * least_ms > MAX_FOLLOWING_MS && least_ms < MAX_FOLLOWING_MS) {
    const once_more = ownWork(follow);
    least_ms = Math.min(least_ms, once_more.ms);
    last = once_more.found;
  }
  if (least_ms > LONG_MS) followed_ms += 2 * least_ms;
  return last;
}

function ownWork<T>(act: () => T): { found: T; ms: number } {
  const began = ownMs();
  const found = act();
  return { found, ms: ownMs() - began };
}

/** Whether one call's paths have taken too long: what wasn't found since may be there. */
export const isFollowingOver = (): boolean => left_of_call !== undefined && followed_ms > MAX_FOLLOWING_MS;

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
  if (left_of_call === undefined) return true;
  bytes_left_of_call -= bytes;
  return bytes_left_of_call >= 0;
}

/** Counts another look of this call as so many entries; false once all that it may look at was. */
export function mayLookOn(entries: number): boolean {
  if (left_of_call === undefined) return true;
  left_of_call -= entries;
  return left_of_call >= 0;
}

/** Counts all scans that `look` makes against one limit. Once it is used up, nothing is seen whole any more. */
export function withScanLimit<T>(look: () => T): T {
  if (left_of_call !== undefined) return look();
  left_of_call = MAX_ENTRIES_OF_CALL;
  bytes_left_of_call = MAX_BYTES_OF_CALL;
  if (!is_deciding) followed_ms = 0;
  try {
    return look();
  } finally {
    left_of_call = undefined;
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
  let left = Math.min(limits.max_entries, left_of_call ?? limits.max_entries);
  let is_complete = true;
  for (const folder of waiting) {
    if (left <= 0) return false;
    const entries = entriesOf(folder.path, left);
    if (entries === null) {
      is_complete = false;
      continue;
    }
    left -= entries.length;
    if (left_of_call !== undefined) left_of_call -= entries.length;
    for (const entry of entries) {
      const relative = folder.prefix + entry.name;
      const is_folder = entry.isDirectory();
      if (!visit({ relative, name: entry.name, is_folder, is_link: entry.isSymbolicLink() })) return false;
      if (!is_folder || limits.skipped.has(entry.name)) continue;
      if (folder.depth < limits.max_depth)
        waiting.push({ path: `${folder.path}/${entry.name}`, prefix: `${relative}/`, depth: folder.depth + 1 });
      else is_complete = false;
    }
    if (left <= 0) return false;
  }
  return is_complete;
}

/** At most `count` entries of a folder, by name but for a large one; null if it can't be read. */
function entriesOf(folder: string, count: number): Dirent[] | null {
  try {
    const stat = following(() => statSync(folder));
    if (stat === null) return null;
    const is_large = stat.size > LARGE_FOLDER_BYTES;
    // Those are some of more than are looked at: in what order says nothing.
    if (is_large) return firstOf(folder, count);
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
