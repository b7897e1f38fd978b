import { describe, expect, it } from "vitest";
import { lookingLines } from "../../../bench/looking-lines.ts";
import { LOOKING_LINES, NEAR_HARMLESS_LINES } from "../../support/looking-lines.ts";

describe("looking around and small changes", () => {
  it("are 104 lines, each once", () => {
    expect(new Set(LOOKING_LINES).size).toBe(104);
    expect(new Set(NEAR_HARMLESS_LINES).size).toBe(58);
  });

  it("are asked about no more often than they may be, and never denied", async () => {
    const figures = await lookingLines();
    expect(figures.filter(({ ok }) => !ok)).toEqual([]);
  });
});
