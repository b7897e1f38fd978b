import type { Clock } from "./clock.ts";

const DAY_MS = 86_400_000;
/** A wall clock that moved by more than this against the time since boot was set: it may be set right within a day. */
const SET_MS = 3_600_000;

/** The wall clock, for what goes by days and can't be taken back: it isn't followed for a day once it was set. */
export class SettledClock {
  readonly #clock: Clock;
  /** How far the wall clock is from the time since boot. */
  #apartMs: number;
  #fromMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#apartMs = clock.now() - clock.boot().ms;
  }

  /** Milliseconds since 1970; undefined where the clock was set within a day. */
  now(): number | undefined {
    const now = this.#clock.now();
    const { ms } = this.#clock.boot();
    if (Math.abs(now - ms - this.#apartMs) > SET_MS) {
      this.#apartMs = now - ms;
      this.#fromMs = ms + DAY_MS;
    }
    return ms < this.#fromMs ? undefined : now;
  }
}
