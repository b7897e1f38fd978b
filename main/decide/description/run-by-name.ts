import { opendirSync } from "node:fs";
import {
  absolutePath,
  canMatch,
  effectsOf,
  pathOf,
  programName,
  type Reading,
  readArgv,
  readCommand,
  type SimpleCommand,
  type Word,
} from "@metnos-gate/shell-reading";
import { certainPath, kindOf, realForm } from "@metnos-gate/shell-reading/files";
import { askedOutside } from "@metnos-gate/shell-reading/gate-command";
import {
  type LoadedFile,
  launchedFile,
  loadedFilesOf,
  type NamedScripts,
  namedScripts,
  programOf,
  scriptsIn,
  wrapperOf,
} from "@metnos-gate/shell-reading/programs";
import { ownCommand } from "../../../ipc/base/own-command.ts";
import type { StandsFor } from "../../../ipc/contract/description.ts";
import type { CommandLine } from "../executors/command-lines.ts";
import { shownPath } from "../guard/hazards.ts";
import type { CallPlace } from "../places/call-place.ts";
import { type FileRead, readBounded, sha256 } from "./bounded-file.ts";
import { isReadWhole, linesRun, type RunLine } from "./script-lines.ts";
import { firstLines, lineCount, shownLines } from "./shown-lines.ts";
import { taskLines } from "./taskfile.ts";

/** What names in a command line stand for: the files that would run, with their hashes, read as the line is. Nothing of them is run. */

/** Bytes of a file that an approval can be bound to. */
const MAX_HASHED = 8 * 1024 * 1024;
/** Bytes of the files that one call's names stand for, together: reading them must not hold others up. */
const MAX_TOGETHER = MAX_HASHED;
/** Bytes of the files that name scripts, of one call together: each is taken apart. */
const MAX_NAMING = 256 * 1024;
/** Of one with aliases: TOML takes longer, and nobody's settings of cargo are as long. */
const MAX_ALIASES = 16 * 1024;
const MAX_NAMES = 8;
/** Names of one call that are looked for beside scripts: files that options load, that a pipe is fed with. */
const MAX_LOOKS = 100;
/** Names of one call that stand for something, and those in what they stand for: each time that one is there. */
const MAX_FOLLOWED = 60;
/** Folders above that are looked in. */
const MAX_ABOVE = 32;

/** Programs of the system: what they are is no project's. */
const SYSTEM = /^\/(?:usr|bin|sbin|lib|lib64|opt|nix|snap|System|Library|Applications)\//;

/** Names in names that are read: a script that another one runs. What that runs in turn is only named. */
const MAX_DEPTH = 2;
/** Letters of all texts of one call that are read. */
const MAX_READ = 128 * 1024;
/** Commands in them, of one call together: beyond that no other text is read. */
const MAX_COMMANDS = 300;

/** A piece of what a name stands for that is read by itself, as a line of its own. */
export interface ScriptText extends Pick<RunLine, "span"> {
  reading: Reading;
  /** Absolute: where it runs. */
  cwd: string;
  /** A program in another language than a shell's: the commands are those that it starts, as far as they can be seen. */
  isProgram: boolean;
}

export interface Named {
  shown: StandsFor;
  texts: readonly ScriptText[];
}

export function standsForOf(lines: readonly CommandLine[], place: CallPlace): StandsFor[] {
  return namesOfLines(lines, () => place).map(({ shown }) => shown);
}

/** @param placeOf called where there is a name */
export function namesOfLines(lines: readonly CommandLine[], placeOf: () => CallPlace): Named[] {
  // Most calls are of tools that have none.
  if (lines.length === 0) return [];
  const found = new Map<string, Named>();
  const reader = new ScriptReader(placeOf);
  for (const line of lines) {
    const { commands } = line.reading;
    for (const [at, command] of commands.entries()) {
      if (found.size >= MAX_NAMES || !reader.mayFollow) break;
      if (isGateItself(command)) continue;
      const all = runBy({ line, command, before: commands.slice(0, at), depth: 0 }, reader);
      for (const each of all.slice(0, MAX_NAMES - found.size))
        found.set(`${each.shown.name}\n${each.shown.file}`, each);
    }
  }
  return [...found.values()];
}

