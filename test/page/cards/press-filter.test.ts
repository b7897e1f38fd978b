import { describe, expect, it } from "vitest";
import { PRESS_DELAY_MS } from "../../../ipc/words/press-delay.ts";
import { PressFilter } from "../../../renderer/cards/press-filter.ts";

const settled = () => {
  const filter = new PressFilter(0);
  filter.setPosition("here", 0);
  return filter;
};

describe("nothing counts in the first 500 ms", () => {
  it.each(["pointer", "keys"] as const)("after the card appeared: %s", (by) => {
    for (const [at, counts] of [
      [0, false],
      [PRESS_DELAY_MS - 1, false],
      [PRESS_DELAY_MS, true],
    ] as const) {
      const filter = settled();
      filter.pressed(at, false);
      expect([at, filter.accepts(at, by)]).toEqual([at, counts]);
    }
  });

  it("after it moved, noticed before or only at the press itself", () => {
    const filter = settled();
    filter.setPosition("there", 10_000);
    filter.pressed(10_499, false);
    expect(filter.accepts(10_499, "pointer")).toBe(false);
    filter.setPosition("there", 10_600);
    filter.pressed(10_600, false);
    expect(filter.accepts(10_600, "pointer")).toBe(true);
  });

  it("a press that began too soon doesn't count, however late it ends", () => {
    const filter = settled();
    filter.pressed(499, false);
    expect(filter.accepts(5000, "pointer")).toBe(false);
  });

  it("nor does one under which the card moved", () => {
    const filter = settled();
    filter.pressed(1000, false);
    filter.setPosition("there", 1100);
    expect(filter.accepts(1150, "pointer")).toBe(false);
  });

  it("a key that is held since before never counts", () => {
    const filter = settled();
    filter.pressed(9000, true);
    expect(filter.accepts(9000, "keys")).toBe(false);
    filter.pressed(9100, false);
    expect(filter.accepts(9100, "keys")).toBe(true);
  });

  it("keys that were meant for another window don't count, a click does", () => {
    const filter = settled();
    filter.keysArrived(2000);
    filter.pressed(2300, false);
    expect(filter.accepts(2300, "keys")).toBe(false);
    filter.pressed(2300, false);
    expect(filter.accepts(2300, "pointer")).toBe(true);
  });

  it("a press whose beginning was not seen begins when it ends", () => {
    const filter = settled();
    expect(filter.accepts(499, "keys")).toBe(false);
    expect(filter.accepts(500, "keys")).toBe(true);
  });
});
