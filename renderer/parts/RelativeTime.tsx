import { inEach, type Language } from "../../ipc/contract/language.ts";
import { useLanguage, useWords } from "../words/language.ts";
import { partsWords } from "../words/parts.ts";
import { useNow } from "./clock.ts";
import { shortDate } from "./short-date.ts";

const STEPS = [
  ["year", 365 * 86_400],
  ["month", 30 * 86_400],
  ["week", 7 * 86_400],
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
] as const;

/** Made once: a listing that scrolls shows hundreds of times a second. */
const FORMATS = inEach(formats);

function formats(language: Language) {
  return {
    relative: new Intl.RelativeTimeFormat(language, { numeric: "auto" }),
    exact: new Intl.DateTimeFormat(language, { dateStyle: "full", timeStyle: "medium" }),
    minute: new Intl.DateTimeFormat(language, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" }),
    second: new Intl.DateTimeFormat(language, {
      hour: "2-digit",
      minute: "2-digit",
      second: "2-digit",
      hourCycle: "h23",
    }),
  };
}

/** "3 minutes ago", "in 2 days"; the exact time on hover. `at`: ISO-8601, or null for never. */
export function RelativeTime({ at }: { at: string | null }) {
  const language = useLanguage();
  const words = useWords(partsWords);
  const now = useNow("half_minute");
  if (at === null) return <span>{words.never}</span>;
  return (
    <time dateTime={at} title={exactTime(at, language)}>
      {relativeTime(Date.parse(at) - now, language) ?? words.now}
    </time>
  );
}

/** When something happened: today the time, else the day, too. The exact time on hover. `at`: ISO-8601. */
export function Moment({ at, seconds = false }: { at: string; seconds?: boolean }) {
  const language = useLanguage();
  const now = useNow("half_minute");
  return (
    <time dateTime={at} title={exactTime(at, language)}>
      {momentText(new Date(at), new Date(now), language, seconds)}
    </time>
  );
}

/** `14:02`, `14:02:55` with seconds; of another day than today `20 Nov, 14:02`. Local time. */
export function momentText(at: Date, now: Date, language: Language, seconds: boolean): string {
  if (at.toDateString() !== now.toDateString())
    return `${shortDate(at, language)}, ${FORMATS[language].minute.format(at)}`;
  return FORMATS[language][seconds ? "second" : "minute"].format(at);
}

/** Null for less than a minute. */
function relativeTime(ms: number, language: Language): string | null {
  const seconds = Math.round(ms / 1000);
  // "Last week" may be any day: in days up to two weeks.
  const found = STEPS.find(([unit, size]) => Math.abs(seconds) >= (unit === "week" ? 2 * size : size));
  if (found === undefined) return null;
  const [unit, size] = found;
  // What was given for 30 days just now ends in 30 days, not in 29.
  const count = seconds > 0 ? Math.round(seconds / size) : Math.trunc(seconds / size);
  return FORMATS[language].relative.format(count, unit);
}

export function exactTime(at: string, language: Language): string {
  return FORMATS[language].exact.format(new Date(at));
}
