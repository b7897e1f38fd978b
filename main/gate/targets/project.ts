import { dirname, join } from "node:path";
import { readRegularBytes } from "../../../ipc/regular-file.ts";
import { hasTooManyNames, realForm } from "./path.ts";
import { kindOf } from "./path-kind.ts";
import { isAtOrBelow } from "./pattern.ts";

/** More folders than this above a file is no project. */
export const MAX_DEPTH = 64;

/** More than a file that names a folder holds, in bytes. */
const MAX_NAME = 4096;

/**
 * The project that a folder belongs to: the Git repository or worktree that it is in. Null where it is in none, and never the home
 * folder, one above it, or the whole disk: whoever keeps those in Git means no project by it.
 * @param folder absolute and normal
 */
export function projectRoot(folder: string, home: string): string | null {
  if (hasTooManyNames(folder)) return null;
  const homes = [home, realForm(home) ?? home];
  for (let here = folder, depth = 0; depth < MAX_DEPTH; here = dirname(here), depth++) {
    if (homes.some((one) => isAtOrBelow(one, here))) return null;
    if (isRepository(join(here, ".git"))) return here;
    if (dirname(here) === here) return null;
  }
  return null;
}

/** A folder with a HEAD; of a worktree or a submodule a file that says where that is. A mere name makes no project. */
function isRepository(git: string): boolean {
  switch (kindOf(git)) {
    case "folder":
      return kindOf(join(git, "HEAD")) === "file";
    case "file":
      return namesFolder(git);
    default:
      return false;
  }
}

function namesFolder(git: string): boolean {
  try {
    return readRegularBytes(git, { max_bytes: MAX_NAME }).toString().startsWith("gitdir: ");
  } catch {
    return false; // a pipe, too large, or not readable: nothing that git would follow
  }
}
