import type { StandsFor } from "../../../ipc/description.ts";
import type { CommandLine } from "../executors/command-lines.ts";
import { effectsOf } from "../guard/shell/effects.ts";
import { launchedBy, runsElsewhere } from "../programs/hazard-records.ts";
import { type NamedScripts, namedScripts } from "../programs/script-runners.ts";
import { scriptLines } from "../programs/script-texts.ts";
import { scriptWordOf } from "../programs/script-words.ts";
import { absolutePath } from "../shell/paths.ts";
import type { SimpleCommand, Word } from "../shell/reading.ts";
import { programName } from "../shell/word.ts";
import { type FileRead, readBounded, sha256 } from "./bounded-file.ts";
import type { CallPlace } from "./call-place.ts";
import { linesOf } from "./line-diff.ts";

/** What names in a command line stand for: the files that would run, with their hashes. Nothing of them is run. */

/** Bytes of a file that an approval can be bound to. */
const MAX_HASHED = 8 * 1024 * 1024;
/** Bytes of a file that names scripts. */
const MAX_NAMING = 1024 * 1024;
const MAX_NAMES = 8;
const MAX_LINES = 60;
const MAX_CHARACTERS = 8000;
/** Folders above that are looked in. */
const MAX_ABOVE = 32;

/** Programs of the system: what they are is no project's. */
const SYSTEM = /^\/(?:usr|bin|sbin|lib|lib64|opt|nix|snap|System|Library|Applications)\//;

export function standsForOf(lines: readonly CommandLine[], place: CallPlace): StandsFor[] {
  const found = new Map<string, StandsFor>();
  for (const line of lines) {
    const { commands } = line.reading;
    for (const [at, command] of commands.entries()) {
      if (found.size >= MAX_NAMES) break;
      if (command.is_speculative || command.via.some(runsElsewhere) || command.cwd === null) continue;
      const one = namedBy(line, command, commands.slice(0, at), place);
      if (one !== null && !found.has(`${one.name}\n${one.file}`)) found.set(`${one.name}\n${one.file}`, one);
    }
  }
  return [...found.values()];
}

function namedBy(
  line: CommandLine,
  command: SimpleCommand,
  before: readonly SimpleCommand[],
  place: CallPlace,
): StandsFor | null {
  let argv: readonly Word[] = command.argv;
  let name = command.name;
  for (let left = 3; left > 0; left--) {
    const scripts = namedScripts(name, argv);
    const one = scripts === null ? null : byName(line, command, scripts, place);
    if (one !== null) return one;
    const inner = launchedBy(name, argv);
    if (inner === null) break;
    argv = inner;
    name = programName(inner[0]?.text ?? "");
  }
  return byFile(line, command, before, argv, name, place);
}

/** `npm test`, `make t`: a line in a file of the project. */
function byName(line: CommandLine, command: SimpleCommand, scripts: NamedScripts, place: CallPlace): StandsFor | null {
  const { marks, names, form } = scripts;
  const folder = scripts.folder === undefined ? command.cwd : absolutePath(scripts.folder.text, command.cwd);
  if (folder === null) return null;
  const given = scripts.file === undefined ? null : absolutePath(scripts.file.text, folder);
  const file = given ?? fileAbove(folder, scripts, place);
  if (file === null)
    return form === "aliases" || !scripts.is_script
      ? null
      : entry(line, marks, `${folder}/${scripts.files[0]}`, NOTHING, []);
  const read = readBounded(file, MAX_NAMING, place);
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
  place: CallPlace,
): StandsFor | null {
  const script = scriptWordOf(name, argv);
  if (script === null || !script.is_resolved || script.glob === true || script.text === "") return null;
  const file = absolutePath(script.text, command.cwd);
  if (file === null || /^\/(?:dev|proc)\//.test(file) || (script === argv[0] && SYSTEM.test(file))) return null;
  // What the line itself puts there isn't the file that is there now.
  const is_written = before.some((one) =>
    effectsOf(one).written.some((word) => absolutePath(word.text, one.cwd) === file),
  );
  if (is_written) return null;
  const read = readBounded(file, MAX_HASHED, place);
  return entry(
    line,
    [argv[0] ?? script, script],
    file,
    read,
    read.kind === "file" && read.text !== null ? linesOf(read.text) : [],
  );
}

function entry(
  { arg, text }: CommandLine,
  marks: readonly Word[],
  file: string,
  read: FileRead,
  lines: readonly string[],
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
    lines: firstOf(lines),
    total_lines: lines.length,
  };
}

function firstOf(lines: readonly string[]): string[] {
  const kept: string[] = [];
  let left = MAX_CHARACTERS;
  for (const line of lines.slice(0, MAX_LINES)) {
    if (left <= 0) break;
    kept.push(line.length > left ? `${line.slice(0, left)}…` : line);
    left -= line.length + 1;
  }
  return kept;
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
