interface Waiting {
  who: string;
  begin(): void;
}

/** So many at the same time; the others wait. Next is whoever has the fewest, and of those who waits longest. */
export class ConcurrencyLimit {
  #free: number;
  readonly #waiting = new Set<Waiting>();
  readonly #taken = new Map<string, number>();

  constructor(count: number) {
    this.#free = count;
  }

  /** Resolves once there is room for `who`, to what gives it back. @throws the signal's reason */
  async take(signal: AbortSignal, who = ""): Promise<() => void> {
    signal.throwIfAborted();
    if (this.#free > 0) this.#begin(who);
    else await this.#wait(signal, who);
    let isGivenBack = false;
    return () => {
      if (isGivenBack) return;
      isGivenBack = true;
      this.#end(who);
    };
  }

  #begin(who: string): void {
    this.#free--;
    this.#taken.set(who, this.#takenBy(who) + 1);
  }

  #end(who: string): void {
    const left = this.#takenBy(who) - 1;
    if (left > 0) this.#taken.set(who, left);
    else this.#taken.delete(who);
    this.#free++;
    this.#next()?.begin();
  }

  #next(): Waiting | undefined {
    let next: Waiting | undefined;
    for (const one of this.#waiting)
      if (next === undefined || this.#takenBy(one.who) < this.#takenBy(next.who)) next = one;
    return next;
  }

  #takenBy(who: string): number {
    return this.#taken.get(who) ?? 0;
  }

  #wait(signal: AbortSignal, who: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        who,
        begin: () => {
          this.#waiting.delete(waiting);
          signal.removeEventListener("abort", aborted);
          this.#begin(who);
          resolve();
        },
      };
      const aborted = () => {
        this.#waiting.delete(waiting);
        reject(signal.reason);
      };
      this.#waiting.add(waiting);
      signal.addEventListener("abort", aborted, { once: true });
    });
  }
}
