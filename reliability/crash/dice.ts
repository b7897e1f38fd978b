import { generator } from "../../fuzz/seeded.ts";

/** The choices of one round: the same ones for the same seed. */
export class Dice {
  readonly #random: () => number;

  constructor(seed: number) {
    this.#random = generator(Math.imul(seed + 1, 0x9e37_79b1));
    // The first numbers of neighbouring seeds are alike.
    for (let index = 0; index < 16; index++) this.#random();
  }

  /** From 0 up to, not including, `end`. */
  below(end: number): number {
    return this.#random() * end;
  }

  integer(end: number): number {
    return Math.floor(this.below(end));
  }

  chance(probability: number): boolean {
    return this.#random() < probability;
  }

  /** @throws Error for an empty list */
  pick<T>(list: readonly T[]): T {
    const index = this.integer(list.length);
    if (index >= list.length) throw new Error("nothing to choose from");
    return list[index] as T;
  }

  /** One of the keys, each as often as its weight says. */
  weighted<K extends string>(weights: Readonly<Record<K, number>>): K {
    const entries = Object.entries(weights) as [K, number][];
    let rest = this.below(entries.reduce((sum, [, weight]) => sum + weight, 0));
    for (const [key, weight] of entries) {
      rest -= weight;
      if (rest < 0) return key;
    }
    return (entries.at(-1) as [K, number])[0];
  }
}
