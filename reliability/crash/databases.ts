import { copyFileSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import Database from "better-sqlite3";
import type { GatePaths } from "../../ipc/paths.ts";
import type { Ledger } from "./ledger.ts";

/** SQLite's own check of every database as the killed gate left it, on copies: the next start must find the originals. */
export function checkDatabases(ledger: Ledger, paths: GatePaths): void {
  const folder = mkdtempSync(join(tmpdir(), "metnos-copies-"));
  try {
    for (const file of databaseFiles(paths)) {
      const problem = problemOf(file, join(folder, basename(file)));
      if (problem !== undefined) ledger.violate("database_broken", `${basename(file)}: ${problem}`);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function databaseFiles({ grants_db, approvals_db, agents_db, safety_db, activity_db }: GatePaths): string[] {
  return [grants_db, approvals_db, agents_db, safety_db, activity_db];
}

function problemOf(file: string, copy: string): string | undefined {
  if (!existsSync(file)) return undefined; // killed before its first start was over
  copyFileSync(file, copy);
  if (existsSync(`${file}-wal`)) copyFileSync(`${file}-wal`, `${copy}-wal`);
  try {
    const db = new Database(copy);
    const found = String(db.pragma("integrity_check", { simple: true }));
    db.close();
    return found === "ok" ? undefined : found;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
