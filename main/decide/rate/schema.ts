import type { SqliteDatabase } from "../../base/sqlite/prepared-statements.ts";

/** In grants.db: what is left in each bucket that isn't full, less what its gate may give before it writes again. */
export function rateBuckets(db: SqliteDatabase): void {
  db.exec(`CREATE TABLE rate_buckets (
    agent_id   TEXT NOT NULL,
    capability TEXT NOT NULL,
    tokens     REAL NOT NULL,
    wall_ms    REAL NOT NULL,
    boot_id    TEXT NOT NULL,
    boot_ms    REAL NOT NULL,
    PRIMARY KEY (agent_id, capability)
  ) WITHOUT ROWID`);
}
