import { isoSeconds } from "../clock.ts";

export interface DeadlineParts {
  /** The next moment at which a waiting request expires. */
  next(): string | undefined;
  /** Ends some of what has expired. Returns how many. @throws SQLite's error */
  expireSome(): number;
  /** Milliseconds. */
  now(): number;
  failed(error: unknown): void;
}

/** The clock is looked at this often while something waits, in milliseconds. */
const MAX_WATCH_MS = 30_000;

/** One timer for all that waits: the next deadline, and now and then before it, as a clock may jump (a laptop that slept). */
export class Deadlines {
  readonly #parts: DeadlineParts;
  #timer: NodeJS.Timeout | undefined;
  /** No request expires before. */
  #next: string | undefined;

  constructor(parts: DeadlineParts) {
    this.#parts = parts;
  }

  get has_passed(): boolean {
    return this.#next !== undefined && this.#next < isoSeconds(this.#parts.now());
  }

  start(): void {
    this.stop();
    const deadline = this.#parts.next();
    if (deadline !== undefined) this.watch(deadline);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#next = undefined;
  }

  /** Something waits until then, ISO-8601. */
  watch(deadline: string): void {
    if (this.#next !== undefined && this.#next <= deadline) return;
    clearTimeout(this.#timer);
    this.#next = deadline;
    this.#wait(Math.min(Math.max(0, Date.parse(deadline) + 1000 - this.#parts.now()), MAX_WATCH_MS));
  }

  #wait(milliseconds: number): void {
    this.#timer = setTimeout(() => this.#expire(), milliseconds);
    this.#timer.unref();
  }

  /** What expires together may be thousands: some in each turn of the event loop. */
  #expire(): void {
    if (this.#timer === undefined) return;
    try {
      if (this.#parts.expireSome() > 0) setImmediate(() => this.#expire());
      else this.start();
    } catch (error) {
      this.#parts.failed(error);
      this.#wait(MAX_WATCH_MS);
    }
  }
}
