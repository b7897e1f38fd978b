/** Arguments as rows of text, raw: the component that shows them makes hidden characters visible. */
export interface CallRow {
  /** Of the argument that begins here; "" in its further rows. */
  name: string;
  text: string;
  /** The row continues the one above, no line break between. */
  continues: boolean;
}

/** A line that is longer is shown as several rows: no browser lays out a million characters at once. */
const ROW_CHARACTERS = 2000;
const SHORT_JSON = 60;

export function callRows(args: Readonly<Record<string, unknown>> | null): CallRow[] {
  return Object.entries(args ?? {}).flatMap(([name, value]) => {
    const text = typeof value === "string" ? value : jsonText(value);
    const rows = text.split("\n").flatMap((line) => lineRows(line));
    return rows.map(({ start, end, line }, index): CallRow => {
      return { name: index === 0 ? name : "", text: line.slice(start, end), continues: start > 0 };
    });
  });
}

/** On one line where that is short. */
function jsonText(value: unknown): string {
  const line = JSON.stringify(value) ?? String(value);
  return line.length <= SHORT_JSON ? line : JSON.stringify(value, null, 2);
}

/** A line in pieces that a browser can lay out: where each begins and ends in it. */
export function lineRows(line: string): { start: number; end: number; line: string }[] {
  const rows: { start: number; end: number; line: string }[] = [];
  for (let at = 0; at < Math.max(1, line.length); ) {
    let end = Math.min(line.length, at + ROW_CHARACTERS);
    // A pair of surrogates is one character: never cut through it.
    if (end < line.length && /[\ud800-\udbff]/.test(line.charAt(end - 1))) end--;
    rows.push({ start: at, end, line });
    at = Math.max(end, at + 1);
  }
  return rows;
}
