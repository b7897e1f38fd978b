import { absolutePath, programName, type SimpleCommand, type Word } from "@metnos-gate/shell-reading";
import { hostOfUrl } from "@metnos-gate/shell-reading/files";
import { namedScripts, programOf } from "@metnos-gate/shell-reading/programs";
import type { Named } from "../../decide/description/run-by-name.ts";
import type { CommandLine } from "../../decide/executors/command-lines.ts";
import { normaliseHost } from "../../targets/host.ts";
import { isKnownOption, isKnownSubcommand } from "./known-words.ts";

/** A command line without its values: each word of it is there because something says what it is. */

/** In the place of what isn't kept. */
export const LEFT_OUT = "…";

/** What is known of names in a line. Paths are absolute. */
export interface KnownPlaces {
  /** The reading of the call says that it is a path. */
  isNamed(path: string): boolean;
  /** Left out: what the line touches is known, so that no other word of it is a path. */
  isThere?: ((path: string) => boolean) | undefined;
  /** As it is shown; null of one that isn't below a project. */
  nameOf(path: string): string | null;
  isProgram(name: string): boolean;
}

/** Commands of a line, and words of one. */
const MAX_COMMANDS = 8;
const MAX_WORDS = 16;
const MAX_SUBCOMMANDS = 3;
/** Words of one command that are looked for on the disk. */
const MAX_LOOKS = 8;

const NONE: ReadonlyMap<string, { kind: string }> = new Map();

/** @param names what those in the call's lines stand for; called where a word may be one */
export function commandsText(line: CommandLine, names: () => readonly Named[], places: KnownPlaces): string {
  const { commands, text } = line.reading;
  const writer = new CommandWriter(places, (word) => isScript(word, line, names()));
  const shown = commands.filter(({ isSpeculative }) => isSpeculative !== true);
  const parts = shown.slice(0, MAX_COMMANDS).map((command, at) => {
    const before = shown[at - 1];
    return `${before === undefined ? "" : separatorOf(before, command, text)}${writer.textOf(command)}`;
  });
  return parts.join("") + (shown.length > MAX_COMMANDS ? `; ${LEFT_OUT}` : "");
}

