import { hasLookAlikes, lookAlikesIn } from "./look-alikes.ts";

/** Code points that can hide, move or recolour displayed text: control, escape, bidirectional, invisible, filler. */
const HIDDEN_RANGES = [
  "\\0-\\u001f\\u007f-\\u009f\\u00ad",
  "\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f",
  "\\u200b-\\u200f\\u2028-\\u202f\\u2060-\\u206f\\u3164",
  "\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\ufffb\\u{e0000}-\\u{e0fff}",
  "\\p{Surrogate}\\p{Default_Ignorable_Code_Point}",
  // Egyptian format controls; a Braille cell without a dot is a blank that is no space.
  "\\u{13430}-\\u{1345f}\\u2800",
].join("");
const HIDDEN = new RegExp(`[${HIDDEN_RANGES}]`, "gu");

/** A piece of text that is safe to display. */
export interface VisiblePart {
  text: string;
  /** An escape code in place of a character. */
  is_code: boolean;
}

/** Letters that are written from right to left reorder the text beside them, without any control character. */
const RIGHT_TO_LEFT =
  /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Samaritan}\p{Script=Mandaic}\p{Script=Adlam}\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** True if the text reads as it is, from left to right: nothing in it is hidden or mistaken for something else. */
export function isPlainText(text: string, options: VisibleOptions = {}): boolean {
  return visible(text, options) === text && !RIGHT_TO_LEFT.test(text);
}

interface VisibleOptions {
  /** Leaves `\n` and `\t` as they are, for text shown in full. */
  keep_newlines?: boolean;
}

/** Untrusted text, safe to display: hidden characters and look-alikes of Latin letters become visible `\u{...}` codes. */
export function visible(text: string, options: VisibleOptions = {}): string {
  if (!hasLookAlikes(text)) return text.replace(HIDDEN, (character) => shown(character, options).text);
  return visibleParts(text, options)
    .map((part) => part.text)
    .join("");
}

/** The same in parts, to display codes differently from text that merely spells one. */
export function visibleParts(text: string, options: VisibleOptions = {}): VisiblePart[] {
  const parts: VisiblePart[] = [];
  const add = (part: VisiblePart) => {
    const last = parts.at(-1);
    if (last !== undefined && !last.is_code && !part.is_code) last.text += part.text;
    else if (part.text !== "") parts.push(part);
  };
  let end = 0;
  const addPlain = (upTo: number) => {
    const plain = text.slice(end, upTo);
    let from = 0;
    for (const at of lookAlikesIn(plain)) {
      add({ text: plain.slice(from, at), is_code: false });
      const code = plain.codePointAt(at) ?? 0;
      add(codeOf(code));
      from = at + String.fromCodePoint(code).length;
    }
    add({ text: plain.slice(from), is_code: false });
  };
  for (const { 0: character, index } of text.matchAll(HIDDEN)) {
    addPlain(index);
    add(shown(character, options));
    end = index + character.length;
  }
  addPlain(text.length);
  return parts;
}

function shown(character: string, { keep_newlines }: VisibleOptions): VisiblePart {
  if (keep_newlines && (character === "\n" || character === "\t")) return { text: character, is_code: false };
  if (character === "\n") return { text: "\\n", is_code: false };
  if (character === "\r") return { text: "\\r", is_code: false };
  if (character === "\t") return { text: "\\t", is_code: false };
  return codeOf(character.codePointAt(0) ?? 0);
}

function codeOf(code: number): VisiblePart {
  return { text: `\\u{${code.toString(16)}}`, is_code: true };
}

/** A value as one line of JSON that is safe to display: hidden characters are written as JSON escapes, so its meaning is the same. */
export function visibleJson(value: unknown): string {
  return JSON.stringify(value).replace(HIDDEN, (character) =>
    [...Array(character.length).keys()]
      .map((unit) => `\\u${character.charCodeAt(unit).toString(16).padStart(4, "0")}`)
      .join(""),
  );
}

/** Shortens in the middle to at most `width` characters, keeping the end if possible: a path's file name matters most. */
export function shortened(text: string, width: number): string {
  const characters = [...text];
  if (characters.length <= width) return text;
  const tail = Math.ceil((width - 1) * 0.6);
  const head = width - 1 - tail;
  return `${characters.slice(0, head).join("")}…${characters.slice(-tail).join("")}`;
}

/** The home folder as `~`, for display. */
export function shortenHome(path: string, home: string): string {
  if (path === home) return "~";
  return path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}
