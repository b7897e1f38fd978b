import { hash } from "node:crypto";

/** Each line carries the hash of the line before it; the first one ever carries this. */
export const GENESIS = "0".repeat(64);

export function lineHash(line: string | Uint8Array): string {
  return hash("sha256", line, "hex");
}

/** `YYYY-MM.jsonl`, UTC (docs/decisions/requirements-vaglio.md, "Log"). */
export function monthFile(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 7)}.jsonl`;
}

export const MONTH_FILE = /^\d{4}-(?:0[1-9]|1[0-2])\.jsonl$/;

/** A line may stand this far outside of its file's month, and a step of the clock within it is none; in milliseconds. */
export const CLOCK_TOLERANCE_MS = 10_000;

/** When a month's file begins and ends, in milliseconds. */
export function monthBounds(file: string): { start: number; end: number } {
  const [year = 0, month = 1] = file.slice(0, 7).split("-").map(Number);
  return { start: Date.UTC(year, month - 1), end: Date.UTC(year, month) };
}

/**
 * True if a line of this time can stand in this month's file after one of `previous`; milliseconds. Where it can't, a line
 * `audit.clock` stands before it: the gate's clock was changed. The writer and the verifier ask this same question.
 */
export function isInOrder(bounds: { start: number; end: number }, ms: number, previous: number | undefined): boolean {
  return (
    ms >= bounds.start - CLOCK_TOLERANCE_MS &&
    ms < bounds.end + CLOCK_TOLERANCE_MS &&
    (previous === undefined || ms >= previous - CLOCK_TOLERANCE_MS)
  );
}