/** What is between two commands, where that is all. */
function separatorOf(before: SimpleCommand, { pipeline, pipelineIndex, start }: SimpleCommand, text: string): string {
  if (before.pipeline === pipeline && pipelineIndex > before.pipelineIndex) return " | ";
  const between = start >= before.end ? text.slice(before.end, start) : "";
  const sign = /^[\s)}]*(&&|\|\|)[\s({]*$/.exec(between)?.[1];
  return sign === undefined ? "; " : ` ${sign} `;
}

/** Whether a word is the name of a script that a file of the project says, which can be read. */
function isScript({ text }: Word, { arg }: CommandLine, names: readonly Named[]): boolean {
  return names.some(({ shown: { span, name, total_lines, sha256 } }) => {
    const isOfLine = span === null || span.arg === arg;
    return isOfLine && sha256 !== null && total_lines > 0 && name.split(" ").includes(text);
  });
}

/** True of a line whose words may be revisions: what it may touch by such a name is no place, unless it is there. */
export function mayNameRevisions({ reading }: CommandLine): boolean {
  return reading.commands.some(({ name }) => programOf(name).worksOnRepository);
}

/** The options of a record, by name. */
type Options = ReadonlyMap<string, { kind: string }>;

class CommandWriter {
  readonly #places: KnownPlaces;
  readonly #isScript: (word: Word) => boolean;

  constructor(places: KnownPlaces, isScript: (word: Word) => boolean) {
    this.#places = places;
    this.#isScript = isScript;
  }

  textOf(command: SimpleCommand): string {
    const written = new Written();
    if (command.assignments.length > 0) written.leaveOut();
    for (const wrapper of command.via) written.add(this.#isProgram(wrapper) ? wrapper : null);
    if (command.argv.length > 0) this.#program(command, command.name, command.argv, written);
    for (const { operator, target } of command.redirects) {
      const name = operator.startsWith("<<") ? null : this.#pathOf(target, command.cwd, written);
      if (name !== null) written.add(`${operator.replace(/^\d+/, "")} ${name}`);
      else if (!/&\d?$/.test(operator) && target.text !== "/dev/null") written.leaveOut();
    }
    return written.text;
  }

  #program(command: SimpleCommand, name: string, argv: readonly Word[], written: Written): void {
    const [first, ...args] = argv;
    if (first === undefined) return;
    const isPath = first.text.includes("/");
    const path = isPath ? this.#pathOf(first, command.cwd, written) : null;
    written.add(path ?? (first.is_resolved && this.#isProgram(name) ? name : null));
    const known = programOf(name);
    const inner = known.launched(argv);
    if (inner !== null) {
      const before = args.slice(0, args.length - inner.length);
      this.#words(command, before, known.options, this.#scriptsOf(name, argv), written);
      return this.#program(command, programName(inner[0]?.text ?? ""), inner, written);
    }
    const sub = known.subcommand(args);
    if (sub === null) {
      const scripts = this.#scriptsOf(name, argv);
      return this.#words(command, args, known.options, scripts, written, known.hasOperandsKnown);
    }
    const own = args.slice(0, args.length - sub.rest.length - 1);
    if (own.length > 0) this.#words(command, own, NONE, new Set(), written);
    written.add(sub.known.hasRecord || isKnownSubcommand(sub.name) ? sub.name : null);
    const { hasOperandsKnown } = sub.known.hasRecord ? sub.known : known;
    this.#words(command, sub.rest, sub.known.options, new Set(), written, hasOperandsKnown);
  }

  /** `hasOperandsKnown`: none of its operands is a subcommand then. */
  #words(
    command: SimpleCommand,
    args: readonly Word[],
    options: Options,
    scripts: ReadonlySet<Word>,
    written: Written,
    hasOperandsKnown = false,
  ): void {
    let subcommands = hasOperandsKnown ? 0 : MAX_SUBCOMMANDS;
    for (let at = 0; at < args.length; at++) {
      const word = args[at] as Word;
      if (written.isFull) return written.leaveOut();
      if (word.text === "--") {
        subcommands = 0;
        continue;
      }
      if (/^-./s.test(word.text)) {
        const { name, takes } = optionIn(word, options);
        written.add(name);
        if (takes === "here") written.leaveOut();
        if (takes === "next") this.#value(args[++at], name, options, command, written);
        continue;
      }
      if (scripts.has(word) && word.is_resolved && (isKnownSubcommand(word.text) || this.#isScript(word))) {
        written.add(word.text);
        continue;
      }
      if (subcommands > 0 && word.is_resolved && isKnownSubcommand(word.text)) {
        subcommands--;
        written.add(word.text);
        continue;
      }
      subcommands = 0;
      written.add(this.#operand(word, command.cwd, written));
    }
  }

  #value(
    word: Word | undefined,
    name: string | null,
    options: Options,
    command: SimpleCommand,
    written: Written,
  ): void {
    if (word === undefined) return;
    const kind = options.get(name ?? "")?.kind;
    const isPath = kind === "reads" || kind === "writes" || kind === "target";
    written.add(isPath ? this.#pathOf(word, command.cwd, written) : null);
  }

  /** A place, a host, or nothing that is kept. */
  #operand(word: Word, cwd: string | null, written: Written): string | null {
    const { text } = word;
    if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return word.is_resolved ? hostOfUrl(text) : null;
    const remote = /^[\w.-]+@([A-Za-z0-9.-]+\.[A-Za-z0-9-]+):/.exec(text)?.[1];
    if (remote !== undefined) return word.is_resolved ? normaliseHost(remote) : null;
    return this.#pathOf(word, cwd, written);
  }

  /** A path that is known to be one: by the reading, or as it is there. Of a pattern the folder that it is in. */
  #pathOf(word: Word, cwd: string | null, written: Written): string | null {
    if (!word.is_resolved || word.text === "" || word.text === "-") return null;
    if (word.text === "." && cwd !== null) return ".";
    const text = word.glob === true ? folderOfPattern(word) : word.text;
    const path = text === null ? null : absolutePath(text, cwd);
    if (path === null) return null;
    const { isThere } = this.#places;
    if (!this.#places.isNamed(path) && !(isThere !== undefined && written.mayLook() && isThere(path))) return null;
    const name = this.#places.nameOf(path);
    return name === null || word.glob !== true ? name : `${name === "." ? "" : `${name}/`}${LEFT_OUT}`;
  }

  #isProgram(name: string): boolean {
    return programOf(name).hasRecord || this.#places.isProgram(name);
  }

  /** The words that name a script of the project. */
  #scriptsOf(name: string, argv: readonly Word[]): ReadonlySet<Word> {
    const named = namedScripts(name, argv);
    return new Set(named?.marks.filter((word) => word !== argv[0]) ?? []);
  }
}

/** `src/*.ts`: `src`; null where it is a pattern from its beginning. */
function folderOfPattern({ pieces }: Word): string | null {
  const first = pieces.findIndex(({ kind }) => kind !== "text");
  const before = pieces
    .slice(0, first)
    .map(({ text }) => text)
    .join("");
  const end = before.lastIndexOf("/");
  return end === -1 ? "." : before.slice(0, end) || "/";
}

/** An option's name, as far as it is known as one, and where its value is. */
function optionIn(
  { text, is_resolved }: Word,
  options: Options,
): { name: string | null; takes: "here" | "next" | null } {
  const equals = text.indexOf("=");
  const name = equals === -1 ? text : text.slice(0, equals);
  const known = options.get(name);
  if (known !== undefined || isKnownOption(name)) {
    if (equals !== -1 || !is_resolved) return { name, takes: "here" };
    return { name, takes: known !== undefined && takesNext(known.kind) ? "next" : null };
  }
  if (name.startsWith("--")) return { name: null, takes: null };
  let letters = "";
  for (let index = 1; index < text.length; index++) {
    const letter = text[index] ?? "";
    const one = options.get(`-${letter}`);
    // Of an option that isn't known, what follows may be its value.
    if (one === undefined) {
      const isFirst = index === 1 && /[A-Za-z]/.test(letter);
      const shown = isFirst ? letter : letters;
      return { name: shown === "" ? null : `-${shown}`, takes: text.length > 2 ? "here" : null };
    }
    letters += letter;
    if (one.kind === "flags") continue;
    const isLast = index + 1 === text.length;
    return { name: `-${letters}`, takes: !isLast ? "here" : takesNext(one.kind) ? "next" : null };
  }
  return { name: `-${letters}`, takes: null };
}

const takesNext = (kind: string): boolean => kind !== "flags" && kind !== "optional";

/** The words of one command. What is left out is marked once, where it was. */
class Written {
  readonly #words: string[] = [];
  #looks = MAX_LOOKS;

  get text(): string {
    return this.#words.join(" ");
  }

  get isFull(): boolean {
    return this.#words.length >= MAX_WORDS;
  }

  /** Null: something that isn't kept. */
  add(word: string | null): void {
    if (word === null) this.leaveOut();
    else this.#words.push(word);
  }

  leaveOut(): void {
    if (this.#words.at(-1) !== LEFT_OUT) this.#words.push(LEFT_OUT);
  }

  mayLook(): boolean {
    return this.#looks-- > 0;
  }
}
