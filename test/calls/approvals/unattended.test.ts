import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Unattended } from "../../../main/calls/approvals/broker.ts";

/** Whatever an agent names as the client that waits. */

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

it("of hundreds of clients that an agent names only some are looked at, others once these wait for nothing", async () => {
  const looked: number[] = [];
  const unattended = new Unattended({
    hasLostTerminal: (pid) => Promise.resolve(looked.push(pid) > 0),
    changed: () => undefined,
  });
  for (let pid = 1; pid <= 200; pid++) unattended.watch(`t${pid}`, pid);
  unattended.watch("again", 1);
  await vi.advanceTimersByTimeAsync(2000);
  expect([looked, unattended.has("again"), unattended.has("t200")]).toEqual([[1, 2, 3, 4, 5, 6, 7, 8], true, false]);
  unattended.forget("t2");
  unattended.watch("t200", 200);
  await vi.advanceTimersByTimeAsync(2000);
  expect(unattended.has("t200")).toBe(true);
  unattended.stop();
});
