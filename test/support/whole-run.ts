/**
 * Whether the tests that repeat one rule many times do so in full: with CI=true, and with WHOLE_RUN=true. Otherwise they take a
 * part, so that `npm test` is run before each commit; the rules are the same.
 */
export const IS_WHOLE_RUN = process.env.CI === "true" || process.env.WHOLE_RUN === "true";

/** The same for what takes minutes: CI tries a part each day, others the next day. */
export const IS_UNBOUNDED_RUN = process.env.WHOLE_RUN === "true";

const DAY = Math.floor(Date.now() / 86_400_000);

/** Of many that try one rule, those of the day: after `days` days each was among them. All of them with WHOLE_RUN=true. */
export function ofDay<T>(all: readonly T[], days: number, isWhole = IS_UNBOUNDED_RUN): readonly T[] {
  return isWhole ? all : all.filter((_, index) => index % days === DAY % days);
}
