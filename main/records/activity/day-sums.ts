import type Database from "better-sqlite3";
import { localDay } from "../../base/clocks/local-time.ts";
import { PreparedStatements } from "../../base/sqlite/prepared-statements.ts";

/** Sums of a day (local time), for each of several subjects: numbers only, written as they are counted. */

/** A table `day TEXT`, then the keys as TEXT, then the sums as numbers; its primary key is the day with the keys. */
export interface DayTable<K extends string, S extends string> {
  name: string;
  keys: readonly K[];
  sums: readonly S[];
  /** What is done, where it fails. */
  reading: string;
  counting: string;
}

const KEPT_DAYS = 62;
/** A clock that was set back by so many days stays on the day that it was on: the day's budget isn't given twice. */
const DAYS_BACK = 2;
const DAY_MS = 86_400_000;

export class DaySums<K extends string, S extends string> {
  readonly #db: PreparedStatements;
  readonly #table: DayTable<K, S>;
  readonly #now: () => number;
  readonly #failed: (what: string, error: unknown) => void;
  /** Of that day, as the database has it, and what it couldn't take yet: by the keys' values. */
  readonly #today = new Map<string, Record<K, string> & Record<S, number>>();
  #day: string;

  /** `db` was opened with `ACTIVITY_SCHEMA`; `now` gives milliseconds; `failed` is called where the database can't be read or written. */
  constructor(
    db: Database.Database,
    table: DayTable<K, S>,
    now: () => number,
    failed: (what: string, error: unknown) => void,
  ) {
    this.#db = new PreparedStatements(db);
    this.#table = table;
    this.#now = now;
    this.#failed = failed;
    this.#day = localDay(now());
    this.#try(table.reading, () => {
      // Written as it is counted: what a killed gate wrote is there, and only a power failure may lose the last seconds.
      db.pragma("synchronous = NORMAL");
      const { last } = this.#db.one<{ last: string | null }>(`SELECT max(day) AS last FROM ${table.name}`);
      this.#day = dayAfter(last ?? this.#day, this.#day);
      this.#db.prepare(`DELETE FROM ${table.name} WHERE day < ?`).run(localDay(now() - KEPT_DAYS * DAY_MS));
    });
    this.#load();
  }

  /** Since midnight, of one subject; undefined where nothing was counted of it. */
  of(keys: Record<K, string>): Readonly<Record<S, number>> | undefined {
    this.#keepDay();
    return this.#today.get(this.#keyOf(keys));
  }

  /** Since midnight, of all. */
  list(): Readonly<Record<K, string> & Record<S, number>>[] {
    this.#keepDay();
    return [...this.#today.values()];
  }

  add(keys: Record<K, string>, more: Record<S, number>): void {
    const { name, keys: names, sums, counting } = this.#table;
    const before = this.of(keys);
    const entry: Record<string, string | number> = {};
    for (const key of names) entry[key] = keys[key];
    for (const sum of sums) entry[sum] = (before?.[sum] ?? 0) + more[sum];
    this.#today.set(this.#keyOf(keys), entry as Record<K, string> & Record<S, number>);
    // The whole sum: what couldn't be written before is written with it.
    this.#try(counting, () =>
      this.#db
        .prepare(`INSERT OR REPLACE INTO ${name} VALUES (?${", ?".repeat(names.length + sums.length)})`)
        .run(this.#day, ...Object.values(entry)),
    );
  }

  #keyOf(keys: Record<K, string>): string {
    return JSON.stringify(this.#table.keys.map((key) => keys[key]));
  }

  #keepDay(): void {
    const day = dayAfter(this.#day, localDay(this.#now()));
    if (day === this.#day) return;
    this.#day = day;
    this.#load();
  }

  #load(): void {
    const { name, keys, sums, reading } = this.#table;
    this.#today.clear();
    this.#try(reading, () => {
      const rows = this.#db
        .prepare<Record<K, string> & Record<S, number>>(
          `SELECT ${[...keys, ...sums].join(", ")} FROM ${name} WHERE day = ?`,
        )
        .all(this.#day);
      for (const row of rows) this.#today.set(this.#keyOf(row), row);
    });
  }

  #try(what: string, act: () => void): void {
    try {
      act();
    } catch (error) {
      this.#failed(what, error);
    }
  }
}

/** The day it is by the clock, unless the clock was set back a little: then the one it was. */
function dayAfter(last: string, byClock: string): string {
  const daysBack = (Date.parse(last) - Date.parse(byClock)) / DAY_MS;
  return daysBack > 0 && daysBack <= DAYS_BACK ? last : byClock;
}
