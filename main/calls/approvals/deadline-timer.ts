import type { Clock } from "../../base/clocks/clock.ts";

export interface DeadlineTimerParts {
  clock: Clock;
  /** How long it is until a waiting request expires, in milliseconds; undefined if none waits. */
  next(): number | undefined;
  /** Ends some of what has expired. Returns how many. @throws SQLite's error */
  expireSome(): number;
  /** The wall clock was set. */
  jumped(): void;
  failed(error: unknown): void;
}

/** The clock is looked at this often while something waits, in milliseconds. */
const MAX_WATCH_MS = 30_000;
/** A wall clock that moved by less was corrected, not set; in milliseconds. */
const JUMP_MS = 2000;

/** One timer for all that waits: the next deadline, and now and then before it, as a clock may jump (a laptop that slept). */
export class DeadlineTimer {
  readonly #parts: DeadlineTimerParts;
  #timer: NodeJS.Timeout | undefined;
  /** No request expires before: milliseconds since boot. */
  #next: number | undefined;
  /** The wall clock's lead over the time since boot when it was last looked at, in milliseconds. */
  #lead: number;

  constructor(parts: DeadlineTimerParts) {
    this.#parts = parts;
    this.#lead = this.#leadNow();
  }

  get hasPassed(): boolean {
    return this.#next !== undefined && this.#next < this.#parts.clock.boot().ms;
  }

  start(): void {
    this.stop();
    const remaining = this.#parts.next();
    if (remaining !== undefined) this.watch(remaining);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#next = undefined;
  }

  /** Something expires in `remaining` milliseconds. */
  watch(remaining: number): void {
    const deadline = this.#parts.clock.boot().ms + remaining;
    if (this.#next !== undefined && this.#next <= deadline) return;
    clearTimeout(this.#timer);
    this.#next = deadline;
    this.#wait(Math.min(Math.max(0, remaining + 1000), MAX_WATCH_MS));
  }

  #wait(milliseconds: number): void {
    this.#timer = setTimeout(() => this.#expire(), milliseconds);
    this.#timer.unref();
  }

  /** What expires together may be thousands: some in each turn of the event loop. */
  #expire(): void {
    if (this.#timer === undefined) return;
    try {
      if (this.#parts.expireSome() > 0) {
        setImmediate(() => this.#expire());
        return;
      }
      this.#noticeJump();
      this.start();
    } catch (error) {
      this.#parts.failed(error);
      this.#wait(MAX_WATCH_MS);
    }
  }

  #leadNow(): number {
    const { clock } = this.#parts;
    return clock.now() - clock.boot().ms;
  }

  #noticeJump(): void {
    const lead = this.#leadNow();
    if (Math.abs(lead - this.#lead) < JUMP_MS) return;
    this.#lead = lead;
    this.#parts.jumped();
  }
}
