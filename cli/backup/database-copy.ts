import { existsSync } from "node:fs";
import Database from "better-sqlite3";
import { GateError } from "../../ipc/contract/gate-error.ts";
import { lookAtDatabase, openDatabaseReadOnly } from "../../main/base/sqlite/database.ts";
import type { Schema } from "../../main/base/sqlite/database-schema.ts";
import type { BackedDatabase } from "./contents.ts";

/** A database as a file of a backup: a consistent copy of it while a gate may be writing, and the check of one that comes back. */

/**
 * Writes what it holds at one moment into a new file, without what isn't for another machine. False where there is none.
 * @throws GateError `database_*`; SQLite's error
 */
export function copyDatabase(file: string, copy: string, { schema, forget }: BackedDatabase): boolean {
  if (!existsSync(file)) return false;
  const db = openDatabaseReadOnly(file, schema);
  if (db === undefined) return false;
  try {
    db.prepare("VACUUM INTO ?").run(copy);
  } finally {
    db.close();
  }
  forgetIn(copy, forget);
  return true;
}

/** Nothing of it is in the file's bytes any more. */
function forgetIn(copy: string, forget: string): void {
  const db = new Database(copy);
  try {
    db.pragma("trusted_schema = OFF");
    db.pragma("journal_mode = DELETE");
    db.pragma("secure_delete = ON");
    db.exec(`BEGIN; ${forget} COMMIT`);
    db.exec("VACUUM");
  } finally {
    db.close();
  }
}

/**
 * Refuses what isn't such a database, whole, of this version or an earlier one, and with nothing in it that acts by itself but what
 * the gate has put there. Takes out once more what isn't for another machine: a file may say anything.
 * @throws GateError `database_*`, `invalid_input`; SQLite's error
 */
export function checkDatabase(file: string, name: string, { schema, forget }: BackedDatabase): void {
  lookAtDatabase(file, schema);
  const db = new Database(file, { readonly: true });
  try {
    db.pragma("trusted_schema = OFF");
    if (db.pragma("integrity_check(1)", { simple: true }) !== "ok") throw refusedDatabase(name, "it is damaged");
    refuseActing(db, schema, name);
  } finally {
    db.close();
  }
  forgetIn(file, forget);
}

function refusedDatabase(name: string, problem: string): GateError {
  return new GateError("invalid_input", `${name} of the backup can't be used: ${problem}`, "nothing was restored");
}

/** A table holds rows; whatever else would change or answer something by itself has to be the gate's own. */
function refuseActing(db: Database.Database, schema: Schema, name: string): void {
  const expected = new Database(":memory:");
  try {
    for (const step of schema.migrations.slice(0, db.pragma("user_version", { simple: true }) as number))
      step(expected);
    const known = actingIn(expected);
    if ([...actingIn(db)].some((sql) => !known.has(sql)))
      throw refusedDatabase(name, "it holds a trigger or a view that no gate has made");
  } finally {
    expected.close();
  }
  const computed = db
    .prepare(
      `SELECT count(*) FROM sqlite_master AS t, pragma_table_xinfo(t.name) AS c WHERE t.type = 'table' AND c.hidden <> 0`,
    )
    .pluck()
    .get();
  if (computed !== 0) throw refusedDatabase(name, "it holds a column that is computed");
}

/** What runs without being asked: each trigger, view and virtual table, as it was written. */
function actingIn(db: Database.Database): Set<string> {
  const rows = db
    .prepare("SELECT sql FROM sqlite_master WHERE type NOT IN ('table', 'index') OR sql LIKE 'create virtual%'")
    .pluck()
    .all();
  return new Set(rows.map((sql) => String(sql).replace(/\s+/g, " ")));
}
