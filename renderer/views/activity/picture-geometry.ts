import type { ActivityCounts, ActivityRange } from "../../../ipc/contract/activity.ts";

/** The geometry of the picture of what was allowed, asked and denied. Units are those of the SVG's view box. */

export const PICTURE = { width: 720, height: 120, left: 0, bottom: 18, top: 14 } as const;

export const KINDS = ["allowed", "asked", "denied"] as const;
export type Kind = (typeof KINDS)[number];

interface Segment {
  kind: Kind;
  x: number;
  y: number;
  width: number;
  height: number;
}

interface Bar {
  start: number;
  total: number;
  segments: Segment[];
}

interface Tick {
  x: number;
  /** Unix seconds; null means now. */
  at: number | null;
}

export interface Picture {
  bars: Bar[];
  ticks: Tick[];
  /** The highest bar's count, rounded up to a figure that reads well. */
  ceiling: number;
  totals: Record<Kind, number>;
}

/** The least height of a bar: a count must be visible, however small it is beside the rest. */
const LEAST_HEIGHT = 2;
const GAP = 1;
const TICKS: Readonly<Record<ActivityRange, number>> = { hour: 4, day: 4, week: 7 };

export function drawn({ range, bucket_seconds, buckets }: ActivityCounts): Picture {
  const totals = { allowed: 0, asked: 0, denied: 0 };
  for (const bucket of buckets) for (const kind of KINDS) totals[kind] += bucket[kind];
  const highest = buckets.reduce((most, { allowed, asked, denied }) => Math.max(most, allowed + asked + denied), 0);
  const ceiling = roundedUp(highest);
  const step = buckets.length === 0 ? 0 : (PICTURE.width - PICTURE.left) / buckets.length;
  const floor = PICTURE.height - PICTURE.bottom;
  const space = floor - PICTURE.top;
  const bars = buckets.map((bucket, index): Bar => {
    let y = floor;
    const segments: Segment[] = [];
    for (const kind of KINDS) {
      if (bucket[kind] === 0) continue;
      const height = Math.max(LEAST_HEIGHT, (bucket[kind] / ceiling) * space);
      y -= height;
      segments.push({ kind, x: PICTURE.left + index * step + GAP, y, width: Math.max(1, step - 2 * GAP), height });
    }
    return { start: bucket.start, total: bucket.allowed + bucket.asked + bucket.denied, segments };
  });
  const first = buckets[0]?.start ?? 0;
  const span = bucket_seconds * buckets.length;
  const ticks: Tick[] = Array.from({ length: TICKS[range] }, (_, index) => ({
    x: PICTURE.left + ((PICTURE.width - PICTURE.left) * index) / TICKS[range],
    at: first + Math.round((span * index) / TICKS[range]),
  }));
  ticks.push({ x: PICTURE.width, at: null });
  return { bars, ticks, ceiling, totals };
}

/** 1, 2, 5, 10, 20, 50, ... that is not below `count`. */
export function roundedUp(count: number): number {
  if (count <= 1) return 1;
  const power = 10 ** Math.floor(Math.log10(count));
  const factor = [1, 2, 5, 10].find((candidate) => candidate * power >= count) ?? 10;
  return factor * power;
}
