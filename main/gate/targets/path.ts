import { lstatSync, readlinkSync, realpathSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { errorCode } from "../errors.ts";

/** Paths as a call names them, in the two forms that a grant must cover: the lexical and the real one. */

const MAX_LINKS = 40;

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
  /** It leads through what each process sees as its own (`/proc/self/cwd`, `/dev/fd/3`): for the agent that is another place. */
  is_process_relative?: true;
}

/** An empty name, `.` or `..` among the names of an absolute path. */
const NOT_NORMAL = /\/\.{0,2}(?:\/|$)/;

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
  let is_process_relative = OWN_VIEW.test(lexical);
  walk(absolute, (passed) => {
    is_process_relative ||= OWN_VIEW.test(passed);
  });
  return is_process_relative ? { lexical, real, is_process_relative } : { lexical, real };
}

/**
 * The path that the kernel would reach. `a/link/..` is the parent of where the link points to, not `a`; what doesn't exist
 * yet is placed below the real form of what does, and a dangling link counts as where it points. Null for what isn't absolute.
 */
export function realForm(absolute: string): string | null {
  // What is relative has no root to end at.
  if (!absolute.startsWith("/")) return null;
  if (absolute.includes("/..")) return walk(absolute);
  try {
    return realpathSync.native(absolute);
  } catch (error) {
    const code = errorCode(error);
    // Not there yet, a dangling link, or a file where a folder should be.
    return code === "ENOENT" || code === "ENOTDIR" ? belowWhatExists(absolute) : null;
  }
}

/** The real form of the deepest part that exists, and the rest as it is written. */
function belowWhatExists(absolute: string): string | null {
  let existing = absolute;
  let rest = "";
  try {
    while (existing !== "/" && lstatSync(existing, NO_THROW) === undefined) {
      const slash = existing.lastIndexOf("/");
      rest = existing.slice(slash) + rest;
      existing = slash === 0 ? "/" : existing.slice(0, slash);
    }
    const real = realpathSync.native(existing);
    return resolve(real === "/" ? rest : real + rest);
  } catch (error) {
    const code = errorCode(error);
    return code === "ENOENT" || code === "ENOTDIR" ? walk(absolute) : null;
  }
}

const NO_THROW = { throwIfNoEntry: false } as const;

/** Every link that the way to a path leads through: who replaces one of them leads it elsewhere. */
export function linksOnWay(absolute: string): string[] {
  const links: string[] = [];
  walk(absolute, (passed) => {
    try {
      if (lstatSync(passed, NO_THROW)?.isSymbolicLink()) links.push(passed);
    } catch {
      // A file where a folder should be: nothing is behind it.
    }
  });
  return links;
}

/** The kernel's way to a path, one name after the other. `passing` is called for each path on it. */
function walk(absolute: string, passing?: (path: string) => void): string | null {
  let parts = absolute.split("/");
  let here = "/";
  let links = 0;
  for (let index = 0; index < parts.length; index++) {
    const part = parts[index];
    if (part === undefined || part === "" || part === ".") continue;
    if (part === "..") {
      here = dirname(here);
      continue;
    }
    const next = join(here, part);
    passing?.(next);
    let target: string | undefined;
    try {
      if (lstatSync(next, { throwIfNoEntry: false })?.isSymbolicLink()) target = readlinkSync(next);
    } catch (error) {
      if (errorCode(error) !== "ENOTDIR") return null;
    }
    if (target === undefined) {
      here = next;
      continue;
    }
    if (++links > MAX_LINKS) return null;
    parts = [...target.split("/"), ...parts.slice(index + 1)];
    index = -1;
    if (target.startsWith("/")) here = "/";
  }
  return here;
}
