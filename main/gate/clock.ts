let last_second = Number.NaN;
let last_text = "";

/** What time it is, by two clocks: one that people read and can set, and one that nobody can set. */
export interface Clock {
  /** Unix milliseconds. */
  readonly now: () => number;
  /** How long this boot of the machine has lasted, the time asleep included. */
  readonly boot: () => BootTime;
}

export interface BootTime {
  /** Twelve characters that tell this boot from every other. */
  id: string;
  /** Milliseconds since it began. */
  ms: number;
}

/** Dates in the databases: ISO-8601 UTC, whole seconds, so that they compare as text. */
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
