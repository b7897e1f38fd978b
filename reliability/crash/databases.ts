import { copyFileSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import Database from "better-sqlite3";
import type { GatePaths } from "../../ipc/base/paths.ts";
import type { Ledger } from "./ledger.ts";

/** SQLite's own check of every database as the killed gate left it, on copies: the next start must find the originals. */
export function checkDatabases(ledger: Ledger, paths: GatePaths): void {
  for (const file of databaseFiles(paths)) {
    const problem = problemOf(file);
    if (problem !== undefined) ledger.violate("database_broken", `${basename(file)}: ${problem}`);
  }
}

function databaseFiles({ grants_db, approvals_db, agents_db, safety_db, activity_db, lines_db }: GatePaths): string[] {
  return [grants_db, approvals_db, agents_db, safety_db, activity_db, lines_db];
}

function problemOf(file: string): string | undefined {
  try {
    const found = withCopy(file, (db) => String(db.pragma("integrity_check", { simple: true })));
    return found === undefined || found === "ok" ? undefined : found;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** What `read` finds in a copy of this database and its log; undefined where there is none: killed before its first start was over. */
export function withCopy<T>(file: string, read: (db: Database.Database) => T): T | undefined {
  if (!existsSync(file)) return undefined;
  const folder = mkdtempSync(join(tmpdir(), "metnos-copies-"));
  const copy = join(folder, basename(file));
  try {
    copyFileSync(file, copy);
    if (existsSync(`${file}-wal`)) copyFileSync(`${file}-wal`, `${copy}-wal`);
    const db = new Database(copy);
    try {
      return read(db);
    } finally {
      db.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
