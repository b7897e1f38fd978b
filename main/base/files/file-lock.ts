import { closeSync, lstatSync, mkdirSync, openSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import Database from "better-sqlite3";
import { type FileIdentity, identityOf, isStillAt } from "../../../ipc/base/file-identity.ts";
import { ownCommand } from "../../../ipc/base/own-command.ts";
import { NOT_A_FILE } from "../../../ipc/base/regular-file.ts";
import { GateError } from "../../../ipc/contract/gate-error.ts";
import { errorCode } from "../errors.ts";
import { causeBehind, fileError } from "./file-errors.ts";

/**
 * An exclusive lock on a file that the system releases when the process ends, however it ends. Only gates use the file: what
 * it protects stays open to other programs.
 *
 * The lock is on the file, not on its name: where the file is removed, the next gate locks another one. So a held file has
 * its own number written into it; a file without it was created, or put there, since.
 */
export class FileLock {
  readonly file: string;
  readonly identity: FileIdentity;
  /** The file wasn't held before: a gate may still hold an earlier file of this name. */
  readonly isNew: boolean;
  /** The last holder did not release it: it was killed, or the machine went down. */
  readonly wasLeft: boolean;
  readonly #db: Database.Database;

  private constructor(file: string, identity: FileIdentity, db: Database.Database) {
    this.file = file;
    this.identity = identity;
    this.#db = db;
    this.isNew = db.pragma("application_id", { simple: true }) !== ownMark(identity);
    this.wasLeft = !this.isNew && db.pragma("user_version", { simple: true }) !== FREE;
  }

  /** Creates the file, and its folder, where there is none. @throws GateError `lock_taken`, `lock_unusable` */
  static take(file: string): FileLock {
    const isThere = prepare(file);
    let db: Database.Database | undefined;
    try {
      // Only where there is no file: closing one that is locked in this process would release the lock.
      if (!isThere) closeSync(openSync(file, "a", 0o600));
      const before = identityOf(file);
      db = new Database(file, { timeout: 0 });
      refuseForeign(db, file);
      db.pragma("journal_mode = MEMORY");
      db.pragma("synchronous = OFF");
      // The lock outlives the transaction that takes it.
      db.pragma("locking_mode = EXCLUSIVE");
      db.exec("BEGIN EXCLUSIVE; COMMIT");
      if (before === undefined || !isStillAt(file, before)) throw systemError("ENOENT");
      return new FileLock(file, before, db);
    } catch (error) {
      db?.close();
      if (error instanceof GateError) throw error;
      const code = errorCode(error);
      if (code.startsWith("SQLITE_BUSY"))
        throw new GateError("lock_taken", `${file} is locked`, `see: ${ownCommand("status")}`, { cause: error });
      throw lockError(error, file);
    }
  }

  /**
   * From now on the file counts as held before, and as left in use if this process ends without saying otherwise.
   * Nothing happens where it isn't at its path any more.
   */
  mark(isInUse: boolean): void {
    if (!isStillAt(this.file, this.identity)) return;
    try {
      this.#db.exec(
        `BEGIN; PRAGMA application_id = ${ownMark(this.identity)}; PRAGMA user_version = ${isInUse ? process.pid : FREE}; COMMIT`,
      );
    } catch {
      // A full disk: without its mark the file counts as new, and the next start waits a moment.
      if (this.#db.inTransaction) this.#db.exec("ROLLBACK");
    }
  }

  release(): void {
    this.#db.close();
  }
}

/** In place of the process that uses it. */
const FREE = 0;
/** Where that is in a database's file: four bytes, the highest first. */
const USER_VERSION_AT = 60;

/** The process that holds the lock of this file, as far as it has marked it; undefined where that can't be read. Not for a gate's own. */
export function holderOf(file: string): number | undefined {
  try {
    const pid = readFileSync(file).readInt32BE(USER_VERSION_AT);
    return pid > 1 ? pid : undefined; // 1: an earlier version's mark
  } catch {
    return undefined; // no such file, or none that we may read: it only makes a message more precise
  }
}

/** A lock has no tables: a file with tables is another program's database. @throws GateError `lock_unusable` */
function refuseForeign(db: Database.Database, file: string): void {
  if (db.prepare("SELECT count(*) FROM sqlite_master").pluck().get() === 0) return;
  throw new GateError(
    "lock_unusable",
    `${file} is another program's database, not the gate's lock`,
    "move it away and start again; it was left as it is",
  );
}

/** A number that identifies the file and fits into a database's header; not 0, the number of an empty file. */
function ownMark({ ino, dev }: FileIdentity): number {
  return Number((ino ^ (dev << 8n)) & 0x3fff_ffffn) | 0x4000_0000;
}

/** False where there is no file yet. Refuses a pipe, which would block. @throws GateError `lock_unusable` */
function prepare(file: string): boolean {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    const found = lstatSync(file, { throwIfNoEntry: false });
    if (found !== undefined && !found.isFile()) throw systemError(NOT_A_FILE);
    return found !== undefined;
  } catch (error) {
    throw lockError(error, file);
  }
}

function lockError(error: unknown, file: string): GateError {
  const code = errorCode(error);
  // SQLite's code for a file that is something else.
  const cause = code === "SQLITE_NOTADB" ? NOT_A_FILE : causeBehind(code, file);
  return fileError(systemError(cause, error), "the lock", file, "lock_unusable");
}

function systemError(code: string, cause?: unknown): Error {
  return Object.assign(new Error(code, { cause }), { code });
}
