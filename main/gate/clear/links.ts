import { lstatSync, readdirSync } from "node:fs";
import { errorCode } from "../errors.ts";

/** Symbolic links on the way of what a command would come to: it may be led out of what it names. All of it is bounded. */

const MAX_ENTRIES = 2000;
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
  let left = MAX_ENTRIES;
  const waiting: { path: string; depth: number }[] = [{ path: folder, depth: 0 }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const entries = entriesOf(next.path);
    if (entries === null || next.depth > MAX_DEPTH) return true;
    for (const entry of entries) {
      if (--left < 0 || entry.isSymbolicLink()) return true;
      if (entry.isDirectory()) waiting.push({ path: `${next.path}/${entry.name}`, depth: next.depth + 1 });
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
