import { type FoundString, stringsIn } from "../places/patterns.ts";

/** An agent's, a judge's or a user's words, without the arguments' values that they may quote. */

const MAX_KEY_LENGTH = 64;
const MAX_INTENT = 500;
/** This many consecutive words from a value count as a quotation. */
const PASSAGE_WORDS = 3;
/** With more strings to compare with, the intent is left out, to bound the time that a call takes. */
const MAX_COMPARED_STRINGS = 2000;
const MAX_COMPARED_LENGTH = 65_536;

/** Shorter plain words are common words; a longer one may be a secret without a digit. */
const MIN_TELLING_WORD = 5;

/**
 * The intent without the arguments' values, which the agent may have written into it and which must not get into the log. Replaced
 * are whole values, passages of three words from one, everything that is more than a plain word (paths, hosts, numbers, keys), and
 * longer plain words that are in a value. `everyWord`: each word that is in a value, in whatever letters and length, and no argument
 * is named.
 */
export function withoutValues(intent: string, args: Record<string, unknown>, everyWord = false): string {
  const text = intent.slice(0, MAX_INTENT);
  if (text === "") return text;
  const strings = scalarsIn(args);
  let length = 0;
  for (const { value } of strings) length += value.length;
  if (strings.length > MAX_COMPARED_STRINGS || length > MAX_COMPARED_LENGTH) return "<left out: large arguments>";
  // First marked on the original text, then replaced: a placeholder is never searched itself.
  const marks: (string | undefined)[] = [];
  for (const { key, value } of strings) {
    const whole = value.trim();
    if (whole.length >= 3) markAll(marks, text, whole, everyWord ? "<args>" : `<${key.slice(0, MAX_KEY_LENGTH)}>`);
  }
  markPassages(marks, text, strings);
  for (const { start, text: word } of piecesOf(text, WORD)) {
    const bare = word.replace(/[.:!?]+$/, "");
    const isPlain = /^\p{L}*$/u.test(bare) && bare.length < 24;
    if (isPlain && bare.length < MIN_TELLING_WORD) continue;
    if (strings.some(({ value }) => value.includes(bare))) mark(marks, start, start + bare.length, "<args>");
    else if (!isPlain) mark(marks, start, start + bare.length, "<…>");
  }
  if (everyWord) markWords(marks, text, strings);
  return replaced(text, marks);
}

/** Marks what isn't marked yet. */
function mark(marks: (string | undefined)[], start: number, end: number, placeholder: string): void {
  for (let index = start; index < end; index++) marks[index] ??= placeholder;
}

function markAll(marks: (string | undefined)[], text: string, part: string, placeholder: string): void {
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + part.length))
    mark(marks, at, at + part.length, placeholder);
}

/** Marks passages that are in a value word by word: an intent may quote a part of a long text that is to be written. */
function markPassages(marks: (string | undefined)[], text: string, strings: readonly FoundString[]): void {
  const quotable = strings.filter(({ value }) => /\s/.test(value));
  if (quotable.length === 0) return;
  const words = piecesOf(text, BETWEEN_BLANKS);
  for (const [index, { start }] of words.entries()) {
    const last = words[index + PASSAGE_WORDS - 1];
    if (last === undefined) break;
    const passage = text.slice(start, last.start + last.text.length);
    if (quotable.some(({ value }) => value.includes(passage))) mark(marks, start, start + passage.length, "<args>");
  }
}

/** Marks each word that is anywhere in a value, whatever its case and however its accents are written. */
function markWords(marks: (string | undefined)[], text: string, strings: readonly FoundString[]): void {
  const values = strings.map(({ value }) => folded(value));
  for (const { start, text: word } of piecesOf(text, LETTERS)) {
    const plain = folded(word);
    if (values.some((value) => value.includes(plain))) mark(marks, start, start + word.length, "<args>");
  }
}

const folded = (text: string): string => text.normalize("NFKC").toUpperCase().toLowerCase();

const LETTERS = /[\p{L}\p{M}\p{N}]+/gu;
const WORD = /[^\s"'`,;()<>]+/g;
const BETWEEN_BLANKS = /\S+/g;

/** The matches of a global pattern, with their offsets. */
function piecesOf(text: string, pattern: RegExp): { start: number; text: string }[] {
  const pieces: { start: number; text: string }[] = [];
  for (let found = pattern.exec(text); found !== null; found = pattern.exec(text))
    pieces.push({ start: found.index, text: found[0] });
  return pieces;
}

/** The text with each run of equal marks replaced by one placeholder. */
function replaced(text: string, marks: readonly (string | undefined)[]): string {
  let result = "";
  for (let start = 0; start < text.length; ) {
    const placeholder = marks[start];
    let end = start + 1;
    while (end < text.length && marks[end] === placeholder) end++;
    result += placeholder ?? text.slice(start, end);
    start = end;
  }
  return result;
}

/** The strings and the numbers. */
function scalarsIn(args: Record<string, unknown>): FoundString[] {
  const found = stringsIn(args);
  for (const key in args) {
    if (typeof args[key] === "string") continue;
    const waiting: unknown[] = [args[key]];
    while (waiting.length > 0) {
      const next = waiting.pop();
      if (typeof next === "number") found.push({ key, value: String(next) });
      else if (typeof next === "object" && next !== null) for (const child of Object.values(next)) waiting.push(child);
    }
  }
  return found;
}
