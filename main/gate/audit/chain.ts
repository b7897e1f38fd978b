import { hash } from "node:crypto";

/** Each line carries the hash of the line before it; the first one ever carries this. */
export const GENESIS = "0".repeat(64);

export function lineHash(line: string): string {
  return hash("sha256", line, "hex");
}

/** `YYYY-MM.jsonl`, UTC (seed 000). */
export function monthFile(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 7)}.jsonl`;
}

export const MONTH_FILE = /^\d{4}-\d{2}\.jsonl$/;
