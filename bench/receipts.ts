import { generateKeyPairSync, sign } from "node:crypto";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type Database from "better-sqlite3";
import { Alarms } from "../main/base/alarms.ts";
import { systemClock } from "../main/base/clocks/system-clock.ts";
import { removeFolder } from "../main/base/files/remove-folder.ts";
import { openDatabase } from "../main/base/sqlite/database.ts";
import { ApprovalRegistry } from "../main/calls/approvals/registry.ts";
import { APPROVALS_SCHEMA } from "../main/calls/approvals/schema.ts";
import { grantsSchema } from "../main/core/storage/grants-schema.ts";
import { policyDigest } from "../main/decide/policy/policy.ts";
import { DueCards, DueGrants, DueUndos } from "../main/records/receipts/due-receipts.ts";
import { Receipts } from "../main/records/receipts/receipts.ts";
import { type Figure, figure, median } from "./figure.ts";

/** What a receipt costs: once the answer is on its way, and before. */

const ROUNDS = 100;
const ALONE = 200;
/** As many as are signed and written together. */
const CARDS = 25;

export async function receipts(): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), "bench-receipts-"));
  try {
    return measured(folder);
  } finally {
    removeFolder(folder);
  }
}

function measured(folder: string): Figure[] {
  const approvals = openDatabase(join(folder, "approvals.db"), APPROVALS_SCHEMA);
  const grants = openDatabase(join(folder, "grants.db"), grantsSchema(folder));
  const registry = new ApprovalRegistry(approvals, systemClock);
  /** When each batch was read: the gate looks at its clock then. */
  const ends: number[] = [];
  const now = () => {
    ends.push(performance.now());
    return systemClock.now();
  };
  const failures: unknown[] = [];
  const files = { key_file: join(folder, "receipts.key"), folder: join(folder, "receipts") };
  const made = receiptsOf({ databases: { approvals, grants }, files, now, failed: (error) => failures.push(error) });
  const answered: number[] = [];
  const without: number[] = [];
  const trigger = (
    approvals.prepare("SELECT sql FROM sqlite_master WHERE name = 'receipt_due'").get() as { sql: string }
  ).sql;
  for (let round = 0; round < ROUNDS; round++) {
    approvals.exec("DROP TRIGGER receipt_due");
    without.push(answerAll(registry));
    approvals.exec(trigger);
    answered.push(answerAll(registry));
  }
  made.makeAll();
  const each = ends.slice(1).map((end, index) => ((end - (ends[index] ?? 0)) * 1000) / CARDS);
  const alone = Array.from({ length: ALONE }, () => {
    answerAll(registry, 1);
    const began = performance.now();
    made.makeAll();
    return (performance.now() - began) * 1000;
  });
  made.close();
  approvals.close();
  grants.close();
  if (failures.length > 0) throw failures[0];
  const signed = signing();
  const share = median(answered) - median(without);
  const detail = `the signature alone ${signed.toFixed(1)} us; ${ROUNDS} times ${CARDS} answers`;
  return [
    figure("receipt: one by itself", median(alone), "us", null, "with what is read and written for one only"),
    figure("receipt: statement, signature, file", median(each), "us", 50, detail),
    figure(
      "receipt: on the answer's way",
      share,
      "us",
      null,
      `an answer's write without it ${median(without).toFixed(1)} us`,
    ),
  ];
}

interface ReceiptsOf {
  databases: Record<"approvals" | "grants", Database.Database>;
  files: { key_file: string; folder: string };
  now(): number;
  failed(error: unknown): void;
}

/** What makes the receipts of these databases, begun. */
export function receiptsOf({ databases: { approvals, grants }, files, now, failed }: ReceiptsOf): Receipts {
  const versions = { gate: "0.0.0", policy: policyDigest([]) };
  const cards = new DueCards(approvals, versions);
  const made = new Receipts({
    ...files,
    cards,
    undos: new DueUndos(approvals, versions),
    grants: new DueGrants(grants, { versions, cards, now, agentName: () => "bench" }),
    alarms: new Alarms(now, () => undefined),
    gate_version: "0.0.0",
    now,
    isIntact: () => true,
    failed: (_, error) => failed(error),
  });
  made.begin();
  return made;
}

/** How long one answer's write takes, without the disk's share: all of them in one transaction; in microseconds. */
export function answerAll(registry: ApprovalRegistry, cards = CARDS): number {
  const tokens = registry.together(() => Array.from({ length: cards }, (_, index) => asked(registry, index)));
  const began = performance.now();
  registry.together(() => {
    for (const token of tokens) {
      const checked = registry.check(token, { channel: "local", sender_id: "bench" });
      registry.resolve(checked, "approved", { decision_surface: "terminal" });
    }
  });
  return ((performance.now() - began) * 1000) / cards;
}

function asked(registry: ApprovalRegistry, index: number): string {
  const { token } = registry.createPending({
    channel: "local",
    sender_id: "bench",
    capability_class: "fs_write:/srv/*",
    action_verb: "write",
    target_summary: "a.txt -> /srv/",
    agent_id: "agent-1",
    agent_name: "bench",
    session: "s1",
    call_hash: "0".repeat(64),
    share_key: `bench ${index}`,
    ttl_seconds: 600,
    extra: {
      executor: "fs_write",
      intent: "save the invoice",
      cwd: null,
      args: { path: "/srv/a.txt", content: "x".repeat(400) },
      reversibility: "partial",
      recurrence_count: 0,
      capabilities: [{ capability: "fs:write", target: "/srv/a.txt" }],
      needed: ["fs:write"],
      choices: [{ scope: "none", reach: null, grants: [] }],
      judge: { score: 0.7, reason: "approved: score 0.70" },
    },
  });
  return token;
}

/** What the signature alone takes on this machine, in microseconds. */
function signing(): number {
  const { privateKey } = generateKeyPairSync("ed25519");
  const message = Buffer.alloc(1000, 1);
  const took = Array.from({ length: 2000 }, () => {
    const began = performance.now();
    sign(null, message, privateKey);
    return (performance.now() - began) * 1000;
  });
  return median(took);
}
