import type { Destination } from "../../../ipc/contract/description.ts";
import { isoSeconds } from "../../../ipc/contract/iso-seconds.ts";
import type { Clock } from "../../base/clocks/clock.ts";
import { PreparedStatements, type SqliteDatabase } from "../../base/sqlite/prepared-statements.ts";

/** Where calls of each project have gone before, as far as they were allowed. It only tells what is new: nothing is cleared by it. */

/** In grants.db. */
export function usedDestinationsTable(db: SqliteDatabase): void {
  db.exec(`CREATE TABLE used_destinations (
    project TEXT NOT NULL,
    kind    TEXT NOT NULL,
    name    TEXT NOT NULL,
    used_at TEXT NOT NULL,
    PRIMARY KEY (project, kind, name)
  ) WITHOUT ROWID;
  CREATE INDEX idx_used_destinations ON used_destinations(used_at);`);
}

/** Of all projects; what was used longest ago goes first. */
const MAX_KEPT = 5000;
/** More than an address has, in characters: such a one stays new. */
const MAX_NAME = 300;
/** Of one call. */
const MAX_AT_ONCE = 32;
/** Hosts of a project that others are compared with. */
const MAX_COMPARED = 200;

/** What was noted since the gate started isn't written again. */
const MAX_NOTED = 2000;

export class UsedDestinations {
  readonly #db: PreparedStatements;
  readonly #clock: Clock;
  readonly #noted = new Set<string>();

  /** `db` was opened with `grantsSchema`. */
  constructor(db: SqliteDatabase, clock: Clock) {
    this.#db = new PreparedStatements(db);
    this.#clock = clock;
  }

  /** @param project its folder, absolute */
  isUsed(project: string, destination: Destination): boolean {
    const found = this.#db
      .prepare<{ found: number }>(
        "SELECT 1 AS found FROM used_destinations WHERE project = ? AND kind = ? AND name = ?",
      )
      .get(project, destination.kind, nameOf(destination));
    return found !== undefined;
  }

  /** The hosts that a project has used, the last ones. */
  hosts(project: string): string[] {
    return this.#db
      .prepare<{ name: string }>(
        "SELECT name FROM used_destinations WHERE project = ? AND kind = 'host' ORDER BY used_at DESC LIMIT ?",
      )
      .all(project, MAX_COMPARED)
      .map(({ name }) => name);
  }

  /** A call that was allowed goes there. @throws SQLite's error */
  note(project: string, destinations: readonly Destination[]): void {
    const usedAt = isoSeconds(this.#clock.now());
    const keyOf = (one: Destination) => JSON.stringify([project, one.kind, nameOf(one)]);
    const kept = destinations
      .filter((one) => one.host !== null && nameOf(one).length <= MAX_NAME && !this.#noted.has(keyOf(one)))
      .slice(0, MAX_AT_ONCE);
    if (kept.length === 0) return;
    const add = this.#db.prepare(
      "INSERT INTO used_destinations (project, kind, name, used_at) VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET used_at = excluded.used_at",
    );
    for (const one of kept) add.run(project, one.kind, nameOf(one), usedAt);
    this.#db
      .prepare(
        `DELETE FROM used_destinations WHERE (project, kind, name) IN
           (SELECT project, kind, name FROM used_destinations ORDER BY used_at DESC LIMIT -1 OFFSET ?)`,
      )
      .run(MAX_KEPT);
    if (this.#noted.size >= MAX_NOTED) this.#noted.clear();
    for (const one of kept) this.#noted.add(keyOf(one));
  }
}

/** A remote is its address, whatever it is called; a package its registry and name. */
function nameOf({ kind, name, host, path }: Destination): string {
  return kind === "package" ? `${host ?? ""} ${name ?? ""}` : kind === "host" ? (host ?? "") : `${host ?? ""}${path}`;
}
