import { describe, expect, it } from "vitest";
import { AnswerGuard, SETTLE_MS } from "../../../renderer/cards/guard.ts";

const settled = () => {
  const guard = new AnswerGuard(0);
  guard.standsAt("here", 0);
  return guard;
};

describe("nothing counts in the first 500 ms", () => {
  it.each(["pointer", "keys"] as const)("after the card appeared: %s", (by) => {
    for (const [at, counts] of [
      [0, false],
      [SETTLE_MS - 1, false],
      [SETTLE_MS, true],
    ] as const) {
      const guard = settled();
      guard.pressed(at, false);
      expect([at, guard.counts(at, by)]).toEqual([at, counts]);
    }
  });

  it("after it moved, seen by anybody or only at the press itself", () => {
    const guard = settled();
    guard.standsAt("there", 10_000);
    guard.pressed(10_499, false);
    expect(guard.counts(10_499, "pointer")).toBe(false);
    guard.standsAt("there", 10_600);
    guard.pressed(10_600, false);
    expect(guard.counts(10_600, "pointer")).toBe(true);
  });

  it("a press that began too soon doesn't count, however late it ends", () => {
    const guard = settled();
    guard.pressed(499, false);
    expect(guard.counts(5000, "pointer")).toBe(false);
  });

  it("nor does one under which the card moved", () => {
    const guard = settled();
    guard.pressed(1000, false);
    guard.standsAt("there", 1100);
    expect(guard.counts(1150, "pointer")).toBe(false);
  });

  it("a key that is held since before never counts", () => {
    const guard = settled();
    guard.pressed(9000, true);
    expect(guard.counts(9000, "keys")).toBe(false);
    guard.pressed(9100, false);
    expect(guard.counts(9100, "keys")).toBe(true);
  });

  it("keys that were meant for another window don't count, a click does", () => {
    const guard = settled();
    guard.keysArrived(2000);
    guard.pressed(2300, false);
    expect(guard.counts(2300, "keys")).toBe(false);
    guard.pressed(2300, false);
    expect(guard.counts(2300, "pointer")).toBe(true);
  });

  it("a press whose beginning nobody saw begins when it ends", () => {
    const guard = settled();
    expect(guard.counts(499, "keys")).toBe(false);
    expect(guard.counts(500, "keys")).toBe(true);
  });
});
