import { Buffer } from "node:buffer";
import { absolutePath } from "../paths.ts";
import type { Span, Word } from "../reading.ts";
import { wordOf } from "../word.ts";
import { foundBy } from "./find.ts";
import { echoed, formatted, unescaped } from "./formats.ts";

/** What a few plain programs print, where their words and their input tell it. */

/** The text that a program prints; null where it is unknown. `input` is null where it isn't known, `cwd` as well. */
type Printer = (args: readonly string[], input: string | null, cwd: string | null) => string | null;

/** The text that `name` prints with these words; null where it is unknown. */
export function printedBy(
  name: string,
  args: readonly string[],
  input: string | null,
  cwd: string | null,
): string | null {
  return Object.hasOwn(PRINTERS, name) ? (PRINTERS[name]?.(args, input, cwd) ?? null) : null;
}

/** True if the program prints the one file that it is given as it is. */
export function printsFile(name: string): boolean {
  return name === "cat";
}

/** The names that a listing prints, for what is made of them; null where they are unknown. */
export function namesPrinted(name: string, args: readonly Word[], span: Span): Word[] | null {
  if (name === "find") return foundBy(args, span);
  if (name === "ls" && args.every(({ text }) => text.startsWith("-")))
    return [wordOf([{ text: "*", kind: "glob" }], span)];
  return null;
}

/** The words that a command prints one by one and as they are; null where it prints anything else. */
export function wordsPrinted(name: string, args: readonly Word[]): readonly Word[] | null {
  if (name === "echo") return args;
  return name === "printf" && /^%s\\n$/.test(args[0]?.text ?? "") ? args.slice(1) : null;
}

/** Not from each of them anew. */
const ENDING_SLASHES = /(?<!\/)\/+$/;

const nothing: Printer = () => "";

/** One line stays what it is. */
const oneLine: Printer = (args, input) =>
  input !== null && /^[^\n]*\n?$/.test(input) && args.every((arg) => /^-(?:n?\d*|[run])$/.test(arg) || arg === "1")
    ? input
    : null;

const resolvedPath: Printer = (args, _input, cwd) => {
  const path = args.length > 0 ? absolutePath(args.at(-1) ?? "", cwd) : null;
  return path === null || args.length > 2 ? null : `${path}\n`;
};

const fromBase64 = (input: string): string => Buffer.from(input, "base64").toString("utf8");

export const PRINTERS: Readonly<Record<string, Printer>> = {
  echo: echoed,
  printf: formatted,
  pwd: (_args, _input, cwd) => (cwd === null ? null : `${cwd}\n`),
  cat: (args, input) => (args.length === 0 || (args.length === 1 && args[0] === "-") ? input : null),
  tee: (_args, input) => input,
  base64: (args, input) =>
    input !== null && args.length > 0 && args.every((arg) => /^(-[di]+|-D|--decode|--ignore-garbage)$/.test(arg))
      ? fromBase64(input)
      : null,
  openssl: (args, input) => {
    if (input === null || !["base64", "enc"].includes(args[0] ?? "") || !args.includes("-d")) return null;
    return args.slice(1).every((arg) => ["-d", "-base64", "-a", "-A", "-in"].includes(arg)) ? fromBase64(input) : null;
  },
  xxd: (args, input) => {
    if (input === null || !args.some((arg) => /^-\w*r/.test(arg))) return null;
    return args.some((arg) => /^-\w*p/.test(arg))
      ? Buffer.from(input.replace(/[^0-9a-fA-F]/g, ""), "hex").toString("utf8")
      : null;
  },
  head: oneLine,
  tail: oneLine,
  sort: oneLine,
  uniq: oneLine,
  tac: oneLine,
  rev: (args, input) =>
    input === null || args.length > 0 ? null : input.replace(/[^\n]+/g, (line) => [...line].reverse().join("")),
  tr: (args, input) => (input === null ? null : translated(input, args)),
  dirname: ([path, ...more]) =>
    path === undefined || more.length > 0
      ? null
      : `${path.replace(ENDING_SLASHES, "").replace(/\/?[^/]*$/, "") || (path.startsWith("/") ? "/" : ".")}\n`,
  basename: (args) =>
    args.length === 1 ? `${(args[0] ?? "").replace(ENDING_SLASHES, "").replace(/^.*\//, "")}\n` : null,
  realpath: resolvedPath,
  readlink: resolvedPath,
  true: nothing,
  ":": nothing,
  cd: nothing,
  test: nothing,
  "[": nothing,
  "[[": nothing,
  sleep: nothing,
};

/** `tr a-z n-za-m`, `tr -d x`: sets of single characters and ranges. */
function translated(input: string, args: readonly string[]): string | null {
  const flags = args.filter((arg) => arg.startsWith("-") && arg !== "-");
  const [from, to] = args.filter((arg) => !flags.includes(arg)).map(setOf);
  if (from === undefined || from === null) return null;
  if (flags.length === 1 && flags[0] === "-d" && to === undefined)
    return [...input].filter((char) => !from.includes(char)).join("");
  if (flags.length > 0 || to === undefined || to === null || to.length === 0) return null;
  return [...input]
    .map((char) => (from.includes(char) ? (to[Math.min(from.lastIndexOf(char), to.length - 1)] ?? char) : char))
    .join("");
}

function setOf(text: string): string[] | null {
  if (/\[[:=]/.test(text)) return null;
  const all: string[] = [];
  const characters = [...unescaped(text)];
  for (let index = 0; index < characters.length; index++) {
    const [from, dash, to] = [characters[index] ?? "", characters[index + 1], characters[index + 2]];
    if (dash === "-" && to !== undefined) {
      for (let code = from.charCodeAt(0); code <= to.charCodeAt(0) && all.length < 512; code++)
        all.push(String.fromCharCode(code));
      index += 2;
    } else all.push(from);
  }
  return all;
}
