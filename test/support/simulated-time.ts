import type { Waits } from "../../main/surfaces/telegram/timing.ts";
import type { ManualClock } from "./manual-clock.ts";

/** An answer is on its way for a few turns of the event loop. */
const TURNS = 20;

interface Timer {
  at: number;
  act(): void;
}

/** Time that passes only while nothing else happens: hours of waiting take milliseconds, in the order in which they would end. */
export class SimulatedTime implements Waits {
  readonly #clock: ManualClock;
  #timers: Timer[] = [];
  #pauses = 0;

  constructor(clock: ManualClock) {
    this.#clock = clock;
  }

  readonly monotonic = (): number => this.#clock.boot().ms;

  readonly pause = (ms: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      if (signal?.aborted === true) return resolve();
      const end = () => {
        if (!this.#timers.includes(timer)) return;
        this.#timers = this.#timers.filter((one) => one !== timer);
        signal?.removeEventListener("abort", end);
        this.#pauses -= 1;
        resolve();
      };
      const timer = this.#add(ms, end);
      this.#pauses += 1;
      signal?.addEventListener("abort", end);
    });

  /** Whether somebody waits for time to pass. */
  get isAwaited(): boolean {
    return this.#pauses > 0;
  }

  /** Does this so many milliseconds from now. */
  after(ms: number, act: () => void): void {
    const timer = this.#add(ms, () => {
      this.#timers = this.#timers.filter((one) => one !== timer);
      act();
    });
  }

  /** Passes until so many milliseconds from now; whenever `isQuiet` holds, on to what ends next. */
  async pass(ms: number, isQuiet: () => boolean): Promise<void> {
    const end = this.monotonic() + ms;
    for (;;) {
      await quietly(isQuiet);
      const next = this.#timers.reduce<Timer | undefined>(
        (first, timer) => (first === undefined || timer.at < first.at ? timer : first),
        undefined,
      );
      const at = Math.min(next?.at ?? end, end);
      this.#clock.advance(Math.max(0, at - this.monotonic()) / 1000);
      if (next === undefined || next.at > end) return;
      next.act();
    }
  }

  #add(ms: number, act: () => void): Timer {
    const timer = { at: this.monotonic() + Math.max(0, ms), act };
    this.#timers.push(timer);
    return timer;
  }
}

/** Resolves once it held in several turns, one after the other. */
async function quietly(isQuiet: () => boolean): Promise<void> {
  for (let held = 0; held < TURNS; held = isQuiet() ? held + 1 : 0)
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
}
