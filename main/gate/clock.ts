/** Dates in the databases: ISO-8601 UTC, whole seconds, so that they compare as text (seed 004). */
export function isoSeconds(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

/** Any ISO-8601 date with a zone, in the databases' form. Throws a RangeError for anything else. */
export function normaliseDate(text: string): string {
  return isoSeconds(new Date(text).getTime());
}
