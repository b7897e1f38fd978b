import { closeSync, existsSync, mkdirSync, openSync, readFileSync, statSync } from "node:fs";
import { basename, dirname } from "node:path";
import Database from "better-sqlite3";
import { debugLog } from "../../../ipc/base/debug-log.ts";
import { GateError } from "../../../ipc/contract/gate-error.ts";
import { errorCode } from "../errors.ts";
import { causeBehind, fileError, meaningOf } from "../files/file-errors.ts";
import { foreign, readOnly, refuseClosedFolder, refuseUnusable } from "./database-file.ts";
import type { Schema } from "./database-schema.ts";

/** Opening a database file so that a damaged, read-only or newer one is refused by name and never overwritten. */

const debug = debugLog("storage");

/** How long a write waits for another program's, in milliseconds: while the gate starts, and while it serves others meanwhile. */
const BUSY_MS = 5000;
const BUSY_SERVING_MS = 200;

/** Above this size the whole-file check at start would take seconds; a damaged page then shows when it is read. */
const FULL_CHECK_BYTES = 16 * 1024 * 1024;

/**
 * Opens or creates `file`.
 * @throws GateError `database_damaged`, `database_foreign`, `database_read_only`, `database_newer` or `database_unusable`, with the
 *   file's name and what to do
 */
export function openDatabase(file: string, schema: Schema): Database.Database {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  } catch (error) {
    throw fileError(error, `the ${schema.title}`, file, "database_unusable");
  }
  refuseUnusable(file, schema);
  refuseClosedFolder(file, schema);
  let db: Database.Database | undefined;
  try {
    // Made by us, so that it and the files beside it are only for their owner.
    closeSync(openSync(file, "a", 0o600));
    db = new Database(file);
    check(db, file, schema);
    db.pragma("journal_mode = WAL");
    db.pragma("synchronous = FULL");
    db.pragma(`busy_timeout = ${BUSY_MS}`);
    if (schema.forgets) {
      db.pragma("secure_delete = ON");
      // No temporary files for queries or VACUUM.
      db.pragma("temp_store = MEMORY");
      const found = version(db);
      // What earlier versions deleted is still in pages that nothing refers to. Before the migration: a crash in between repeats it.
      if (found > 0 && found < schema.migrations.length) db.exec("VACUUM");
    }
    const foundVersion = version(db);
    migrate(db, schema);
    if (debug.isOn)
      debug.write(
        `${basename(file)} opened: version ${foundVersion} of ${schema.migrations.length}, ${statSync(file).size} bytes`,
      );
    return db;
  } catch (error) {
    db?.close();
    if (error instanceof GateError) throw error;
    throw storageError(error, file, schema);
  }
}

/** Opens an existing file for reading only, or returns undefined where there is none. Writes nothing, and leaves nothing beside it. */
export function openDatabaseReadOnly(file: string, schema: Schema): Database.Database | undefined {
  if (!existsSync(file)) return undefined;
  let db: Database.Database | undefined;
  try {
    db = openToRead(file);
    check(db, file, schema);
    if (version(db) < schema.migrations.length) {
      throw new GateError(
        "database_older",
        `the ${schema.title} ${file} is from an earlier version`,
        "start the gate once: it brings the file up to date",
      );
    }
    return db;
  } catch (error) {
    db?.close();
    if (error instanceof GateError) throw error;
    throw storageError(error, file, schema);
  }
}

/** What there is before a gate opens its databases. `empty`: a file without a table. */
export type FoundDatabase = "missing" | "empty" | "without rows" | "with rows";

/**
 * Looks at a database that no gate has open, and writes nothing. Pages are not checked: opening does that.
 * @throws GateError as `openDatabase` does
 */
export function lookAtDatabase(file: string, schema: Schema): FoundDatabase {
  refuseUnusable(file, schema);
  const size = statSync(file, { throwIfNoEntry: false })?.size;
  if (size === undefined) return "missing";
  if (size === 0) return "empty";
  let db: Database.Database | undefined;
  try {
    db = openToRead(file);
    if (!isOurs(db, file, schema)) return "empty";
    return hasRows(db) ? "with rows" : "without rows";
  } catch (error) {
    if (error instanceof GateError) throw error;
    throw storageError(error, file, schema);
  } finally {
    db?.close();
  }
}

function openToRead(file: string): Database.Database {
  const copy = copyAtRest(file);
  return copy === undefined ? new Database(file, { readonly: true, fileMustExist: true }) : new Database(copy);
}

/** The bytes of SQLite's header that say whether a file has a write-ahead log. */
const HEADER_VERSIONS = [18, 19] as const;
const ROLLBACK_JOURNAL = 1;
/** A larger file is not copied. */
const MAX_COPY_BYTES = 1024 * 1024 * 1024;

