import { type Dirent, lstatSync, readdirSync } from "node:fs";
import { errorCode } from "../errors.ts";

/** Symbolic links on the way of what a command would come to: it may be led out of what it names. All of it is bounded. */

const MAX_ENTRIES = 2000;
/** A work tree is looked through where a line adds to a repository and then has git look again. */
const MAX_WORK_TREE = 10_000;
const MAX_DEPTH = 32;

/** A folder's entries; none where there is no folder. Null where that can't be told. */
function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    const code = errorCode(error);
    return code === "ENOENT" || code === "ENOTDIR" ? [] : null;
  }
}

/** True if a link lies below `folder`, or if there is too much to be looked at. */
export function mayHoldLinks(folder: string): boolean {
  return mayHold(folder, (entry) => entry.isSymbolicLink(), MAX_ENTRIES);
}

/** True if a repository lies in or below `folder`, other than the one whose root it may be; or if there is too much to be looked at. */
export function mayHoldRepository(folder: string, root: string): boolean {
  const isOne = (path: string) => path.endsWith("/.git") && path !== `${root}/.git`;
  return mayHold(folder, (_, path) => isOne(path), MAX_WORK_TREE, ".git");
}

function mayHold(
  folder: string,
  isOne: (entry: Dirent, path: string) => boolean,
  max_entries: number,
  skipped?: string,
): boolean {
  let left = max_entries;
  const waiting: { path: string; depth: number }[] = [{ path: folder, depth: 0 }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const entries = entriesOf(next.path);
    if (entries === null || next.depth > MAX_DEPTH) return true;
    for (const entry of entries) {
      const path = `${next.path}/${entry.name}`;
      if (--left < 0 || isOne(entry, path)) return true;
      if (entry.isDirectory() && entry.name !== skipped) waiting.push({ path, depth: next.depth + 1 });
    }
  }
  return false;
}

/**
 * True if a link stands on the way of a pattern, or may: every name that it can match is looked at, also those with a dot in front,
 * which some shells' settings add.
 * @param base absolute, without a pattern
 * @param segments the names behind it; the first one holds a pattern
 */
export function mayMatchLinks(base: string, segments: readonly string[]): boolean {
  const budget = { left: MAX_ENTRIES };
  return matchesLink(base, segments, budget);
}

function matchesLink(folder: string, segments: readonly string[], budget: { left: number }): boolean {
  const [segment, ...rest] = segments;
  if (segment === undefined) return false;
  if (segment === "" || segment === ".") return matchesLink(folder, rest, budget);
  if (!/[*?[]/.test(segment)) {
    if (segment === "..") return true;
    const found = lstatSync(`${folder}/${segment}`, { throwIfNoEntry: false });
    if (found === undefined) return false;
    return found.isSymbolicLink() || (found.isDirectory() && matchesLink(`${folder}/${segment}`, rest, budget));
  }
  if (segment === "**") return mayHoldLinks(folder);
  const entries = entriesOf(folder);
  if (entries === null) return true;
  const expression = expressionOf(segment);
  for (const entry of entries) {
    if (--budget.left < 0) return true;
    if (!expression.test(entry.name)) continue;
    if (entry.isSymbolicLink()) return true;
    if (entry.isDirectory() && matchesLink(`${folder}/${entry.name}`, rest, budget)) return true;
  }
  return false;
}

/** `*`, `?` and plain sets, without regard to case: some file systems and shells have none. */
function expressionOf(segment: string): RegExp {
  const source = segment.replace(/\*+|\?|\[[A-Za-z0-9-]+\]|[^*?[]/g, (piece) => {
    if (piece.startsWith("*")) return ".*";
    if (piece === "?" || piece.startsWith("[")) return ".";
    return piece.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
  });
  return new RegExp(`^${source}$`, "isu");
}
