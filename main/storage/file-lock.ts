import { closeSync, lstatSync, openSync } from "node:fs";
import Database from "better-sqlite3";
import { type FileIdentity, identityOf, isStillAt } from "../../ipc/file-identity.ts";
import { NOT_A_FILE } from "../../ipc/regular-file.ts";
import { errorCode, GateError } from "../gate/errors.ts";
import { causeBehind, fileError } from "../gate/file-errors.ts";

/**
 * An exclusive lock on a file that the system itself releases when the process ends, however it ends. Nobody but gates uses the
 * file: what it stands for stays open to other programs.
 *
 * The lock holds the file, not its name: who removes the file gives the next gate another one to lock. So a file says of itself
 * that it was held before, by its own number; one that doesn't was made, or put there, since.
 */
export class FileLock {
  readonly file: string;
  readonly identity: FileIdentity;
  /** The file wasn't held before: an earlier one may still be. */
  readonly is_new: boolean;
  /** Who held it last has not released it: it was killed, or the machine went down. */
  readonly was_left: boolean;
  readonly #db: Database.Database;

  private constructor(file: string, identity: FileIdentity, db: Database.Database) {
    this.file = file;
    this.identity = identity;
    this.#db = db;
    this.is_new = db.pragma("application_id", { simple: true }) !== ownMark(identity);
    this.was_left = !this.is_new && db.pragma("user_version", { simple: true }) === IN_USE;
  }

  /** The folder must be there. @throws GateError `lock_taken`, `lock_unusable` */
  static take(file: string): FileLock {
    const found = lstatSync(file, { throwIfNoEntry: false });
    if (found !== undefined && !found.isFile())
      throw fileError(Object.assign(new Error(), { code: NOT_A_FILE }), "the lock", file, "lock_unusable");
    let db: Database.Database | undefined;
    try {
      // Only where there is none: closing a file that is locked in this process would release the lock.
      if (found === undefined) closeSync(openSync(file, "a", 0o600));
      const before = identityOf(file);
      db = new Database(file, { timeout: 0 });
      db.pragma("journal_mode = MEMORY");
      db.pragma("synchronous = OFF");
      // The lock outlives the transaction that takes it.
      db.pragma("locking_mode = EXCLUSIVE");
      db.exec("BEGIN EXCLUSIVE; COMMIT");
      if (before === undefined || !isStillAt(file, before)) throw unusable(file, "it was replaced", "start again");
      return new FileLock(file, before, db);
    } catch (error) {
      db?.close();
      if (error instanceof GateError) throw error;
      const code = errorCode(error);
      if (code.startsWith("SQLITE_BUSY"))
        throw new GateError("lock_taken", `${file} is locked`, "see: metnos-gate status", { cause: error });
      if (code.startsWith("SQLITE_NOTADB")) throw unusable(file, code, "move it away and start again", error);
      const cause = causeBehind(code, file);
      throw fileError(
        Object.assign(new Error(cause), { code: cause, cause: error }),
        "the lock",
        file,
        "lock_unusable",
      );
    }
  }

  /**
   * From now on the file counts as held before, and as left in use if this process ends without saying otherwise.
   * Nothing happens where it isn't at its path any more.
   */
  mark(is_in_use: boolean): void {
    if (!isStillAt(this.file, this.identity)) return;
    try {
      this.#db.exec(
        `BEGIN; PRAGMA application_id = ${ownMark(this.identity)}; PRAGMA user_version = ${is_in_use ? IN_USE : 0}; COMMIT`,
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

const IN_USE = 1;

/** A number of the file's own that fits into a database's header; not 0, which is an empty file's. */
function ownMark({ ino, dev }: FileIdentity): number {
  return Number((ino ^ (dev << 8n)) & 0x3fff_ffffn) | 0x4000_0000;
}

function unusable(file: string, why: string, hint: string, cause?: unknown): GateError {
  return new GateError("lock_unusable", `the lock ${file} can't be taken (${why})`, hint, { cause });
}
