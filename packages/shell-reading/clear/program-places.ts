import { HELPER, INSTALLED_BY_BUILDS, SEARCHED_PROGRAMS, TYPED_PROGRAMS } from "../programs/searched-programs.ts";

/**
 * Folders of a project that shells have on their PATH: an activated environment's, a package runner's, direnv's. What lies there by the
 * name of a program that is cleared would run in its place. Names are compared without regard to case.
 */

/** Any program in them. */
const OF_PROGRAMS = /\/(?:\.?venv\/bin|env\/bin|vendor\/bin|node_modules\/\.bin|\.[tn]ox\/[^/]+\/bin)(?:\/|$)/;

/** True for the name of a program that is cleared in a folder (absolute) that holds a project's programs. */
export function isPlantedProgram(folder: string, name: string): boolean {
  return inProgramFolder(folder) && SEARCHED_PROGRAMS.has(name.toLowerCase());
}

function inProgramFolder(path: string): boolean {
  return OF_PROGRAMS.test(path.toLowerCase());
}

/** True if `path` (absolute) is one of these folders, in one, or would be found in a `bin` for a program that is cleared. */
export function isProgramPlace(path: string): boolean {
  if (!/bin/i.test(path)) return false;
  return inProgramFolder(path) || isPlantedName(path.split("/").at(-2) ?? "", path.split("/").at(-1) ?? "");
}

/** True for a name in a folder of programs that a shell would run for a program that is cleared. */
export function isPlantedName(folder: string, name: string): boolean {
  return /^\.?bin$/i.test(folder) && SEARCHED_PROGRAMS.has(name.toLowerCase());
}

/** True for a name in such a folder that its user would type, git call, or a shell run for a program that is cleared. */
export function isPlantedAmongBuilt(name: string): boolean {
  const lower = name.toLowerCase();
  return SEARCHED_PROGRAMS.has(lower) || TYPED_PROGRAMS.has(lower) || HELPER.test(lower);
}

/** The same for one in `folder` (absolute), where builds put programs, too, or don't. */
export function isPlantedIn(folder: string, name: string): boolean {
  return isPlantedAmongBuilt(name) || (!inProgramFolder(folder) && INSTALLED_BY_BUILDS.has(name.toLowerCase()));
}
