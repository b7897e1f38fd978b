import Database from "better-sqlite3";
import type { Schema } from "./database-schema.ts";

/** Which tables a database holds, and whether they are a schema's: a file of another program must never be written into. */

export function tablesOf(db: Database.Database): string[] {
  return db
    .prepare(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name",
    )
    .pluck()
    .all() as string[];
}

/** True if `db` has every table and column that the schema has at this version. At version 0: of the required file, where there is one. */
export function holdsSchema(db: Database.Database, schema: Schema, version: number): boolean {
  if (version === 0 && schema.may_hold_first_table !== true) return false;
  const expected = new Database(":memory:");
  try {
    for (const step of schema.migrations.slice(0, Math.max(1, version))) step(expected);
    return tablesOf(expected).every((table) => {
      const found = columnsOf(db, table);
      return columnsOf(expected, table).every((column) => found.includes(column));
    });
  } finally {
    expected.close();
  }
}

/** True if one of the database's tables has a row. */
export function hasRows(db: Database.Database): boolean {
  return tablesOf(db).some(
    (table) => db.prepare(`SELECT 1 FROM "${table.replaceAll('"', '""')}" LIMIT 1`).get() !== undefined,
  );
}

function columnsOf(db: Database.Database, table: string): string[] {
  return db.prepare("SELECT name FROM pragma_table_info(?)").pluck().all(table) as string[];
}
