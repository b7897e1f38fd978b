import fc from "fast-check";
import { expect, it } from "vitest";
import {
  canMatchAtOrBelow,
  canMatchPath,
  type PathPattern,
  type Segment,
} from "../../../packages/shell-reading/paths.ts";

const ANY: Segment = { kind: "any" } as Segment;
const pathOf = (segments: readonly Segment[]): PathPattern => ({
  segments: [...segments],
  isKnown: true,
  hasPattern: true,
});

/** What is meant, in as many steps as it takes: whatever stands for any names is tried with each number of them. */
function isMeant(segments: readonly Segment[], wanted: readonly string[], open: boolean): boolean {
  const [name, ...rest] = segments;
  if (name === undefined) return wanted.length === 0;
  if (typeof name === "object" && name.kind === "any")
    return Array.from({ length: wanted.length + 1 }, (_, skipped) => skipped).some((skipped) =>
      isMeant(rest, wanted.slice(skipped), open),
    );
  const [first, ...others] = wanted;
  if (first === undefined) return open;
  return name === first && isMeant(rest, others, open);
}

it("a path with names that stand for any others matches what it is meant to", () => {
  const names = fc.constantFrom("a", "b");
  const segments = fc.array(fc.oneof(names, fc.constant(ANY)), { maxLength: 6 });
  fc.assert(
    fc.property(segments, fc.array(names, { maxLength: 7 }), (path, wanted) => {
      expect(canMatchPath(pathOf(path), wanted)).toBe(isMeant(path, wanted, false));
      expect(canMatchAtOrBelow(pathOf(path), wanted)).toBe(isMeant(path, wanted, true));
    }),
    { numRuns: 3000 },
  );
});

it("it does so at once, however deep", () => {
  const deep = Array.from({ length: 2000 }, () => "a");
  const path = pathOf([...Array.from({ length: 20 }, () => [ANY, "a"]).flat(), "b"]);
  const began = process.cpuUsage();
  expect(canMatchPath(path, deep)).toBe(false);
  expect(process.cpuUsage(began).user).toBeLessThan(200_000);
});
