import { isoSeconds } from "./iso-seconds.ts";

/** How long an answer can be remembered, as every surface offers it. Plain values: the page loads no schemas. */

export const LENGTHS = ["session", "hour", "today", "month", "revoked"] as const;
export type Length = (typeof LENGTHS)[number];

const HOUR_MS = 3_600_000;

/** When it ends by itself; null: with the session, or once it is revoked. `now` in Unix milliseconds. */
export function endOfLength(length: Length, now: number): Date | null {
  switch (length) {
    case "hour":
      return new Date(now + HOUR_MS);
    case "today":
      return endOfToday(now);
    case "month":
      return new Date(now + 30 * 24 * HOUR_MS);
    default:
      return null;
  }
}

/** The last second of the day in the user's own time. */
export function endOfToday(now: number): Date {
  const end = new Date(now);
  end.setHours(23, 59, 59, 0);
  return end;
}

/** The part of an answer that says for how long. */
export interface LengthTerms {
  scope: "session" | "permanent";
  /** ISO-8601 UTC. */
  expires_at?: string;
}

export function lengthTerms(length: Length, now: number): LengthTerms {
  if (length === "session") return { scope: "session" };
  const end = endOfLength(length, now);
  return end === null ? { scope: "permanent" } : { scope: "permanent", expires_at: isoSeconds(end.getTime()) };
}
