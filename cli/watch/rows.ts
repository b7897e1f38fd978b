import { shortened } from "../../ipc/base/visible-text.ts";

/** One row of the screen, already as wide as it may be. */
export interface Row {
  text: string;
  /** `danger` is for what can't be undone, and for nothing else. */
  tone: "plain" | "strong" | "quiet" | "danger" | "strong_danger" | "marked" | "notice";
  /** Aligned to the right end of the row. */
  right?: string;
}

/** Columns that a character takes at the most. What may be wide counts as wide, so that nothing is ever cut off. */
function cells(character: string): number {
  const code = character.codePointAt(0) ?? 0;
  return code < 0x1100 || (code >= 0x2010 && code < 0x2300) || (code >= 0x2500 && code < 0x2580) ? 1 : 2;
}

export function widthOf(text: string): number {
  return [...text].reduce((sum, character) => sum + cells(character), 0);
}

/** Cut at the width, nothing dropped: white space too is part of what would run. */
export function wrapped(text: string, width: number): string[] {
  const rows: string[] = [];
  let row = "";
  let used = 0;
  for (const character of text) {
    const wide = cells(character);
    if (used + wide > width && row !== "") {
      rows.push(row);
      row = "";
      used = 0;
    }
    row += character;
    used += wide;
  }
  return [...rows, row];
}

/** At most `rows` rows, broken between words where it can be; what doesn't fit is left out in the middle, as the end matters most. */
export function folded(text: string, width: number, rows: number): string[] {
  let room = width * rows;
  let short = broken(text, width);
  while (short.length > rows && room > 2) {
    short = rows === 1 ? wrapped(shortened(text, room), width) : broken(shortened(text, room), width);
    room -= 1;
  }
  return short;
}

/** Broken between words; a word that is wider than a row is broken where the row ends. */
function broken(text: string, width: number): string[] {
  const rows: string[] = [];
  for (const word of text.split(" ")) {
    const last = rows.at(-1);
    const joined = last === undefined ? word : `${last} ${word}`;
    const isTooWide = last === undefined || widthOf(word) > width;
    if (!isTooWide && widthOf(joined) > width) rows.push(word);
    else rows.splice(-1, 1, ...wrapped(joined, width));
  }
  return rows;
}

/** Words in few rows, each in the first one that has room for it, none of them cut in two. */
export function packed(words: readonly string[], gap: string, width: number): string[] {
  const rows: string[] = [];
  for (const word of words) {
    const at = rows.findIndex((row) => widthOf(row + gap + word) <= width);
    if (at === -1) rows.push(word);
    else rows[at] += gap + word;
  }
  return rows;
}

/** `── title ───────── end ──` */
export function rule(title: string, end: string, width: number): string {
  const left = title === "" ? "" : `── ${title} `;
  const right = end === "" ? "" : ` ${end} ──`;
  const dashes = width - widthOf(left) - widthOf(right);
  return dashes < 0 ? shortened(title, width) : left + "─".repeat(dashes) + right;
}
