import { accessSync, constants } from "node:fs";
import { dirname, join } from "node:path";
import { readRegularBytes } from "../files/regular-bytes.ts";
import { hasTooManyNames, isAtOrBelow, kindOf, realForm } from "./path.ts";
import { onceADecision } from "./tree-scan.ts";

/** More folders than this above a file is no project. */
const MAX_DEPTH = 64;

/** More than a file that names a folder holds, in bytes. */
const MAX_NAME = 4096;

/**
 * The nearest folder at or above this one (absolute) of which that is true; null where it is true of none, undefined where the folder
 * lies deeper than anybody looks.
 */
export function folderAbove(folder: string, isIt: (here: string) => boolean): string | null | undefined {
  if (hasTooManyNames(folder)) return undefined;
  for (let here = folder, depth = 0; depth < MAX_DEPTH; here = dirname(here), depth++) {
    if (isIt(here)) return here;
    if (dirname(here) === here) return null;
  }
  return undefined;
}

/**
 * The project that a folder belongs to: the Git repository or worktree that it is in. Null where it is in none, and never the home
 * folder, one above it, or the whole disk: whoever keeps those in Git means no project by it.
 * @param folder absolute and normal
 */
export const projectRoot = (folder: string, home: string): string | null =>
  rootsOfDecision(`${home}\0${folder}`, () => rootAbove(folder, home));

const rootsOfDecision = onceADecision<string | null>();

function rootAbove(folder: string, home: string): string | null {
  const root =
    folderAbove(folder, (here) => isAtOrBelow(home, here) || isRepository(`${here === "/" ? "" : here}/.git`)) ?? null;
  // Where a link leads to the home, that is looked at only once there is a repository.
  return root === null || isAtOrBelow(home, root) || isAtOrBelow(realForm(home) ?? home, root) ? null : root;
}

/** A folder with a HEAD; of a worktree or a submodule a file that says where that is. A mere name makes no project. */
function isRepository(git: string): boolean {
  switch (kindOf(git)) {
    case "folder":
      return kindOf(`${git}/HEAD`) === "file";
    case "file":
      return namesFolder(git);
    default:
      return false;
  }
}

const namesFolder = (git: string): boolean => textOf(git).startsWith("gitdir: ");

function textOf(file: string): string {
  try {
    return readRegularBytes(file, { maxBytes: MAX_NAME }).toString();
  } catch {
    return ""; // not there, a pipe, too large, or not readable: nothing that git would follow
  }
}

/**
 * True if git itself takes this folder for a repository whose settings, objects and references are all its own; any other it passes
 * over, and looks for one further up.
 */
export function isTakenByGit(git: string): boolean {
  const holds = ["objects", "refs"].every((name) => kindOf(join(git, name)) === "folder" && mayEnter(join(git, name)));
  return (
    holds &&
    kindOf(join(git, "HEAD")) === "file" &&
    /^(?:ref:\s*refs\/|[0-9a-f]{40}(?:[0-9a-f]{24})?\s*$)/.test(textOf(join(git, "HEAD")))
  );
}

function mayEnter(folder: string): boolean {
  try {
    accessSync(folder, constants.X_OK);
    return true;
  } catch {
    return false; // nor may git, which has the same rights
  }
}
