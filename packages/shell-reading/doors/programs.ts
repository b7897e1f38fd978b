/** What is known of programs: by their names, by what they start and load, and where they are found. */

export { isPlantedAmongBuilt, isPlantedIn, isPlantedName, isProgramPlace } from "../clear/program-places.ts";
export {
  programFolders,
  programSearchOf,
  searchedBelow,
  type WritableByGrant,
  workingDirectoryOf,
} from "../clear/program-search.ts";
export { destinationsBy } from "../programs/destinations.ts";
export { loadedByEnvrc, searchedByEnvrc } from "../programs/envrc-files.ts";
export { isInteractive } from "../programs/interactive.ts";
export { isPopularBeside, KNOWN_DOMAINS, KNOWN_SCOPES, knownPackages } from "../programs/known-packages.ts";
export { programOf, wrapperOf } from "../programs/known-program.ts";
export { NAMES_SECRET, SENDS_AWAY, STARTS_SHELL } from "../programs/language-calls.ts";
export { type LoadedFile, launchedFile, loadedFilesOf } from "../programs/loaded-files.ts";
export { type PatchedFile, patchedFiles, pathsMentioned, pathsOfPatch } from "../programs/patch-text.ts";
export { type NamedScripts, namedScripts } from "../programs/script-runners.ts";
export { OTHER_NAME, scriptsIn } from "../programs/script-texts.ts";
export { PLANTABLE_NAMES } from "../programs/searched-programs.ts";
export { workOf } from "../programs/work.ts";
