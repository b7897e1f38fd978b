import type { ApprovalView } from "../../ipc/operator-api.ts";
import { visible } from "../../ipc/visible-text.ts";

/** The whole call as rows of text, raw: whoever shows them makes hidden characters visible. */
export interface CallRow {
  text: string;
  /** `name`: an argument's name, with its value where that is short. `goes_on`: continues the row above, no line break between. */
  kind: "name" | "line" | "goes_on";
}

/** A line that is longer is shown as several rows: no browser lays out a million characters at once. */
const ROW_CHARACTERS = 2000;
/** A call of up to this many rows of this many characters stands on the card itself. */
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
    rows.push({ text: line.slice(at, end), kind: at === 0 ? "line" : "goes_on" });
    at = Math.max(end, at + 1);
  }
  return rows;
}

/** Whether the call is short enough to stand on the card itself. */
export function isShort(rows: readonly CallRow[], form: keyof typeof SHORT_ROWS): boolean {
  if (rows.length > SHORT_ROWS[form]) return false;
  const height = rows.reduce(
    (sum, { text }) => sum + Math.max(1, Math.ceil(visible(text).length / SHORT_ROW_CHARACTERS)),
    0,
  );
  return height <= SHORT_ROWS[form];
}

/** Whether the card's own lines already say every argument whole: then there is nothing left to show before a yes. */
export function isSaid({ args, card, capabilities }: ApprovalView): boolean {
  const said = card.lines.join("\n");
  return Object.values(args ?? {}).every((value) => {
    if (typeof value === "boolean" || value === null || typeof value === "object") return false;
    const text = String(value);
    if (text === "" || text.length < MIN_SAID) return false;
    if (said.includes(text) && visible(text) === text) return true;
    return capabilities.some(({ target }) => target === text) && isPathSaid(text, said);
  });
}

/** A shorter value could stand in the lines by chance. */
const MIN_SAID = 3;

/** The card writes a path as `name -> folder/` or `name from folder/`, the home folder as `~`. */
function isPathSaid(path: string, said: string): boolean {
  const cut = path.lastIndexOf("/");
  if (cut < 0 || visible(path) !== path) return false;
  const [folder, name] = [path.slice(0, cut), path.slice(cut + 1)];
  return ["->", "from"].some((word) => {
    const start = said.indexOf(`${name} ${word} `);
    if (start < 0) return false;
    const rest = said.slice(start + name.length + word.length + 2);
    if (rest.startsWith(`${folder}/`)) return true;
    // `~/x/` for a folder that ends with /x
    const below_home = /^~(\/[^\n]*)/.exec(rest)?.[1];
    if (below_home === undefined) return false;
    const parts = folder.split("/");
    return parts.some((_, index) => index > 0 && below_home.startsWith(`/${[...parts.slice(index), ""].join("/")}`));
  });
}
