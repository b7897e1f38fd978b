import { structuredPatch } from "diff/lib/patch/create.js";
import type { DescribedChange } from "../../../../ipc/contract/description.ts";

type Line = DescribedChange["hunks"][number]["lines"][number];

/** Lines that are shown. */
const MAX_LINES = 2000;
const MAX_MS = 200;
const KINDS: Readonly<Record<string, Line["kind"]>> = { "+": "added", "-": "removed", " ": "same" };

/** What became of a text; null: there was none, or is none. */
export function differenceOf(path: string, before: string | null, after: string | null): DescribedChange {
  const [old, now] = [before ?? "", after ?? ""];
  const found = structuredPatch(path, path, old, now, "", "", { context: 3, timeout: MAX_MS });
  // Too different to be compared line by line: all of the old one, then all of the new one.
  const hunks = found?.hunks ?? [{ oldStart: 1, newStart: 1, lines: [...signed("-", old), ...signed("+", now)] }];
  const all = hunks.flatMap(({ lines }) => lines);
  let left = MAX_LINES;
  const shown = hunks.flatMap(({ oldStart, newStart, lines }) => {
    const taken = lines.slice(0, left).flatMap((line): Line[] => {
      const kind = KINDS[line[0] ?? ""];
      return kind === undefined ? [] : [{ kind, text: line.slice(1) }];
    });
    left -= Math.min(left, lines.length);
    return taken.length === 0 ? [] : [{ old_start: oldStart, new_start: newStart, lines: taken }];
  });
  const count = (sign: string) => all.filter((line) => line.startsWith(sign)).length;
  return {
    path,
    status: before === null ? "new" : after === null ? "deletes" : "edits",
    old_lines: null,
    added: count("+"),
    removed: count("-"),
    hunks: shown,
    left_out: Math.max(0, all.length - MAX_LINES),
  };
}

function signed(sign: string, text: string): string[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines.map((line) => sign + line);
}
