/** The cell of a notebook (nbformat 4) that a call changes, as its text. Null where the text is no notebook, or has no such cell. */
export function notebookCell(text: string, args: Readonly<Record<string, unknown>>): { source: string } | null {
  const cells = cellsOf(text);
  if (cells === null) return null;
  if (args.edit_mode === "insert") return { source: "" };
  const { cell_id, cell_number } = args;
  const by_number = /^cell-(\d+)$/.exec(String(cell_id))?.[1] ?? cell_number;
  const cell =
    cells.find((one) => one.id !== undefined && one.id === cell_id) ??
    (by_number === undefined ? undefined : cells[Number(by_number)]);
  return cell === undefined ? null : { source: sourceOf(cell.source) };
}

interface Cell {
  id?: unknown;
  source?: unknown;
}

function cellsOf(text: string): Cell[] | null {
  try {
    const notebook: unknown = JSON.parse(text);
    if (typeof notebook !== "object" || notebook === null || !("cells" in notebook)) return null;
    const { cells } = notebook;
    return Array.isArray(cells) ? cells.filter((cell) => typeof cell === "object" && cell !== null) : null;
  } catch {
    return null; // not JSON: no notebook
  }
}

function sourceOf(source: unknown): string {
  if (typeof source === "string") return source;
  return Array.isArray(source) ? source.filter((line) => typeof line === "string").join("") : "";
}
