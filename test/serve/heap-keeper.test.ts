import { expect, it, vi } from "vitest";
import { HeapKeeper } from "../../main/heap-keeper.ts";

it("what a burst has left in memory is given back, once and not before", async () => {
  vi.useFakeTimers();
  const collect = vi.fn(() => Promise.resolve());
  vi.stubGlobal("gc", collect);
  const keeper = new HeapKeeper();
  try {
    await vi.advanceTimersByTimeAsync(5000);
    expect(collect).not.toHaveBeenCalled();
    const burst = Array.from({ length: 1_000_000 }, (_, index) => ({ index, name: `call ${index}` }));
    await vi.advanceTimersByTimeAsync(5000);
    expect(burst).toHaveLength(1_000_000);
    expect(collect.mock.calls).toEqual([[{ type: "major", execution: "async" }]]);
  } finally {
    keeper.stop();
    vi.useRealTimers();
    vi.unstubAllGlobals();
  }
});
