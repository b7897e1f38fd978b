import fc from "fast-check";
import { expect, test } from "vitest";
import { shortTokens } from "../../cli/short-tokens.ts";
import { type Column, tableLines } from "../../cli/table.ts";
import { momentText, spanText } from "../../cli/times.ts";
import { widthOf } from "../../cli/watch/rows.ts";

interface Row {
  id: string;
  what: string;
  note: string;
}

const COLUMNS: Column<Row>[] = [
  { title: "ID", text: ({ id }) => id, isRight: true },
  { title: "WHAT", text: ({ what }) => what, shrinksTo: 10 },
  { title: "NOTE", text: ({ note }) => note, isRed: ({ note }) => note === "As root" },
];

test("columns are as wide as they need, aligned, and one without any text is left out", () => {
  const rows = [
    { id: "1", what: "run npm test", note: "" },
    { id: "12", what: "書く", note: "" },
  ];
  expect(tableLines(COLUMNS, rows, 80)).toEqual(["ID  WHAT", " 1  run npm test", "12  書く"]);
  const noted = rows.map((row) => ({ ...row, note: "x" }));
  expect(tableLines(COLUMNS, noted, 80)).toEqual([
    "ID  WHAT          NOTE",
    " 1  run npm test  x",
    "12  書く          x",
  ]);
});

test("where it is narrow, the column that may shrink gives way, keeping its end", () => {
  const rows = [{ id: "1", what: "write /srv/project/src/pages/index.tsx", note: "can't be undone" }];
  const [, line = ""] = tableLines(COLUMNS, rows, 50);
  expect(line).toMatch(/^ 1 {2}write.*….*index\.tsx {2}can't be undone$/);
  expect(widthOf(line)).toBe(50);
});

test("only a hazard is red, and nothing without colours", () => {
  const rows = [{ id: "1", what: "x", note: "As root" }];
  expect(tableLines(COLUMNS, rows, 80, true)[1]).toBe(" 1  x     \x1b[31mAs root\x1b[0m");
  expect(tableLines(COLUMNS, rows, 80).join("")).not.toContain("\x1b");
});

test("whatever an agent writes, each row is one line that fits, with hidden characters visible", () => {
  const hostile = fc.oneof(
    fc.string({ unit: "grapheme" }),
    fc.string({ unit: "binary" }),
    fc.constantFrom("\x1b[2J", "a\nb\r\tc", "\u202eevil", "宽".repeat(200), "e\u0301".repeat(90), "x".repeat(5000)),
  );
  const row = fc.record({ id: hostile, what: hostile, note: hostile });
  fc.assert(
    fc.property(fc.array(row, { minLength: 1, maxLength: 4 }), fc.integer({ min: 12, max: 200 }), (rows, width) => {
      const lines = tableLines(COLUMNS, rows, width);
      expect(lines).toHaveLength(rows.length + 1);
      for (const line of lines) {
        expect(widthOf(line)).toBeLessThanOrEqual(width);
        expect(line).not.toMatch(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u);
      }
    }),
    { numRuns: 60 },
  );
});

test("a token is shortened to what no other one begins with, and never below six characters", () => {
  const tokens = ["abcdef0000000000", "abcdef0100000000", "1234567890abcdef"];
  expect([...shortTokens(tokens).values()].sort()).toEqual(["123456", "abcdef00", "abcdef01"]);
  const token = fc.stringMatching(/^[0-2]{16}$/);
  fc.assert(
    fc.property(fc.uniqueArray(token, { minLength: 1, maxLength: 30 }), (listed) => {
      for (const [whole, short] of shortTokens(listed))
        expect(listed.filter((other) => other.startsWith(short))).toEqual([whole]);
    }),
  );
});

test("times are said as a person says them, in both languages", () => {
  const now = new Date(2026, 10, 22, 14, 0).getTime();
  const at = (...parts: [number, number, number, number, number]) => new Date(...parts).toISOString();
  expect(momentText(at(2026, 10, 22, 2, 22), now)).toBe("today 02:22");
  expect(momentText(at(2026, 10, 21, 23, 59), now, "it")).toBe("ieri 23:59");
  expect(momentText(at(2026, 10, 23, 0, 5), now)).toBe("tomorrow 00:05");
  expect(momentText(at(2026, 2, 2, 8, 0), now)).toBe("2 Mar 08:00");
  expect(momentText(at(2027, 0, 31, 8, 0), now, "it")).toBe("31 gen 2027");
  expect([12_000, 240_000, 7_300_000, 200_000_000].map(spanText)).toEqual(["12 s", "4 min", "2 h", "2 d"]);
});
