import { statSync } from "node:fs";
import type Database from "better-sqlite3";
import type { Alarms } from "../gate/alarms.ts";
import { storageError } from "../gate/database.ts";
import { errorCode } from "../gate/errors.ts";

/** An open database, and what it is called in sentences. */
export interface OpenDatabase {
  title: string;
  file: string;
  db: Database.Database;
}

/** What SQLite says of a file that is no whole database any more, or can't be read or written. */
const DAMAGE = /^SQLITE_(CORRUPT|NOTADB|IOERR|READONLY|CANTOPEN)/;

/** A larger database is not read whole. */
const MAX_READ_BYTES = 4 * 1024 * 1024;

/** How often one that failed is looked at again, in milliseconds. */
const RETRY_MS = 10_000;

/** Says of a database that fails while the gate runs which one it is, until it can be used again. */
export class DatabaseHealth {
  readonly #databases: readonly OpenDatabase[];
  readonly #alarms: Alarms;
  #timer: NodeJS.Timeout | undefined;

  constructor(databases: readonly OpenDatabase[], alarms: Alarms) {
    this.#databases = databases;
    this.#alarms = alarms;
  }

  /** An error came up: if it is a database's, each is looked at, within a moment. True if it is. */
  noteFailure(error: unknown): boolean {
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
    if (!DAMAGE.test(errorCode(cause))) return false;
    this.#timer ??= setTimeout(() => this.#lookAll(), 0).unref();
    return true;
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #lookAll(): void {
    this.#timer = undefined;
    let is_any_damaged = false;
    for (const { title, file, db } of this.#databases) {
      const error = failureOf(db, file);
      if (error === undefined) {
        this.#alarms.clear("database_unusable", file);
        continue;
      }
      is_any_damaged = true;
      const { message, hint } = storageError(error, file, { title });
      this.#alarms.raise({ code: "database_unusable", subject: file, message, hint });
    }
    if (is_any_damaged) this.#timer = setTimeout(() => this.#lookAll(), RETRY_MS).unref();
  }
}

/** What keeps a database from being read and written, or undefined. Changes nothing. */
function failureOf(db: Database.Database, file: string): unknown {
  if (!db.open || db.inTransaction) return undefined;
  try {
    db.exec("BEGIN IMMEDIATE");
    db.exec("ROLLBACK");
    if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > MAX_READ_BYTES) return undefined;
    const verdict = db.pragma("quick_check(1)", { simple: true });
    return verdict === "ok" ? undefined : Object.assign(new Error("damaged"), { code: "SQLITE_CORRUPT" });
  } catch (error) {
    return errorCode(error).startsWith("SQLITE_BUSY") ? undefined : error;
  }
}
