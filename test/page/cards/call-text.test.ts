import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { callRows } from "../../../renderer/cards/call-text.ts";

describe("the whole call", () => {
  it("loses no character, however long its lines are", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 9000 }), (text) => {
        const rows = callRows({ text: `${text}\n` });
        expect(rows.map(({ name }) => name).filter(Boolean)).toEqual(["text"]);
        const joined = rows.map(({ text: row, continues }) => (continues ? row : `\n${row}`)).join("");
        expect(joined).toBe(`\n${text}\n`);
      }),
    );
  });

  it("is cut into rows that a browser can lay out", () => {
    const rows = callRows({ text: "x".repeat(1_000_000) });
    expect(Math.max(...rows.map(({ text }) => text.length))).toBeLessThanOrEqual(2000);
  });
});
