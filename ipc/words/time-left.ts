import type { Language } from "../contract/language.ts";

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

const WORDS: Readonly<Record<Language, (count: number, unit: "h" | "min" | "s") => string>> = {
  en: (count, unit) => `${count} ${unit} left`,
  it: (count, unit) => (unit === "h" ? `ancora ${count} ${count === 1 ? "ora" : "ore"}` : `ancora ${count} ${unit}`),
};

/** How long a request still waits, on every surface: `9 min left`; seconds only in the last minute. @param ms milliseconds; below 0 as 0 */
export function timeLeftText(ms: number, language: Language): string {
  const words = WORDS[language];
  if (ms >= 2 * HOUR_MS) return words(Math.floor(ms / HOUR_MS), "h");
  if (ms >= MINUTE_MS) return words(Math.floor(ms / MINUTE_MS), "min");
  return words(Math.max(0, Math.floor(ms / 1000)), "s");
}
