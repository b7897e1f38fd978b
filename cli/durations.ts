import { endOfToday, type LengthTerms, lengthTerms } from "../ipc/contract/answer-lengths.ts";
import { usageError } from "./output.ts";

const UNITS = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 } as const;

/** `2h`, `30d`, `today` (until midnight of the user's own time) or an ISO-8601 date as an ISO-8601 UTC date. @throws GateError `usage` */
export function parseExpiry(text: string, now = Date.now()): string {
  if (text === "today") return endOfToday(now).toISOString();
  const span = /^(\d{1,6})([smhdw])$/.exec(text);
  const ms = span ? now + Number(span[1]) * UNITS[span[2] as keyof typeof UNITS] * 1000 : Date.parse(text);
  if (!span && !/^\d{4}-\d{2}-\d{2}/.test(text)) throw notADate(text);
  if (!Number.isFinite(ms)) throw notADate(text);
  return new Date(ms).toISOString();
}

/** `7d` ago, midnight of `today`, or an ISO-8601 date, as an ISO-8601 UTC date. @throws GateError `usage` */
export function parseMoment(text: string, now = Date.now()): string {
  if (text === "today") return new Date(new Date(now).setHours(0, 0, 0, 0)).toISOString();
  const span = /^(\d{1,6})([smhdw])$/.exec(text);
  if (span !== null) return new Date(now - Number(span[1]) * UNITS[span[2] as keyof typeof UNITS] * 1000).toISOString();
  const ms = /^\d{4}-\d{2}-\d{2}$/.test(text) ? new Date(`${text}T00:00`).getTime() : Date.parse(text);
  if (!/^\d{4}-\d{2}-\d{2}/.test(text) || !Number.isFinite(ms)) throw notADate(text);
  return new Date(ms).toISOString();
}

/**
 * How long an answer is remembered: `session`, `today` (until midnight of the user's own time), `revoked`, a span or a date.
 * @throws GateError `usage`
 */
export function parseLength(text: string, now = Date.now()): LengthTerms {
  if (text === "session" || text === "revoked") return lengthTerms(text, now);
  return { scope: "permanent", expires_at: parseExpiry(text, now) };
}

/** `10m` or `2h` in seconds. @throws GateError `usage` */
export function parseSpan(text: string): number {
  const span = /^(\d{1,6})([smhdw])$/.exec(text);
  const seconds = Number(span?.[1]) * UNITS[span?.[2] as keyof typeof UNITS];
  if (span === null || seconds < 1) throw usageError(`${JSON.stringify(text)} is not a span`, "write 10m, 2h or 30d");
  return seconds;
}

function notADate(text: string) {
  return usageError(
    `${JSON.stringify(text)} is neither a span nor a date`,
    "write 2h, today, 30d or 2027-01-31T12:00:00Z",
  );
}
