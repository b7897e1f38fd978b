import { Seeded } from "../fuzz/seeded.ts";

/** Which of all mutants are tried. */

/** `count` of them, chosen by the seed; all of them where there are no more. Their order stays. */
export function sampled<T>(items: readonly T[], count: number, seed: number): T[] {
  const random = new Seeded(seed);
  const left = items.map((_, index) => index);
  const chosen = new Set<number>();
  while (chosen.size < Math.min(count, items.length)) {
    const [index] = left.splice(random.below(left.length), 1);
    if (index !== undefined) chosen.add(index);
  }
  return items.filter((_, index) => chosen.has(index));
}

/** The `number`th of `of` parts, from 1, which together are all of them. */
export function shardOf<T>(items: readonly T[], number: number, of: number): T[] {
  return items.filter((_, index) => index % of === number - 1);
}

/** A seed for today, UTC: 20261122. */
export function seedOfDay(now: Date): number {
  return Number(now.toISOString().slice(0, 10).replaceAll("-", ""));
}
