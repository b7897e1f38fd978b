import { statSync } from "node:fs";
import type Database from "better-sqlite3";
import type { Alarms } from "../alarms.ts";
import { errorCode } from "../errors.ts";
import { storageError } from "./database.ts";

/** An open database, with its name for messages. */
export interface OpenDatabase {
  title: string;
  file: string;
  db: Database.Database;
}

/** SQLite's codes for a file that is a damaged database, or can't be read, written or synced, as on a full disk. */
const DAMAGE = /^SQLITE_(CORRUPT|NOTADB|IOERR|READONLY|CANTOPEN|FULL)/;

/** A larger database is not read completely. */
const MAX_READ_BYTES = 4 * 1024 * 1024;

/** How often a failed database is checked again, and all of them at the most while writes fail. In milliseconds. */
const RETRY_MS = 10_000;
const APART_MS = 1000;

/** Raises an alarm for each database that fails while the gate runs, until it can be used again. */
export class DatabaseHealth {
  readonly #databases: readonly OpenDatabase[];
  readonly #alarms: Alarms;
  #timer: NodeJS.Timeout | undefined;
  /** By the time since the process began, in milliseconds. */
  #dueAt = Number.POSITIVE_INFINITY;
  #checkedAt = Number.NEGATIVE_INFINITY;

  constructor(databases: readonly OpenDatabase[], alarms: Alarms) {
    this.#databases = databases;
    this.#alarms = alarms;
  }

  /** Checks every database, soon, if `error` is a database's. Returns whether it is. */
  noteFailure(error: unknown): boolean {
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
    if (!DAMAGE.test(errorCode(cause))) return false;
    // The next one may fail while another is waited for.
    this.#checkAt(Math.max(performance.now(), this.#checkedAt + APART_MS));
    return true;
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #checkAt(ms: number): void {
    if (ms >= this.#dueAt) return;
    clearTimeout(this.#timer);
    this.#dueAt = ms;
    this.#timer = setTimeout(() => this.#checkAll(), ms - performance.now()).unref();
  }

  #checkAll(): void {
    this.#checkedAt = performance.now();
    this.#dueAt = Number.POSITIVE_INFINITY;
    let isAnyDamaged = false;
    for (const { title, file, db } of this.#databases) {
      const error = failureOf(db, file);
      if (error === undefined) {
        this.#alarms.clear("database_unusable", file);
        continue;
      }
      isAnyDamaged = true;
      const { message, hint } = storageError(error, file, { title });
      this.#alarms.raise({ code: "database_unusable", subject: file, message, hint });
    }
    if (isAnyDamaged) this.#checkAt(performance.now() + RETRY_MS);
  }
}

/** The error that reading a database, writing and syncing it gives, or undefined. What it writes is what is there. */
function failureOf(db: Database.Database, file: string): unknown {
  if (!db.open || db.inTransaction) return undefined;
  try {
    moveLog(db);
    db.pragma(`user_version = ${db.pragma("user_version", { simple: true })}`);
    if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > MAX_READ_BYTES) return undefined;
    const verdict = db.pragma("quick_check(1)", { simple: true });
    return verdict === "ok" ? undefined : Object.assign(new Error("damaged"), { code: "SQLITE_CORRUPT" });
  } catch (error) {
    return errorCode(error).startsWith("SQLITE_BUSY") ? undefined : error;
  }
}

/** Moves the write-ahead log into the database, so that what is written next takes none of the room that is kept for a full disk. */
function moveLog(db: Database.Database): void {
  try {
    db.pragma("wal_checkpoint(PASSIVE)");
  } catch {
    // what is written next says whether it can be
  }
}
