import type { Language } from "../contract/language.ts";
import type { RepeatedCall } from "../contract/rate.ts";

/** What every surface says of a call that is made again and again. Plain values: the page loads no schemas. */

interface Words {
  /** `ofTime`: `a minute`, `10 seconds`. */
  again: (times: string, ofTime: string) => string;
  second: string;
  minute: string;
  seconds: (count: string) => string;
  minutes: (count: string) => string;
}

const WORDS: Readonly<Record<Language, Words>> = {
  en: {
    again: (times, ofTime) => `The same call ${times} times in ${ofTime}`,
    second: "a second",
    minute: "a minute",
    seconds: (count) => `${count} seconds`,
    minutes: (count) => `${count} minutes`,
  },
  it: {
    again: (times, ofTime) => `La stessa chiamata ${times} volte in ${ofTime}`,
    second: "un secondo",
    minute: "un minuto",
    seconds: (count) => `${count} secondi`,
    minutes: (count) => `${count} minuti`,
  },
};

interface StopWords {
  question: string;
  stop: string;
  let_it: string;
}

/** How the user is asked about a call that is made again and again: to stop it is the *no*, to let it continue approves it once. */
export const STOP_WORDS: Readonly<Record<Language, StopWords>> = {
  en: { question: "Stop it?", stop: "Stop it", let_it: "Let it continue" },
  it: { question: "Fermarla?", stop: "Fermala", let_it: "Lasciala continuare" },
};

/** `The same call 40 times in a minute` */
export function repeatedText({ count, seconds }: RepeatedCall, language: Language): string {
  const words = WORDS[language];
  const number = (value: number) => value.toLocaleString(language);
  return words.again(number(count), lengthText());

  function lengthText(): string {
    if (seconds === 1) return words.second;
    if (seconds === 60) return words.minute;
    return seconds % 60 === 0 ? words.minutes(number(seconds / 60)) : words.seconds(number(seconds));
  }
}
