import type { StandsFor } from "../../../ipc/description.ts";
import { ownCommand } from "../../../ipc/own-command.ts";
import type { CommandLine } from "../executors/command-lines.ts";
import { effectsOf } from "../guard/shell/effects.ts";
import { askedOutside } from "../programs/gate-command.ts";
import { launchedBy, runsElsewhere } from "../programs/hazard-records.ts";
import { changesRunner, type NamedScripts, namedScripts } from "../programs/script-runners.ts";
import { scriptLines } from "../programs/script-texts.ts";
import { type LoadedFile, loadedFilesOf, scriptWordOf } from "../programs/script-words.ts";
import { SHELLS } from "../programs/shells.ts";
import { absolutePath } from "../shell/paths.ts";
import type { SimpleCommand, Word } from "../shell/reading.ts";
import { programName } from "../shell/word.ts";
import { type FileRead, readBounded, sha256 } from "./bounded-file.ts";
import type { CallPlace } from "./call-place.ts";
import { firstLines, lineCount, shownLines } from "./shown-lines.ts";

/** What names in a command line stand for: the files that would run, with their hashes. Nothing of them is run. */

/** Bytes of a file that an approval can be bound to. */
const MAX_HASHED = 8 * 1024 * 1024;
/** Bytes of the files that one call's names stand for, together: reading them must not hold others up. */
const MAX_TOGETHER = 16 * 1024 * 1024;
/** Bytes of a file that names scripts. */
const MAX_NAMING = 256 * 1024;
const MAX_NAMES = 8;
/** Folders above that are looked in. */
const MAX_ABOVE = 32;

/** Programs of the system: what they are is no project's. */
const SYSTEM = /^\/(?:usr|bin|sbin|lib|lib64|opt|nix|snap|System|Library|Applications)\//;

export function standsForOf(lines: readonly CommandLine[], place: CallPlace): StandsFor[] {
  const found = new Map<string, StandsFor>();
  const reader = new ScriptReader(place);
  for (const line of lines) {
    const { commands } = line.reading;
    for (const [at, command] of commands.entries()) {
      if (found.size >= MAX_NAMES) break;
      if (isGateItself(command)) continue;
      if (command.is_speculative || command.via.some(runsElsewhere) || command.cwd === null) continue;
      const one = namedBy(line, command, commands.slice(0, at), reader);
      const all = [...(one === null ? [] : [one]), ...loadedBy(line, command, commands.slice(0, at), reader)];
      for (const each of all.slice(0, MAX_NAMES - found.size)) found.set(`${each.name}\n${each.file}`, each);
    }
  }
  return [...found.values()];
}

/** By the launcher that runs now: its text says nothing about the call. */
function isGateItself({ name, argv }: SimpleCommand): boolean {
  return askedOutside(name, argv) !== null && argv[0]?.text === ownCommand();
}

/** Reads the files of one call, and only so much of them together. */
class ScriptReader {
  readonly place: CallPlace;
  #left = MAX_TOGETHER;

  constructor(place: CallPlace) {
    this.place = place;
  }

