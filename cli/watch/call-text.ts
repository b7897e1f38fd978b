import type { ApprovalView } from "../../ipc/operator-api.ts";
import { visible } from "../../ipc/visible-text.ts";
import { widthOf, wrapped } from "./rows.ts";

/** A row that continues the line above starts with this; a new line starts with blanks. */
const GOES_ON = "↳ ";
const INDENT = "  ";

/** The whole call as rows of at most `width` columns: each argument under its name, hidden characters made visible. */
export function callLines(card: ApprovalView, width: number): string[] {
  const entries = Object.entries(card.args ?? {});
  if (entries.length === 0) return ["(no arguments)"];
  return entries.flatMap(([key, value]) => {
    const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
    const lines = visible(text, { keep_newlines: true }).replaceAll("\t", "    ").split("\n");
    const name = `${visible(key)}:`;
    const [first = ""] = lines;
    if (lines.length === 1 && widthOf(`${name} ${first}`) <= width) return [`${name} ${first}`];
    const rows = lines.flatMap((line) => {
      const [start = "", ...rest] = wrapped(line, width - INDENT.length);
      return [INDENT + start, ...rest.map((row) => GOES_ON + row)];
    });
    return [...wrapped(name, width), ...rows];
  });
}
