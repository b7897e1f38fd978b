import type { CallSpan, DescribedCommand, Hazard } from "../../ipc/contract/description.ts";
import { lineRows } from "./call-text.ts";

/** A command's rows, and the pieces of each with their colour: cut only for those that are on the screen. */

export interface CommandRow {
  /** Where it begins and ends in the command's text. */
  start: number;
  end: number;
  /** Counted from 1; null where the row continues the one above. */
  number: number | null;
}

export interface Piece {
  text: string;
  kind: DescribedCommand["tokens"][number]["kind"] | null;
  is_hazard: boolean;
}

export function commandRows(text: string): CommandRow[] {
  let at = 0;
  return text.split("\n").flatMap((line, index) => {
    const begin = at;
    at += line.length + 1;
    return lineRows(line).map(({ start, end }) => {
      return { start: begin + start, end: begin + end, number: start === 0 ? index + 1 : null };
    });
  });
}

/** The hazards' places in this command's text. */
export function hazardSpans(arg: string, hazards: readonly Hazard[]): CallSpan[] {
  return hazards.flatMap(({ span }) => (span !== null && span.arg === arg && span.end > span.start ? [span] : []));
}

export function rowPieces(
  { text, tokens }: Pick<DescribedCommand, "text" | "tokens">,
  hazards: readonly CallSpan[],
  { start, end }: CommandRow,
): Piece[] {
  const inside = tokens.slice(firstEndingAfter(tokens, start), firstEndingAfter(tokens, end) + 1);
  const cuts = new Set([start, end]);
  const add = (span: { start: number; end: number }) => {
    if (span.end <= start || span.start >= end) return;
    cuts.add(Math.max(start, span.start)).add(Math.min(end, span.end));
  };
  for (const span of [...inside, ...hazards]) add(span);
  const places = [...cuts].toSorted((a, b) => a - b);
  return places.slice(0, -1).map((from, index): Piece => {
    const is_over = (span: { start: number; end: number }) => span.start <= from && from < span.end;
    return {
      text: text.slice(from, places[index + 1]),
      kind: inside.find(is_over)?.kind ?? null,
      is_hazard: hazards.some(is_over),
    };
  });
}

/** The tokens are in order: the first that reaches beyond `at`. */
function firstEndingAfter(tokens: DescribedCommand["tokens"], at: number): number {
  let [from, to] = [0, tokens.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((tokens[middle]?.end ?? 0) > at) to = middle;
    else from = middle + 1;
  }
  return from;
}
