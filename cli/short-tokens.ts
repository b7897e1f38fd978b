/** Tokens as a person types them: by a beginning that no other one has. */

/**
 * Shorter ones aren't taken: a request that comes later, after the one that was seen has ended, must not begin with the same by
 * chance (one in 16 million).
 */
export const SHORTEST = 6;

/** Each token's beginning, long enough to be the only one among them. */
export function shortTokens(tokens: readonly string[]): Map<string, string> {
  const sorted = [...tokens].sort();
  return new Map(
    sorted.map((token, index) => {
      const longest = Math.max(common(token, sorted[index - 1] ?? ""), common(token, sorted[index + 1] ?? ""));
      return [token, token.slice(0, Math.max(SHORTEST, longest + 1))];
    }),
  );
}

function common(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length++;
  return length;
}
