import { ownCommand } from "../../../ipc/base/own-command.ts";
import { shortened, visible } from "../../../ipc/base/visible-text.ts";
import { isoSeconds } from "../../../ipc/contract/iso-seconds.ts";
import { type Severity, type ViolationView, violationSchema } from "../../../ipc/contract/safety.ts";
import type { SafetyVerdict } from "../../../ipc/contract/wire.ts";
import { type DamagedRowReport, NO_REPORT } from "../../base/sqlite/damaged-row-report.ts";
import { PreparedStatements, type SqliteDatabase } from "../../base/sqlite/prepared-statements.ts";

/** The stored violations. Bounded in number; a CRITICAL one is kept until the operator has acknowledged it. */

export type NewViolation = SafetyVerdict["violations"][number] & { agent_name: string; about?: string | undefined };

const MAX_SUBJECT_ID = 80;
const MAX_ABOUT = 120;
/** Bounds the disk use of an agent that keeps violating: beyond this many open CRITICAL ones its last one counts the rest. */
const MAX_OPEN_CRITICAL_PER_AGENT = 200;
/** Those of a turn of the event loop are written together, at most this many; the first CRITICAL one is written at once. */
const MAX_WAITING = 500;
/** Of one batch, this many are published to the surfaces: the listing has them all. */
const MAX_PUBLISHED = 20;

const COLUMNS =
  "id, rule_id, severity, subject_type, subject_id, agent_name, detail, about, detected_at, times, acknowledged_at";

type Writable = Omit<NewViolation, "about"> & { about: string | null; detected_at: string };

/** As it is stored and shown: bounded, hidden characters escaped. */
export function shownAbout(about: string | undefined): string | null {
  return about === undefined ? null : shortened(visible(about), MAX_ABOUT);
}

export class ViolationLog {
  readonly #db: PreparedStatements;
  readonly #now: () => number;
  readonly #max: number;
  readonly #stored: (violation: ViolationView) => void;
  readonly #report: DamagedRowReport;
  #writing: Promise<void> | undefined;
  #waiting: Writable[] = [];

  /** `db` was opened with `SAFETY_SCHEMA`; `max` is how many are kept; `stored` is called with written violations. */
  constructor(
    db: SqliteDatabase,
    max: number,
    now: () => number,
    stored: (violation: ViolationView) => void,
    report: DamagedRowReport = NO_REPORT,
  ) {
    this.#db = new PreparedStatements(db);
    this.#max = max;
    this.#now = now;
    this.#stored = stored;
    this.#report = report;
  }

  /** Never throws: what can't be written now is kept for later, within a bound. `atOnce`: without waiting for others. */
  add(violation: NewViolation, atOnce = false): void {
    const subjectId = shortened(visible(violation.subject_id), MAX_SUBJECT_ID);
    const about = shownAbout(violation.about);
    this.#waiting.push({ ...violation, subject_id: subjectId, about, detected_at: isoSeconds(this.#now()) });
    if (atOnce || this.#waiting.length >= MAX_WAITING) this.#tryToFlush();
  }

  /** Resolves once what was added is written, in one transaction with what others add in this turn; or can't be written now. */
  written(): Promise<void> {
    if (this.#waiting.length === 0) return Promise.resolve();
    this.#writing ??= new Promise((resolve) => {
      setImmediate(() => {
        this.#writing = undefined;
        this.#tryToFlush();
        resolve();
      });
    });
    return this.#writing;
  }

