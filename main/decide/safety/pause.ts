import { z } from "zod";
import { ownCommand } from "../../../ipc/base/own-command.ts";
import { isoSeconds } from "../../../ipc/contract/iso-seconds.ts";
import { type Pause, pauseSchema, type ViolationCause, violationCauseSchema } from "../../../ipc/contract/safety.ts";
import { type Ending, endOf, GATE, type KeptPauses, PauseBook, timeLeft } from "../../agents/index.ts";
import type { Clock } from "../../base/clocks/clock.ts";
import { endAt, laterEnd, stricterEnd } from "../../base/clocks/two-clock-end.ts";
import { type DamagedRowReport, NO_REPORT } from "../../base/sqlite/damaged-row-report.ts";
import { PreparedStatements, type SqliteDatabase } from "../../base/sqlite/prepared-statements.ts";

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

interface PauseRow extends Ending, Omit<StoredPause, "until"> {
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

const STORE =
  "INSERT OR REPLACE INTO pause (only, by, reason, since, until, boot_until, clears, cause) VALUES (1, $by, $reason, $since, $until, $boot_until, $clears, $cause)";

/** With its WHERE clause: SQLite writes nothing where there is no row, so that this works on a full disk. */
const END = "DELETE FROM pause WHERE only = 1";

export interface PauseSwitchParts {
  clock: Clock;
  /** Called at each begin and end. */
  changed(pause: Pause): void;
  report?: DamagedRowReport | undefined;
  /** Runs a write, with the reserved space where the disk is full. */
  withRoom?: (<T>(act: () => T) => T) | undefined;
  /** Has what could not be stored. */
  kept?: KeptPauses | undefined;
}

export class PauseSwitch {
  readonly #db: PreparedStatements;
  readonly #clock: Clock;
  readonly #changed: (pause: Pause) => void;
  readonly #report: DamagedRowReport;
  readonly #kept: KeptPauses | undefined;
  readonly #book: PauseBook<PauseRow>;
  #row: PauseRow | undefined;

  /** `db` was opened with `SAFETY_SCHEMA`. */
  constructor(db: SqliteDatabase, { clock, changed, report, withRoom, kept }: PauseSwitchParts) {
    this.#db = new PreparedStatements(db);
    this.#clock = clock;
    this.#changed = changed;
    this.#report = report ?? NO_REPORT;
    this.#kept = kept;
    const remove = () => void this.#db.prepare(END).run();
    this.#book = new PauseBook({ db: this.#db, store: STORE, remove, withRoom, kept });
    const row = this.#db
      .prepare<PauseRow>("SELECT by, reason, since, until, boot_until, clears, cause FROM pause")
      .get();
    this.#row = readPause(row, isoSeconds(clock.now()), this.#report);
    this.#takeKept();
    this.#watch();
  }

  /** The pause that the gate before could not store. */
  #takeKept(): void {
    const kept = readPause(this.#kept?.row<PauseRow>(GATE), isoSeconds(this.#clock.now()), this.#report);
    if (kept === undefined) return;
    const stored = this.#row;
    const row = stored === undefined ? kept : stricter(stored, kept, this.#clock);
    if (timeLeft(row, this.#clock) <= 0 || (stored !== undefined && isSame(row, stored))) {
      this.#kept?.stored(GATE);
      return;
    }
    this.#row = row;
    this.#book.adopt(GATE);
  }

  /** Checked for every call: one comparison while nothing is paused. */
  get reason(): string | undefined {
    if (this.#row === undefined) return undefined;
    if (timeLeft(this.#row, this.#clock) <= 0) {
      this.#book.expire(GATE);
      this.#ended();
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
   * operator's. A repetition by hand tries to write again what could not be written. @throws SQLite's error, once the gate is paused
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
    const same = current !== undefined && isSame(row, current);
    // Further violations while the gate is paused cost no write.
    if (same && (this.#book.isWritten(GATE) || request.by === "safety")) return this.state();
    this.#row = row;
    this.#watch();
    try {
      this.#book.write(GATE, row);
    } finally {
      // Also where it can't be written: the gate is paused, only a restart would lose the pause.
      if (!same) this.#changed(this.state());
    }
    return this.state();
  }

  /** Ends the pause. False if there was none. @throws SQLite's error, GateError `storage_failed`: it is paused as before */
  end(): boolean {
    const row = this.#row;
    if (row === undefined) return false;
    this.#book.remove(GATE, row);
    this.#ended();
    return true;
  }

  /** Writes a pause that could not be written before. @throws SQLite's error */
  flush(): void {
    if (!this.#book.isWritten(GATE) && this.#row !== undefined) this.#book.write(GATE, this.#row);
  }

  stop(): void {
    this.#book.stop();
  }

  #ended(): void {
    this.#row = undefined;
    this.#book.settled(GATE);
    this.#report.resolved(PAUSE_ROW);
    this.#watch();
    this.#changed(RUNNING);
  }

  #watch(): void {
    const wait = this.#row === undefined ? Number.POSITIVE_INFINITY : timeLeft(this.#row, this.#clock);
    this.#book.watch(wait, () => {
      if (this.reason !== undefined) this.#watch();
    });
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

const DATE = z.iso.datetime();

/** The row's name in reports. */
const PAUSE_ROW = "the pause";

const rowSchema = z.object({
  by: z.enum(["human", "safety"]),
  reason: z.string(),
  since: DATE,
  until: DATE.nullable(),
  clears: pauseSchema.shape.clears,
});
type StoredPause = z.infer<typeof rowSchema>;

/** The stored pause. An unreadable one counts as a pause, until the operator ends it. `now` in the databases' form. */
function readPause<Row extends StoredPause>(
  row: Row | undefined,
  now: string,
  report: DamagedRowReport,
): Row | undefined {
  if (row === undefined || rowSchema.safeParse(row).success) return row;
  report.damaged(PAUSE_ROW, `the gate stays paused; to resume it: ${ownCommand("safety resume")}`);
  return {
    ...row,
    by: "safety",
    reason: "the stored pause can't be read",
    since: now,
    until: null,
    clears: "by_human",
  };
}

/** What paused the gate, as it is stored. One that can't be read is left out: the pause holds all the same. */
function readCause(text: string | null): ViolationCause | null {
  if (text === null) return null;
  try {
    return violationCauseSchema.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null; // not JSON
  }
}
