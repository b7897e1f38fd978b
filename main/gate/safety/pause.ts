import type Database from "better-sqlite3";
import { isoSeconds } from "../../../ipc/iso-seconds.ts";
import type { Pause, ViolationCause } from "../../../ipc/safety.ts";
import type { Clock } from "../clock.ts";
import { type End, endAt, laterEnd, remaining, stricterEnd } from "../ends.ts";
import { errorCode } from "../errors.ts";
import { NO_REPORT, type RowReport } from "../row-report.ts";
import { Statements } from "../statements.ts";
import { PAUSE_ROW, readCause, readPause } from "./pause-row.ts";

/** The switch that stops every agent. It is on disk before anything follows from it, so that no crash lifts it. */

export interface PauseRequest {
  by: "human" | "safety";
  reason: string;
  clears: Pause["clears"];
  /** With `after_seconds`. */
  seconds?: number | undefined;
  /** The violation that pauses the gate. */
  cause?: ViolationCause;
}

interface PauseRow {
  by: "human" | "safety";
  reason: string;
  since: string;
  /** The pause is over when both clocks say so: a step of one of them can't shorten it. */
  until: string | null;
  boot_until: string | null;
  clears: Pause["clears"];
  /** JSON. */
  cause: string | null;
}

const RUNNING: Pause = Object.freeze({
  is_paused: false,
  by: null,
  reason: null,
  since: null,
  until: null,
  clears: "by_human",
  cause: null,
});

/** The clocks are checked this often, as one may jump; in milliseconds. */
const MAX_WATCH_MS = 30_000;

export class PauseSwitch {
  readonly #db: Statements;
  readonly #clock: Clock;
  readonly #changed: (pause: Pause) => void;
  readonly #report: RowReport;
  readonly #withRoom: <T>(act: () => T) => T;
  #row: PauseRow | undefined;
  /** False while the current pause could not be written. */
  #is_written = true;
  #timer: NodeJS.Timeout | undefined;

  /**
   * `db` was opened with `SAFETY_SCHEMA`; `changed` is called at each begin and end; `withRoom` runs a write, with the reserved
   * space where the disk is full.
   */
  constructor(
    db: Database.Database,
    clock: Clock,
    changed: (pause: Pause) => void,
    report: RowReport = NO_REPORT,
    withRoom: <T>(act: () => T) => T = (act) => act(),
  ) {
    this.#db = new Statements(db);
    this.#clock = clock;
    this.#changed = changed;
    this.#report = report;
    this.#withRoom = withRoom;
    const row = this.#db
      .prepare<PauseRow>("SELECT by, reason, since, until, boot_until, clears, cause FROM pause")
      .get();
    this.#row = readPause(row, isoSeconds(clock.now()), report);
    this.#watch();
  }

  /** Checked for every call: one comparison while nothing is paused. */
  get reason(): string | undefined {
    if (this.#row === undefined) return undefined;
    const left = this.#left();
    if (left !== undefined && left <= 0) {
      this.#expire();
      return undefined;
    }
    return this.#row.reason;
  }

  state(): Pause {
    if (this.reason === undefined || this.#row === undefined) return RUNNING;
    const { boot_until: _, ...row } = this.#row;
    const end = endOf(this.#row);
    return { is_paused: true, ...row, cause: readCause(row.cause), until: end && laterEnd(this.#clock, end) };
  }

  /**
   * Pauses, or makes the current pause stricter: a new pause never shortens another. Safety's reason takes precedence over the
   * operator's. @throws SQLite's error, once the gate is paused
   */
  begin(request: PauseRequest): Pause {
    const now = this.#clock.now();
    const current = this.reason === undefined ? undefined : this.#row;
    const end =
      request.clears === "after_seconds"
        ? endAt(this.#clock, now + Math.max(1, request.seconds ?? 1) * 1000 + 999)
        : undefined;
    const asked: PauseRow = {
      by: request.by,
      reason: request.reason,
      since: isoSeconds(now),
      until: end?.at ?? null,
      boot_until: end?.boot_at ?? null,
      clears: request.clears,
      cause: request.cause === undefined ? null : JSON.stringify(request.cause),
    };
    const row = current === undefined ? asked : stricter(current, asked, this.#clock);
    // Further violations while the gate is paused cost no write.
    if (current !== undefined && isSame(row, current)) return this.state();
    this.#row = row;
    this.#watch();
    try {
      this.#write(row);
    } finally {
      // Also where it can't be written: the gate is paused, only a restart would lose the pause.
      this.#changed(this.state());
    }
    return this.state();
  }

  /** Ends the pause. False if there was none. */
  end(): boolean {
    if (this.#row === undefined) return false;
    this.#withRoom(() => this.#db.prepare("DELETE FROM pause").run());
    this.#ended();
    return true;
  }

  /** Writes a pause that could not be written before. @throws SQLite's error */
  flush(): void {
    if (!this.#is_written && this.#row !== undefined) this.#write(this.#row);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  /** An expired pause ends even where that can't be written: the next start finds it expired as well. */
  #expire(): void {
    try {
      this.#db.prepare("DELETE FROM pause").run();
    } catch (error) {
      if (!errorCode(error).startsWith("SQLITE")) throw error;
    }
    this.#ended();
  }

  #ended(): void {
    this.#row = undefined;
    this.#is_written = true;
    this.#report.resolved(PAUSE_ROW);
    this.#watch();
    this.#changed(RUNNING);
  }

  /** How long the pause still lasts, in milliseconds; undefined for one that doesn't end by itself. */
  #left(): number | undefined {
    const end = this.#row && endOf(this.#row);
    if (!end) return undefined;
    const { wall, boot } = remaining(this.#clock, end);
    return Number.isFinite(boot) ? Math.max(wall, boot) : wall;
  }

  #write(row: PauseRow): void {
    this.#is_written = false;
    this.#withRoom(() =>
      this.#db
        .prepare(
          "INSERT OR REPLACE INTO pause (only, by, reason, since, until, boot_until, clears, cause) VALUES (1, $by, $reason, $since, $until, $boot_until, $clears, $cause)",
        )
        .run(row),
    );
    this.#is_written = true;
  }

  /** Ends an expiring pause by a timer, so that it ends also without calls. */
  #watch(): void {
    clearTimeout(this.#timer);
    const wait = this.#left();
    if (wait === undefined) return;
    this.#timer = setTimeout(
      () => {
        if (this.reason !== undefined) this.#watch();
      },
      Math.min(Math.max(0, wait), MAX_WATCH_MS),
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
  return (
    a.by === b.by &&
    a.reason === b.reason &&
    a.cause === b.cause &&
    a.until === b.until &&
    a.boot_until === b.boot_until &&
    a.clears === b.clears
  );
}

function stricter(current: PauseRow, asked: PauseRow, clock: Clock): PauseRow {
  const shown = asked.by === "safety" && current.by === "human" ? asked : current;
  const harder = STRICTNESS[asked.clears] > STRICTNESS[current.clears] ? asked : current;
  const end = harder.clears === "after_seconds" ? stricterEnd(endOf(current), endOf(asked), clock) : null;
  return {
    by: shown.by,
    reason: shown.reason,
    cause: shown.cause,
    since: current.since,
    until: end?.at ?? null,
    boot_until: end?.boot_at ?? null,
    clears: harder.clears,
  };
}

function endOf({ until, boot_until }: PauseRow): End | null {
  return until === null ? null : { at: until, boot_at: boot_until };
}
