let last_second = Number.NaN;
let last_text = "";

/** Dates in the databases: ISO-8601 UTC, whole seconds, so that they compare as text (seed 004). */
export function isoSeconds(ms: number): string {
  const second = Math.floor(ms / 1000);
  if (second !== last_second) {
    last_text = `${new Date(second * 1000).toISOString().slice(0, 19)}Z`;
    last_second = second;
  }
  return last_text;
}

/** Any ISO-8601 date with a zone, in the databases' form. Throws a RangeError for anything else. */
export function normaliseDate(text: string): string {
  return isoSeconds(new Date(text).getTime());
}
