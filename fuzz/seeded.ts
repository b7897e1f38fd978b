/** A small, fast generator of numbers in [0, 1) that can be started again from its seed. */
export function generator(seed: number): () => number {
  let state = seed >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 0x1_0000_0000;
  };
}

/** Choices from one seed. */
export class Seeded {
  readonly #next: () => number;

  constructor(seed: number) {
    this.#next = generator(Math.imul(seed + 1, 0x9e37_79b1));
    // The first numbers of neighbouring seeds are alike.
    for (let skipped = 0; skipped < 8; skipped++) this.#next();
  }

  /** A whole number from 0 to `end` - 1. */
  below(end: number): number {
    return Math.floor(this.real(end));
  }

  /** From 0 up to, not including, `end`. */
  real(end: number): number {
    return this.#next() * end;
  }

  chance(share: number): boolean {
    return this.#next() < share;
  }

  pick<T>(items: readonly T[]): T {
    const item = items[this.below(items.length)];
    if (item === undefined) throw new Error("nothing to pick from");
    return item;
  }

  /** One of them, each as often as its weight says. */
  weighted<T>(items: readonly (readonly [weight: number, item: T])[]): T {
    let at = this.#next() * items.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, item] of items) {
      at -= weight;
      if (at < 0) return item;
    }
    return this.pick(items)[1];
  }
}
