import { dirname, join } from "node:path";
import { readRegularBytes } from "../../../ipc/base/regular-file.ts";
import { kindOf } from "./path-kind.ts";

/**
 * Folders that builds and package managers fill, in lower case: large, and run only by them. A box doesn't look through them, so that
 * what a confined command has left there is as foreign as what was downloaded.
 */
export const BUILD_FOLDERS: ReadonlySet<string> = new Set([
  ...["node_modules", ".venv", "venv", "target", "__pycache__", ".tox", ".nox", ".mypy_cache", ".pytest_cache"],
  ...[".ruff_cache", ".next", ".nuxt", ".svelte-kit", ".turbo", ".parcel-cache", ".terraform", "bower_components"],
]);

/** What a build writes, beside its packages, in lower case: other folders are called so, too. */
const OUTPUTS: ReadonlySet<string> = new Set(["dist", "build", "out", "coverage", ".nyc_output", ".cache"]);

const MAX_IGNORED = 64 * 1024;
const MAX_DEPTH = 16;

/** True for a folder that a build makes again: by its name, and where that may be another's, as the project has Git ignore it. @param path absolute */
export function isMadeByBuild(path: string): boolean {
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  return BUILD_FOLDERS.has(name) || (OUTPUTS.has(name) && isIgnored(path));
}

/** By a line that is its name, in the folder that it lies in or one above it. */
function isIgnored(path: string): boolean {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const parent = dirname(path);
  let here = parent;
  for (let depth = 0; depth < MAX_DEPTH; depth++) {
    const lines = linesOf(join(here, ".gitignore"));
    const own = here === parent ? [`/${name}`, `/${name}/`] : [];
    if ([name, `${name}/`, `**/${name}`, `**/${name}/`, ...own].some((line) => lines.includes(line))) return true;
    if (kindOf(join(here, ".git")) !== "nothing" || dirname(here) === here) return false;
    here = dirname(here);
  }
  return false;
}

function linesOf(file: string): string[] {
  try {
    const text = readRegularBytes(file, { max_bytes: MAX_IGNORED }).toString();
    return text.split("\n").map((line) => line.trim());
  } catch {
    return []; // there is none, or nothing that git would read
  }
}
