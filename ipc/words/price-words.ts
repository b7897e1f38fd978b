import { visible } from "../base/visible-text.ts";
import type { Price } from "../contract/costs.ts";
import type { Language } from "../contract/language.ts";

/** What a call costs, in words. Plain values: the page loads no schemas. */

const WORDS: Readonly<Record<Language, { about: string; lessThan: string }>> = {
  en: { about: "about", lessThan: "less than" },
  it: { about: "circa", lessThan: "meno di" },
};

/** What is less is said to be. */
const LEAST = 0.0001;
/** Below, two digits that count; from here on two decimals. */
const SMALL = 0.01;
/** From here on in powers of ten. */
const MOST_IN_FULL = 1e12;

/** `0.17 USD`, `0.0042 USD`, in Italian with a comma; `less than 0.0001 USD` for what is less. */
export function amountText(amount: number, currency: string, language: Language): string {
  const less = isLess(amount);
  const text = visible(`${digits(less ? LEAST : amount, language)} ${currency}`);
  return less ? `${WORDS[language].lessThan} ${text}` : text;
}

/** The same of a call's price: `about 0.17 USD` where it is an estimate. */
export function priceText({ amount, currency, is_estimated }: Price, language: Language): string {
  const text = amountText(amount, currency, language);
  return is_estimated && !isLess(amount) ? `${WORDS[language].about} ${text}` : text;
}

function isLess(amount: number): boolean {
  return amount > 0 && amount < LEAST;
}

function digits(amount: number, language: Language): string {
  if (!Number.isFinite(amount)) return "?";
  if (amount >= MOST_IN_FULL)
    return amount.toLocaleString(language, { notation: "scientific", maximumSignificantDigits: 3 });
  if (amount > 0 && amount < SMALL) return amount.toLocaleString(language, { maximumSignificantDigits: 2 });
  return amount.toLocaleString(language, { minimumFractionDigits: 2, maximumFractionDigits: 2 });
}
