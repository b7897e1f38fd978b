/** Lets so many things through in each second, and no more. */
export class PerSecond {
  readonly #most: number;
  readonly #now: () => number;
  #since = Number.NEGATIVE_INFINITY;
  #taken = 0;

  constructor(most: number, now: () => number) {
    this.#most = most;
    this.#now = now;
  }

  /** False once this second's share is taken. */
  take(): boolean {
    const now = this.#now();
    if (now - this.#since >= 1000) {
      this.#since = now;
      this.#taken = 0;
    }
    return ++this.#taken <= this.#most;
  }
}
