import { isoSeconds } from "../../../ipc/contract/iso-seconds.ts";

export interface Clock {
  /** Unix milliseconds. */
  readonly now: () => number;
  /** How long this boot of the machine has lasted, the time asleep included. */
  readonly boot: () => BootTime;
}

export interface BootTime {
  /** Twelve characters that identify this boot. */
  id: string;
  /** Milliseconds since it began. */
  ms: number;
}

/** Any ISO-8601 date with a zone, in the databases' form. Throws a RangeError for anything else. */
export function normaliseDate(text: string): string {
  return isoSeconds(new Date(text).getTime());
}
