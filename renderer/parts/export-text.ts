/** Listings as text for files. Plain values. */

export type ExportForm = "csv" | "jsonl";
/** A listing's row, by column. */
export type ExportRow = Readonly<Record<string, string>>;

/** RFC 4180, with a heading. A cell that a spreadsheet would take for a formula begins with an apostrophe. */
export function csvText(rows: readonly ExportRow[], columns: readonly string[]): string {
  const line = (cells: readonly string[]) => `${cells.map(csvCell).join(",")}\r\n`;
  return line(columns) + rows.map((row) => line(columns.map((column) => row[column] ?? ""))).join("");
}

function csvCell(text: string): string {
  const inert = /^[=+\-@\t\r\n]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(inert) || inert !== text ? `"${inert.replaceAll('"', '""')}"` : inert;
}

/** One JSON object a line. */
export function jsonLines(rows: readonly ExportRow[]): string {
  return rows.map((row) => `${JSON.stringify(row)}\n`).join("");
}
