import { performance } from "node:perf_hooks";
import type * as v8 from "node:v8";
import { getHeapSpaceStatistics } from "node:v8";
import { afterEach, expect, it, vi } from "vitest";
import { HeapKeeper } from "../../main/base/heap-keeper.ts";

vi.mock("node:v8", async (original) => {
  const v8 = await original<typeof import("node:v8")>();
  return { ...v8, getHeapSpaceStatistics: vi.fn(v8.getHeapSpaceStatistics) };
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  vi.mocked(getHeapSpaceStatistics).mockReset();
});

it("what a burst has left in memory is given back, once and not before", async () => {
  vi.useFakeTimers();
  const collect = vi.fn(() => Promise.resolve());
  vi.stubGlobal("gc", collect);
  looksBusy();
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
  }
});

it("what the start has left is given back once the gate has been quiet for 5 seconds, and not again", async () => {
  vi.useFakeTimers();
  const collect = vi.fn(() => Promise.resolve());
  vi.stubGlobal("gc", collect);
  vi.mocked(getHeapSpaceStatistics).mockReturnValue([]);
  const keeper = new HeapKeeper();
  try {
    looksBusy();
    await vi.advanceTimersByTimeAsync(5000);
    expect(collect).not.toHaveBeenCalled();
    looksBusy(0.01);
    await vi.advanceTimersByTimeAsync(4000);
    expect(collect).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(collect.mock.calls).toEqual([[{ type: "major", execution: "sync", flavor: "last-resort" }]]);
  } finally {
    keeper.stop();
  }
});

it("what agents leave while they call without a pause is collected from 24 MiB on, and from less once they call now and then", async () => {
  vi.useFakeTimers();
  const collect = vi.fn(() => Promise.resolve());
  vi.stubGlobal("gc", collect);
  const heldMib = (mib: number) =>
    vi
      .mocked(getHeapSpaceStatistics)
      .mockReturnValue([{ space_name: "old_space", space_used_size: mib * 1024 * 1024 } as v8.HeapSpaceInfo]);
  heldMib(20);
  looksBusy();
  const keeper = new HeapKeeper();
  try {
    heldMib(43);
    await vi.advanceTimersByTimeAsync(3000);
    expect(collect).not.toHaveBeenCalled();
    heldMib(44);
    await vi.advanceTimersByTimeAsync(1000);
    expect(collect.mock.calls).toEqual([[{ type: "major", execution: "async" }]]);
    heldMib(57);
    await vi.advanceTimersByTimeAsync(1000);
    expect(collect).toHaveBeenCalledTimes(1);
    looksBusy(0.05);
    await vi.advanceTimersByTimeAsync(1000);
    expect(collect.mock.calls).toHaveLength(2);
  } finally {
    keeper.stop();
  }
});

it("a gate that can open no further file looks again later: it doesn't end", async () => {
  vi.useFakeTimers();
  const collect = vi.fn(() => Promise.resolve());
  vi.stubGlobal("gc", collect);
  looksBusy(0.01);
  // What this process itself holds grows by what the other tests have left.
  vi.mocked(getHeapSpaceStatistics).mockReturnValue([]);
  const read = vi.spyOn(process.memoryUsage, "rss").mockImplementation(() => {
    throw Object.assign(new Error("EMFILE"), { code: "EMFILE" });
  });
  const keeper = new HeapKeeper();
  try {
    await vi.advanceTimersByTimeAsync(10_000);
    expect(read).toHaveBeenCalled();
    expect(collect).not.toHaveBeenCalled();
    read.mockRestore();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(collect).toHaveBeenCalledTimes(1);
  } finally {
    keeper.stop();
  }
});

/** Of a second, the part in which the event loop has something to do. */
function looksBusy(utilization = 0.5): void {
  vi.spyOn(performance, "eventLoopUtilization").mockReturnValue({ idle: 0, active: 0, utilization });
}
