import { chmodSync, closeSync, mkdirSync, openSync, statSync } from "node:fs";
import { dirname } from "node:path";
import Database from "better-sqlite3";
import { NOT_A_FILE } from "../ipc/regular-file.ts";
import { errorCode, GateError } from "./gate/errors.ts";
import { causeBehind, fileError } from "./gate/file-errors.ts";

/** One gate per state folder: an exclusive lock that the system itself releases when the process ends, however it ends. */
export class InstanceLock {
  readonly #db: Database.Database;

  private constructor(db: Database.Database) {
    this.#db = db;
  }

  /** @throws GateError `already_running` */
  static take(file: string): InstanceLock {
    prepareFolder(file);
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
      throw lockError(error, file);
    }
  }

  release(): void {
    this.#db.close();
  }
}

/** A pipe at the lock's place would be waited for. */
function prepareFolder(file: string): void {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    chmodSync(dirname(file), 0o700);
    if (statSync(file, { throwIfNoEntry: false })?.isFile() === false)
      throw Object.assign(new Error(), { code: NOT_A_FILE });
  } catch (error) {
    throw lockError(error, file);
  }
}

function lockError(error: unknown, file: string): GateError {
  const code = causeBehind(errorCode(error), file);
  return fileError(Object.assign(new Error(code), { code, cause: error }), "the lock", file, "lock_unusable");
}
