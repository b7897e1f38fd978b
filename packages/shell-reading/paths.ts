import type { Piece, Word } from "./reading.ts";
import { MAX_PATTERN, starred } from "./starred.ts";

/** A path as a list of names, where a name may be a pattern or unknown: what a word can name on the disk. */

interface Pattern {
  readonly kind: "pattern";
  readonly expression: RegExp;
  readonly text: string;
}

/** `any` is any number of names, `unknown` a part that only running it would tell. */
export type Segment = string | Pattern | { readonly kind: "any" } | { readonly kind: "unknown" };

export interface PathPattern {
  segments: readonly Segment[];
  /** False where a part of it is unknown. */
  isKnown: boolean;
  hasPattern: boolean;
}

const UNKNOWN = { kind: "unknown" } as const;
const ANY = { kind: "any" } as const;

/** The path that a word names, below `cwd` where it is relative. Without one its first name is unknown. */
export function pathOf(word: Word, cwd: string | null): PathPattern {
  const known = paths.get(word);
  if (known?.cwd === cwd) return known.path;
  const path = pathOfPieces(word.pieces, cwd);
  paths.set(word, { cwd, path });
  return path;
}

/** Each word is looked at for many things, in the folder that it is in: its pattern is made once. */
const paths = new WeakMap<Word, { cwd: string | null; path: PathPattern }>();

export function pathOfPieces(pieces: readonly Piece[], cwd: string | null): PathPattern {
  const segments: Segment[] = [];
  const first = pieces.find(({ text, kind }) => text !== "" || kind !== "unknown");
  const isAbsolute = first?.kind === "text" && first.text.startsWith("/");
  if (!isAbsolute && first?.kind !== "unknown") {
    if (cwd === null) segments.push(UNKNOWN);
    else for (const name of cwd.split("/")) addName(segments, name);
  }
  let part: Piece[] = [];
  const finish = () => {
    addPart(segments, part);
    part = [];
  };
  for (const piece of pieces) {
    if (piece.kind !== "text") {
      part.push(piece);
      continue;
    }
    const texts = piece.text.split("/");
    for (const [index, text] of texts.entries()) {
      if (index > 0) finish();
      if (text !== "") part.push(texts.length === 1 ? piece : { text, kind: "text" });
    }
  }
  finish();
  return {
    segments,
    isKnown: !segments.some((name) => typeof name === "object" && name.kind === "unknown"),
    hasPattern: segments.some((name) => typeof name === "object" && name.kind !== "unknown"),
  };
}

function addPart(segments: Segment[], part: readonly Piece[]): void {
  const shown = part.filter(({ text, kind }) => text !== "" || kind !== "unknown");
  if (shown.length === 0) return;
  if (shown.some(({ kind }) => kind === "unknown")) {
    segments.push(UNKNOWN);
    return;
  }
  if (shown.every(({ kind }) => kind === "text")) {
    addName(segments, shown.map(({ text }) => text).join(""));
    return;
  }
  const text = shown.map((piece) => piece.text).join("");
  if (text === "**") {
    segments.push(ANY);
    return;
  }
  if (text.length > MAX_PATTERN) {
    segments.push({ kind: "pattern", expression: /^/, text });
    return;
  }
  // A pattern doesn't match a leading dot unless it is written.
  const dot = shown[0]?.kind === "glob" ? "(?!\\.)" : "";
  const between = [dot];
  for (const { text: piece, kind } of shown) {
    const source = kind === "glob" ? globSource(piece) : escaped(piece);
    if (source === ANY_LETTERS) between.push("");
    else between.push((between.pop() ?? "") + source);
  }
  const once = between.filter((source, at) => source !== "" || at === 0 || at === between.length - 1);
  segments.push({ kind: "pattern", expression: new RegExp(starred(once, "[^/]"), "is"), text });
}

