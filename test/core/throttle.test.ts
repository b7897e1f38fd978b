import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Throttle } from "../../main/core/open-gate.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
});
afterEach(() => {
  vi.useRealTimers();
});

it("acts at once, and however often it is asked for, once at the end of each interval and not after the last", () => {
  const act = vi.fn();
  const changed = new Throttle(250, act);
  for (let time = 0; time < 3; time++) changed.go();
  expect(act).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(249);
  expect(act).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(1);
  expect(act).toHaveBeenCalledTimes(2);
  vi.advanceTimersByTime(10_000);
  expect(act).toHaveBeenCalledTimes(2);
  changed.go();
  expect(act).toHaveBeenCalledTimes(3);
});
