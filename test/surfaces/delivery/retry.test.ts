import { expect, it } from "vitest";
import { pause, waitAfter } from "../../../main/surfaces/delivery/retry.ts";

// main/surfaces/delivery/retry.ts

it("what failed is tried again after 1 s, 2 s, 4 s and so on, after a minute at most", () => {
  expect([1, 2, 3, 10, 1000].map((failures) => waitAfter(failures))).toEqual([1000, 2000, 4000, 60_000, 60_000]);
});

it("a wait ends at once where the gate closes", async () => {
  const closing = new AbortController();
  const began = performance.now();
  const waits = pause(60_000, closing.signal);
  closing.abort();
  await waits;
  await pause(60_000, closing.signal);
  expect(performance.now() - began).toBeLessThan(30_000);
});
