import { join } from "node:path";
import type Database from "better-sqlite3";
import { onTestFinished } from "vitest";
import type { Principal } from "../../ipc/contract/operator-api.ts";
import { openDatabase } from "../../main/base/sqlite/database.ts";
import { ApprovalBroker, type BrokerEvent, type BrokerSettings } from "../../main/calls/approvals/broker.ts";
import { ApprovalRegistry } from "../../main/calls/approvals/registry.ts";
import { APPROVALS_SCHEMA } from "../../main/calls/approvals/schema.ts";
import type { NewRequest, RequestExtra, StoredRequest } from "../../main/calls/approvals/stored-request.ts";
import { grantsSchema } from "../../main/core/storage/grants-schema.ts";
import { GrantStore } from "../../main/decide/grants/store.ts";
import { ManualClock } from "./manual-clock.ts";
import { tempFolder } from "./temp-folder.ts";

/** The gate's stores on real SQLite files, as the core opens them. */

export const ROBERTO: Principal = { channel: "local", sender_id: "roberto" };

export function openedGrants(file: string, home: string, clock = new ManualClock()) {
  const db = closedAfterwards(openDatabase(file, grantsSchema(home)));
  return { db, file, home, clock, grants: new GrantStore(db, home, clock) };
}

/** A fresh grants database; `home` is the temporary folder it is in. */
export function freshGrants(clock = new ManualClock()) {
  const home = tempFolder();
  return openedGrants(join(home, "grants.db"), home, clock);
}

export function openedApprovals(file: string, clock = new ManualClock()) {
  const db = closedAfterwards(openDatabase(file, APPROVALS_SCHEMA));
  return { db, file, clock, registry: new ApprovalRegistry(db, clock) };
}

export function freshApprovals(clock = new ManualClock()) {
  return openedApprovals(join(tempFolder(), "approvals.db"), clock);
}

function closedAfterwards(db: Database.Database): Database.Database {
  onTestFinished(() => {
    db.close();
  });
  return db;
}

export function extraOf(extra: Partial<RequestExtra> = {}): RequestExtra {
  return {
    executor: "fs_write",
    intent: "save the invoice",
    cwd: null,
    args: { path: "/srv/a.txt" },
    reversibility: "partial",
    recurrence_count: 0,
    capabilities: [{ capability: "fs:write", target: "/srv/a.txt" }],
    choices: [{ scope: "none", reach: null, grants: [] }],
    judge: { score: 0.7, reason: "approved: score 0.70" },
    ...extra,
  };
}

export function pendingOf(request: Partial<NewRequest> = {}): NewRequest {
  return {
    ...ROBERTO,
    capability_class: "fs_write:/srv/*",
    action_verb: "write",
    target_summary: "a.txt -> /srv/",
    extra: extraOf(),
    agent_id: "agent-1",
    agent_name: "claude",
    session: "s1",
    call_hash: "0".repeat(64),
    share_key: "agent-1\n\n0",
    ttl_seconds: 600,
    ...request,
  };
}

/** A broker on real files, with a record of its events. */
export function openedBroker(folder: string, clock = new ManualClock(), settings: Partial<BrokerSettings> = {}) {
  const stored = openedGrants(join(folder, "grants.db"), folder, clock);
  const { registry, db: approvalsDb } = openedApprovals(join(folder, "approvals.db"), clock);
  const sent: { event: BrokerEvent["type"]; request: StoredRequest; granted?: boolean }[] = [];
  const failures: string[] = [];
  const requestOf = (token: string) => registry.getPending(token) as StoredRequest;
  const broker = new ApprovalBroker(
    registry,
    stored.grants,
    { home: folder, language: "en", ttl_seconds: 600, session_seconds: 43_200, clock, ...settings },
    {
      happened: (event) => {
        switch (event.type) {
          case "waiting":
            return sent.push({ event: "waiting", request: requestOf(event.approval.token) });
          case "moved":
            return sent.push({ event: "moved", request: { ...requestOf(event.token), expires_at: event.expiresAt } });
          case "returnTimeOver":
            return broker.withdraw(event.left);
          default: {
            const { type, ...ended } = event;
            return sent.push({ event: type, ...ended });
          }
        }
      },
      failed: (what) => failures.push(what),
    },
  );
  onTestFinished(() => broker.stop());
  return {
    broker,
    registry,
    approvals_db: approvalsDb,
    grants: stored.grants,
    grants_db: stored.db,
    clock,
    sent,
    failures,
    folder,
  };
}
