/** Days and times as the user's own calendar and clock on the wall show them. All take Unix milliseconds. */

/** `2026-11-22` */
export function localDay(ms: number): string {
  const date = new Date(ms);
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** `22:05` */
export function localTime(ms: number): string {
  const date = new Date(ms);
  return `${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** When this day began, in Unix milliseconds. */
export function localMidnight(ms: number): number {
  return new Date(ms).setHours(0, 0, 0, 0);
}

function two(number: number): string {
  return String(number).padStart(2, "0");
}
