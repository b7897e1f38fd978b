import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { boundsOf } from "../../../renderer/parts/days.ts";
import { csvText, jsonLines } from "../../../renderer/parts/export-text.ts";

/** As RFC 4180 is read, without regard to how it was written. */
function readCsv(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = "";
  let isQuoted = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? "";
    if (isQuoted) {
      if (character !== '"') cell += character;
      else if (text[at + 1] === '"') {
        cell += '"';
        at++;
      } else isQuoted = false;
    } else if (character === '"') isQuoted = true;
    else if (character === ",") {
      row.push(cell);
      cell = "";
    } else if (character === "\r" && text[at + 1] === "\n") {
      rows.push([...row, cell]);
      row = [];
      cell = "";
      at++;
    } else cell += character;
  }
  return rows;
}

describe("a listing as a file", () => {
  it("no cell is a formula to a spreadsheet", () => {
    for (const text of ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", '=HYPERLINK("http://x")']) {
      const [, [cell = ""] = []] = readCsv(csvText([{ what: text }], ["what"]));
      expect(cell).toBe(`'${text}`);
    }
  });

  it("each cell is read back as it was, whatever is in it", () => {
    fc.assert(
      fc.property(fc.array(fc.record({ a: fc.string(), b: fc.string() })), (rows) => {
        const read = readCsv(csvText(rows, ["a", "b"]));
        expect(read[0]).toEqual(["a", "b"]);
        const inert = (text: string) => (/^[=+\-@\t\r\n]/.test(text) ? `'${text}` : text);
        expect(read.slice(1)).toEqual(rows.map(({ a, b }) => [inert(a), inert(b)]));
        const lines = jsonLines(rows).split("\n").slice(0, -1);
        expect(lines.map((line) => JSON.parse(line))).toEqual(rows);
      }),
    );
  });

  it("days are whole ones, in local time: from the first's beginning to the last's end", () => {
    const { since, until } = boundsOf({ from: "2026-11-21", to: "2026-11-22" });
    expect(since).toBe(new Date(2026, 10, 21).getTime());
    expect(until).toBe(new Date(2026, 10, 23).getTime());
    expect(boundsOf({ from: "", to: "" })).toEqual({ since: undefined, until: undefined });
  });
});
