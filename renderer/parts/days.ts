/** Days in local time, `YYYY-MM-DD`; empty: without a bound. */
export interface Days {
  from: string;
  to: string;
}

export const NO_DAYS: Days = { from: "", to: "" };

/** Milliseconds since 1970: the first of the day, and of the day after. Undefined without a bound. */
export function boundsOf({ from, to }: Days): { since: number | undefined; until: number | undefined } {
  const dayOf = (text: string) => (text === "" ? undefined : new Date(`${text}T00:00:00`));
  const last = dayOf(to);
  last?.setDate(last.getDate() + 1);
  return { since: dayOf(from)?.getTime(), until: last?.getTime() };
}
