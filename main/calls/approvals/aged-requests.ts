import type Database from "better-sqlite3";
import { isoSeconds } from "../../../ipc/contract/iso-seconds.ts";
import type { Clock } from "../../base/clocks/clock.ts";
import { SettledClock } from "../../base/clocks/settled-clock.ts";
import { PreparedStatements } from "../../base/sqlite/prepared-statements.ts";

/** Removes requests that ended long ago: their receipts and the trail's lines stay. */

const DAY_MS = 86_400_000;
/** So many rows at once take a few milliseconds: whoever asks meanwhile waits no longer. */
export const REMOVED_AT_ONCE = 200;
/** Once none was left, they are looked for again after so long. */
const LOOKED_FOR_MS = 3_600_000;

/** What still waits is none, nor an answer whose grants or receipt aren't written yet. */
const AGED = `status <> 'pending' AND decision_at < ?
  AND NOT (status = 'approved' AND territory_concession <> 'none' AND grants_written_at IS NULL)
  AND token NOT IN (SELECT token FROM receipts_due)`;

export class AgedRequests {
  readonly #db: PreparedStatements;
  readonly #keep_days: number;
  readonly #clock: Clock;
  readonly #settled: SettledClock;
  /** By the time since boot, as all waits are. */
  #next_ms = Number.NEGATIVE_INFINITY;

  /** `db`: approvals.db. `keep_days`: 0 keeps them for good. */
  constructor(db: Database.Database, keep_days: number, clock: Clock) {
    this.#db = new PreparedStatements(db);
    this.#keep_days = keep_days;
    this.#clock = clock;
    this.#settled = new SettledClock(clock);
  }

  /** Removes some, the oldest first; called again and again. @throws SQLite's error: none was removed then */
  flush(): void {
    const now = this.#settled.now();
    const { ms } = this.#clock.boot();
    if (this.#keep_days === 0 || now === undefined || ms < this.#next_ms) return;
    const before = isoSeconds(now - this.#keep_days * DAY_MS);
    const { changes } = this.#db
      .prepare(
        `DELETE FROM pending WHERE rowid IN (SELECT rowid FROM pending WHERE ${AGED} ORDER BY decision_at LIMIT ${REMOVED_AT_ONCE})`,
      )
      .run(before);
    this.#next_ms = changes === REMOVED_AT_ONCE ? ms : ms + LOOKED_FOR_MS;
  }
}