  #tryToFlush(): void {
    try {
      this.flush();
    } catch {
      // What can't be written now is kept: the gate's next flush reports the error, and retries.
    }
  }

  /** Writes the queued violations, in one transaction, and prunes. @throws SQLite's error; the violations stay queued, within the bound */
  flush(): void {
    if (this.#waiting.length === 0) return;
    const waiting = this.#waiting;
    this.#waiting = [];
    let ids: number[];
    try {
      ids = this.#db.together(() => {
        const written = waiting.map((violation) => this.#insert(violation));
        this.#prune();
        return written;
      });
    } catch (error) {
      this.#waiting = waiting.slice(0, MAX_WAITING - 1);
      throw error;
    }
    for (const id of new Set(ids.slice(-MAX_PUBLISHED))) {
      const violation = this.get(id);
      if (violation !== undefined) this.#stored(violation);
    }
  }

  /** Newest first. `since` as ISO-8601 UTC with whole seconds. */
  list(filter: { since?: string | undefined; include_acknowledged?: boolean; limit?: number } = {}): ViolationView[] {
    this.flush();
    const clause = filter.include_acknowledged === false ? "AND acknowledged_at IS NULL" : "";
    const rows = this.#db
      .prepare<ViolationView>(
        `SELECT ${COLUMNS} FROM violations WHERE detected_at >= ? ${clause} ORDER BY id DESC LIMIT ?`,
      )
      .all(filter.since ?? "", filter.limit ?? -1);
    return rows.filter((row) => this.#isWhole(row));
  }

  #isWhole(row: ViolationView): boolean {
    if (violationSchema.safeParse(row).success) return true;
    this.#report.damaged(`violation ${row.id}`, `to close it: ${ownCommand(`safety ack ${row.id}`)}`);
    return false;
  }

  get(id: number): ViolationView | undefined {
    return this.#db.prepare<ViolationView>(`SELECT ${COLUMNS} FROM violations WHERE id = ?`).get(id);
  }

  /** Returns how many were open and are acknowledged now. */
  acknowledge(ids: "all" | readonly number[]): number {
    this.flush();
    const now = isoSeconds(this.#now());
    if (ids === "all")
      return this.#db.prepare("UPDATE violations SET acknowledged_at = ? WHERE acknowledged_at IS NULL").run(now)
        .changes;
    const one = this.#db.prepare("UPDATE violations SET acknowledged_at = ? WHERE id = ? AND acknowledged_at IS NULL");
    return this.#db.together(() => ids.reduce((sum, id) => sum + one.run(now, id).changes, 0));
  }

  countOpen(severity?: Severity): number {
    this.flush();
    return this.#db.count(
      "SELECT count(*) AS count FROM violations WHERE acknowledged_at IS NULL AND ($severity IS NULL OR severity = $severity)",
      { severity: severity ?? null },
    );
  }

  count(): number {
    return this.#db.count("SELECT count(*) AS count FROM violations");
  }

  #insert(violation: Writable): number {
    if (violation.severity === "CRITICAL") {
      const open = this.#db.one<{ count: number; last: number | null }>(
        "SELECT count(*) AS count, max(id) AS last FROM violations WHERE severity = 'CRITICAL' AND agent_name = ? AND acknowledged_at IS NULL",
        violation.agent_name,
      );
      if (open.count >= MAX_OPEN_CRITICAL_PER_AGENT) {
        this.#db
          .prepare("UPDATE violations SET times = times + 1, detected_at = ? WHERE id = ?")
          .run(violation.detected_at, open.last);
        return open.last ?? 0;
      }
    }
    const { lastInsertRowid } = this.#db
      .prepare(
        `INSERT INTO violations (rule_id, severity, subject_type, subject_id, agent_name, detail, about, detected_at)
         VALUES ($rule_id, $severity, $subject_type, $subject_id, $agent_name, $detail, $about, $detected_at)`,
      )
      .run(violation);
    return Number(lastInsertRowid);
  }

  #prune(): void {
    const over = this.count() - this.#max;
    if (over <= 0) return;
    this.#db
      .prepare(
        `DELETE FROM violations WHERE id IN (
           SELECT id FROM violations WHERE severity <> 'CRITICAL' OR acknowledged_at IS NOT NULL ORDER BY id LIMIT ?)`,
      )
      .run(over);
  }
}
