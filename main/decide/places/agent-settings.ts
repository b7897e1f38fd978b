import { dirname } from "node:path";
import {
  foldedPath,
  hasTooManyNames,
  isAtOrBelow,
  kindOf,
  linksOnWay,
  realForm,
} from "@metnos-gate/shell-reading/files";
import type { CallEnvironment } from "./call-environment.ts";
import {
  movedPlaces,
  SETTINGS_BY_NAME,
  SETTINGS_FILES,
  SETTINGS_FOLDER_BY_NAME,
  SETTINGS_PLACES,
  WHOLE_IN_HOME,
} from "./settings-places.ts";

/** The working directory and those above it, up to the home: any of them may be the project. */
function foldersAbove(cwd: string | undefined, home: string): string[] {
  const folders: string[] = [];
  for (let here = cwd; here !== undefined && here !== "/" && here !== home && folders.length < 32; here = dirname(here))
    folders.push(here);
  return folders;
}

/** A place of settings by its whole path, folded. `files`: what below it counts; null where all of it does. */
interface KnownPlace {
  path: string;
  files: readonly string[] | null;
}

/**
 * Tells what a write would replace. Made once for all of a call's writes: where links of the known settings lead is looked up then, and
 * only where a path doesn't say by its own name.
 */
export class AgentSettings {
  readonly #environment: CallEnvironment;
  #lookedUp: readonly KnownPlace[] | undefined;

  constructor(environment: CallEnvironment) {
    this.#environment = environment;
  }

  /** What the known settings really are, and the places that the environment names: by their whole path. */
  get #known(): readonly KnownPlace[] {
    this.#lookedUp ??= knownPlaces(this.#environment);
    return this.#lookedUp;
  }

  /** True if `path` (absolute, normal) is such a file, or a folder of them as a whole. */
  isAt(path: string): boolean {
    const folded = foldedPath(path);
    if (SETTINGS_BY_NAME.test(folded)) return true;
    const { home } = this.#environment;
    if (WHOLE_IN_HOME.some((name) => isAtOrBelow(folded, foldedPath(`${home}/${name}`)))) return true;
    return this.#known.some(({ path: known, files }) => {
      if (folded === known) return true;
      if (files === null) return isAtOrBelow(folded, known);
      return files.some((name) => isAtOrBelow(folded, `${known}/${name}`));
    });
  }

  /** True if one that is known by its path lies below `folder`. */
  isBelow(folder: string): boolean {
    const folded = foldedPath(folder);
    return this.#known.some(({ path }) => isAtOrBelow(path, folded));
  }
}

/** True if `path` is a folder of settings by its name: whether it holds any, it doesn't say. */
export function isSettingsFolder(path: string): boolean {
  return SETTINGS_FOLDER_BY_NAME.test(foldedPath(path));
}

/** True if settings of an agent lie in this folder now, as a project's do. */
export function holdsSettings(folder: string): boolean {
  const isThere = (name: string) => kindOf(`${folder}/${name}`) !== "nothing";
  return (
    SETTINGS_FILES.some(isThere) ||
    SETTINGS_PLACES.some(
      (place) =>
        isThere(place.folder) && (place.isWhole || place.files.some((file) => isThere(`${place.folder}/${file}`))),
    )
  );
}

function knownPlaces({ home, cwd, env }: CallEnvironment): KnownPlace[] {
  const moved = movedPlaces(env);
  const known: KnownPlace[] = [...moved];
  const followed = (path: string, files: readonly string[] | null) => {
    const real = realForm(path);
    if (real === null || real === path) return;
    known.push({ path: real, files }, ...linksOnWay(path).map((link) => ({ path: link, files: [] })));
  };
  const lookAt = (folder: string, files: readonly string[], isWhole: boolean) => {
    if (kindOf(folder) === "nothing") return;
    followed(folder, isWhole ? null : files);
    // Where the folder leads, its files are known by that.
    for (const file of files) if (kindOf(`${folder}/${file}`) === "link") followed(`${folder}/${file}`, null);
  };
  const above = foldersAbove(cwd, home).filter((folder) => !hasTooManyNames(folder));
  for (const folder of new Set([home, ...above])) {
    for (const place of SETTINGS_PLACES) {
      // Of a home alone: below a project it has its name, and is no link that anybody makes.
      if (folder !== home && place.folder.includes("/")) continue;
      const isWhole = place.isWhole || (folder === home && WHOLE_IN_HOME.includes(place.folder));
      lookAt(`${folder}/${place.folder}`, place.files, isWhole);
    }
    for (const file of SETTINGS_FILES) if (kindOf(`${folder}/${file}`) === "link") followed(`${folder}/${file}`, null);
  }
  for (const { path, files } of moved) lookAt(path, files ?? [], files === null);
  return known.map(({ path, files }) => ({ path: foldedPath(path), files }));
}
