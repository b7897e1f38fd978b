import type { ApprovalView } from "../../ipc/operator-api.ts";
import { visible } from "../../ipc/visible-text.ts";

/** The whole call as lines of at most `width` characters: each argument under its name, hidden characters made visible. */
export function callLines(card: ApprovalView, width: number): string[] {
  const lines: string[] = [];
  for (const [key, value] of Object.entries(card.args ?? {})) {
    const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
    const shown = visible(text, { keep_newlines: true }).replaceAll("\t", "  ");
    const rows = shown.split("\n").flatMap((line) => wrapped(line, width - 2));
    const name = visible(key);
    if (rows.length === 1 && name.length + 2 + (rows[0]?.length ?? 0) <= width) lines.push(`${name}: ${rows[0]}`);
    else lines.push(`${name}:`, ...rows.map((row) => `  ${row}`));
  }
  return lines;
}

/** Cut at the width, nothing dropped: also white space at the end is part of what would run. */
function wrapped(line: string, width: number): string[] {
  const characters = [...line];
  if (characters.length === 0) return [""];
  const rows: string[] = [];
  // Wide characters take two columns; half the width keeps every one of them on the screen.
  const is_plain = /^[\u0020-\u024f]*$/.test(line);
  const columns = Math.max(8, is_plain ? width : Math.floor(width / 2));
  for (let start = 0; start < characters.length; start += columns)
    rows.push(characters.slice(start, start + columns).join(""));
  return rows;
}
