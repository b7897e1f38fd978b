/**
 * Detects what JSON.parse loses silently: digits of a number, and all but the last of an object's equal keys. A call that lost
 * something would be shown differently from what the agent sent. Imports nothing: the hook uses it on any Node >= 20.
 */

const QUOTE = 0x22;
const MINUS = 0x2d;
const ZERO = 0x30;
const NINE = 0x39;
const COLON = 0x3a;
const BACKSLASH = 0x5c;

/** Up to this many characters, and without an exponent, every number survives a round trip: a double holds 15 digits. */
const ALWAYS_EXACT = 15;

export type Loss = "inexact_number" | "repeated_key";

/** The error's texts, which never contain the value. */
export const LOSS_TEXTS: Readonly<Record<Loss, readonly [message: string, hint: string]>> = {
  inexact_number: [
    "a number is not the same once it is read: too many digits, too large, too small, or -0",
    "send such a number as a string, if the tool takes one",
  ],
  repeated_key: ["an object has the same key twice", "send each key once"],
};

/** What parsing `text` has lost. `members`: the number of members of all objects in the parsed value. */
export function lossIn(text: string, members: number): Loss | undefined {
  const scan = scanJson(text);
  if (scan.members !== members) return "repeated_key";
  return scan.areNumbersExact ? undefined : "inexact_number";
}

export interface JsonScan {
  /** Members of all objects as written: more than in the parsed value where a key is repeated. */
  members: number;
  areNumbersExact: boolean;
}

/** Scans valid JSON once, in linear time. */
export function scanJson(text: string): JsonScan {
  let members = 0;
  let areNumbersExact = true;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at + 1);
    else if (code === COLON) members++;
    else if (code === MINUS || isDigit(code)) {
      const end = endOfNumber(text, at + 1);
      areNumbersExact = areNumbersExact && isExactNumber(text.slice(at, end));
      at = end - 1;
    }
  }
  return { members, areNumbersExact };
}

/** Whether a JSON number means the same after JSON.parse and JSON.stringify: `1.50` and `1e3` do, `-0`, `1e400` and 2^53 + 1 don't. */
export function isExactNumber(token: string): boolean {
  const isShort = token.length <= ALWAYS_EXACT && !token.includes("e") && !token.includes("E");
  if (isShort && !token.startsWith("-0")) return true;
  const value = Number(token);
  if (!Number.isFinite(value) || Object.is(value, -0)) return false;
  const printed = String(value);
  return printed === token || decimal(printed) === decimal(token);
}

/** A number's value as one spelling: its digits without zeros around them, and their exponent. */
function decimal(token: string): string {
  const sign = token.startsWith("-") ? "-" : "";
  const [mantissa = "", exponent = "0"] = token.slice(sign.length).replace("E", "e").split("e");
  const [whole = "", fraction = ""] = mantissa.split(".");
  const digits = whole + fraction;
  let from = 0;
  while (from < digits.length && digits.charCodeAt(from) === ZERO) from++;
  if (from === digits.length) return "0";
  let to = digits.length;
  while (digits.charCodeAt(to - 1) === ZERO) to--;
  return `${sign}${digits.slice(from, to)}e${Number(exponent) - fraction.length + (digits.length - to)}`;
}

/** The quote that ends a string: one with an even number of backslashes before it. */
function endOfString(text: string, start: number): number {
  for (let quote = text.indexOf('"', start); quote !== -1; quote = text.indexOf('"', quote + 1)) {
    let first = quote;
    while (text.charCodeAt(first - 1) === BACKSLASH) first--;
    if ((quote - first) % 2 === 0) return quote;
  }
  return text.length;
}

/** The offset after the last character that can be part of a number. */
function endOfNumber(text: string, start: number): number {
  let end = start;
  while (end < text.length && isInNumber(text.charCodeAt(end))) end++;
  return end;
}

function isDigit(code: number): boolean {
  return code >= ZERO && code <= NINE;
}

/** Digits, `+`, `-`, `.`, `E` and `e`. */
function isInNumber(code: number): boolean {
  return isDigit(code) || code === 0x2b || code === MINUS || code === 0x2e || code === 0x45 || code === 0x65;
}
