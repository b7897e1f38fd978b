import { bridge } from "../gate/open-link.ts";

/** Listings as files. */

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

/** The desktop app saves no files: there the clipboard gets them. */
export function copiesExports(): boolean {
  return bridge() !== undefined;
}

/** Saves the rows as `<name>.csv` or `<name>.jsonl`; in the desktop app copies them. */
export async function exportRows(
  name: string,
  form: ExportForm,
  rows: readonly ExportRow[],
  columns: readonly string[],
): Promise<void> {
  const text = form === "csv" ? csvText(rows, columns) : jsonLines(rows);
  if (copiesExports()) return await navigator.clipboard.writeText(text);
  const url = URL.createObjectURL(new Blob([text], { type: form === "csv" ? "text/csv" : "application/jsonl" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = `${name}.${form}`;
  link.click();
  URL.revokeObjectURL(url);
}
