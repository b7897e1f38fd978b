import {
  canContain,
  canMatchAtOrBelow,
  canMatchPath,
  type Effects,
  effectsOf,
  isTextOnly,
  type PathPattern,
  type PathWord,
  pathOf,
  pathWords,
  type Reading,
  type Segment,
  type SimpleCommand,
  segmentsOf,
  treesRead,
  type Word,
} from "@metnos-gate/shell-reading";
import { foldedPath } from "@metnos-gate/shell-reading/files";
import { GATE_PROCESS, gateWords, onlyAsksGate } from "@metnos-gate/shell-reading/gate-command";
import { programOf } from "@metnos-gate/shell-reading/programs";
import type { ProtectedGatePaths } from "../../places/gate-files.ts";
import {
  SETTINGS_BY_NAME,
  SETTINGS_FILES,
  SETTINGS_PLACES,
  type SettingsPlace,
  SYSTEM_FOLDERS,
} from "../../places/settings-places.ts";
import { type Finding, finding } from "./finding.ts";

/** The third group: the gate's files, its process, its commands for the user alone, and the hook that calls it. */

const FILES = "guard.gate-files";
const NARROWER = "name a narrower folder, or ask the user to use the metnos-gate command";
const ASK = "ask the user to do it with the metnos-gate command";

export function gateItself(
  reading: Reading,
  gate: ProtectedGatePaths | undefined,
  home: string,
  words: (command: SimpleCommand) => readonly PathWord[] = pathWords,
): Finding | null {
  const looks = reading.commands.some(looksForGate);
  const house = gate === undefined ? undefined : houseOf(gate);
  const settings = new SettingsOfHome(home);
  for (const command of reading.commands) {
    const found =
      (house === undefined ? null : paths(command, house, words(command))) ??
      process(command, looks) ??
      humanOnly(command) ??
      agentSettingsChanged(command, settings, words(command));
    if (found !== null) return found;
  }
  return null;
}

/** Files that lie in the gate's folders: what a search below them would find. */
const SAMPLES = [
  "operator.token",
  "grants.db",
  "approvals.db",
  "agents.db",
  "audit-head",
  "gate.toml",
  "agents/a.token",
  "2026-01.jsonl",
];

/** The gate's places as names: each word is held against all of them. */
interface House {
  places: readonly (readonly string[])[];
  /** Files in each of the places. */
  samples: readonly (readonly (readonly string[])[])[];
  socket: readonly string[];
}

function houseOf({ dataPaths, agent_socket }: ProtectedGatePaths): House {
  const places = dataPaths.map(segmentsOf);
  const samples = places.map((place) => SAMPLES.map((sample) => [...place, ...segmentsOf(sample)]));
  return { places, samples, socket: segmentsOf(agent_socket) };
}

function paths(command: SimpleCommand, house: House, words: readonly PathWord[]): Finding | null {
  const { places, socket } = house;
  for (const { word, path } of words) {
    if (!touches(path, house)) continue;
    if (canMatchPath(path, socket) && !path.hasPattern && talks(command)) continue;
    return finding(FILES, "a path inside the gate's own folders", NARROWER, command, word);
  }
  const effects = effectsOf(command);
  // `find ~/.local -delete`: what it finds.
  const isFound = effects.foundDeleted.some((word) => {
    const path = pathOf(word, command.cwd);
    return touches(path, house) || (path.isKnown && places.some((place) => canContain(path, place)));
  });
  if (isFound) return finding(FILES, "a folder that holds the gate's own", NARROWER, command);
  const trees = [...effects.treesDeleted, ...effects.moved, ...effects.treesChanged].map((word) => ({
    word,
    path: pathOf(word, command.cwd),
  }));
  for (const { word, path } of [...treesRead(command), ...trees]) {
    if (path.isKnown && places.some((place) => canContain(path, place)))
      return finding(FILES, "a folder that holds the gate's own", NARROWER, command, word);
  }
  return null;
}

function touches(path: PathPattern, { places, samples }: House): boolean {
  const isOpen = path.segments.some((name) => typeof name === "object" && name.kind === "any");
  if (!isOpen) return places.some((place) => canMatchAtOrBelow(path, place));
  return samples.some((files) => files.some((file) => canMatchPath(path, file)));
}

/** Talking on the agents' socket is what it is there for; listening in its place isn't. */
function talks({ name, argv, via }: SimpleCommand): boolean {
  const tool = programOf(name).socketTool;
  if (tool === undefined) return false;
  return tool.only_looks ? via.length === 0 : !argv.slice(1).some(({ text }) => tool.listens?.test(text));
}

const MOST_REPEATS = 4;

