/** Seconds that count. */
const WINDOW = 60;

/** How often something happened in the last minute, in whole seconds: no more than sixty numbers, however often that was. */
export class MinuteCount {
  #seconds: { second: number; count: number }[] = [];
  #total = 0;

  /** `second`: of any clock that doesn't go back. */
  add(second: number): void {
    const last = this.#seconds.at(-1);
    if (last?.second === second) last.count++;
    else this.#seconds.push({ second, count: 1 });
    this.#total++;
  }

  /** How often in the minute before, and in how many seconds of it that was. */
  until(second: number): { count: number; seconds: number } {
    while (this.#seconds[0] !== undefined && this.#seconds[0].second <= second - WINDOW)
      this.#total -= this.#seconds.shift()?.count ?? 0;
    const first = this.#seconds[0]?.second ?? second;
    return { count: this.#total, seconds: second - first + 1 };
  }
}
