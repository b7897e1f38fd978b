import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { drawn, KINDS, PICTURE, roundedUp } from "../../../renderer/views/activity/picture-geometry.ts";

const bucket = fc.record({ allowed: fc.nat(5000), asked: fc.nat(50), denied: fc.nat(50) });
const counts = fc.array(bucket, { minLength: 1, maxLength: 60 }).map((buckets) => ({
  range: "hour" as const,
  bucket_seconds: 60,
  buckets: buckets.map((counted, index) => ({ start: index * 60, ...counted })),
}));

describe("the picture of what was decided", () => {
  it("shows each kind that was counted, and nothing that wasn't", () => {
    fc.assert(
      fc.property(counts, (given) => {
        drawn(given).bars.forEach((bar, index) => {
          const expected = KINDS.filter((kind) => (given.buckets[index]?.[kind] ?? 0) > 0);
          expect(bar.segments.map(({ kind }) => kind)).toEqual(expected);
        });
      }),
    );
  });

  it("stays inside its frame, stacks without gaps, and beside one another no bar covers the next", () => {
    fc.assert(
      fc.property(counts, (given) => {
        let right = 0;
        for (const { segments } of drawn(given).bars) {
          let floor: number = PICTURE.height - PICTURE.bottom;
          for (const { x, y, width, height } of segments) {
            expect(y + height).toBeCloseTo(floor, 6);
            expect(x).toBeGreaterThanOrEqual(right);
            expect(x + width).toBeLessThanOrEqual(PICTURE.width);
            floor = y;
          }
          // The least height of small segments may reach a little above the ceiling's line, never out of the frame.
          expect(floor).toBeGreaterThanOrEqual(0);
          const [first] = segments;
          if (first !== undefined) right = first.x + first.width;
        }
      }),
    );
  });

  it("adds up what it shows", () => {
    fc.assert(
      fc.property(counts, (given) => {
        const { totals, bars } = drawn(given);
        for (const kind of KINDS)
          expect(totals[kind]).toBe(given.buckets.reduce((sum, counted) => sum + counted[kind], 0));
        expect(bars.reduce((sum, bar) => sum + bar.total, 0)).toBe(totals.allowed + totals.asked + totals.denied);
      }),
    );
  });

  it("is measured in figures that read well", () => {
    expect([0, 1, 2, 3, 7, 11, 19, 21, 60, 4999].map(roundedUp)).toEqual([1, 1, 2, 5, 10, 20, 20, 50, 100, 5000]);
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1e7 }),
        (count) => roundedUp(count) >= count && roundedUp(count) <= count * 2.5,
      ),
    );
  });
});
