import type Database from "better-sqlite3";
import { type Capability, capabilitySchema } from "../../../ipc/contract/decision.ts";
import type { Schema } from "../../base/sqlite/database-schema.ts";
import { sessionMarksTable } from "../../decide/flow/session-marks.ts";
import { writtenFilesTable } from "../../decide/flow/written-files.ts";
import { mcpToolsTable } from "../../decide/mcp/tool-store.ts";
import { usedDestinationsTable } from "../../decide/places/used-destinations.ts";
import { policyCellsTable } from "../../decide/policy/cells.ts";
import { rateBuckets } from "../../decide/rate/budgets.ts";
import { dueGrants } from "../../records/receipts/due-receipts-schema.ts";
import { grantTarget } from "../../targets/pattern.ts";

/** grants.db: the required table (docs/decisions/requirements-policy.md, "Grants"), then the columns this gate adds. */
export function grantsSchema(home: string): Schema {
  return {
    title: "grants database",
    table: "grants",
    mayHoldFirstTable: true,
    migrations: [
      firstTable,
      (db) => ownColumns(db, home),
      listingIndexes,
      endsSinceBoot,
      unusedIndex,
      rateBuckets,
      staleGrants,
      dueGrants,
      mcpToolsTable,
      usedDestinationsTable,
      flowTables,
      policyCellsTable,
    ],
  };
}

/** What sessions have seen. */
function flowTables(db: Database.Database): void {
  sessionMarksTable(db);
  writtenFilesTable(db);
}

function firstTable(db: Database.Database): void {
  db.exec(`CREATE TABLE IF NOT EXISTS grants (
    id              INTEGER PRIMARY KEY AUTOINCREMENT,
    channel         TEXT NOT NULL,
    sender_id       TEXT NOT NULL,
    capability      TEXT NOT NULL,
    target          TEXT NOT NULL,
    granted_at      TEXT NOT NULL,
    expires_at      TEXT,
    granted_by      TEXT,
    revoked_at      TEXT
  )`);
}

function ownColumns(db: Database.Database, home: string): void {
  db.exec(`
    ALTER TABLE grants ADD COLUMN agent TEXT;
    ALTER TABLE grants ADD COLUMN session TEXT;
    ALTER TABLE grants ADD COLUMN last_used_at TEXT;
    ALTER TABLE grants ADD COLUMN revoked_reason TEXT;
    ALTER TABLE grants ADD COLUMN target_base TEXT;
    ALTER TABLE grants ADD COLUMN target_real TEXT;
    CREATE INDEX idx_grants_lookup ON grants(target_base) WHERE revoked_at IS NULL;
    CREATE INDEX idx_grants_principal ON grants(channel, sender_id, capability, target);
    CREATE INDEX idx_grants_granted_by ON grants(granted_by) WHERE granted_by IS NOT NULL;
  `);
  const rows = db.prepare("SELECT id, capability, target FROM grants WHERE target_base IS NULL").all() as {
    id: number;
    capability: string;
    target: string;
  }[];
  const key = db.prepare("UPDATE grants SET target = ?, target_base = ?, target_real = ? WHERE id = ?");
  const drop = db.prepare("UPDATE grants SET revoked_at = ?, revoked_reason = ? WHERE id = ? AND revoked_at IS NULL");
  for (const row of rows) {
    const capability = capabilitySchema.safeParse(row.capability);
    const target = capability.success ? cachedGrant(capability.data, row.target, home) : undefined;
    if (target !== undefined) key.run(target.target, target.target_base, target.target_real, row.id);
    else drop.run("1970-01-01T00:00:00Z", "its target can't be held by this version", row.id);
  }
}

/**
 * For counting and for each order of the listing (`search.ts`), each with what says if a grant still counts.
 * The gate answers agents in the same thread: without them it would be blocked for a tenth of a second
 * whenever a surface counts 100,000 grants.
 */
function listingIndexes(db: Database.Database): void {
  db.exec(`
    CREATE INDEX idx_grants_active ON grants(expires_at, id, revoked_at) WHERE revoked_at IS NULL;
    CREATE INDEX idx_grants_last_used ON grants(last_used_at, id, expires_at, revoked_at) WHERE revoked_at IS NULL;
    CREATE INDEX idx_grants_capability ON grants(capability, id, expires_at, revoked_at) WHERE revoked_at IS NULL;
    CREATE INDEX idx_grants_target ON grants(target, id, expires_at, revoked_at) WHERE revoked_at IS NULL;
  `);
}

/** The same ends by the time since boot, for each index that says if a grant still counts. */
function endsSinceBoot(db: Database.Database): void {
  db.exec(`
    ALTER TABLE grants ADD COLUMN boot_expires_at TEXT;
    DROP INDEX idx_grants_active;
    DROP INDEX idx_grants_last_used;
    DROP INDEX idx_grants_capability;
    DROP INDEX idx_grants_target;
    CREATE INDEX idx_grants_active ON grants(expires_at, id, boot_expires_at, revoked_at) WHERE revoked_at IS NULL;
    CREATE INDEX idx_grants_last_used ON grants(last_used_at, id, expires_at, boot_expires_at, revoked_at) WHERE revoked_at IS NULL;
    CREATE INDEX idx_grants_capability ON grants(capability, id, expires_at, boot_expires_at, revoked_at) WHERE revoked_at IS NULL;
    CREATE INDEX idx_grants_target ON grants(target, id, expires_at, boot_expires_at, revoked_at) WHERE revoked_at IS NULL;
    CREATE INDEX idx_grants_boot ON grants(boot_expires_at, expires_at) WHERE revoked_at IS NULL AND boot_expires_at IS NOT NULL;
  `);
}

function cachedGrant(capability: Capability, target: string, home: string) {
  try {
    return grantTarget(capability, target, home);
  } catch {
    return undefined; // an invalid target is revoked by the caller, with the reason
  }
}

/** For what was unused for long: counted whenever the grants are looked at. */
function unusedIndex(db: Database.Database): void {
  db.exec(`CREATE INDEX idx_grants_unused
    ON grants(granted_at, last_used_at, id, expires_at, boot_expires_at, revoked_at) WHERE revoked_at IS NULL`);
}

/**
 * What nobody uses any more (`observed-time.ts`, `stale.ts`). `used_day`: the last day of the gate's own count on which a grant was given,
 * used or restored; null: before it counted days, which is as on the first.
 */
function staleGrants(db: Database.Database): void {
  db.exec(`
    ALTER TABLE grants ADD COLUMN used_day INTEGER;
    CREATE TABLE observed_time (
      id      INTEGER PRIMARY KEY CHECK (id = 1),
      seconds INTEGER NOT NULL,
      wall_at TEXT NOT NULL,
      boot_at TEXT NOT NULL
    );
    CREATE TABLE stale_revocations (
      revoked_at   TEXT PRIMARY KEY,
      unused_days  INTEGER NOT NULL,
      ends_at      TEXT NOT NULL,
      boot_ends_at TEXT
    ) WITHOUT ROWID;
    CREATE INDEX idx_grants_stale ON grants(revoked_at) WHERE revoked_reason = 'stale';
  `);
}
