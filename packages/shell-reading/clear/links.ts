import { MAX_PATTERN, starred } from "../starred.ts";
import { kindOf } from "../targets/path.ts";
import { scanTree } from "../targets/tree-scan.ts";

/** Symbolic links on the way of what a command would come to: it may be led out of what it names. All of it is bounded. */

const MAX_ENTRIES = 2000;
/** A work tree is looked through where a line adds to a repository and then has git look again. */
const MAX_WORK_TREE = 10_000;
const MAX_DEPTH = 32;

const NONE: ReadonlySet<string> = new Set();

/** True if a link lies below `folder`, or if there is too much to be looked at. */
export function mayHoldLinks(folder: string): boolean {
  const limits = { maxEntries: MAX_ENTRIES, maxDepth: MAX_DEPTH, skipped: NONE };
  return !scanTree(folder, limits, ({ is_link }) => !is_link);
}

/** True if a repository lies in or below `folder`, other than the one whose root it may be; or if there is too much to be looked at. */
export function mayHoldRepository(folder: string, root: string): boolean {
  const limits = { maxEntries: MAX_WORK_TREE, maxDepth: MAX_DEPTH, skipped: new Set([".git"]) };
  return !scanTree(
    folder,
    limits,
    ({ name, relative }) => name !== ".git" || `${folder}/${relative}` === `${root}/.git`,
  );
}

/**
 * True if a link is on the path of a pattern, or may be: every name that it can match is looked at, also those with a dot in front,
 * which some shells' settings add.
 * @param base absolute, without a pattern
 * @param segments the names behind it; the first one holds a pattern
 */
export function mayMatchLinks(base: string, segments: readonly string[]): boolean {
  const budget = { left: MAX_ENTRIES };
  return matchesLink(base, segments, budget);
}

/** True if all names in `folder` that the segment's pattern can match are accepted; those with a dot in front are, as `*` leaves them out. */
export function allNames(folder: string, segment: string, accepts: (name: string) => boolean): boolean {
  const expression = expressionOf(segment);
  const limits = { maxEntries: MAX_ENTRIES, maxDepth: 1, skipped: NONE };
  let isAccepted = true;
  let seen = 0;
  scanTree(folder, limits, ({ name }) => {
    seen++;
    isAccepted &&= name.startsWith(".") || !expression.test(name) || accepts(name);
    return isAccepted;
  });
  return isAccepted && seen < MAX_ENTRIES;
}

function matchesLink(folder: string, segments: readonly string[], budget: { left: number }): boolean {
  const [segment, ...rest] = segments;
  if (segment === undefined) return false;
  if (segment === "" || segment === ".") return matchesLink(folder, rest, budget);
  if (segment === ".." || segment === "**") return segment === ".." || mayHoldLinks(folder);
  if (!/[*?[]/.test(segment)) {
    const kind = kindOf(`${folder}/${segment}`);
    return (
      kind === "link" || kind === "unknown" || (kind === "folder" && matchesLink(`${folder}/${segment}`, rest, budget))
    );
  }
  const expression = expressionOf(segment);
  const limits = { maxEntries: Math.max(budget.left, 1), maxDepth: 1, skipped: NONE };
  const inner: string[] = [];
  let hasLink = false;
  let seen = 0;
  scanTree(folder, limits, ({ name, is_link, is_folder }) => {
    seen++;
    if (!expression.test(name)) return true;
    hasLink ||= is_link;
    if (is_folder) inner.push(name);
    return !hasLink;
  });
  budget.left -= seen;
  return hasLink || budget.left <= 0 || inner.some((name) => matchesLink(`${folder}/${name}`, rest, budget));
}

/** The folders that a pattern matches, by their paths below `base`; null where there is too much to be looked at. As above. */
export function foldersMatched(base: string, segments: readonly string[]): string[] | null {
  let found = [""];
  let left = MAX_ENTRIES;
  for (const segment of segments) {
    if (segment === "**") return null;
    const expression = expressionOf(segment);
    found = found.flatMap((folder) => {
      const inner: string[] = [];
      scanTree(`${base}/${folder}`, { maxEntries: Math.max(left, 1), maxDepth: 1, skipped: NONE }, (entry) => {
        left--;
        if (entry.is_folder && expression.test(entry.name)) inner.push(`${folder}${entry.name}/`);
        return true;
      });
      return inner;
    });
  }
  return left > 0 ? found : null;
}

/** `*`, `?` and plain sets, without regard to case: some file systems and shells have none. One that is too long stands for any name. */
function expressionOf(segment: string): RegExp {
  if (segment.length > MAX_PATTERN) return /^/;
  const between = segment.split(/\*+/).map((text) =>
    text.replace(/\?|\[[A-Za-z0-9-]+\]|[^?[]/g, (piece) => {
      if (piece === "?" || piece.startsWith("[")) return ".";
      return piece.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
    }),
  );
  return new RegExp(starred(between, "."), "isu");
}
