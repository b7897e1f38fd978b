import { statSync } from "node:fs";
import type Database from "better-sqlite3";
import type { Alarms } from "../gate/alarms.ts";
import { storageError } from "../gate/database.ts";
import { errorCode } from "../gate/errors.ts";

/** An open database, with its name for messages. */
export interface OpenDatabase {
  title: string;
  file: string;
  db: Database.Database;
}

/** SQLite's codes for a file that is a damaged database, or can't be read, written or synced. */
const DAMAGE = /^SQLITE_(CORRUPT|NOTADB|IOERR|READONLY|CANTOPEN)/;

/** A larger database is not read completely. */
const MAX_READ_BYTES = 4 * 1024 * 1024;

/** How often a failed database is checked again, in milliseconds. */
const RETRY_MS = 10_000;

/** Raises an alarm for each database that fails while the gate runs, until it can be used again. */
export class DatabaseHealth {
  readonly #databases: readonly OpenDatabase[];
  readonly #alarms: Alarms;
  #timer: NodeJS.Timeout | undefined;

  constructor(databases: readonly OpenDatabase[], alarms: Alarms) {
    this.#databases = databases;
    this.#alarms = alarms;
  }

  /** Checks every database, soon, if `error` is a database's. Returns whether it is. */
  noteFailure(error: unknown): boolean {
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
    if (!DAMAGE.test(errorCode(cause))) return false;
    this.#timer ??= setTimeout(() => this.#checkAll(), 0).unref();
    return true;
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #checkAll(): void {
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
    if (is_any_damaged) this.#timer = setTimeout(() => this.#checkAll(), RETRY_MS).unref();
  }
}

/** The error that reading a database, writing and syncing it gives, or undefined. What it writes is what is there. */
function failureOf(db: Database.Database, file: string): unknown {
  if (!db.open || db.inTransaction) return undefined;
  try {
    db.pragma(`user_version = ${db.pragma("user_version", { simple: true })}`);
    if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > MAX_READ_BYTES) return undefined;
    const verdict = db.pragma("quick_check(1)", { simple: true });
    return verdict === "ok" ? undefined : Object.assign(new Error("damaged"), { code: "SQLITE_CORRUPT" });
  } catch (error) {
    return /^SQLITE_(BUSY|FULL)/.test(errorCode(error)) ? undefined : error; // a full disk has an alarm of its own
  }
}
