import type { Schema } from "../../base/sqlite/database-schema.ts";

/**
 * activity-lines.db: a row for each call, and each line once. Texts are found by what they say: their number is made of it. `names` are agents,
 * projects, tools, rules, currencies and digests of policies; 0 is none. `facts`: how calls were decided on (`call-facts.ts`), each once, and by
 * how many calls it is had: an index of these would cost each call more.
 */
export const KEPT_CALLS_SCHEMA: Schema = {
  title: "database of lines",
  table: "calls",
  forgets: true,
  migrations: [
    (db) =>
      db.exec(`
        CREATE TABLE texts (
          id    INTEGER PRIMARY KEY,
          line  TEXT NOT NULL,
          files TEXT NOT NULL,
          hosts TEXT NOT NULL
        );
        CREATE TABLE names (
          id   INTEGER PRIMARY KEY,
          name TEXT NOT NULL UNIQUE
        );
        CREATE TABLE calls (
          id           INTEGER PRIMARY KEY,
          at           INTEGER NOT NULL,
          decision     BLOB NOT NULL,
          agent        INTEGER NOT NULL,
          project      INTEGER NOT NULL,
          tool         INTEGER NOT NULL,
          text         INTEGER NOT NULL,
          outcome      INTEGER NOT NULL,
          status       INTEGER NOT NULL,
          result       INTEGER NOT NULL,
          rule         INTEGER NOT NULL,
          capabilities INTEGER NOT NULL,
          confined     INTEGER NOT NULL,
          amount       REAL NOT NULL,
          currency     INTEGER NOT NULL
        );
        CREATE INDEX calls_at ON calls(at);
        CREATE INDEX calls_text ON calls(text);
        CREATE INDEX calls_waiting ON calls(id) WHERE result = 5;
        CREATE TABLE gaps (
          id       INTEGER PRIMARY KEY,
          from_ms  INTEGER NOT NULL,
          until_ms INTEGER NOT NULL,
          why      TEXT NOT NULL,
          calls    INTEGER
        );
        CREATE TABLE running (
          id       INTEGER PRIMARY KEY CHECK (id = 1),
          since_ms INTEGER NOT NULL
        );`),
    // Of calls that were kept before there is no fact.
    (db) =>
      db.exec(`
        CREATE TABLE facts (
          id    INTEGER PRIMARY KEY AUTOINCREMENT,
          fact  TEXT NOT NULL UNIQUE,
          calls INTEGER NOT NULL
        );
        ALTER TABLE calls ADD COLUMN fact INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE calls ADD COLUMN answered_by INTEGER NOT NULL DEFAULT 0;`),
  ],
};
