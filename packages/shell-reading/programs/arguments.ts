import type { Word } from "../reading.ts";
import { piecesAfter, wordOf } from "../word.ts";
import type { OptionList, Program, Role } from "./program.ts";

/** The one place that tells a command's options, their values and its operands apart. */

interface GivenOption {
  /** As the record lists it. */
  name: string;
  value?: Word;
  role?: Role | "target";
  isClear: boolean;
}

export interface Arguments {
  options: readonly GivenOption[];
  operands: readonly Word[];
  /** Why these options can't be cleared, or null. */
  unclear: string | null;
}

type Kind = keyof OptionList;

interface KnownOption {
  kind: Kind;
  isClear: boolean;
}

const KINDS: readonly Kind[] = ["flags", "optional", "text", "pattern", "reads", "writes", "target"];
const ROLES: Partial<Record<Kind, Role | "target">> = {
  text: "text",
  optional: "text",
  pattern: "pattern",
  reads: "reads",
  writes: "writes",
  target: "target",
};

const known = new WeakMap<Program, ReadonlyMap<string, KnownOption>>();

/** Every option of a record, by its name as it is written (`-n`, `--lines`). */
export function optionsKnown(program: Program): ReadonlyMap<string, KnownOption> {
  let found = known.get(program);
  if (found === undefined) {
    const all = new Map<string, KnownOption>();
    for (const [list, isClear] of [[program.options, true] as const, [program.unclear, false] as const])
      for (const kind of KINDS)
        for (const name of list?.[kind]?.split(/\s+/) ?? []) if (name !== "") all.set(name, { kind, isClear });
    found = all;
    known.set(program, all);
  }
  return found;
}

/** True if `names` (separated by blanks) holds the option's name. */
export function isAmong(name: string, names: string | undefined): boolean {
  return names?.split(" ").includes(name) === true;
}

/**
 * Tells `args` apart as GNU programs do: options anywhere, until `--`. An option that the record doesn't list, or an abbreviation,
 * is never clear; the guard reads it as far as it can.
 */
export function argumentsOf(program: Program, args: readonly Word[]): Arguments {
  const options: GivenOption[] = [];
  const operands: Word[] = [];
  const all = optionsKnown(program);
  let unclear: string | null = null;
  /** What looks like an option may be one to the program, whatever the record says of the option before it. */
  const next = (at: number): Word | undefined => {
    const value = args[at];
    if (value === undefined) unclear ??= "an option without its value";
    else if (/^-(?!$|\d+$)/.test(value.text)) unclear ??= "an option's value that looks like an option";
    return value;
  };
  const add = (name: string, option: KnownOption | undefined, value?: Word) => {
    if (option === undefined) unclear ??= "an option that isn't known";
    else if (!option.isClear) unclear ??= "an option that may do more";
    const role = option === undefined ? undefined : ROLES[option.kind];
    options.push({
      name,
      isClear: option?.isClear === true,
      ...(value === undefined ? {} : { value }),
      ...(role === undefined ? {} : { role }),
    });
  };
  for (let at = 0; at < args.length; at++) {
    const word = args[at] as Word;
    const { text } = word;
    if (text === "--") {
      operands.push(...args.slice(at + 1));
      break;
    }
    if (!/^-./s.test(text) || word.pieces[0]?.kind === "glob") {
      operands.push(word);
      continue;
    }
    // BSD's programs take it for an operand.
    if (operands.length > 0 && !program.optionsAnywhere) unclear ??= "an option behind an operand";
    if (text.startsWith("--")) {
      const equals = text.indexOf("=");
      const written = equals === -1 ? text : text.slice(0, equals);
      const name = all.has(written) ? written : abbreviated(written, all);
      if (name !== written) unclear ??= "a long option that isn't written out";
      const option = all.get(name);
      if (equals !== -1) {
        if (option?.kind === "flags") unclear ??= "a value for an option that takes none";
        add(name, option, wordOf(piecesAfter(word, equals + 1), word));
      } else if (option !== undefined && takesNext(option)) {
        at++;
        add(name, option, next(at));
      } else add(name, option);
      continue;
    }
    if (/^-\d+$/.test(text) && program.takesNumbers) {
      options.push({ name: text, isClear: true });
      continue;
    }
    for (let index = 1; index < text.length; index++) {
      const name = `-${text[index] ?? ""}`;
      const option = all.get(name);
      if (option === undefined || option.kind === "flags") {
        add(name, option);
        continue;
      }
      if (index + 1 < text.length) add(name, option, wordOf(piecesAfter(word, index + 1), word));
      else if (option.kind === "optional") add(name, option);
      else {
        at++;
        add(name, option, next(at));
      }
      break;
    }
  }
  return { options, operands, unclear };
}

const takesNext = ({ kind }: KnownOption): boolean => kind !== "flags" && kind !== "optional";

/** GNU takes any beginning of a long option that no other one has. */
function abbreviated(written: string, all: ReadonlyMap<string, KnownOption>): string {
  const found = [...all.keys()].filter((name) => name.startsWith("--") && name.startsWith(written));
  return found.length === 1 || new Set(found.map((name) => all.get(name)?.kind)).size === 1
    ? (found[0] ?? written)
    : written;
}

/** True if one of the options (separated by blanks) is given. */
export function hasOption({ options }: Pick<Arguments, "options">, names: string): boolean {
  return options.some(({ name }) => isAmong(name, names));
}

/** The values of these options. */
export function valuesOf({ options }: Pick<Arguments, "options">, names: string): Word[] {
  return options.flatMap(({ name, value }) => (value !== undefined && isAmong(name, names) ? [value] : []));
}

/**
 * The values of these options (separated by blanks) where a program's other options aren't known: `-C DIR`, `-CDIR`, `-kC DIR`,
 * `--directory DIR`, `--directory=DIR`, and any beginning of a long one.
 */
export function valuesAnywhere(args: readonly Word[], names: string): Word[] {
  const all = names.split(" ");
  return args.flatMap((word, index) => {
    const { text } = word;
    const next = args.slice(index + 1, index + 2);
    if (text.startsWith("--")) {
      const equals = text.indexOf("=");
      const written = equals === -1 ? text : text.slice(0, equals);
      if (written.length < 3 || !all.some((name) => name.startsWith(written))) return [];
      return equals === -1 ? next : [wordOf(piecesAfter(word, equals + 1), word)];
    }
    const flags = /^-[A-Za-z]*/.exec(text)?.[0] ?? "";
    const at = [...flags].findIndex((letter, index) => index > 0 && all.includes(`-${letter}`));
    if (at === -1) return [];
    return at === text.length - 1 ? next : [wordOf(piecesAfter(word, at + 1), word)];
  });
}
