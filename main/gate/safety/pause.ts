import type Database from "better-sqlite3";
import type { Pause } from "../../../ipc/safety.ts";
import { isoSeconds } from "../clock.ts";

/** The switch that stops every agent. It is on disk before it is anywhere else, so that no crash lifts it. */

export interface PauseRequest {
  by: "human" | "safety";
  reason: string;
  clears: Pause["clears"];
  /** With `after_seconds`. */
  seconds?: number | undefined;
}

interface PauseRow {
  by: "human" | "safety";
  reason: string;
  since: string;
  until: string | null;
  clears: Pause["clears"];
}

const RUNNING: Pause = Object.freeze({
  is_paused: false,
  by: null,
  reason: null,
  since: null,
  until: null,
  clears: "by_human",
});

/** A timer is looked at this often, as a clock may jump; in milliseconds. */
const MAX_WATCH_MS = 30_000;

export class PauseSwitch {
  readonly #db: Database.Database;
  readonly #now: () => number;
  readonly #changed: (pause: Pause) => void;
  readonly #withRoom: <T>(act: () => T) => T;
  #row: PauseRow | undefined;
  /** False while the pause that holds could not be written. */
  #is_written = true;
  #timer: NodeJS.Timeout | undefined;

  /**
   * `db` was opened with `SAFETY_SCHEMA`; `now` gives milliseconds; `changed` hears of each begin and end; `withRoom` does what
   * writes, with the room that is kept aside for it where the disk is full.
   */
  constructor(
    db: Database.Database,
    now: () => number,
    changed: (pause: Pause) => void,
    withRoom: <T>(act: () => T) => T = (act) => act(),
  ) {
    this.#db = db;
    this.#now = now;
    this.#changed = changed;
    this.#withRoom = withRoom;
    this.#row = db.prepare("SELECT by, reason, since, until, clears FROM pause").get() as PauseRow | undefined;
    this.#watch();
  }

  /** Looked at for every call: one comparison while nothing is paused. */
  get reason(): string | undefined {
    if (this.#row === undefined) return undefined;
    if (this.#row.until !== null && this.#row.until <= isoSeconds(this.#now())) {
      this.end();
      return undefined;
    }
    return this.#row.reason;
  }

  state(): Pause {
    if (this.reason === undefined || this.#row === undefined) return RUNNING;
    return { is_paused: true, ...this.#row };
  }

  /**
   * Pauses, or makes a pause that is there stricter: nothing that begins one can shorten another.
   * Safety's reason stays on top of a human's. @throws SQLite's error, once the gate is paused
   */
  begin(request: PauseRequest): Pause {
    const now = this.#now();
    const current = this.reason === undefined ? undefined : this.#row;
    const until =
      request.clears === "after_seconds" ? isoSeconds(now + Math.max(1, request.seconds ?? 1) * 1000 + 999) : null;
    const asked: PauseRow = {
      by: request.by,
      reason: request.reason,
      since: isoSeconds(now),
      until,
      clears: request.clears,
    };
    const row = current === undefined ? asked : stricter(current, asked);
    // An agent that goes on violating a paused gate costs no write.
    if (current !== undefined && isSame(row, current)) return this.state();
    this.#row = row;
    this.#watch();
    try {
      this.#write(row);
    } finally {
      // Also where it can't be written: the gate is paused, only a restart would forget it.
      this.#changed(this.state());
    }
    return this.state();
  }

  /** Lets the gate go on. False if it wasn't paused. */
  end(): boolean {
    if (this.#row === undefined) return false;
    this.#withRoom(() => this.#db.prepare("DELETE FROM pause").run());
    this.#row = undefined;
    this.#is_written = true;
    this.#watch();
    this.#changed(RUNNING);
    return true;
  }

  /** Writes a pause that could not be written before. @throws SQLite's error */
  flush(): void {
    if (!this.#is_written && this.#row !== undefined) this.#write(this.#row);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #write(row: PauseRow): void {
    this.#is_written = false;
    this.#withRoom(() =>
      this.#db
        .prepare(
          "INSERT OR REPLACE INTO pause (only, by, reason, since, until, clears) VALUES (1, $by, $reason, $since, $until, $clears)",
        )
        .run(row),
    );
    this.#is_written = true;
  }

  /** A pause that ends by itself ends also while nobody calls. */
  #watch(): void {
    clearTimeout(this.#timer);
    const until = this.#row?.until ?? null;
    if (until === null) return;
    const wait = Math.max(0, Date.parse(until) - this.#now());
    this.#timer = setTimeout(
      () => {
        if (this.reason !== undefined) this.#watch();
      },
      Math.min(wait, MAX_WATCH_MS),
    );
    this.#timer.unref();
  }
}

const STRICTNESS: Readonly<Record<Pause["clears"], number>> = {
  after_seconds: 0,
  after_all_acknowledged: 1,
  by_human: 2,
};

function isSame(a: PauseRow, b: PauseRow): boolean {
  return a.by === b.by && a.reason === b.reason && a.until === b.until && a.clears === b.clears;
}

function stricter(current: PauseRow, asked: PauseRow): PauseRow {
  const told = asked.by === "safety" && current.by === "human" ? asked : current;
  const harder = STRICTNESS[asked.clears] > STRICTNESS[current.clears] ? asked : current;
  const until =
    harder.clears === "after_seconds" ? [current.until ?? "", asked.until ?? ""].sort().at(-1) || null : null;
  return { by: told.by, reason: told.reason, since: current.since, until, clears: harder.clears };
}