/** A command of a line, or of a script that a name in it stands for. */
interface Place {
  line: Pick<CommandLine, "arg" | "text">;
  command: SimpleCommand;
  /** Those that run before it. */
  before: readonly SimpleCommand[];
  /** In how many scripts it is. */
  depth: number;
}

function runBy(here: Place, reader: ScriptReader): Named[] {
  const { command } = here;
  if (command.isSpeculative || command.via.some((label) => wrapperOf(label).runsElsewhere) || command.cwd === null)
    return [];
  const found = namedBy(here, reader);
  reader.followed(found.length);
  for (const one of loadedFilesOf(command, here.before)) {
    if (found.length >= MAX_NAMES || !reader.mayLook()) break;
    found.push(...loaded(here, one, reader, readerOf(command)));
  }
  return found;
}

/** What runs a file that a command loads: its own program, where that is a shell or an interpreter. */
const readerOf = ({ name }: SimpleCommand): string | null => (programOf(name).scriptReader("") === null ? null : name);

/** By the launcher that runs now: its text says nothing about the call. */
function isGateItself({ name, argv }: SimpleCommand): boolean {
  return askedOutside(name, argv) !== null && argv[0]?.text === ownCommand();
}

/** Reads the files of one call, and only so much of them together. */
class ScriptReader {
  readonly #placeOf: () => CallPlace;
  #place: CallPlace | undefined;
  readonly #known = new Map<string, FileRead>();
  readonly #there = new Map<string, boolean>();
  #left = MAX_TOGETHER;
  readonly #naming = new Map<string, FileRead>();
  #leftNaming = MAX_NAMING;
  #looks = MAX_LOOKS;
  #follows = MAX_FOLLOWED;
  #leftToRead = MAX_READ;
  #leftCommands = MAX_COMMANDS;

  constructor(placeOf: () => CallPlace) {
    this.#placeOf = placeOf;
  }

  get place(): CallPlace {
    this.#place ??= this.#placeOf();
    return this.#place;
  }

