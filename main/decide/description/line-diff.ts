import { diffArrays } from "diff/lib/diff/array.js";
import type { DescribedChange } from "../../../ipc/contract/description.ts";

/** The lines that differ between two texts, with a few around them; bounded in time and in what is shown. */

type Hunk = DescribedChange["hunks"][number];
type Line = Hunk["lines"][number];

/** Equal lines around what differs. */
const CONTEXT = 3;
/** Beyond these the difference is all of the old lines, then all of the new ones. */
const MAX_EDITS = 1000;
/** So many old and new lines are compared however slow the machine is; more of them only for so long, in milliseconds. */
const ALWAYS_COMPARED = 500;
const MAX_MS = 8;
/** Lines of all changes of a call that are shown, and characters of them. */
const MAX_LINES = 400;
const MAX_CHARACTERS = 64 * 1024;
/** Characters of one line that are shown. */
const MAX_LINE = 2000;

/** How much of all changes of a call is shown. */
export class ShownLines {
  #lines = MAX_LINES;
  #characters = MAX_CHARACTERS;

  /** The line as it is shown, or null where no more are. */
  take(text: string): string | null {
    if (this.#lines <= 0 || this.#characters <= 0) return null;
    const limit = Math.min(MAX_LINE, this.#characters);
    const shown = text.length > limit ? `${text.slice(0, limit)}…` : text;
    this.#lines--;
    this.#characters -= shown.length;
    return shown;
  }
}

export interface LineDifference {
  added: number;
  removed: number;
  hunks: Hunk[];
  left_out: number;
}

/** A text's lines; a line break at its end begins no further one. */
export function linesOf(text: string): string[] {
  if (text === "") return [];
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/** A run of lines of one kind. */
interface Run {
  kind: Line["kind"];
  texts: readonly string[];
}

/** What becomes of `before`, line by line, numbered from 1. */
export function differenceOf(before: readonly string[], after: readonly string[], shown: ShownLines): LineDifference {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start++;
  let end = 0;
  while (end < shorter - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end++;
  const removed = before.slice(start, before.length - end);
  const added = after.slice(start, after.length - end);
  const lead = before.slice(Math.max(0, start - CONTEXT), start);
  const tail = before.slice(before.length - end, before.length - end + CONTEXT);
  const first = start - lead.length + 1;
  const runs = runsOf(removed, added);
  if (runs === null) return replacedWhole({ removed, added, lead, tail, first }, shown);
  const count = (kind: Line["kind"]) => runs.reduce((sum, run) => sum + (run.kind === kind ? run.texts.length : 0), 0);
  const hunks = hunksOf([{ kind: "same", texts: lead }, ...runs, { kind: "same", texts: tail }], first);
  return { added: count("added"), removed: count("removed"), ...bounded(hunks, shown) };
}

/** Lines that are only listed: where they are in the file isn't known. */
export function listed(lines: readonly Line[], shown: ShownLines): LineDifference {
  const count = (kind: Line["kind"]) => lines.filter((line) => line.kind === kind).length;
  const hunks = lines.length === 0 ? [] : [{ old_start: null, new_start: null, lines: [...lines] }];
  return { added: count("added"), removed: count("removed"), ...bounded(hunks, shown) };
}

/** Null where they have too little in common to be compared line by line. */
function runsOf(removed: readonly string[], added: readonly string[]): Run[] | null {
  if (removed.length === 0 || added.length === 0 || removed.length + added.length === 2)
    return [
      { kind: "removed", texts: removed },
      { kind: "added", texts: added },
    ];
  if (!haveCommonLines(removed, added)) return null;
  const isLong = removed.length + added.length > ALWAYS_COMPARED;
  const limits = { maxEditLength: MAX_EDITS, ...(isLong ? { timeout: MAX_MS } : {}) };
  const parts = diffArrays([...removed], [...added], limits);
  return (
    parts?.map(({ added: isAdded, removed: isRemoved, value }): Run => {
      return { kind: isAdded ? "added" : isRemoved ? "removed" : "same", texts: value };
    }) ?? null
  );
}

function haveCommonLines(before: readonly string[], after: readonly string[]): boolean {
  const lines = new Set(before);
  return after.some((line) => lines.has(line));
}

interface Replaced {
  removed: readonly string[];
  added: readonly string[];
  lead: readonly string[];
  tail: readonly string[];
  first: number;
}

/** Old lines that are shown where all of them are replaced: what is new says more. */
const OLD_LINES = 100;

function replacedWhole({ removed, added, lead, tail, first }: Replaced, shown: ShownLines): LineDifference {
  const line = (kind: Line["kind"]) => (text: string) => ({ kind, text });
  const isCut = removed.length > OLD_LINES;
  const old = [...lead.map(line("same")), ...removed.slice(0, OLD_LINES).map(line("removed"))];
  const now = [...added.slice(0, MAX_LINES).map(line("added")), ...tail.map(line("same"))];
  const at = { old: first + lead.length + removed.length, new: first + lead.length };
  const hunks: Hunk[] = isCut
    ? [
        { old_start: first, new_start: first, lines: old },
        { old_start: at.old, new_start: at.new, lines: now },
      ]
    : [{ old_start: first, new_start: first, lines: [...old, ...now] }];
  const found = bounded(hunks, shown);
  const uncounted = Math.max(0, removed.length - OLD_LINES) + Math.max(0, added.length - MAX_LINES);
  return { added: added.length, removed: removed.length, ...found, left_out: found.left_out + uncounted };
}

/** Cuts out what is equal for long. */
function hunksOf(runs: readonly Run[], first: number): Hunk[] {
  const hunks: Hunk[] = [];
  let oldAt = first;
  let newAt = first;
  let hunk: Hunk | undefined;
  let lead: readonly string[] = [];
  for (const [index, { kind, texts }] of runs.entries()) {
    if (texts.length === 0) continue;
    if (kind === "same") {
      const endsHere = hunk !== undefined && (texts.length > 2 * CONTEXT || index === runs.length - 1);
      const kept = endsHere ? texts.slice(0, CONTEXT) : texts;
      for (const text of hunk === undefined ? [] : kept) hunk?.lines.push({ kind, text });
      if (endsHere) hunk = undefined;
      lead = hunk === undefined ? texts.slice(-CONTEXT) : [];
      oldAt += texts.length;
      newAt += texts.length;
      continue;
    }
    if (hunk === undefined) {
      hunk = {
        old_start: oldAt - lead.length,
        new_start: newAt - lead.length,
        lines: lead.map((text) => ({ kind: "same", text })),
      };
      hunks.push(hunk);
    }
    for (const text of texts) hunk.lines.push({ kind, text });
    if (kind === "removed") oldAt += texts.length;
    else newAt += texts.length;
  }
  return hunks;
}

function bounded(hunks: readonly Hunk[], shown: ShownLines): { hunks: Hunk[]; left_out: number } {
  let leftOut = 0;
  const kept: Hunk[] = [];
  for (const { lines, ...hunk } of hunks) {
    const own: Line[] = [];
    for (const { kind, text } of lines) {
      const line = leftOut > 0 ? null : shown.take(text);
      if (line === null) leftOut++;
      else own.push({ kind, text: line });
    }
    if (own.length > 0) kept.push({ ...hunk, lines: own });
  }
  return { hunks: kept, left_out: leftOut };
}
