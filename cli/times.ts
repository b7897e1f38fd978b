import type { InEach, Language } from "../ipc/contract/language.ts";

/** Times as a person reads them in a terminal, in local time. */

const WORDS: InEach<Record<"today" | "yesterday" | "tomorrow" | "locale", string>> = {
  en: { today: "today", yesterday: "yesterday", tomorrow: "tomorrow", locale: "en-GB" },
  it: { today: "oggi", yesterday: "ieri", tomorrow: "domani", locale: "it-IT" },
};

const DAY_MS = 86_400_000;

/** `today 02:22`, `yesterday 18:03`, `21 Nov 18:03`, `2 Mar 2025`. @param at an ISO-8601 date @param now Unix milliseconds */
export function momentText(at: string, now: number, language: Language = "en"): string {
  const words = WORDS[language];
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return at;
  const time = date.toLocaleTimeString(words.locale, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
  const days = Math.round((midnight(date) - midnight(new Date(now))) / DAY_MS);
  if (days === 0) return `${words.today} ${time}`;
  if (days === -1) return `${words.yesterday} ${time}`;
  if (days === 1) return `${words.tomorrow} ${time}`;
  const day = date.toLocaleDateString(words.locale, { day: "numeric", month: "short" });
  return date.getFullYear() === new Date(now).getFullYear() ? `${day} ${time}` : `${day} ${date.getFullYear()}`;
}

function midnight(date: Date): number {
  return new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
}

/** `12 s`, `4 min`, `2 h`, `3 d`: how long ago. @param ms milliseconds */
export function spanText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h`;
  return `${Math.floor(seconds / 86_400)} d`;
}

/** `340 ms`, `1.2 s`, `4 min`: how long something took. @param ms milliseconds */
export function tookText(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`;
  return ms < 60_000 ? `${(Math.floor(ms / 100) / 10).toFixed(1)} s` : spanText(ms);
}

/** `02:22:41`. @param seconds Unix time */
export function clockText(seconds: number): string {
  return new Date(seconds * 1000).toLocaleTimeString("en-GB", { hourCycle: "h23" });
}
