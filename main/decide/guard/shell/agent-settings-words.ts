import { placingRole } from "../../../shell-reading/programs/accesses.ts";
import { programCalled } from "../../../shell-reading/programs/table.ts";
import {
  canContain,
  canMatchAtOrBelow,
  canMatchPath,
  type PathPattern,
  pathOf,
  type Segment,
  segmentsOf,
} from "../../../shell-reading/shell/paths.ts";
import type { SimpleCommand, Word } from "../../../shell-reading/shell/reading.ts";
import { foldedPath } from "../../../shell-reading/targets/folded-path.ts";
import {
  SETTINGS_BY_NAME,
  SETTINGS_FILES,
  SETTINGS_PLACES,
  type SettingsPlace,
  SYSTEM_FOLDERS,
} from "../settings-places.ts";
import { type Effects, effectsOf } from "./effects.ts";
import { type Finding, finding } from "./finding.ts";
import type { PathWord } from "./path-words.ts";
import { isTextOnly } from "./text-only-words.ts";

/** The settings that hold the gate's hook, in a command line: also by programs that aren't known, and in code that names them. */

/** A place whose folder has its names apart. */
interface PlaceNames extends SettingsPlace {
  names: readonly string[];
}

const PLACES: readonly PlaceNames[] = SETTINGS_PLACES.map((place) => ({ ...place, names: place.folder.split("/") }));

/** True if this part of a path (folded) is such a name, or a pattern that can be; of what isn't known nothing is said. */
function isNamed(segment: Segment | undefined, wanted: string): boolean {
  if (typeof segment === "string") return segment === wanted;
  return segment?.kind === "pattern" && segment.expression.test(wanted);
}

/** The place that a path leads into, and where in the path its folder ends. */
function placeIn({ segments }: PathPattern): { place: PlaceNames; end: number } | undefined {
  const folded = segments.map((segment) => (typeof segment === "string" ? foldedPath(segment) : segment));
  for (const place of PLACES) {
    for (let at = 0; at + place.names.length <= folded.length; at++)
      if (place.names.every((name, index) => isNamed(folded[at + index], name)))
        return { place, end: at + place.names.length };
  }
  return undefined;
}

/** The folder as a whole, by its name. */
function isFolder(path: PathPattern): boolean {
  return placeIn(path)?.end === path.segments.length;
}

/** The last name, of a project's settings or of the machine's. */
function isFileByName({ segments }: PathPattern): boolean {
  const last = segments.at(-1);
  return typeof last === "string" && [...SETTINGS_FILES, "managed-settings.json"].includes(foldedPath(last));
}

class SettingsOfHome {
  readonly #home: readonly string[];
  readonly #files: readonly (readonly string[])[];

  constructor(home: string) {
    this.#home = segmentsOf(home);
    this.#files = PLACES.flatMap(({ names, files }) => files.map((file) => [...this.#home, ...names, file]));
  }

  /** True where the path may be the home itself. */
  isHome(path: PathPattern): boolean {
    return canMatchPath(path, this.#home);
  }

  /** A file that holds settings: for programs of which it isn't known what they do with it. */
  isSettings(path: PathPattern): boolean {
    if (this.#files.some((file) => canMatchAtOrBelow(path, file))) return true;
    if (SYSTEM_FOLDERS.some((name) => canMatchAtOrBelow(path, ["etc", name]))) return true;
    const found = placeIn(path);
    if (found === undefined) return isFileByName(path);
    const { place, end } = found;
    return place.files.some((file) => canMatchSegment(path.segments[end], file));
  }

  /** Anything that no agent writes. */
  isProtected(path: PathPattern): boolean {
    if (this.isSettings(path)) return true;
    const found = placeIn(path);
    if (found !== undefined) return found.place.is_whole && found.end < path.segments.length;
    return path.is_known && !path.has_pattern && SETTINGS_BY_NAME.test(foldedPath(`/${path.segments.join("/")}`));
  }

  /** A folder that holds a home's settings, as a whole. */
  isAbove(path: PathPattern): boolean {
    return this.#files.some((file) => canContain(path, file));
  }
}

function canMatchSegment(segment: Segment | undefined, wanted: string): boolean {
  if (segment === undefined) return false;
  if (typeof segment === "string") return foldedPath(segment) === wanted;
  return segment.kind === "pattern" ? segment.expression.test(wanted) : segment.kind === "any";
}

/** `cp settings.json ~/.claude/`, `cp -r x/.codex ~`, `tar x -C ~/.gemini`, `ln -sfn x ~/.opencode`. */
function replacesSettings(command: SimpleCommand, { placed, trees_written }: Effects, home: SettingsOfHome): boolean {
  const { name, cwd } = command;
  const program = programCalled(name);
  const is_link = program !== undefined && placingRole(program) === "links";
  const leadsToFolder = (word: Word) => isFolder(pathOf(word, cwd));
  if (trees_written.some(leadsToFolder)) return true;
  return placed.some(({ word, source, is_exact }) => {
    const to = pathOf(word, cwd);
    const found = placeIn(to);
    const is_folder = found?.end === to.segments.length;
    if (is_folder && (is_exact || is_link || found?.place.is_whole)) return true;
    const from = pathOf(source, cwd);
    if (home.isHome(to)) return isFolder(from) || isFileByName(from);
    if (!is_folder) return false;
    const last = from.segments.at(-1);
    return (
      found?.place.files.some((file) => canMatchSegment(last, file)) ||
      /(?:^|\/)\.?\/?$/.test(source.text) ||
      !source.is_resolved
    );
  });
}

/** What of this command would change them. */
export function agentSettingsChanged(
  command: SimpleCommand,
  home_folder: string,
  words: readonly PathWord[],
): Finding | null {
  const home = new SettingsOfHome(home_folder);
  const report = (description: string, word?: Word) =>
    finding("guard.agent-settings", description, "ask the user to change it", command, word);
  const effects = effectsOf(command);
  for (const word of [...effects.trees_deleted, ...effects.moved]) {
    const path = pathOf(word, command.cwd);
    if (home.isAbove(path) || isFolder(path)) return report("the folder of the hook's entry removed or moved", word);
  }
  if (replacesSettings(command, effects, home)) return report("a file put over the hook's entry");
  if (effects.found_deleted.some((word) => home.isProtected(pathOf(word, command.cwd))))
    return report("a change of the hook's entry");
  const changed = new Set([...effects.written, ...effects.deleted, ...effects.moved]);
  for (const { word, path, redirect } of words) {
    if (redirect === "<" || redirect === "<&" || !home.isProtected(path)) continue;
    if (changed.has(word) || redirect !== undefined) return report("a change of the hook's entry", word);
    if (!home.isSettings(path) || effects.only_read.includes(word) || isTextOnly(command)) continue;
    return report("a program that may change the hook's entry", word);
  }
  return null;
}
