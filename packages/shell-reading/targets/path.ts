import { closeSync, lstatSync, openSync, readlinkSync, realpathSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { errorCode } from "../files/regular-bytes.ts";
import { absolutePath } from "../paths.ts";
import { following, isFollowingOver, onceADecision } from "./tree-scan.ts";

/** Paths as a call names them, in the two forms that a grant must cover: the lexical and the real one. */

const MAX_LINKS = 40;

/** Names in what isn't there, or leads up again: each of them is looked for by itself. */
const MAX_NAMES = 256;

/** Names on one way, through all its links. */
const MAX_WALKED = 1024;

const NOT_RELATIVE = /^~|^file:|^[a-z][a-z0-9+.-]*:\/\//i;

/** `~` and `~/...` as the home folder. `~user` is left alone: it names somebody else's. */
export function expandHome(path: string, home: string): string {
  if (path === "~") return home;
  return path.startsWith("~/") ? home + path.slice(1) : path;
}

export interface ResolvedPath {
  /** Absolute, `~`, `.`, `..` and doubled slashes resolved as text. */
  lexical: string;
  /** What the kernel would open: symbolic links followed, also dangling ones. Null if that can't be determined (a loop, no permission). */
  real: string | null;
  /** It leads through what each process sees as its own (`/proc/self/cwd`, `/dev/fd/3`): for the agent that is another place; no grant covers it. */
  is_process_relative?: true;
  /** Following the call's paths took too long: what would be followed, absolute; empty where its way alone is longer than anybody follows. */
  unfollowed?: string;
}

/** An empty name, `.` or `..` among the names of an absolute path. */
export const NOT_NORMAL = /\/\.{0,2}(?:\/|$)/;

const OWN_VIEW = /^\/proc\/(self|thread-self|[0-9]+)(\/|$)|^\/dev\/fd\//;

/**
 * Resolves a path argument. Returns null for one that can't be placed: relative without an absolute `cwd`, with a NUL byte, or
 * one that a tool may not read as a relative path (`~user/x`, `file:///x`).
 * @param cwd the caller's working directory, absolute
 */
export function resolvePath(raw: string, home: string, cwd?: string): ResolvedPath | null {
  if (raw === "" || raw.includes("\0")) return null;
  const expanded = expandHome(raw, home);
  let absolute = expanded;
  if (!expanded.startsWith("/")) {
    if (NOT_RELATIVE.test(expanded)) return null;
    if (cwd === undefined || !cwd.startsWith("/") || cwd.includes("\0")) return null;
    absolute = `${cwd}/${expanded}`;
  }
  const lexical = NOT_NORMAL.test(absolute) ? resolve(absolute) : absolute;
  const real = realForm(absolute);
  // Without a link on its way a path leads where it says.
  if (real === lexical && !OWN_VIEW.test(lexical)) return { lexical, real };
  let isProcessRelative = OWN_VIEW.test(lexical);
  const end = following(absolute, () =>
    walk(absolute, (passed) => {
      isProcessRelative ||= OWN_VIEW.test(passed);
    }),
  );
  if (end === undefined) return { lexical, real: null, unfollowed: "" };
  const unfollowed = end === null && isFollowingOver() ? { unfollowed: absolute } : {};
  const found = { lexical, real: end === null ? null : real, ...unfollowed };
  return isProcessRelative ? { ...found, is_process_relative: isProcessRelative } : found;
}

/**
 * A text in an absolute, normal form, as `absolutePath`. Null as well where it goes up behind a link: from there the kernel, and with it most
 * programs, goes up from where that leads, and programs that take `..` for text (Node, clients' own tools) from where the link is.
 */
export function certainPath(text: string, cwd: string | null): string | null {
  const path = absolutePath(text, cwd);
  if (path === null || !text.includes("..")) return path;
  return realForm(text.startsWith("/") ? text : `${cwd}/${text}`) === realForm(path) ? path : null;
}

/**
 * The path that the kernel would reach. `a/link/..` is the parent of where the link points to, not `a`; what doesn't exist
 * yet is placed below the real form of what does, and a dangling link counts as where it points. Null for what isn't absolute, and
 * where finding out would take too long.
 */
export function realForm(absolute: string): string | null {
  // What is relative has no root to end at.
  if (!absolute.startsWith("/") || hasTooManyNames(absolute)) return null;
  return realForms(absolute, () => following(absolute, () => leadingTo(absolute)));
}

const realForms = onceADecision<string | null>();

function leadingTo(absolute: string): string | null {
  if (absolute.includes("/..")) return walk(absolute) ?? null;
  try {
    const way = wayTo(absolute);
    // An error costs ten times a look.
    return way === "none" ? belowWhatExists(absolute) : foundBy(way, absolute);
  } catch (error) {
    const code = errorCode(error);
    // A dangling link, or gone since.
    return code === "ENOENT" || code === "ENOTDIR" ? belowWhatExists(absolute) : null;
  }
}

/** The kernel's O_PATH, which opens nothing, and O_CLOEXEC. */
const ONLY_THE_PATH = 0o12000000;

/** A way that the kernel finds more slowly than this leads through links without end, in milliseconds. */
const LONG_MS = 0.25;

/**
 * `realpath`: the library's where the way is short. That one asks for each name anew, from the root on and through all links, which can
 * take 200 ms: else it is found in one way of the kernel's. @throws the system's error
 */
export function realPath(path: string): string;
export function realPath(path: Buffer): Buffer;
export function realPath(path: string | Buffer): string | Buffer {
  return typeof path === "string" ? foundBy(wayTo(path), path) : foundBy("long", path);
}

/** "none": nothing is there. */
type Way = "short" | "long" | "none";

function foundBy(way: Way, path: string): string;
function foundBy(way: Way, path: Buffer): Buffer;
function foundBy(way: Way, path: string | Buffer): string | Buffer {
  const isText = typeof path === "string";
  if (isText && way === "short") return realpathSync.native(path);
  if (process.platform === "linux") {
    const found = openedPath(path);
    // No file system's (a pipe), not below the root, or deleted since: whatever the library makes of it.
    if (found !== null && found[0] === 0x2f && !found.subarray(-DELETED.length).equals(DELETED))
      return isText ? found.toString() : found;
  }
  return isText ? realpathSync.native(path) : realpathSync.native(path, "buffer");
}

function wayTo(path: string): Way {
  if (path.length > MAX_NAMES) return "long";
  const began = performance.now();
  const kind = lookedAt(path);
  const isShort = (kind === "file" || kind === "folder") && performance.now() - began < LONG_MS;
  kinds(path, () => kind);
  return kind === "nothing" ? "none" : isShort ? "short" : "long";
}

const DELETED = Buffer.from(" (deleted)");

/** Null where that can't be seen so. @throws the system's error for the path */
function openedPath(path: string | Buffer): Buffer | null {
  let fd: number;
  try {
    fd = openSync(path, ONLY_THE_PATH);
  } catch (error) {
    const code = errorCode(error);
    if (code === "EMFILE" || code === "ENFILE") return null;
    throw error;
  }
  try {
    return readlinkSync(`/proc/self/fd/${fd}`, { encoding: "buffer" });
  } catch (error) {
    if (errorCode(error) === "ENAMETOOLONG") throw error;
    return null;
  } finally {
    closeSync(fd);
  }
}

/** Nobody works so deep: whoever would look at each of the folders above it, each by a long way, doesn't begin. */
export const hasTooManyNames = (path: string): boolean => path.length > MAX_NAMES && path.split("/").length > MAX_NAMES;

/** The real form of the deepest part that exists, and the rest as it is written. */
function belowWhatExists(absolute: string): string | null {
  if (hasTooManyNames(absolute)) return null;
  try {
    const existing = deepestThere(absolute);
    const rest = existing === "/" ? absolute : absolute.slice(existing.length);
    const real = realPath(existing);
    return resolve(real === "/" ? rest : real + rest);
  } catch (error) {
    const code = errorCode(error);
    return code === "ENOENT" || code === "ENOTDIR" ? (walk(absolute) ?? null) : null;
  }
}

/** Halves what is left: each look may lead by a long way. @throws the system's error */
function deepestThere(absolute: string): string {
  const names = absolute.split("/");
  let [there, gone] = [1, names.length + 1];
  while (gone - there > 1) {
    const middle = Math.floor((there + gone) / 2);
    if (lstatSync(names.slice(0, middle).join("/"), NO_THROW) === undefined) gone = middle;
    else there = middle;
  }
  return names.slice(0, there).join("/") || "/";
}

const NO_THROW = { throwIfNoEntry: false } as const;

/** Every link that the way to a path leads through: who replaces one of them leads it elsewhere. */
export function linksOnWay(absolute: string): string[] {
  const links: string[] = [];
  walk(absolute, (passed, isLink) => {
    if (isLink) links.push(passed);
  });
  return links;
}

/**
 * The kernel's way to a path, one name after the other; null where it finds none, undefined where that is longer than anybody follows.
 * `passing` is called for each path on it, that is there or not.
 */
function walk(absolute: string, passing?: (path: string, isLink: boolean) => void): string | null | undefined {
  if (hasTooManyNames(absolute)) return undefined;
  let parts = absolute.split("/");
  let here = "/";
  let links = 0;
  let walked = 0;
  for (let index = 0; index < parts.length; index++) {
    const part = parts[index];
    if (part === undefined || part === "" || part === ".") continue;
    if (++walked > MAX_WALKED) return undefined;
    if (part === "..") {
      here = dirname(here);
      continue;
    }
    const next = join(here, part);
    let target: string | undefined;
    try {
      if (lstatSync(next, { throwIfNoEntry: false })?.isSymbolicLink()) target = readlinkSync(next);
    } catch (error) {
      if (errorCode(error) !== "ENOTDIR") return null;
    }
    passing?.(next, target !== undefined);
    if (target === undefined) {
      here = next;
      continue;
    }
    if (++links > MAX_LINKS) return null;
    if (hasTooManyNames(target)) return undefined;
    parts = [...target.split("/"), ...parts.slice(index + 1)];
    index = -1;
    if (target.startsWith("/")) here = "/";
  }
  return here;
}

/** True if `path` is `folder` or lies below it; both absolute and normal. */
export function isAtOrBelow(path: string, folder: string): boolean {
  return path === folder || (path.startsWith(folder) && path.charCodeAt(folder.length) === 47) || folder === "/";
}

/** What is at a path now, links not followed; `unknown` where that can't be determined, or the call's paths take too long to be followed. */
export type PathKind = "nothing" | "file" | "folder" | "link" | "unknown";

export function kindOf(path: string): PathKind {
  return kinds(path, () => following(path, () => lookedAt(path))) ?? "unknown";
}

/** The same for whoever counts how long the path is followed. */
export const kindFollowed = (path: string): PathKind | null => kinds(path, () => lookedAt(path));

const kinds = onceADecision<PathKind | null>();

function lookedAt(path: string): PathKind {
  try {
    const stat = lstatSync(path, NO_THROW);
    if (stat === undefined) return "nothing";
    if (stat.isSymbolicLink()) return "link";
    return stat.isDirectory() ? "folder" : "file";
  } catch (error) {
    const code = errorCode(error);
    return code === "ENOTDIR" || code === "ENAMETOOLONG" ? "nothing" : "unknown";
  }
}

/** Characters that some file systems leave out of a name: macOS' disks some of them, Linux' folders without case (ext4, f2fs) all. */
const LEFT_OUT = /\p{Default_Ignorable_Code_Point}/gu;
// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII
const PLAIN = /^[\x00-\x7f]*$/;

/**
 * A path as file systems compare names that take no account of case (macOS): in lower case, compatible letters (`ſ`, the Kelvin sign) as
 * those they mean, letters that are two in upper case as these (`ß` as `ss`). Two paths that differ here are two files everywhere.
 */
export function foldedPath(path: string): string {
  return PLAIN.test(path)
    ? path.toLowerCase()
    : path.replace(LEFT_OUT, "").normalize("NFKC").toLowerCase().toUpperCase().toLowerCase();
}
