/** Dates on the wire and in the databases: ISO-8601 UTC in whole seconds, so that they compare as text. */

/** @param ms Unix time in milliseconds @throws RangeError where that is no date */
export function isoSeconds(ms: number): string {
  const second = Math.floor(ms / 1000);
  if (second !== lastSecond) {
    lastText = `${new Date(second * 1000).toISOString().slice(0, 19)}Z`;
    lastSecond = second;
  }
  return lastText;
}

// There are many calls in a second.
let lastSecond = Number.NaN;
let lastText = "";
