import type { ApprovalView } from "../../ipc/operator-api.ts";
import { visible } from "../../ipc/visible-text.ts";

/** The whole call as rows of text, raw: the component that shows them makes hidden characters visible. */
export interface CallRow {
  text: string;
  /** `name`: an argument's name, with its value where that is short. `continues`: the row continues the one above, no line break between. */
  kind: "name" | "line" | "continues";
}

/** A line that is longer is shown as several rows: no browser lays out a million characters at once. */
const ROW_CHARACTERS = 2000;
/** A call of up to this many rows of this many characters is shown on the card itself. */
const SHORT_ROWS = { full: 6, medium: 3, short: 3 } as const;
const SHORT_ROW_CHARACTERS = 42;

export function callRows(args: Readonly<Record<string, unknown>> | null): CallRow[] {
  return Object.entries(args ?? {}).flatMap(([name, value]) => {
    const text = typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? String(value));
    const lines = text.split("\n");
    const [first = ""] = lines;
    if (lines.length === 1 && first.length + name.length < 200) {
      return [{ text: `${name}: ${first}`, kind: "name" } satisfies CallRow];
    }
    return [{ text: `${name}:`, kind: "name" } satisfies CallRow, ...lines.flatMap(chunks)];
  });
}

function chunks(line: string): CallRow[] {
  const rows: CallRow[] = [];
  for (let at = 0; at < Math.max(1, line.length); ) {
    let end = Math.min(line.length, at + ROW_CHARACTERS);
    // A pair of surrogates is one character: never cut through it.
    if (end < line.length && /[\ud800-\udbff]/.test(line.charAt(end - 1))) end--;
    rows.push({ text: line.slice(at, end), kind: at === 0 ? "line" : "continues" });
    at = Math.max(end, at + 1);
  }
  return rows;
}

/** Whether this is short enough to be shown on the card itself. */
export function isShort(rows: readonly CallRow[], form: keyof typeof SHORT_ROWS): boolean {
  if (rows.length > SHORT_ROWS[form]) return false;
  const height = rows.reduce(
    (sum, { text }) => sum + Math.max(1, Math.ceil(visible(text).length / SHORT_ROW_CHARACTERS)),
    0,
  );
  return height <= SHORT_ROWS[form];
}

/**
 * The arguments that the card's lines don't show whole, and that must be shown before an approval. The lines hold at most one,
 * the object itself; another one that happens to be part of it doesn't count as shown.
 */
export function unsaidArgs({ args, target_summary, capabilities }: ApprovalView): Record<string, unknown> {
  const entries = Object.entries(args ?? {});
  const shown = entries
    .filter(([, value]) => typeof value === "string" && isObject(value, target_summary, capabilities))
    .toSorted(([, a], [, b]) => String(b).length - String(a).length)[0]?.[0];
  return Object.fromEntries(entries.filter(([name]) => name !== shown));
}

/** Whether the summary is about this very text: the command or the address it begins with, or the path it names. */
function isObject(text: string, summary: string, capabilities: ApprovalView["capabilities"]): boolean {
  if (text === "" || visible(text) !== text) return false;
  if (summary === text || summary.startsWith(`${text} (`) || summary.startsWith(`${text}  (in `)) return true;
  return capabilities.some(({ target }) => target === text) && isPathSaid(text, summary);
}

/** The gate writes a path as `name -> folder/` or `name from folder/`, the home folder as `~`. */
function isPathSaid(path: string, summary: string): boolean {
  const cut = path.lastIndexOf("/");
  if (cut < 0) return false;
  const [folder, name] = [path.slice(0, cut), path.slice(cut + 1)];
  return ["->", "from"].some((word) => {
    const start = `${name} ${word} `;
    if (!summary.startsWith(start)) return false;
    const location = summary.slice(start.length);
    if (location.startsWith(`${folder}/`)) return true;
    if (!location.startsWith("~/")) return false;
    // `~/x/` for a folder that ends with /x
    const parts = folder.split("/");
    return parts.some((_, index) => index > 0 && location.startsWith(`~/${[...parts.slice(index), ""].join("/")}`));
  });
}
