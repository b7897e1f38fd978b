import type { Word } from "@metnos-gate/shell-reading";
import { type NamedScripts, OTHER_NAME } from "@metnos-gate/shell-reading/programs";
import { shellWord } from "../../../ipc/base/shell-quoted.ts";
import { onceOfText } from "./once-of-text.ts";

/** The command lines of what a name stands for, as its runner hands them to a shell. Nothing of them is run. */

export interface RunLine {
  /** As a shell gets it. */
  text: string;
  /** Where it is among the shown lines, joined with line breaks; null where it isn't among them. */
  span: { start: number; end: number } | null;
}

/** What is no text of the file's: a value that isn't known, whatever it is. */
const UNKNOWN = "$unknown";
const MAX_VALUE = 4096;
/** Values that are put in: they may name each other. */
const MAX_VALUES = 400;
/** Lines that are read, and letters of one where it is taken apart. */
const MAX_LINES = 120;
const MAX_LINE = 2000;
/** Of what make runs as it reads its file. */
const MAX_CALLS = 20;

/** True if `linesRun` takes all of them. */
export const isReadWhole = (form: NamedScripts["form"], lines: readonly string[]): boolean =>
  lines.length <= MAX_LINES && lines.every(({ length }) => length <= longest(form));

const longest = (form: NamedScripts["form"]): number =>
  form === "rules" || form === "recipes" || form === "taskfile" ? MAX_LINE : Number.POSITIVE_INFINITY;

/**
 * @param lines as they are shown
 * @param file all of the file's text
 * @param args the words behind the name
 */
export function linesRun(
  form: NamedScripts["form"],
  lines: readonly string[],
  file: string,
  args: readonly Word[],
): RunLine[] {
  const given = args.map(wordText).join(" ");
  switch (form) {
    case "rules":
      return [...recipesIn(placed(lines, form), file, true, valuesOf(setByMake(file), args)), ...runAtOnce(file)];
    case "recipes":
      return recipesIn(placed(lines, form), file, false, valuesOf(setByJust(file), args));
    default: {
      const isText = form === "scripts" || form === "tasks";
      const all = isText ? scriptsIn(placed(lines, form), form === "scripts") : entriesIn(form, placed(lines, form));
      // Which of several is the name's own isn't said: each gets the words, as it could.
      return given === "" ? all : all.map((one) => ({ ...one, text: `${one.text} ${given}` }));
    }
  }
}

/** Lines without another name in front are one text: it may have several. */
function scriptsIn(lines: readonly PlacedLine[], hasPrefix: boolean): RunLine[] {
  const found: { text: string; span: { start: number; end: number } }[] = [];
  let isOwn = false;
  for (const { line, start } of lines) {
    const from = hasPrefix ? (OTHER_NAME.exec(line)?.[0].length ?? 0) : 0;
    const last = found.at(-1);
    if (isOwn && from === 0 && last !== undefined) {
      last.text += `\n${line}`;
      last.span.end = start + line.length;
    } else found.push({ text: line.slice(from), span: { start: start + from, end: start + line.length } });
    isOwn = from === 0;
  }
  return found;
}

function entriesIn(form: NamedScripts["form"], lines: readonly PlacedLine[]): RunLine[] {
  return lines.map(({ line, start }) => {
    const from = form === "lists" ? (OTHER_NAME.exec(line)?.[0].length ?? 0) : 0;
    const text = form === "taskfile" ? withoutBraces(line, () => UNKNOWN) : line.slice(from);
    return { text, span: { start: start + from, end: start + line.length } };
  });
}

const wordText = ({ text, is_resolved, glob }: Word): string =>
  is_resolved ? (glob ? text : shellWord(text)) : UNKNOWN;

interface PlacedLine {
  line: string;
  start: number;
}

function placed(lines: readonly string[], form: NamedScripts["form"]): PlacedLine[] {
  const most = longest(form);
  let at = 0;
  return lines.slice(0, MAX_LINES).map((line) => {
    const start = at;
    at += line.length + 1;
    return { line: line.length > most ? "" : line, start };
  });
}

