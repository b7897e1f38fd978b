import type { InEach, Language } from "../../../ipc/contract/language.ts";
import type { Route } from "../../config/index.ts";

const en = {
  now: "at once",
  unanswered: (seconds: number) => `when nobody answered for ${seconds} s`,
  locked: "while the screen is locked",
  not_known: " (not known here: in doubt it is)",
  urgent: "only what is urgent",
  nothing: "nothing",
  between: (from: string, to: string, what: string) => `; from ${from} to ${to} ${what}`,
};
const WORDS: InEach<typeof en> = {
  en,
  it: {
    now: "subito",
    unanswered: (seconds) => `quando nessuno risponde per ${seconds} s`,
    locked: "mentre lo schermo è bloccato",
    not_known: " (qui non si sa: nel dubbio lo è)",
    urgent: "solo ciò che è urgente",
    nothing: "nulla",
    between: (from, to, what) => `; dalle ${from} alle ${to} ${what}`,
  },
};

/** When a channel is used, in one sentence: `when nobody answered for 60 s; from 22:00 to 07:00 only what is urgent`. */
export function routeText(
  { when, after_seconds, quiet_hours, in_quiet_hours }: Route,
  is_screen_known: boolean | null,
  language: Language,
): string {
  const words = WORDS[language];
  const times = {
    now: words.now,
    unanswered: words.unanswered(after_seconds),
    locked: is_screen_known === false ? words.locked + words.not_known : words.locked,
  };
  if (quiet_hours === undefined) return times[when];
  return times[when] + words.between(quiet_hours.from, quiet_hours.to, words[in_quiet_hours]);
}