  /** Null once so much was read that no more is. `by`: how it is read. */
  reading(text: string, by: NonNullable<Source["by"]>, cwd: string, args?: readonly Word[]): Reading | null {
    if (text.length > this.#leftToRead || this.#leftCommands <= 0) return null;
    this.#leftToRead -= text.length;
    const { home } = this.place;
    const reading =
      by === "shell"
        ? readCommand(text, { cwd, home, positional: args?.map(({ pieces }) => pieces) })
        : readArgv([...by, text], { cwd, home });
    this.#leftCommands -= reading.commands.length;
    return reading;
  }

  /** False once so many names had something behind them that no more are looked at. */
  get mayFollow(): boolean {
    return this.#follows > 0;
  }

  followed(names: number): void {
    this.#follows -= names;
  }

  /** False once so many names were looked for that no more are. */
  mayLook(): boolean {
    return this.#looks-- > 0;
  }

  /** Also what can't be read. */
  isThere(file: string): boolean {
    const isThere = this.#there.get(file) ?? readBounded(file, 0, this.place).kind !== "nothing";
    this.#there.set(file, isThere);
    return isThere;
  }

  read(file: string, maxBytes: number): FileRead {
    const known = this.#known.get(file);
    if (known?.kind === "file" && known.bytes.length <= maxBytes) return known;
    const read = readBounded(file, Math.min(maxBytes, this.#left), this.place);
    if (read.kind === "file") this.#left -= read.bytes.length;
    this.#known.set(file, read);
    return read;
  }

  /** A file that names scripts. */
  readNaming(file: string, form: NamedScripts["form"]): FileRead {
    const known = this.#naming.get(file);
    if (known !== undefined) return known;
    const read = this.read(file, Math.min(this.#leftNaming, form === "aliases" ? MAX_ALIASES : MAX_NAMING));
    if (read.kind === "file") this.#leftNaming -= read.bytes.length;
    this.#naming.set(file, read);
    return read;
  }
}

function namedBy(here: Place, reader: ScriptReader): Named[] {
  const { command } = here;
  const variables = command.assignments.map((assignment) => assignment.name);
  let argv: readonly Word[] = command.argv;
  let name = command.name;
  for (let left = 3; left > 0; left--) {
    const scripts = namedScripts(name, argv, variables);
    const found = scripts === null ? [] : byName(here, scripts, argv, reader);
    if (found.length > 0) return found;
    const inner = programOf(name).launched(argv);
    if (inner === null) break;
    argv = inner;
    name = programName(inner[0]?.text ?? "");
  }
  let found = byFile(here, argv, name, reader);
  if (found.length === 0 && argv !== command.argv) found = byFile(here, command.argv, command.name, reader);
  const launched = found.length === 0 ? launchedFile(command) : null;
  return launched === null ? found : loaded(here, launched, reader, null);
}

/** `npm test`, `make t`: a line in a file of the project, and the files that this line runs in turn. */
function byName(here: Place, scripts: NamedScripts, argv: readonly Word[], reader: ScriptReader): Named[] {
  const { line, command, before } = here;
  const { marks, names, form, hasHooks } = scripts;
  const folder = scripts.folder === undefined ? command.cwd : absolutePath(scripts.folder, command.cwd);
  if (folder === null) return [];
  const base = scripts.fileIsBelow ? folder : command.cwd;
  const given = scripts.file === undefined ? null : absolutePath(scripts.file, base);
  const file = given ?? fileAbove(folder, scripts, reader);
  if (file !== null && isWritten(file, before)) return [];
  if (file === null)
    return form === "aliases" || !scripts.isScript
      ? []
      : [{ shown: entry(line, marks, `${folder}/${scripts.files[0]}`, NOTHING, []), texts: [] }];
  const isUnsure = isTwoPlaces(scripts.folder ?? "", command.cwd) || isTwoPlaces(scripts.file ?? "", base);
  const read = isUnsure ? UNREADABLE : reader.readNaming(file, form);
  const text = read.kind === "file" ? read.text : null;
  const lines =
    text === null ? null : form === "taskfile" ? taskLines(text, names) : scriptsIn(text, { form, names, hasHooks });
  // A subcommand or a program then, for all that is known.
  if (lines === null && (form === "aliases" || !scripts.isScript)) return [];
  const shown = entry(line, marks, file, read, lines ?? []);
  if (lines === null) return [{ shown, texts: [] }];
  const cwd = form === "rules" ? folder : file.slice(0, file.lastIndexOf("/")) || "/";
  // What sets a value may be before a name, too.
  const from = form === "rules" || form === "recipes" ? 1 : argv.indexOf(marks.at(-1) as Word) + 1;
  const args = argv.slice(from).filter((word) => word.text !== "--");
  const own = programOf("");
  const run = linesRun(form, lines, text ?? "", args).map((one) => ({ ...one, by: own.scriptReader(one.text) }));
  return withInner(here, { shown, isWhole: isReadWhole(form, lines), run, cwd }, reader);
}

/** A text of a script, and how it is read. */
interface Source extends RunLine {
  by: ReturnType<ReturnType<typeof programOf>["scriptReader"]>;
  args?: readonly Word[] | undefined;
}

/** A name with its texts read, and the names in them. What isn't read is named. */
function withInner(
  here: Place,
  { shown, isWhole, run, cwd }: { shown: StandsFor; isWhole: boolean; run: readonly Source[]; cwd: string },
  reader: ScriptReader,
): Named[] {
  const depth = here.depth + 1;
  if (depth > MAX_DEPTH) return [{ shown, texts: [] }];
  const unread = new Set<string>();
  const texts: ScriptText[] = [];
  const inner: Named[] = [];
  let isAll = isWhole;
  for (const { text, span, by, args } of run) {
    const reading = by === null ? null : reader.reading(text, by, cwd, args);
    if (by === null) continue;
    if (reading?.unread !== null) isAll = false;
    if (reading === null) continue;
    texts.push({ reading, cwd, isProgram: by !== "shell", span: by === "shell" ? span : null });
    const line = { arg: here.line.arg, text: reading.text };
    for (const [at, command] of reading.commands.entries()) {
      if (inner.length >= MAX_INNER) break;
      if (!reader.mayFollow) {
        isAll = false;
        break;
      }
      const before = [...here.before, ...reading.commands.slice(0, at)];
      inner.push(...runBy({ line, command, before, depth }, reader));
    }
  }
  if (!isAll) unread.add(shownPath(shown.file, reader.place));
  const own = new Set(shown.lines);
  const kept = inner.filter(({ shown: one }) => {
    const isRead = one.sha256 !== null && depth < MAX_DEPTH;
    if (!isRead && one.file !== shown.file) unread.add(shownPath(one.file, reader.place));
    // What its lines call of the same file is among them.
    return isRead && !(one.file === shown.file && one.lines.every((text) => own.has(text) || isAmong(text, own)));
  });
  const outer = unread.size === 0 ? shown : { ...shown, unread: [...unread].slice(0, MAX_NAMES) };
  return [{ shown: outer, texts }, ...kept.map((one) => ({ ...one, shown: { ...one.shown, span: shown.span } }))];
}

/** `name: line` */
const isAmong = (text: string, lines: ReadonlySet<string>): boolean =>
  [...lines].some((line) => line.endsWith(`: ${text}`));

/** Names in one script. */
const MAX_INNER = 40;

const NOTHING: FileRead = { kind: "nothing" };

function fileAbove(
  folder: string,
  { files, goesUp }: { files: readonly string[]; goesUp?: boolean | undefined },
  reader: ScriptReader,
): string | null {
  let here = folder;
  for (let left = goesUp ? MAX_ABOVE : 1; left > 0; left--) {
    const paths = files.map((name) => absolutePath(name, here) ?? name);
    const file = paths.find((path) => reader.isThere(path));
    if (file !== undefined) return file;
    if (here === "/") return null;
    here = here.slice(0, here.lastIndexOf("/")) || "/";
  }
  return null;
}

/** `./x.sh`, `bash x.sh`, `python3 x.py`: a file that is run itself. */
function byFile(here: Place, argv: readonly Word[], name: string, reader: ScriptReader): Named[] {
  const script = programOf(name).script(argv);
  if (script === null || !script.is_resolved || script.text === "") return [];
  const file = absolutePath(script.text, here.command.cwd);
  if (file === null || (script === argv[0] && SYSTEM.test(file))) return [];
  const marks = [argv[0] ?? script, script];
  const by = { name: script === argv[0] ? "" : name, args: argv.slice(argv.indexOf(script)) };
  const isUnsure = isTwoPlaces(script.text, here.command.cwd);
  const files = script.glob === true ? matchesOf(script, here.command.cwd) : [file];
  return files.flatMap((path) => fileNamed(here, marks, { path, isUnsure }, reader, by));
}

/** `node -r ./t.js`, `cat x.sh | bash`, `npx jest`: a file that is run as well. `by`: null where it isn't known as what. */
function loaded(
  here: Place,
  { word, names, folder, goesUp, mayBeFile }: LoadedFile,
  reader: ScriptReader,
  by: string | null,
): Named[] {
  if (folder === null) return [];
  const above = word.glob === true ? null : fileAbove(folder, { files: names, goesUp }, reader);
  const files = word.glob === true ? matchesOf(word, folder) : above === null ? [] : [above];
  const isUnsure = [word.text, ...names].some((name) => isTwoPlaces(name, folder));
  return files.flatMap((path) => {
    if (mayBeFile && kindOf(realForm(path) ?? path) !== "file") return [];
    const marks = [here.command.argv[0] ?? word, word];
    return fileNamed(here, marks, { path, isUnsure }, reader, by === null ? null : { name: by });
  });
}

/** @param by the program that runs it, and the words that it gets, itself first; null where nothing is known of that */
function fileNamed(
  here: Place,
  marks: readonly Word[],
  { path: file, isUnsure }: { path: string; isUnsure: boolean },
  reader: ScriptReader,
  by: { name: string; args?: readonly Word[] } | null,
): Named[] {
  if (/^\/(?:dev|proc)\//.test(file) || isWritten(file, here.before)) return [];
  const read = isUnsure ? UNREADABLE : reader.read(file, MAX_HASHED);
  const text = read.kind === "file" && read.text !== null ? read.text : "";
  const shown = entry(here.line, marks, file, read, firstLines(text), lineCount(text));
  // What was installed is its maker's, not the project's.
  if (by === null || text === "" || INSTALLED.test(file)) return [{ shown, texts: [] }];
  const isLong = text.length > MAX_NAMING;
  const source = {
    text,
    span: { start: 0, end: text.length },
    by: programOf(by.name).scriptReader(text),
    args: by.args,
  };
  const run = isLong ? [] : [source];
  return withInner(here, { shown, isWhole: !isLong, run, cwd: here.command.cwd ?? "" }, reader);
}

const UNREADABLE: FileRead = { kind: "unreadable" };

/** As programs differ in where it leads. */
const isTwoPlaces = (text: string, cwd: string | null): boolean => cwd !== null && certainPath(text, cwd) === null;

const INSTALLED = /\/(?:node_modules|site-packages|vendor\/bin)\//;

/** Names in a folder that a pattern is held against. */
const MAX_MATCHED = 2000;

/** The files that a pattern in a word's last name matches now, sorted; none where more are there than are looked at. */
function matchesOf(word: Word, cwd: string | null): string[] {
  const { segments } = pathOf(word, cwd);
  const folders = segments.slice(0, -1);
  if (folders.some((name) => typeof name !== "string")) return [];
  const folder = `/${folders.join("/")}`;
  try {
    const names = namesIn(folder);
    return names
      .filter((name) => canMatch(segments.at(-1), name))
      .sort()
      .slice(0, MAX_NAMES)
      .map((name) => `${folder === "/" ? "" : folder}/${name}`);
  } catch {
    return []; // no such folder: the pattern stands for nothing
  }
}

/** None where there are more than are looked at. */
function namesIn(folder: string): string[] {
  const open = opendirSync(folder);
  try {
    const names: string[] = [];
    for (let entry = open.readSync(); entry !== null; entry = open.readSync()) {
      if (names.length === MAX_MATCHED) return [];
      names.push(entry.name);
    }
    return names;
  } finally {
    open.closeSync();
  }
}

const writtenBy = new WeakMap<readonly SimpleCommand[], ReadonlySet<string | null>>();

/** What the line itself puts there isn't the file that is there now. */
function isWritten(file: string, before: readonly SimpleCommand[]): boolean {
  const known = writtenBy.get(before);
  const written =
    known ?? new Set(before.flatMap((one) => effectsOf(one).written.map((word) => absolutePath(word.text, one.cwd))));
  if (known === undefined) writtenBy.set(before, written);
  return written.has(file);
}

function entry(
  { arg, text }: Place["line"],
  marks: readonly Word[],
  file: string,
  read: FileRead,
  lines: readonly string[],
  totalLines = lines.length,
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
    total_lines: totalLines,
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
      const hasChanged = !isSame(one) || known.get(nameOf(one))?.has_changed === true;
      return hasChanged ? { ...one, has_changed: hasChanged } : one;
    }),
    ...gone.map(({ span, name, file }): StandsFor => {
      return { span, name, file, sha256: null, lines: [], total_lines: 0, has_changed: true };
    }),
  ];
}
