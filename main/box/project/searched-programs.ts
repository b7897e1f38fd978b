import { lstatSync, opendirSync } from "node:fs";
import { join } from "node:path";
import { inProgramFolder, isPlantedAmongBuilt } from "../../shell-reading/clear/program-places.ts";
import {
  INSTALLED_BY_BUILDS,
  SEARCHED_PROGRAMS,
  TYPED_PROGRAMS,
} from "../../shell-reading/programs/searched-programs.ts";
import { linksOnWay } from "../../shell-reading/targets/path.ts";
import { isAtOrBelow } from "../../shell-reading/targets/pattern.ts";

/** Folders of a project that its client's shell has on its PATH, whatever they are called. */

/** With more names in it a folder is asked for each program by its name. */
const MAX_NAMES = 1000;

/**
 * What lies in one by the name of a program that is cleared, typed, or a shell's; or the first link on the way to it.
 * @param top the folder in which it lies; both absolute
 */
export function programsIn(folder: string, top: string): string[] {
  try {
    const link = linksOnWay(folder).find((path) => path !== top && isAtOrBelow(path, top));
    if (link !== undefined) return [link];
    if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return [];
    const is_built = inProgramFolder(folder);
    const isIts = (name: string) =>
      isPlantedAmongBuilt(name) || (!is_built && INSTALLED_BY_BUILDS.has(name.toLowerCase()));
    return (fewNamesIn(folder, isIts) ?? ALL.filter(isIts)).map((name) => join(folder, name));
  } catch {
    return []; // closed, or deeper than a path can be: no shell finds anything there
  }
}

const ALL = [...SEARCHED_PROGRAMS, ...TYPED_PROGRAMS, ...INSTALLED_BY_BUILDS];

function fewNamesIn(path: string, isIts: (name: string) => boolean): string[] | undefined {
  const found: string[] = [];
  const folder = opendirSync(path);
  try {
    for (let entry = folder.readSync(), names = 0; entry !== null; entry = folder.readSync(), names++) {
      if (names === MAX_NAMES) return undefined;
      if (!entry.isDirectory() && isIts(entry.name)) found.push(entry.name);
    }
    return found;
  } finally {
    folder.closeSync();
  }
}
