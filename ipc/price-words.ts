import type { Price } from "./costs.ts";
import type { Language } from "./language.ts";

/** What a call costs, in words. Plain values: the page loads no schemas. */

/** From here on two decimals; below, two digits that count. */
const SMALL = 0.01;
/** What is less is said to be. */
const LEAST = 0.0001;

/** `0.17 USD`, `0.0042 USD`, in Italian with a comma; `<0.0001 USD` for what is less. */
export function amountText(amount: number, currency: string, language: Language): string {
  return `${digits(amount, language)} ${currency}`;
}

/** The same of a call's price: `~0.17 USD` where it is an estimate. */
export function priceText({ amount, currency, is_estimated }: Price, language: Language): string {
  return `${is_estimated ? "~" : ""}${amountText(amount, currency, language)}`;
}

function digits(amount: number, language: Language): string {
  if (amount > 0 && amount < LEAST) return `<${withComma(String(LEAST), language)}`;
  const decimals = amount === 0 || amount >= SMALL ? 2 : 1 - Math.floor(Math.log10(amount));
  return withComma(amount.toFixed(decimals), language);
}

function withComma(text: string, language: Language): string {
  return language === "it" ? text.replace(".", ",") : text;
}
