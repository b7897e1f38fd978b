import { median, quantile } from "../../bench/figure.ts";

/** What was seen of a gate in one interval of a soak. Times in milliseconds, sizes in MiB. */
export interface Sample {
  /** Round trips of the probe's calls to the gate, and of the same lines to a bare echo. */
  gate_ms: number[];
  echo_ms: number[];
  residentMib: number;
  open_files: number;
  /** Of the largest write-ahead log. */
  walMib: number;
}

/** One measure in the first and in the last third of a soak. */
export interface Trend {
  name: string;
  unit: string;
  first: number;
  last: number;
  /** The last against the first, without what the machine itself lost in the same time. */
  ratio: number;
  ok: boolean;
}

/** SQLite empties a log that has 1,000 pages of 4 KiB: below that its size is meaningless. */
const SMALL_WAL_MIB = 4.4;

/** Compares the last third with the first: nothing may be more than `limit` times what it was. @throws Error with fewer than 3 samples */
export function trendsOf(samples: readonly Sample[], limit: number): Trend[] {
  const third = Math.floor(samples.length / 3);
  if (third === 0) throw new Error("a trend needs three samples");
  const first = samples.slice(0, third);
  const last = samples.slice(-third);
  const trend = (
    name: string,
    unit: string,
    measure: (part: readonly Sample[]) => number,
    machine = () => 1,
  ): Trend => {
    const [before, after] = [measure(first), measure(last)];
    const ratio = after / before / Math.max(1, machine());
    return { name, unit, first: before, last: after, ratio, ok: ratio <= limit };
  };
  const latency = (name: string, share: number) =>
    trend(
      name,
      "ms",
      (part) => typical(part, "gate_ms", share),
      () => typical(last, "echo_ms", share) / typical(first, "echo_ms", share),
    );
  const wal = trend("largest log", "MiB", (part) => Math.max(...part.map(({ walMib }) => walMib)));
  return [
    latency("median latency", 0.5),
    latency("p99 latency", 0.99),
    trend("memory", "MiB", (part) => median(part.map(({ residentMib }) => residentMib))),
    trend("open files", "", (part) => median(part.map(({ open_files }) => open_files))),
    { ...wal, ok: wal.ok || wal.last <= SMALL_WAL_MIB },
  ];
}

/** So many intervals' calls together have a 99th percentile that isn't a single call. */
const INTERVALS_TOGETHER = 4;

/**
 * The median of the quantiles of a few intervals each: what another program does to some of them doesn't decide, what the gate
 * does in most of them does.
 */
function typical(part: readonly Sample[], times: "gate_ms" | "echo_ms", share: number): number {
  const quantiles: number[] = [];
  for (let from = 0; from < part.length; from += INTERVALS_TOGETHER) {
    const together = part.slice(from, from + INTERVALS_TOGETHER).flatMap((sample) => sample[times]);
    if (together.length > 0) quantiles.push(quantile(together, share));
  }
  return median(quantiles);
}
