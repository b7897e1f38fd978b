/**
 * Whether the tests that repeat one rule many times do so in full: with WHOLE_RUN=true, which takes more than an hour. Otherwise they take a
 * part, others each day; the rules are the same.
 */
export const IS_WHOLE_RUN = process.env.WHOLE_RUN === "true";

const DAY = Math.floor(Date.now() / 86_400_000);

/** Of many that try one rule, those of the day: after `days` days each was among them. All of them with WHOLE_RUN=true. */
export function ofDay<T>(all: readonly T[], days: number, isWhole = IS_WHOLE_RUN): readonly T[] {
  return isWhole ? all : all.filter((_, index) => index % days === DAY % days);
}