  read(file: string, max_bytes: number): FileRead {
    const read = readBounded(file, Math.min(max_bytes, this.#left), this.place);
    if (read.kind === "file") this.#left -= read.bytes.length;
    return read;
  }
}

function namedBy(
  line: CommandLine,
  command: SimpleCommand,
  before: readonly SimpleCommand[],
  reader: ScriptReader,
): StandsFor | null {
  let argv: readonly Word[] = command.argv;
  let name = command.name;
  for (let left = 3; left > 0; left--) {
    const scripts = namedScripts(name, argv);
    const one = scripts === null ? null : byName(line, command, before, scripts, reader);
    if (one !== null) return one;
    const inner = launchedBy(name, argv);
    if (inner === null) break;
    argv = inner;
    name = programName(inner[0]?.text ?? "");
  }
  return byFile(line, command, before, argv, name, reader);
}

/** `npm test`, `make t`: a line in a file of the project. */
function byName(
  line: CommandLine,
  command: SimpleCommand,
  before: readonly SimpleCommand[],
  scripts: NamedScripts,
  reader: ScriptReader,
): StandsFor | null {
  const { marks, names, form } = scripts;
  const folder = scripts.folder === undefined ? command.cwd : absolutePath(scripts.folder, command.cwd);
  if (folder === null || command.assignments.some(({ name }) => changesRunner(name))) return null;
  const base = scripts.file_is_below ? folder : command.cwd;
  const given = scripts.file === undefined ? null : absolutePath(scripts.file, base);
  const file = given ?? fileAbove(folder, scripts, reader.place);
  if (file !== null && isWritten(file, before)) return null;
  if (file === null)
    return form === "aliases" || !scripts.is_script
      ? null
      : entry(line, marks, `${folder}/${scripts.files[0]}`, NOTHING, []);
  const read = reader.read(file, MAX_NAMING);
  const text = read.kind === "file" ? read.text : null;
  const lines = text === null ? null : scriptLines(form, text, names, scripts.has_hooks);
  // A subcommand or a program then, for all that is known.
  if (lines === null && (form === "aliases" || !scripts.is_script)) return null;
  return entry(line, marks, file, read, lines ?? []);
}

const NOTHING: FileRead = { kind: "nothing" };

function fileAbove(folder: string, { files, goes_up }: NamedScripts, place: CallPlace): string | null {
  let here = folder;
  for (let left = goes_up ? MAX_ABOVE : 1; left > 0; left--) {
    const base = here === "/" ? "" : here;
    const file = files.map((name) => `${base}/${name}`).find((path) => readBounded(path, 0, place).kind !== "nothing");
    if (file !== undefined) return file;
    if (here === "/") return null;
    here = here.slice(0, here.lastIndexOf("/")) || "/";
  }
  return null;
}

/** `./x.sh`, `bash x.sh`, `python3 x.py`: a file that is run itself. */
function byFile(
  line: CommandLine,
  command: SimpleCommand,
  before: readonly SimpleCommand[],
  argv: readonly Word[],
  name: string,
  reader: ScriptReader,
): StandsFor | null {
  const script = scriptWordOf(name, argv);
  if (script === null || !script.is_resolved || script.glob === true || script.text === "") return null;
  const file = absolutePath(script.text, command.cwd);
  if (file === null || /^\/(?:dev|proc)\//.test(file) || (script === argv[0] && SYSTEM.test(file))) return null;
  if (isWritten(file, before)) return null;
  const read = reader.read(file, MAX_HASHED);
  const text = read.kind === "file" && read.text !== null ? read.text : "";
  return entry(line, [argv[0] ?? script, script], file, read, firstLines(text), lineCount(text));
}

/** `node -r ./t.js`, `python3 -m mod`, `bash < x.sh`: files that are run as well. */
function loadedBy(
  line: CommandLine,
  command: SimpleCommand,
  before: readonly SimpleCommand[],
  reader: ScriptReader,
): StandsFor[] {
  const loaded: LoadedFile[] = loadedFilesOf(command.name, command.argv);
  const takes_input = SHELLS.has(command.name) && scriptWordOf(command.name, command.argv) === null;
  if (takes_input)
    for (const { operator, target } of command.redirects)
      if (operator === "<" && target.is_resolved && target.glob !== true)
        loaded.push({ word: target, names: [target.text] });
  return loaded.flatMap(({ word, names }): StandsFor[] => {
    const files = names.map((name) => absolutePath(name, command.cwd)).filter((file) => file !== null);
    const file = files.find((path) => readBounded(path, 0, reader.place).kind !== "nothing");
    if (file === undefined || /^\/(?:dev|proc)\//.test(file) || isWritten(file, before)) return [];
    const read = reader.read(file, MAX_HASHED);
    const text = read.kind === "file" && read.text !== null ? read.text : "";
    return [entry(line, [command.argv[0] ?? word, word], file, read, firstLines(text), lineCount(text))];
  });
}

/** What the line itself puts there isn't the file that is there now. */
function isWritten(file: string, before: readonly SimpleCommand[]): boolean {
  return before.some((one) => effectsOf(one).written.some((word) => absolutePath(word.text, one.cwd) === file));
}

function entry(
  { arg, text }: CommandLine,
  marks: readonly Word[],
  file: string,
  read: FileRead,
  lines: readonly string[],
  total_lines = lines.length,
): StandsFor {
  const start = Math.min(...marks.map((mark) => mark.start));
  const end = Math.min(Math.max(...marks.map((mark) => mark.end)), text.length);
  return {
    span: start < end ? { arg, start, end } : null,
    name: [...new Set(marks)]
      .map((mark) => mark.text)
      .join(" ")
      .slice(0, 200),
    file,
    sha256: read.kind === "file" ? sha256(read.bytes) : null,
    lines: shownLines(lines),
    total_lines,
  };
}

/**
 * What the names stand for now, each marked where its file is another one than in `before`; null where all of them are the same. A name
 * that means nothing any more stays, without a file.
 */
export function changedSince(before: readonly StandsFor[], now: readonly StandsFor[]): StandsFor[] | null {
  const nameOf = ({ name, file }: StandsFor) => JSON.stringify([name, file]);
  const known = new Map(before.map((one) => [nameOf(one), one]));
  const names = new Set(now.map(nameOf));
  const gone = before.filter((one) => !names.has(nameOf(one)));
  const isSame = (one: StandsFor) => known.has(nameOf(one)) && known.get(nameOf(one))?.sha256 === one.sha256;
  if (now.every(isSame) && gone.every(({ sha256: hash, has_changed }) => hash === null && has_changed)) return null;
  return [
    ...now.map((one): StandsFor => {
      const has_changed = !isSame(one) || known.get(nameOf(one))?.has_changed === true;
      return has_changed ? { ...one, has_changed } : one;
    }),
    ...gone.map((one): StandsFor => ({ ...one, sha256: null, lines: [], total_lines: 0, has_changed: true })),
  ];
}
