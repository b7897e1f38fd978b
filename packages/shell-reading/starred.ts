/** A name's pattern that is longer, in letters, isn't tried: an expression without end overflows its engine's stack. */
export const MAX_PATTERN = 2000;

/**
 * A regular expression's source for a pattern with stars, in linear time: what lies between two stars is taken where it first is, and nowhere
 * else again. That finds a match wherever there is one.
 * @param between sources of what lies before, between and behind the stars, without groups of their own
 * @param any what a star is made of
 */
export function starred(between: readonly string[], any: "." | "[^/]"): string {
  const [first = "", ...rest] = between;
  const last = rest.pop();
  const found = rest.map((source, at) => `(?=(${any}*?${source}))\\${at + 1}`).join("");
  return `^${first}${last === undefined ? "" : `${found}${any}*${last}`}$`;
}
