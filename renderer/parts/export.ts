import { bridge } from "../gate/open-link.ts";
import { csvText, type ExportForm, type ExportRow, jsonLines } from "./export-text.ts";

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
