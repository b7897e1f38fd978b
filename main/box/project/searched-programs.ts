import { lstatSync, opendirSync } from "node:fs";
import { join } from "node:path";
import { isPlantedAmongBuilt } from "../../gate/guard/program-places.ts";
import { SEARCHED_PROGRAMS, TYPED_PROGRAMS } from "../../gate/programs/searched-programs.ts";

/** Folders of a project that its client's shell has on its PATH, whatever they are called. */

/** With more names in it a folder is asked for each program by its name. */
const MAX_NAMES = 1000;

/** What lies in one by the name of a program that is cleared, typed, or a shell's; or the folder itself, where it is a link. */
export function programsIn(folder: string): string[] {
  try {
    const stat = lstatSync(folder, { throwIfNoEntry: false });
    if (stat?.isSymbolicLink() === true) return [folder];
    return stat?.isDirectory() === true ? (fewNamesIn(folder) ?? ALL).map((name) => join(folder, name)) : [];
  } catch {
    return []; // closed, or deeper than a path can be: no shell finds anything there
  }
}

const ALL = [...SEARCHED_PROGRAMS, ...TYPED_PROGRAMS];

function fewNamesIn(path: string): string[] | undefined {
  const found: string[] = [];
  const folder = opendirSync(path);
  try {
    for (let entry = folder.readSync(), names = 0; entry !== null; entry = folder.readSync(), names++) {
      if (names === MAX_NAMES) return undefined;
      if (!entry.isDirectory() && isPlantedAmongBuilt(entry.name)) found.push(entry.name);
    }
    return found;
  } finally {
    folder.closeSync();
  }
}
