import { Buffer } from "node:buffer";
import { foundBy } from "../programs/find.ts";
import { type SimpleCommand, type Word, wordOf } from "./reading.ts";
import { absolutePath } from "./scope.ts";

/** What a few plain programs print, where it can be told without running them: text that is fed to a shell is read, too. */

const MAX_OUTPUT = 65_536;

/** The text on a command's standard output, or null where it can't be told. */
export function outputOf(command: SimpleCommand, files: ReadonlyMap<string, string>): string | null {
  if (
    command.redirects.some(
      ({ operator, fd }) =>
        operator.includes(">") && !operator.includes("<") && (fd === null || fd === 1) && operator !== ">&",
    )
  )
    return "";
  const [file, ...more] = command.name === "cat" ? command.argv.slice(1) : [];
  if (file?.is_certain && more.length === 0) {
    const written = files.get(absolutePath(file.text, command.cwd) ?? "");
    if (written !== undefined) return written;
  }
  return printedBy(command);
}

/** The file that a command's output goes to, if both are known. */
export function writtenFile(command: SimpleCommand): { path: string; text: string; adds: boolean } | undefined {
  const redirect = command.redirects.find(
    ({ operator, fd }) => /^(?:>|>>|>\||&>|&>>)$/.test(operator) && (fd === null || fd === 1),
  );
  const tee = command.name === "tee" ? command.argv.slice(1).find((word) => !word.text.startsWith("-")) : undefined;
  const target = redirect?.target ?? tee;
  if (target === undefined || !target.is_certain || target.glob) return undefined;
  const path = absolutePath(target.text, command.cwd);
  const text = path === null || path.startsWith("/dev/") ? null : printedBy(command);
  if (path === null || text === null) return undefined;
  return {
    path,
    text,
    adds: redirect?.operator.includes(">>") ?? command.argv.some(({ text: option }) => option === "-a"),
  };
}

function printedBy({ argv, name, stdin, code, cwd }: SimpleCommand): string | null {
  const args = argv.slice(1);
  if (code !== undefined || !args.every(({ is_certain, glob }) => is_certain && glob === undefined)) return null;
  const texts = args.map(({ text }) => text);
  const output = printed(name, texts, stdin?.text ?? null, cwd);
  return output !== null && output.length <= MAX_OUTPUT ? output : null;
}

function printed(name: string, args: readonly string[], input: string | null, cwd: string | null): string | null {
  switch (name) {
    case "echo":
      return echoed(args);
    case "printf":
      return formatted(args);
    case "pwd":
      return cwd === null ? null : `${cwd}\n`;
    case "cat":
      return args.length === 0 || (args.length === 1 && args[0] === "-") ? input : null;
    case "tee":
      return input;
    case "base64":
    case "base32":
      if (input === null || name === "base32") return null;
      return args.every((arg) => /^(-[di]+|-D|--decode|--ignore-garbage)$/.test(arg)) && args.length > 0
        ? Buffer.from(input, "base64").toString("utf8")
        : null;
    case "openssl":
      if (input === null || !["base64", "enc"].includes(args[0] ?? "") || !args.includes("-d")) return null;
      return args.slice(1).every((arg) => ["-d", "-base64", "-a", "-A", "-in"].includes(arg))
        ? Buffer.from(input, "base64").toString("utf8")
        : null;
    case "xxd":
      if (input === null || !args.some((arg) => /^-\w*r/.test(arg))) return null;
      return args.some((arg) => /^-\w*p/.test(arg))
        ? Buffer.from(input.replace(/[^0-9a-fA-F]/g, ""), "hex").toString("utf8")
        : null;
    // One line stays what it is.
    case "head":
    case "tail":
    case "sort":
    case "uniq":
    case "tac":
      return input !== null &&
        /^[^\n]*\n?$/.test(input) &&
        args.every((arg) => /^-(?:n?\d*|[run])$/.test(arg) || arg === "1")
        ? input
        : null;
    case "rev":
      return input === null || args.length > 0
        ? null
        : input.replace(/[^\n]+/g, (line) => [...line].reverse().join(""));
    case "tr":
      return input === null ? null : translated(input, args);
    case "dirname":
      return args.length === 1
        ? `${(args[0] ?? "").replace(/\/+$/, "").replace(/\/?[^/]*$/, "") || (args[0]?.startsWith("/") ? "/" : ".")}\n`
        : null;
    case "basename":
      return args.length === 1 ? `${(args[0] ?? "").replace(/\/+$/, "").replace(/^.*\//, "")}\n` : null;
    case "realpath":
    case "readlink": {
      const path = args.length > 0 ? absolutePath(args.at(-1) ?? "", cwd) : null;
      return path === null || args.length > 2 ? null : `${path}\n`;
    }
    case "true":
    case ":":
    case "cd":
    case "test":
    case "[":
    case "[[":
    case "sleep":
    case "":
      return "";
    default:
      return null;
  }
}

function echoed(args: readonly string[]): string {
  let rest = args;
  let newline = "\n";
  let escapes = false;
  while (/^-[neE]+$/.test(rest[0] ?? "")) {
    if (rest[0]?.includes("n")) newline = "";
    if (rest[0]?.includes("e")) escapes = true;
    rest = rest.slice(1);
  }
  const text = rest.join(" ");
  return (escapes ? unescaped(text) : text) + newline;
}

const NAMED: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  a: "\x07",
  b: "\b",
  f: "\f",
  v: "\v",
  e: "\x1b",
  "\\": "\\",
  '"': '"',
  "'": "'",
};

/** The escapes of `echo -e` and `printf`. */
export function unescaped(text: string): string {
  return text.replace(
    /\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|0?([0-7]{1,3})|([ntrabfve\\"']))/g,
    (_, hex, unicode, octal, name) => {
      if (name !== undefined) return NAMED[name] ?? "";
      return String.fromCharCode(octal !== undefined ? Number.parseInt(octal, 8) : Number.parseInt(hex ?? unicode, 16));
    },
  );
}

/** `printf FORMAT VALUE...`; null where a format can not be told. */
export function formatted(args: readonly string[]): string | null {
  const given = args[0] === "--" ? args.slice(1) : args;
  const [format, ...values] = given;
  if (format === undefined || format.startsWith("-v")) return null;
  const pieces = unescaped(format.replaceAll("%%", "%\0")).split(/%(\0|s|b|d|i|c|q)/);
  if (pieces.some((piece, index) => index % 2 === 0 && piece.includes("%"))) return null;
  const takes = pieces.filter((piece, index) => index % 2 === 1 && piece !== "\0").length;
  let text = "";
  const rest = [...values];
  do {
    for (const [index, piece] of pieces.entries()) {
      if (index % 2 === 0) text += piece;
      else if (piece === "\0") text += "%";
      else text += piece === "b" ? unescaped(rest.shift() ?? "") : (rest.shift() ?? "");
    }
    if (text.length > MAX_OUTPUT) return null;
  } while (rest.length > 0 && takes > 0);
  return text;
}

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

/** The names that a listing prints, for what `xargs` and `read` make of them. Null where that can't be told. */
export function listedBy(command: SimpleCommand): Word[] | null {
  const span = { start: command.start, end: command.end };
  const args = command.argv.slice(1);
  if (command.name === "find" || command.name === "fd" || command.name === "fdfind")
    return command.name === "find" ? foundBy(args, span) : null;
  if (command.name === "ls" && args.every(({ text }) => text.startsWith("-")))
    return [wordOf([{ text: "*", kind: "glob" }], span)];
  return null;
}
