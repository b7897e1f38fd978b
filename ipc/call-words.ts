import type { Price } from "./costs.ts";
import type { Language } from "./language.ts";
import type { RepeatedCall } from "./rate.ts";
import { visible } from "./visible-text.ts";

/** What every surface says of a call's price, and of a call that is made again and again. Plain values: the page loads no schemas. */

interface Words {
  about: (price: string) => string;
  less_than: (price: string) => string;
  /** `of_time`: `a minute`, `10 seconds`. */
  again: (times: string, of_time: string) => string;
  minute: string;
  seconds: (count: string) => string;
  minutes: (count: string) => string;
}

const WORDS: Readonly<Record<Language, Words>> = {
  en: {
    about: (price) => `about ${price}`,
    less_than: (price) => `less than ${price}`,
    again: (times, of_time) => `The same call ${times} times in ${of_time}`,
    minute: "a minute",
    seconds: (count) => `${count} seconds`,
    minutes: (count) => `${count} minutes`,
  },
  it: {
    about: (price) => `circa ${price}`,
    less_than: (price) => `meno di ${price}`,
    again: (times, of_time) => `La stessa chiamata ${times} volte in ${of_time}`,
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

/** Smaller amounts are said to be smaller than this. */
const LEAST = 0.0001;
/** Larger ones are said in powers of ten. */
const MOST_IN_FULL = 1e12;

/** `0.17 USD`; `less than 0.0001 USD`; `1.5E20 USD`. */
export function amountText(amount: number, currency: string, language: Language): string {
  const is_less = amount > 0 && amount < LEAST;
  const shown = is_less ? LEAST : amount;
  const format = new Intl.NumberFormat(
    language,
    shown >= MOST_IN_FULL
      ? { notation: "scientific", maximumSignificantDigits: 3 }
      : shown >= 1
        ? { minimumFractionDigits: 2, maximumFractionDigits: 2 }
        : { maximumSignificantDigits: 2 },
  );
  const text = visible(`${Number.isFinite(shown) ? format.format(shown) : "?"} ${currency}`);
  return is_less ? WORDS[language].less_than(text) : text;
}

/** `about 0.17 USD` where it was estimated. */
export function priceText({ amount, currency, is_estimated }: Price, language: Language): string {
  const text = amountText(amount, currency, language);
  return is_estimated && !(amount > 0 && amount < LEAST) ? WORDS[language].about(text) : text;
}

/** `The same call 40 times in a minute` */
export function repeatedText({ count, seconds }: RepeatedCall, language: Language): string {
  const words = WORDS[language];
  const number = (value: number) => value.toLocaleString(language);
  const of_time =
    seconds === 60
      ? words.minute
      : seconds % 60 === 0
        ? words.minutes(number(seconds / 60))
        : words.seconds(number(seconds));
  return words.again(number(count), of_time);
}
