import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { systemClock } from "../../../main/base/clocks/system-clock.ts";
import {
  bootSecond,
  earlierEnd,
  endAt,
  laterEnd,
  moment,
  postponed,
  remaining,
} from "../../../main/base/clocks/two-clock-end.ts";
import { ManualClock } from "../../support/manual-clock.ts";

const DAY = 86_400;

function endIn(clock: ManualClock, seconds: number) {
  return endAt(clock, clock.now() + seconds * 1000);
}

describe("an end by both clocks", () => {
  it("comes at the same moment by both while no clock is set", () => {
    const clock = new ManualClock();
    const end = endIn(clock, 600);
    clock.advance(200);
    expect(remaining(clock, end)).toEqual({ wall: 400_000, boot: 400_000 });
    expect(earlierEnd(clock, end)).toBe(end.at);
    expect(laterEnd(clock, end)).toBe(end.at);
  });

  it.each([DAY, -DAY])("a wall clock that jumps by %d seconds moves one of them alone", (jump) => {
    const clock = new ManualClock();
    const end = endIn(clock, 600);
    clock.jump(jump);
    expect(remaining(clock, end)).toEqual({ wall: (600 - jump) * 1000, boot: 600_000 });
    const shown = jump < 0 ? earlierEnd(clock, end) : laterEnd(clock, end);
    expect(Date.parse(shown) - clock.now()).toBe(600_000);
  });

  it("of another boot says nothing by the time since boot", () => {
    const clock = new ManualClock();
    const end = endIn(clock, 600);
    clock.reboot();
    expect(remaining(clock, end)).toEqual({ wall: 570_000, boot: Number.POSITIVE_INFINITY });
    expect(earlierEnd(clock, end)).toBe(end.at);
    expect(laterEnd(clock, end)).toBe(end.at);
  });

  it("that is moved, is moved by both; one without a boot by the wall clock alone", () => {
    const clock = new ManualClock();
    expect(postponed(endIn(clock, 600), 10)).toEqual(endIn(clock, 610));
    expect(postponed({ at: "2026-05-04T10:00:00Z", boot_at: null }, 10)).toEqual({
      at: "2026-05-04T10:00:10Z",
      boot_at: null,
    });
  });

  it("compares as text as it does as a number, whatever the times", () => {
    const second = fc.integer({ min: 0, max: 4_000_000_000 });
    fc.assert(
      fc.property(second, second, (a, b) => {
        const at = (bootMs: number) => ({ now: () => 0, boot: () => ({ id: "abcdefabcdef", ms: bootMs }) });
        const end = endAt(at(0), a * 1000);
        const { boot_first, boot_now } = moment(at(b * 1000));
        expect(bootSecond(end.boot_at, "abcdefabcdef")).toBe(a);
        const text = end.boot_at ?? "";
        expect(text >= boot_first && text <= boot_now).toBe(a <= b);
      }),
    );
  });
});

it("the machine's clock: the time since boot has a name and only grows", () => {
  const first = systemClock.boot();
  const second = systemClock.boot();
  expect(first.id).toMatch(/^[0-9a-f]{12}$/);
  expect(second.id).toBe(first.id);
  expect(second.ms).toBeGreaterThanOrEqual(first.ms);
  expect(Math.abs(systemClock.now() - Date.now())).toBeLessThan(1000);
});
