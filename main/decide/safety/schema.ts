import type { Schema } from "../../base/sqlite/database-schema.ts";

/** safety.db: the pause, which must survive crashes, and the safety filter's violations. */
export const SAFETY_SCHEMA: Schema = {
  title: "safety database",
  table: "pause",
  migrations: [
    (db) =>
      db.exec(`
        CREATE TABLE pause (
          only   INTEGER PRIMARY KEY CHECK (only = 1),
          by     TEXT NOT NULL,
          reason TEXT NOT NULL,
          since  TEXT NOT NULL,
          until  TEXT,
          clears TEXT NOT NULL
        );
        CREATE TABLE violations (
          id              INTEGER PRIMARY KEY AUTOINCREMENT,
          rule_id         TEXT NOT NULL,
          severity        TEXT NOT NULL,
          subject_type    TEXT NOT NULL,
          subject_id      TEXT NOT NULL,
          agent_name      TEXT NOT NULL,
          detail          TEXT NOT NULL,
          detected_at     TEXT NOT NULL,
          times           INTEGER NOT NULL DEFAULT 1,
          acknowledged_at TEXT
        );
        CREATE INDEX idx_violations_detected ON violations(detected_at);
        CREATE INDEX idx_violations_open ON violations(severity, agent_name) WHERE acknowledged_at IS NULL;`),
    (db) => db.exec("ALTER TABLE pause ADD COLUMN boot_until TEXT"),
    (db) => db.exec("ALTER TABLE violations ADD COLUMN about TEXT; ALTER TABLE pause ADD COLUMN cause TEXT"),
  ],
};
