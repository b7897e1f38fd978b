import { localTime } from "../gate/local-time.ts";
import type { Route } from "./config.ts";

export type QuietHours = NonNullable<Route["quiet_hours"]>;

/**
 * Whether it is quiet at this time (Unix milliseconds), by what a clock on the wall shows: over midnight where they end before they
 * begin, and with each change to or from daylight saving. The beginning belongs to them, the end doesn't.
 */
export function isQuiet(at: number, { from, to }: QuietHours): boolean {
  const wall = localTime(at);
  return from < to ? from <= wall && wall < to : from <= wall || wall < to;
}
