import { VERSION } from "../base/version.ts";
import { policyDigest } from "../decide/policy/policy-digest.ts";
import { DueCards, DueGrants } from "../records/receipts/due-receipts.ts";
import { Receipts } from "../records/receipts/receipts.ts";
import type { Opened } from "./stores.ts";

export function openReceipts(opened: Opened): Receipts {
  const { paths, clock, alarms, overrides, listeners, agents, storage, failed } = opened;
  const { approvals, grants } = storage.opened.databases;
  const { now } = clock;
  const versions = { gate: VERSION, policy: policyDigest(overrides.list) };
  const cards = new DueCards(approvals.db, versions);
  const receipts = new Receipts({
    key_file: paths.receipt_key,
    folder: paths.receipts_dir,
    cards,
    grants: new DueGrants(grants.db, { versions, cards, now, agentName: (agent_id) => agents.get(agent_id)?.name }),
    alarms,
    gate_version: VERSION,
    now,
    isIntact: () => storage.watch.lossByNow() === undefined,
    failed,
  });
  listeners.add(["approval.closed", "grants.changed"], () => receipts.wake());
  return receipts;
}
