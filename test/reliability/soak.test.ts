import { describe, expect, it } from "vitest";
import { type Sample, trendsOf } from "../../reliability/soak/figures.ts";
import { soak } from "../../reliability/soak/soak.ts";

const SAMPLES = 30;

/** A soak in which everything stays as it is, but for what `change` makes of a sample; `share` runs from 0 to 1. */
function samples(change: (share: number) => Partial<Sample>): Sample[] {
  return Array.from({ length: SAMPLES }, (_, index) => ({
    gate_ms: Array.from({ length: 100 }, (_, call) => 1 + call / 100),
    echo_ms: Array.from({ length: 100 }, (_, call) => 0.1 + call / 1000),
    residentMib: 150,
    open_files: 100,
    walMib: 8,
    ...change(index / (SAMPLES - 1)),
  }));
}

function missed(change: (share: number) => Partial<Sample>): string[] {
  return trendsOf(samples(change), 1.1)
    .filter(({ ok }) => !ok)
    .map(({ name }) => name);
}

const times = (from: number) => Array.from({ length: 100 }, (_, call) => from + call / 100);

describe("the figures of a soak", () => {
  it("are fine where nothing drifts", () => {
    expect(missed(() => ({}))).toEqual([]);
  });

  it("say what grows by more than a tenth from the first third to the last", () => {
    expect(missed((share) => ({ residentMib: 150 + 40 * share }))).toEqual(["memory"]);
    expect(missed((share) => ({ open_files: 100 + 40 * share }))).toEqual(["open files"]);
    expect(missed((share) => ({ walMib: 8 + 4 * share }))).toEqual(["largest log"]);
    expect(missed((share) => ({ gate_ms: times(1 + share) }))).toEqual(["median latency", "p99 latency"]);
    expect(missed((share) => ({ gate_ms: [...times(1).slice(2), 2 + 9 * share, 2 + 9 * share] }))).toEqual([
      "p99 latency",
    ]);
  });

  it("don't blame the gate for what a bare echo lost in the same time", () => {
    expect(missed((share) => ({ gate_ms: times(1 + share), echo_ms: times(1 + share) }))).toEqual([]);
  });

  it("don't count a few disturbed intervals, nor the growth of a log that SQLite doesn't empty yet", () => {
    expect(missed((share) => ({ gate_ms: share === 1 ? times(50) : times(1) }))).toEqual([]);
    expect(missed((share) => ({ walMib: 1 + 3 * share }))).toEqual([]);
  });
});

describe("a short soak", () => {
  it("has every call answered as it should be, with a whole trail, and without growing", async () => {
    const { trends, counts, failures, trailProblems } = await soak({
      seconds: 6,
      warmUpSeconds: 2,
      agents: 10,
      callsPerSecond: 60,
      mostUnanswered: 60,
      sampleSeconds: 1,
      limit: 1.5,
    });
    expect(failures).toEqual([]);
    expect(trailProblems).toBe(0);
    expect(counts.answered).toBeGreaterThan(100);
    expect(counts.operatorAnswers).toBeGreaterThan(0);
    expect(counts.grantsChanged).toBeGreaterThan(2);
    expect(counts.restarts).toBeGreaterThan(0);
    // Of a few seconds, on a machine that does other things, the times mean nothing.
    const sizes = trends.filter(({ unit }) => unit !== "ms");
    expect(sizes.map(({ name, ok }) => [name, ok])).toEqual([
      ["memory", true],
      ["open files", true],
      ["largest log", true],
    ]);
  }, 180_000);
});
