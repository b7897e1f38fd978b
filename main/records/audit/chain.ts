import { hash } from "node:crypto";

/** Each line carries the hash of the line before it; the first line of a trail carries this. */
export const GENESIS = "0".repeat(64);

export function lineHash(line: string | Uint8Array): string {
  return hash("sha256", line, "hex");
}

/** `YYYY-MM.jsonl`, UTC (docs/decisions/requirements-vaglio.md, "Log"). */
export function monthFile(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 7)}.jsonl`;
}

export const MONTH_FILE = /^\d{4}-(?:0[1-9]|1[0-2])\.jsonl$/;

/** A line's time may be this far outside of its file's month, and a clock step within it is ignored; in milliseconds. */
export const CLOCK_TOLERANCE_MS = 10_000;

/** When a month's file begins and ends, in milliseconds. */
export function monthBounds(file: string): { start: number; end: number } {
  if (file === boundsFile) return bounds;
  const [year = 0, month = 1] = file.slice(0, 7).split("-").map(Number);
  bounds = { start: Date.UTC(year, month - 1), end: Date.UTC(year, month) };
  boundsFile = file;
  return bounds;
}

// Asked for each line of a file.
let boundsFile = "";
let bounds = { start: 0, end: 0 };

/**
 * True if a line of this time can follow one of `previous` in this month's file; milliseconds. Where it can't, the line is
 * preceded by a line `audit.clock`: the gate's clock was changed. Used by the writer and by the verifier.
 */
export function isInOrder(bounds: { start: number; end: number }, ms: number, previous: number | undefined): boolean {
  return (
    ms >= bounds.start - CLOCK_TOLERANCE_MS &&
    ms < bounds.end + CLOCK_TOLERANCE_MS &&
    (previous === undefined || ms >= previous - CLOCK_TOLERANCE_MS)
  );
}
