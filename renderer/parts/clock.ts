import { useCallback, useSyncExternalStore } from "react";

/** While the gate doesn't answer, no time that is shown changes: what it says is not known to be true. */
let isHeld = false;

/** One ticking clock for all components that show a time; it is stopped while the page is hidden. */
class Ticker {
  readonly #everyMs: number;
  readonly #listeners = new Set<() => void>();
  #timer: ReturnType<typeof setInterval> | undefined;
  #now = Date.now();

  constructor(everyMs: number) {
    this.#everyMs = everyMs;
  }

  get now(): number {
    // It doesn't tick while it has no listener.
    if (this.#listeners.size === 0 && !isHeld) this.#now = Date.now();
    return this.#now;
  }

  subscribe(listener: () => void): () => void {
    if (this.#listeners.size === 0) {
      if (!isHeld) this.#now = Date.now();
      this.#timer = setInterval(() => this.tick(), this.#everyMs);
    }
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) clearInterval(this.#timer);
    };
  }

  tick(): void {
    if (isHeld) return;
    this.#now = Date.now();
    for (const listener of [...this.#listeners]) listener();
  }
}

const TICKERS = { second: new Ticker(1000), half_minute: new Ticker(30_000) };

/** Stops every clock where it is, or lets them continue, at the right time at once. */
export function holdClocks(isToHold: boolean): void {
  isHeld = isToHold;
  for (const ticker of Object.values(TICKERS)) ticker.tick();
}

/** Milliseconds since 1970, rendered anew this often. */
export function useNow(every: keyof typeof TICKERS = "second"): number {
  const ticker = TICKERS[every];
  return useSyncExternalStore(
    useCallback((listener) => ticker.subscribe(listener), [ticker]),
    () => ticker.now,
  );
}
