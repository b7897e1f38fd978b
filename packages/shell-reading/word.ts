import type { Piece, Span, Word } from "./reading.ts";

/** Making words of pieces, and taking them apart. */

export const unknownPiece = (text: string): Piece => ({ text, kind: "unknown" });
export const literal = (text: string): Piece => ({ text, kind: "text" });

/** A word that is exactly `text`. */
export function plainWord(text: string, span: Span): Word {
  return { text, is_resolved: true, pieces: [{ text, kind: "text" }], start: span.start, end: span.end };
}

/** A word of pieces. */
export function wordOf(pieces: readonly Piece[], span: Span): Word {
  let text = "";
  let isResolved = true;
  let isGlob = false;
  for (const piece of pieces) {
    text += piece.text;
    if (piece.kind === "unknown") isResolved = false;
    else if (piece.kind === "glob") isGlob = true;
  }
  const word: Word = {
    text,
    is_resolved: isResolved,
    pieces: pieces.length > 1 ? merged(pieces) : pieces,
    start: span.start,
    end: span.end,
  };
  if (isGlob) word.glob = true;
  return word;
}

/** Neighbouring texts as one: a value that is put together many times stays short. */
function merged(pieces: readonly Piece[]): readonly Piece[] {
  const all: Piece[] = [];
  for (const piece of pieces) {
    const last = all.at(-1);
    if (last?.kind === "text" && piece.kind === "text")
      all[all.length - 1] = { text: last.text + piece.text, kind: "text" };
    else all.push(piece);
  }
  return all;
}

/** The last name of a path: what a program is called. */
export function programName(text: string): string {
  return text.slice(text.lastIndexOf("/") + 1);
}

/** A word's pieces without its first `length` characters, which are plain text. */
export function piecesAfter({ pieces }: Word, length: number): Piece[] {
  let skip = length;
  return pieces.flatMap((piece): Piece[] => {
    const cut = Math.min(skip, piece.text.length);
    skip -= cut;
    if (cut === 0) return [piece];
    return cut === piece.text.length ? [] : [{ text: piece.text.slice(cut), kind: piece.kind }];
  });
}
