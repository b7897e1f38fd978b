import { isoSeconds } from "../../../ipc/contract/iso-seconds.ts";
import type { Clock } from "../../base/clocks/clock.ts";
import { bootSecond, remaining, type TwoClockEnd } from "../../base/clocks/two-clock-end.ts";
import type { PreparedStatements } from "../../base/sqlite/prepared-statements.ts";

/** When a request's time is over: the first of both clocks that says so ends it. While a user is at its card it moves, up to a bound. */

interface Deadline {
  expires_at: string;
  boot_expires_at: string | null;
}

/** Of a request whose deadline, at the `moment`, neither clock has passed. */
export const IS_IN_TIME =
  "expires_at >= $now AND NOT (coalesce(boot_expires_at, '') >= $boot_first AND coalesce(boot_expires_at, '') < $boot_now)";

export function isLate({ expires_at, boot_expires_at }: Deadline, clock: Clock): boolean {
  const { id, ms } = clock.boot();
  return expires_at < isoSeconds(clock.now()) || bootSecond(boot_expires_at, id) < Math.floor(ms / 1000);
}

export function deadlineOf({ expires_at, boot_expires_at }: Deadline): TwoClockEnd {
  return { at: expires_at, boot_at: boot_expires_at };
}

/** How long it is until a waiting request expires, in milliseconds, or undefined if none waits. */
export function nextDeadline(db: PreparedStatements, clock: Clock): number | undefined {
  // A damaged date would come first, and say nothing.
  const { at } = db.one<{ at: unknown }>(
    "SELECT min(expires_at) AS at FROM pending INDEXED BY idx_pending_deadline WHERE status = 'pending' AND expires_at GLOB '[12][0-9][0-9][0-9]-*'",
  );
  if (typeof at !== "string") return undefined;
  const { id, ms } = clock.boot();
  const { boot_at } = db.one<{ boot_at: string | null }>(
    "SELECT min(boot_expires_at) AS boot_at FROM pending INDEXED BY idx_pending_boot WHERE status = 'pending' AND boot_expires_at >= ?",
    `${id}:`,
  );
  return Math.min(Date.parse(at) - clock.now(), bootSecond(boot_at, id) * 1000 - ms);
}

/** How long it is until a request expires, in milliseconds. */
export function remainingOf(request: Deadline, clock: Clock): number {
  const { wall, boot } = remaining(clock, deadlineOf(request));
  return Math.min(wall, boot);
}

/** What one sign of the user is worth at the most, in milliseconds: surfaces give one every few seconds. */
export const HOLD_MS = 10_000;
/** No card lives longer than this many times its first term, however long somebody looks at it. */
const MAX_TERMS = 4;

export class DeadlineExtension {
  /** When the user was last seen at each card, in milliseconds since boot. */
  readonly #seen = new Map<string, number>();

  /** By how many seconds the deadline of a request that the user was just seen at moves. `now`: milliseconds since boot. */
  extension(
    request: { token: string; created_at: string; expires_at: string },
    now: number,
    ttlSeconds: number,
  ): number {
    const last = this.#seen.get(request.token);
    this.#seen.set(request.token, now);
    const extensionMs = last === undefined ? HOLD_MS / 2 : Math.min(HOLD_MS, Math.max(0, now - last));
    const bound = Date.parse(request.created_at) + MAX_TERMS * ttlSeconds * 1000;
    const current = Date.parse(request.expires_at);
    return Math.max(0, Math.min((bound - current) / 1000, Math.ceil(extensionMs / 1000)));
  }

  forget(token: string): void {
    this.#seen.delete(token);
  }
}

interface DeadlineTimerParts {
  clock: Clock;
  registry: {
    /** How long it is until a waiting request expires, in milliseconds; undefined if none waits. */
    nextDeadline(): number | undefined;
  };
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
    const remaining = this.#parts.registry.nextDeadline();
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
