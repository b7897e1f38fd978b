import type { Env } from "../../ipc/base/paths.ts";
import { gatePaths } from "../../ipc/base/paths.ts";
import { errorCode } from "../base/errors.ts";
import { openDatabaseReadOnly } from "../base/sqlite/database.ts";
import { APPROVALS_SCHEMA } from "../calls/approvals/schema.ts";
import { gatePathsWith, loadConfig } from "../config/index.ts";

/** The number of the last receipt that a gate knows to be on the disk: also where that gate runs. Reads only; 0 where it isn't known. */
export function recordedEnd(env: Env = process.env): number {
  const paths = gatePathsWith(loadConfig(gatePaths(env).configFile, env), env);
  try {
    const db = openDatabaseReadOnly(paths.approvals_db, APPROVALS_SCHEMA);
    try {
      const row = db?.prepare("SELECT receipt FROM receipts_end").get() as { receipt: number } | undefined;
      return row?.receipt ?? 0;
    } finally {
      db?.close();
    }
  } catch (error) {
    // Of another version, or damaged: the gate itself says so. The receipts that there are can be verified all the same.
    if (/^(database_|SQLITE)/.test(errorCode(error))) return 0;
    throw error;
  }
}
