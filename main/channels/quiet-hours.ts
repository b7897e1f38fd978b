import type { Route } from "./config.ts";

export type QuietHours = NonNullable<Route["quiet_hours"]>;

/**
 * Whether it is quiet at this time (Unix milliseconds), by what a clock on the wall shows: over midnight where they end before they
 * begin, and with each change to or from daylight saving. The beginning belongs to them, the end doesn't.
 */
export function isQuiet(at: number, { from, to }: QuietHours): boolean {
  const wall = wallTime(at);
  return from < to ? from <= wall && wall < to : from <= wall || wall < to;
}

/** What a clock on the wall shows: `22:05`. @param at Unix milliseconds */
export function wallTime(at: number): string {
  const date = new Date(at);
  return `${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** The day on the wall's calendar: `2026-11-22`. @param at Unix milliseconds */
export function wallDay(at: number): string {
  const date = new Date(at);
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

function two(number: number): string {
  return String(number).padStart(2, "0");
}
