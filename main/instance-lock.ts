import { chmodSync, closeSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import Database from "better-sqlite3";
import { errorCode, GateError } from "./gate/errors.ts";

/** One gate per state folder: an exclusive lock that the system itself releases when the process ends, however it ends. */
export class InstanceLock {
  readonly #db: Database.Database;

  private constructor(db: Database.Database) {
    this.#db = db;
  }

  /** @throws GateError `already_running` */
  static take(file: string): InstanceLock {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    chmodSync(dirname(file), 0o700);
    let db: Database.Database | undefined;
    try {
      closeSync(openSync(file, "a", 0o600));
      db = new Database(file, { timeout: 0 });
      db.exec("BEGIN EXCLUSIVE");
      return new InstanceLock(db);
    } catch (error) {
      db?.close();
      if (errorCode(error).startsWith("SQLITE_BUSY")) {
        throw new GateError("already_running", "a gate is already running for this user", "see: metnos-gate status", {
          cause: error,
        });
      }
      throw new GateError(
        "lock_unusable",
        `the lock ${file} can't be taken (${errorCode(error)})`,
        "check the folder's permissions",
        { cause: error },
      );
    }
  }

  release(): void {
    this.#db.close();
  }
}