/** The recipes of make's rules and of just's: each line has a shell of its own, unless it continues, or the file says otherwise. */
function recipesIn(
  lines: readonly PlacedLine[],
  file: string,
  isMake: boolean,
  values: ReadonlyMap<string, string>,
): RunLine[] {
  const found: { text: string; start: number; end: number }[] = [];
  const isOneShell = isMake && /^\.ONESHELL\b/m.test(file);
  let goesOn = false;
  for (const { line, start } of lines) {
    const isRecipe = /^[ \t]/.test(line);
    // `name: needs; line`
    const own = isRecipe ? line : isMake ? (/^[^#;]*:[^#;]*;(.*)$/.exec(line)?.[1] ?? null) : null;
    const last = found.at(-1);
    if (own !== null && isRecipe && last !== undefined && (goesOn || isOneShell || /^[@-]*#!/.test(last.text))) {
      last.text += `\n${isMake ? line.replace(/^\t/, "") : line.trimStart()}`;
      last.end = start + line.length;
    } else if (own !== null) {
      const text = own.replace(/^[ \t]*[@+-]*[ \t]*/, "");
      found.push({ text, start: start + line.length - text.length, end: start + line.length });
    }
    goesOn = own !== null && /(?:^|[^\\])(?:\\\\)*\\$/.test(line);
  }
  const left = { values: MAX_VALUES };
  return found.map(({ text, start, end }) => ({
    text: isMake ? expanded(text, values, left) : interpolated(text, values),
    span: { start, end },
  }));
}

const runAtOnce = onceOfText(linesRunAtOnce);

/** What make runs as it reads the file, whatever is made. */
function linesRunAtOnce(file: string): RunLine[] {
  const others = file.split("\n").filter((line) => line.length <= MAX_LINE && /^[^\t#].*\$\(shell\s/.test(line));
  const calls = others.flatMap((line) => [...line.matchAll(/\$\(shell\s+((?:[^()]|\([^()]*\))*)\)/g)]);
  return calls.slice(0, MAX_CALLS).map(([, text = ""]) => ({ text: expanded(text, new Map()), span: null }));
}

/** The values that a file sets, and those that the line sets. */
function valuesOf(set: ReadonlyMap<string, string>, args: readonly Word[]): Map<string, string> {
  const values = new Map(set);
  for (const { text, is_resolved } of args) {
    const [, name, value = ""] = /^([\w.-]+):{0,3}=(.*)$/s.exec(text) ?? [];
    if (name !== undefined) values.set(name, is_resolved ? shellWord(value).replaceAll("$", "$$$$") : UNKNOWN);
  }
  return values;
}

const setByMake = onceOfText((file) => valuesSet(file, /^()(.*)$/));
const setByJust = onceOfText((file) => valuesSet(file, /^(['"])(.*)\1$/));

/** The values that a file sets. @param quotes what a value is written in */
function valuesSet(file: string, quotes: RegExp): Map<string, string> {
  const values = new Map<string, string>();
  const isOpen = /^-?s?include\b|^import\b|^set dotenv/m.test(file);
  for (const [, name = "", operator = "", text = ""] of file.matchAll(
    /^(?:(?:export|override|private)[ \t]+)*([\w.-]+)[ \t]*(:{1,3}=|[?+!]?=)[ \t]*([^\n]*)$/gm,
  )) {
    const value =
      operator === "!="
        ? UNKNOWN
        : text
            .slice(0, MAX_VALUE)
            .replace(/(?<=\S)\s+#.*$/, "")
            .replace(quotes, "$2");
    const before = values.get(name);
    if (operator === "?=" && before !== undefined) continue;
    const both = operator === "+=" && before !== undefined ? `${before} ${value}` : value;
    values.set(name, both.slice(0, MAX_VALUE));
  }
  // What another file may set isn't empty for sure.
  if (isOpen) values.set("", UNKNOWN);
  return values;
}

const MAKE_VALUE = /\$(?:\$|\(([\w.-]+)\)|\{([\w.-]+)\}|\(shell\s+([^()]*)\)|[({][^(){}]*[)}]|[@<^+?*%|\w])/g;

function expanded(text: string, values: ReadonlyMap<string, string>, left = { values: MAX_VALUES }): string {
  return text.replace(MAKE_VALUE, (all, round?: string, curly?: string, call?: string) => {
    if (all === "$$") return "$";
    if (call !== undefined) return `$(${call})`;
    const name = round ?? curly ?? (/^\$\w$/.test(all) ? all.slice(1) : undefined);
    if (name === undefined || left.values-- <= 0) return UNKNOWN;
    const value = values.get(name);
    if (value !== undefined) return expanded(value, values, left).slice(0, MAX_VALUE);
    if (name === "MAKE" || name === "CURDIR") return name === "MAKE" ? name.toLowerCase() : ".";
    return values.get("") ?? `\${${name.replace(/\W/g, "_")}}`;
  });
}

function interpolated(text: string, values: ReadonlyMap<string, string>): string {
  return withoutBraces(text, (name) => values.get(name)?.slice(0, MAX_VALUE) ?? UNKNOWN);
}

/** `{{name}}` by its value. Behind the last closing braces none is looked for: each opening would be followed to the text's end. */
function withoutBraces(text: string, inTheirPlace: (name: string) => string): string {
  const end = text.lastIndexOf("}}") + 2;
  if (end < 2) return text;
  return (
    text.slice(0, end).replace(/\{\{\s*([\w-]*).*?\}\}/g, (_, name: string) => inTheirPlace(name)) + text.slice(end)
  );
}
