import type { Clock } from "../base/clocks/clock.ts";
import { remaining, type TwoClockEnd } from "../base/clocks/two-clock-end.ts";
import { errorCode } from "../base/errors.ts";
import { diskFullCode } from "../base/files/disk-reserve.ts";
import type { PreparedStatements } from "../base/sqlite/prepared-statements.ts";
import type { KeptPauses } from "./kept-pauses.ts";

/** What the gate's pause and those of single agents share: how they are written, which of them could not be, and when they end by themselves. */

/** A pause's columns that say when it ends by itself; null: it doesn't. It is over when both clocks say so: a step of one of them can't shorten it. */
export interface Ending {
  /** ISO-8601 UTC. */
  until: string | null;
  boot_until: string | null;
}

/** The clocks are checked this often, as one may jump; in milliseconds. */
const MAX_WATCH_MS = 30_000;

export interface PauseBookParts {
  db: PreparedStatements;
  /** SQL that writes a row. */
  store: string;
  remove(who: string): void;
  /** Runs a write, with the reserved space where the disk is full. */
  withRoom?: (<T>(act: () => T) => T) | undefined;
  /** Has what could not be stored. */
  kept?: KeptPauses | undefined;
}

export class PauseBook<Row extends object> {
  readonly #parts: PauseBookParts;
  /** Those that could not be written yet. */
  readonly #unwritten = new Set<string>();
  /** Those whose write may have come to the disk though it failed. */
  readonly #doubtful = new Set<string>();
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: PauseBookParts) {
    this.#parts = parts;
  }

  /** Whose pause could not be written yet. */
  get unwritten(): readonly string[] {
    return [...this.#unwritten];
  }

  isWritten(who: string): boolean {
    return !this.#unwritten.has(who);
  }

  /** One that the gate before could not store, and that the database doesn't hold. */
  adopt(who: string): void {
    this.#unwritten.add(who);
    this.#parts.kept?.adopt(who);
  }

  /** @throws SQLite's error: it is kept aside then, and `write` is to be tried again */
  write(who: string, row: Row): void {
    try {
      this.#withRoom(() => this.#parts.db.prepare(this.#parts.store).run(row));
    } catch (error) {
      this.#notWritten(who, row, error);
      throw error;
    }
    this.settled(who);
  }

  /** Removes a pause that ends before its time. @throws SQLite's error, GateError `storage_failed`: it holds as before */
  remove(who: string, row: Row): void {
    const { db, store, remove, kept } = this.#parts;
    // First: whatever fails later, the pause holds.
    kept?.forget(who);
    try {
      this.#withRoom(() =>
        db.together(() => {
          // One that may be on the disk is written before: deleting nothing would write nothing over it.
          if (this.#doubtful.has(who)) db.prepare(store).run(row);
          remove(who);
        }),
      );
    } catch (error) {
      // On a full disk nothing was deleted; after another error nobody knows.
      if (!this.isWritten(who) || diskFullCode(error) === undefined) this.#notWritten(who, row, error);
      throw error;
    }
  }

  /** One that is over ends even where that can't be written: the next start finds it over as well. */
  expire(who: string): void {
    try {
      this.#parts.remove(who);
    } catch (error) {
      if (!errorCode(error).startsWith("SQLITE")) throw error;
    }
  }

  /** The database holds what it should. To be called after a pause was removed, once it is over for everyone else. */
  settled(who: string): void {
    this.#unwritten.delete(who);
    this.#doubtful.delete(who);
    this.#parts.kept?.stored(who);
  }

  /** Calls `look` once after so many milliseconds, or earlier, so that a pause ends also without calls; never where that is infinite. */
  watch(wait: number, look: () => void): void {
    this.stop();
    if (!Number.isFinite(wait)) return;
    this.#timer = setTimeout(look, Math.min(Math.max(0, wait), MAX_WATCH_MS));
    this.#timer.unref();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #notWritten(who: string, row: Row, error: unknown): void {
    this.#unwritten.add(who);
    if (diskFullCode(error) === undefined) this.#doubtful.add(who);
    this.#parts.kept?.hold(who, row, error);
  }

  #withRoom<T>(act: () => T): T {
    return this.#parts.withRoom === undefined ? act() : this.#parts.withRoom(act);
  }
}

export function endOf({ until, boot_until }: Ending): TwoClockEnd | null {
  return until === null ? null : { at: until, boot_at: boot_until };
}

/** How long a pause still lasts, in milliseconds; infinite for one that doesn't end by itself. */
export function timeLeft(row: Ending, clock: Clock): number {
  const end = endOf(row);
  if (end === null) return Number.POSITIVE_INFINITY;
  const { wall, boot } = remaining(clock, end);
  return Number.isFinite(boot) ? Math.max(wall, boot) : wall;
}