function matchesGate(pattern: string, isWholeLine = false): boolean {
  if (/metnos/i.test(pattern)) return true;
  if (isWholeLine && pattern.length > 1 && GATE_PROCESS.texts.some((text) => text.includes(pattern))) return true;
  // Many repeats side by side would be tried in all ways: it may match anything.
  if (pattern.length <= 64 && (pattern.match(/[*+]|\{\d*,/g) ?? []).length > MOST_REPEATS) return true;
  // A pattern without letters of its own, or with few, may match anything; one with nested repeats isn't tried.
  if (pattern.length > 64 || /[+*}][^|]*[)]\s*[+*{]/.test(pattern) || !/[[.*?+\\(|]/.test(pattern)) return false;
  try {
    const expression = new RegExp(pattern);
    return GATE_PROCESS.texts.some((text) => expression.test(text));
  } catch {
    return false;
  }
}

function looksForGate({ name, argv, code }: SimpleCommand): boolean {
  const tool = programOf(name).processTool;
  if (!tool?.looks) return false;
  const inLines = tool.looksInLines === true && argv.length > 2;
  return (
    argv.slice(1).some(
      ({ text }) =>
        matchesGate(text, inLines) ||
        // Every process of its interpreter: the gate is one of them.
        (tool.looksByName && text === GATE_PROCESS.interpreter) ||
        /gate\.(?:sock|lock)|operator\.sock/.test(text),
    ) || /metnos/.test(code?.text ?? "")
  );
}

function process(command: SimpleCommand, looks: boolean): Finding | null {
  const program = programOf(command.name);
  const tool = program.processTool;
  if (tool === undefined) return null;
  const args = command.argv.slice(1);
  const report = (description: string, word?: Word) =>
    finding("guard.gate-process", description, "leave the gate running; the user ends it", command, word);
  if (tool.signals === "by name") {
    const isWholeLine = args.some(({ text }) => tool.wholeLine?.test(text));
    const word = args.find(
      ({ text }, index) =>
        !text.startsWith("-") &&
        !/^-(?:s|u|U|g|G|P|t|-signal|-user)$/.test(args[index - 1]?.text ?? "") &&
        matchesGate(text, isWholeLine),
    );
    if (word !== undefined) return report("a signal to the gate's process", word);
    const every = args.find(({ text }) => text === GATE_PROCESS.interpreter);
    if (every !== undefined && !args.some(({ text }) => /^-[A-Za-z]*[xPugt]|-0$/.test(text)))
      return report("a signal to every Node process, the gate's among them", every);
  }
  if (program.signalsUser(args)) return report("a signal to every process of a user, the gate's among them");
  if (looks && tool.signals === "by number" && !args.some(({ text }) => tool.signalsNotWith?.test(text)))
    return report("a signal to the gate's process, by its number");
  if (looks && tool.debugs) return report("a debugger on the gate's process");
  if (looks && tool.signals === "holders" && args.some(({ text }) => tool.signalsWith?.test(text)))
    return report("a signal to what holds the gate's socket");
  const { harmlessForServices } = tool;
  if (
    harmlessForServices !== undefined &&
    args.some(({ text }) => /metnos/.test(text)) &&
    !args.some(({ text }) => harmlessForServices.test(text))
  )
    return report("the gate's service stopped or changed");
  return null;
}

function humanOnly(command: SimpleCommand): Finding | null {
  const words = gateWords(command.name, command.argv, command.isSpeculative);
  if (words === undefined) return null;
  if (onlyAsksGate(words)) return null;
  return finding("guard.gate-command", "a metnos-gate command that only the user gives", ASK, command, words[0]);
}

// The settings that hold the gate's hook, in a command line: also by programs that aren't known, and in code that names them.

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
function placeIn(path: PathPattern): PlaceIn | undefined {
  const known = placesIn.get(path);
  if (known !== undefined) return known.found;
  const found = foundIn(path);
  placesIn.set(path, { found });
  return found;
}

interface PlaceIn {
  place: PlaceNames;
  end: number;
}

const placesIn = new WeakMap<PathPattern, { found: PlaceIn | undefined }>();

function foundIn({ segments }: PathPattern): PlaceIn | undefined {
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
    if (found !== undefined) return found.place.isWhole && found.end < path.segments.length;
    return path.isKnown && !path.hasPattern && SETTINGS_BY_NAME.test(foldedPath(`/${path.segments.join("/")}`));
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
function replacesSettings(command: SimpleCommand, { placed, treesWritten }: Effects, home: SettingsOfHome): boolean {
  const { name, cwd } = command;
  const isLink = programOf(name).makesLinks;
  const leadsToFolder = (word: Word) => isFolder(pathOf(word, cwd));
  if (treesWritten.some(leadsToFolder)) return true;
  return placed.some(({ word, source, isExact }) => {
    const to = pathOf(word, cwd);
    const found = placeIn(to);
    const asFolder = found?.end === to.segments.length;
    if (asFolder && (isExact || isLink || found?.place.isWhole)) return true;
    const from = pathOf(source, cwd);
    if (home.isHome(to)) return isFolder(from) || isFileByName(from);
    if (!asFolder) return false;
    const last = from.segments.at(-1);
    return (
      found?.place.files.some((file) => canMatchSegment(last, file)) ||
      /(?:^|\/)\.?\/?$/.test(source.text) ||
      !source.is_resolved
    );
  });
}

/** What of this command would change them. */
function agentSettingsChanged(
  command: SimpleCommand,
  home: SettingsOfHome,
  words: readonly PathWord[],
): Finding | null {
  const report = (description: string, word?: Word) =>
    finding("guard.agent-settings", description, "ask the user to change it", command, word);
  const effects = effectsOf(command);
  for (const word of [...effects.treesDeleted, ...effects.moved]) {
    const path = pathOf(word, command.cwd);
    if (home.isAbove(path) || isFolder(path)) return report("the folder of the hook's entry removed or moved", word);
  }
  if (replacesSettings(command, effects, home)) return report("a file put over the hook's entry");
  if (effects.foundDeleted.some((word) => home.isProtected(pathOf(word, command.cwd))))
    return report("a change of the hook's entry");
  const changed = new Set([...effects.written, ...effects.deleted, ...effects.moved]);
  for (const { word, path, redirect } of words) {
    if (redirect === "<" || redirect === "<&" || !home.isProtected(path)) continue;
    if (changed.has(word) || redirect !== undefined) return report("a change of the hook's entry", word);
    if (!home.isSettings(path) || effects.onlyRead.includes(word) || isTextOnly(command)) continue;
    return report("a program that may change the hook's entry", word);
  }
  return null;
}