function addName(segments: Segment[], name: string): void {
  if (name === "" || name === ".") return;
  if (name !== "..") {
    segments.push(name);
    return;
  }
  const last = segments.at(-1);
  // What lies above an unknown place is as unknown.
  if (typeof last === "object" && last.kind !== "pattern") segments.push(UNKNOWN);
  else segments.pop();
}

const ANY_LETTERS = "[^/]*";

function globSource(text: string): string {
  if (text === "?") return "[^/]";
  const set = /^\[([!^]?)([^\\[\]/&~]+)\]$/.exec(text);
  if (set === null) return ANY_LETTERS;
  const body = (set[2] ?? "").replace(/\^/g, "\\^");
  return /[^-]-[^-]/.test(body) && !/^(?:[a-z0-9]-[a-z0-9]|[\w.,@^\\])+$/i.test(body)
    ? "[^/]"
    : `[${set[1] ? "^/" : ""}${safeSet(body)}]`;
}

/** A range that runs backwards would not be a set; it then matches any character. */
function safeSet(body: string): string {
  const backwards = [...body.matchAll(/(.)-(.)/g)].some(([, from = "", to = ""]) => from > to);
  return backwards ? "\\s\\S" : body.replace(/-$/, "\\-").replace(/^-/, "\\-");
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}

/** True if `name` may be the name `wanted`. Names that are written out are compared exactly. */
export function canMatch(name: Segment | undefined, wanted: string): boolean {
  if (name === undefined) return false;
  if (typeof name === "string") return name === wanted;
  return name.kind === "pattern" ? name.expression.test(wanted) : name.kind === "any";
}

/** True if the path may be exactly the one that `wanted` (names from the root) says. */
export function canMatchPath(path: PathPattern, wanted: readonly string[]): boolean {
  return matches(path, wanted, false);
}

/** True if the path may be `wanted`, or lie below it. */
export function canMatchAtOrBelow(path: PathPattern, wanted: readonly string[]): boolean {
  return matches(path, wanted, true);
}

/** True if `wanted` is the path, or may lie below it: the path's whole tree holds it. */
export function canContain(path: PathPattern, wanted: readonly string[]): boolean {
  const { segments } = path;
  // Without a name that stands for any number of them it is as long as its tree's beginning.
  if (!segments.some((name) => typeof name === "object" && name.kind === "any"))
    return segments.length <= wanted.length && canMatchPath(path, wanted.slice(0, segments.length));
  for (let length = 0; length <= wanted.length; length++) {
    if (canMatchPath(path, wanted.slice(0, length))) return true;
  }
  return false;
}

/**
 * Whatever stands for any names is tried from the fewest on, and only the last one of them again: that finds a match where there is one, in
 * as many steps as there are names at the most, each once for each of the path's.
 */
function matches({ segments }: PathPattern, wanted: readonly string[], open: boolean): boolean {
  let [here, there] = [0, 0];
  let any: { after: number; from: number } | undefined;
  for (;;) {
    const name = segments[here];
    if (typeof name === "object" && name.kind === "any") any = { after: ++here, from: there };
    else if (here === segments.length && there === wanted.length) return true;
    else if (here < segments.length && there === wanted.length) return open;
    else if (here < segments.length && canMatch(name, wanted[there] ?? "")) {
      here++;
      there++;
    } else if (any === undefined) return false;
    else {
      here = any.after;
      there = ++any.from;
    }
  }
}

/** The names of an absolute, normal path. */
export function segmentsOf(path: string): string[] {
  return path.split("/").filter((name) => name !== "");
}

/** A text in an absolute, normal form; null where it is relative and the folder isn't known. */
export function absolutePath(text: string, cwd: string | null): string | null {
  if (!text.startsWith("/") && cwd === null) return null;
  const parts: string[] = [];
  for (const part of (text.startsWith("/") ? text : `${cwd}/${text}`).split("/")) {
    if (part === "" || part === ".") continue;
    if (part === "..") parts.pop();
    else parts.push(part);
  }
  return `/${parts.join("/")}`;
}