/**
 * The bytes of a database that no process has open. SQLite can't read a file that has used a write-ahead log without making
 * two files beside it, which a reader can't take away again; a copy needs none. Undefined while a process writes it: then they
 * are there anyway, and hold what isn't in the file yet.
 */
function copyAtRest(file: string): Buffer | undefined {
  const state = () => {
    const { mtimeMs, size, ino } = statSync(file);
    return [mtimeMs, size, ino, existsSync(`${file}-wal`), existsSync(`${file}-journal`)].join();
  };
  const before = state();
  if (!before.endsWith("false,false") || statSync(file).size > MAX_COPY_BYTES) return undefined;
  const copy = readFileSync(file);
  if (state() !== before) return undefined;
  if (copy.length > 100) for (const at of HEADER_VERSIONS) copy[at] = ROLLBACK_JOURNAL;
  return copy;
}

/** Shortens the wait for another program's write: a write that can't be made in that time fails. */
export function serveOthers(db: Database.Database): void {
  db.pragma(`busy_timeout = ${BUSY_SERVING_MS}`);
}

/** Moves the write-ahead log into the database and cuts it to nothing. False while another program reads or writes, without waiting. */
export function emptyLog(db: Database.Database): boolean {
  const busyMs = db.pragma("busy_timeout", { simple: true }) as number;
  db.pragma("busy_timeout = 0");
  try {
    const [outcome] = db.pragma("wal_checkpoint(TRUNCATE)") as { busy: number }[];
    return outcome?.busy === 0;
  } finally {
    db.pragma(`busy_timeout = ${busyMs}`);
  }
}

function version(db: Database.Database): number {
  return db.pragma("user_version", { simple: true }) as number;
}

function check(db: Database.Database, file: string, schema: Schema): void {
  isOurs(db, file, schema);
  if (statSync(file).size > FULL_CHECK_BYTES) return;
  const verdict = db.pragma("quick_check(1)", { simple: true });
  if (verdict !== "ok") throw damaged(file, schema);
}

/** False where nothing is in the file yet. Another program's database, or another one of ours, is not to be written into. */
function isOurs(db: Database.Database, file: string, schema: Schema): boolean {
  const found = version(db);
  if (found > schema.migrations.length) {
    throw new GateError(
      "database_newer",
      `the ${schema.title} ${file} was written by a newer version of Metnos Gate (${found}, this one knows ${schema.migrations.length})`,
      "update Metnos Gate; the file was left as it is",
    );
  }
  const tables = tablesOf(db);
  if (tables.length === 0 && found === 0) return false;
  if (holdsSchema(db, schema, found)) return true;
  throw found > 0 && (tables.length === 0 || tables.includes(schema.table))
    ? damaged(file, schema)
    : foreign(file, schema, tables);
}

function migrate(db: Database.Database, schema: Schema): void {
  if (version(db) === schema.migrations.length) return;
  db.transaction(() => {
    // Read again inside the transaction: another process may have done it.
    for (let step = version(db); step < schema.migrations.length; step++) schema.migrations[step]?.(db);
    db.pragma(`user_version = ${schema.migrations.length}`);
  }).immediate();
}

function damaged(file: string, schema: Pick<Schema, "title">, cause?: unknown): GateError {
  return new GateError(
    "database_damaged",
    `the ${schema.title} ${file} is damaged or not a database`,
    "restore it from a backup, or move it away to begin with an empty one; it was left as it is",
    { cause },
  );
}

/** What a failed read or write of a database means: the file's name and what to do. */
export function storageError(error: unknown, file: string, schema: Pick<Schema, "title">): GateError {
  const code = errorCode(error);
  if (code.startsWith("SQLITE_NOTADB") || code.startsWith("SQLITE_CORRUPT")) return damaged(file, schema, error);
  if (code.startsWith("SQLITE_READONLY")) return readOnly(file, schema, error);
  const { why, hint } = meaningOf(causeBehind(code, file), file);
  return new GateError("database_unusable", `the ${schema.title} ${file} can't be used: ${why}`, hint, {
    cause: error,
  });
}

function tablesOf(db: Database.Database): string[] {
  return db
    .prepare(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name",
    )
    .pluck()
    .all() as string[];
}

/** True if `db` has every table and column that the schema has at this version. At version 0: of the required file, where there is one. Another program's file is never written into. */
function holdsSchema(db: Database.Database, schema: Schema, version: number): boolean {
  if (version === 0 && schema.mayHoldFirstTable !== true) return false;
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
function hasRows(db: Database.Database): boolean {
  return tablesOf(db).some(
    (table) => db.prepare(`SELECT 1 FROM "${table.replaceAll('"', '""')}" LIMIT 1`).get() !== undefined,
  );
}

function columnsOf(db: Database.Database, table: string): string[] {
  return db.prepare("SELECT name FROM pragma_table_info(?)").pluck().all(table) as string[];
}
