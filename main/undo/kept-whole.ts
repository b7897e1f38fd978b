import { lstatSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { isAtOrBelow, realForm, scanTree } from "@metnos-gate/shell-reading/files";
import { MAX_IGNORED, REBUILT } from "./bounds.ts";

const LIMITS = { maxEntries: 2000, maxDepth: 32, skipped: new Set<string>() };

/**
 * True if all that lies at and below a path of a project is kept, whatever its repository ignores; in any doubt it isn't. What isn't
 * there is kept as such. @param root of the project, real @param path absolute
 */
export function isWhollyKept(root: string, path: string): boolean {
  const folder = realForm(dirname(path));
  const real = folder === null ? root : join(folder, basename(path));
  if (real === root || !isAtOrBelow(real, root)) return false;
  if (real.slice(root.length).split("/").some(isLeftOut)) return false;
  const isFolder = isKeptAt(real);
  if (isFolder === undefined) return false;
  return !isFolder || scanTree(real, LIMITS, ({ relative }) => isKeptAt(join(real, relative)) !== undefined);
}

/** Of a repository below its objects aren't kept, nor what is built anew. */
const isLeftOut = (name: string): boolean => name === ".git" || REBUILT.has(name);

/** True for a folder; undefined for what isn't kept, or can't be looked at. */
function isKeptAt(path: string): boolean | undefined {
  try {
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (stat === undefined || stat.isSymbolicLink()) return false;
    if (stat.isDirectory()) return isLeftOut(basename(path)) ? undefined : true;
    return stat.isFile() && stat.size <= MAX_IGNORED ? false : undefined;
  } catch {
    return undefined;
  }
}
