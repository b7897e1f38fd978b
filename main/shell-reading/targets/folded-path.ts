/** Characters that some file systems leave out of a name. */
const LEFT_OUT = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII
const PLAIN = /^[\x00-\x7f]*$/;

/**
 * A path as file systems compare names that take no account of case (macOS): in lower case, compatible letters (`ſ`, the Kelvin sign) as
 * those they mean. Two paths that differ here are two files everywhere.
 */
export function foldedPath(path: string): string {
  return PLAIN.test(path) ? path.toLowerCase() : path.replace(LEFT_OUT, "").normalize("NFKC").toLowerCase();
}
