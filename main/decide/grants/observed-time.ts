import type { Clock } from "../../base/clocks/clock.ts";
import { bootSecond, endAt } from "../../base/clocks/two-clock-end.ts";
import type { PreparedStatements } from "../../base/sqlite/prepared-statements.ts";

const DAY_SECONDS = 86_400;
/** How much of the time that no clock but the wall's has seen counts: it may have been set meanwhile. */
const MOST_UNSEEN_SECONDS = DAY_SECONDS;

interface Row {
  seconds: number;
  wall_at: string;
  boot_at: string;
}

/**
 * The days that have passed by the gate's own count, which setting the wall clock doesn't change. Within one boot of the machine the time
 * since boot counts, also while no gate ran. From one boot to another there is only the wall clock: a day of that at the most.
 */
export class ObservedTime {
  readonly #db: PreparedStatements;
  readonly #clock: Clock;
  #last: Row;

  /** `db` was opened with `grantsSchema`. */
  constructor(db: PreparedStatements, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
    const [stored] = db.prepare<Row>("SELECT seconds, wall_at, boot_at FROM observed_time").all();
    this.#last = Number.isSafeInteger(stored?.seconds) && stored !== undefined ? stored : this.#now(0);
  }

  /** Days since the gate began to count. */
  get day(): number {
    return Math.floor(this.#seconds() / DAY_SECONDS);
  }

  /** Keeps the count so far; while there is no grant nothing is counted, and nothing written. @throws SQLite's error */
  keep(): void {
    const now = this.#now(this.#seconds());
    const { changes } = this.#db
      .prepare(
        `INSERT OR REPLACE INTO observed_time (id, seconds, wall_at, boot_at)
         SELECT 1, $seconds, $wall_at, $boot_at WHERE EXISTS (SELECT 1 FROM grants)`,
      )
      .run(now);
    this.#last = changes > 0 ? now : this.#now(0);
  }

  #seconds(): number {
    const { seconds, wall_at, boot_at } = this.#last;
    const { id, ms } = this.#clock.boot();
    const began = bootSecond(boot_at, id);
    const passed = Number.isFinite(began)
      ? ms / 1000 - began
      : Math.min((this.#clock.now() - Date.parse(wall_at)) / 1000, MOST_UNSEEN_SECONDS);
    // What isn't a number is of a damaged row: nothing has passed since.
    return seconds + (passed > 0 ? Math.floor(passed) : 0);
  }

  #now(seconds: number): Row {
    const { at, boot_at } = endAt(this.#clock, this.#clock.now());
    return { seconds, wall_at: at, boot_at: boot_at ?? "" };
  }
}
