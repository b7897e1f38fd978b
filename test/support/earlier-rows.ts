import type Database from "better-sqlite3";
import type { Reach } from "../../ipc/contract/decision.ts";
import { ROBERTO } from "./gate-stores.ts";

/** Rows as 0.1.0 wrote them. */

export const LABELS_OF_0_1_0: readonly (readonly [string, Reach])[] = [
  ["this file", "file"],
  ["this folder", "folder"],
  ["this folder and below", "tree"],
  ["this host", "host"],
  ["exactly this", "exact"],
  ["always", "any"],
];

/** A request to write `file` that waits, with these choices in it. Its token. */
export function rowOf010(db: Database.Database, file: string, choices: readonly unknown[]): string {
  const extra = {
    executor: "fs_write",
    intent: "",
    cwd: null,
    args: { path: file },
    reversibility: "partial",
    recurrence_count: 0,
    capabilities: [{ capability: "fs:write", target: file }],
    choices,
    judge: { score: 0.7, reason: "approved: score 0.70" },
  };
  const token = "0123456789abcdef";
  db.prepare(
    `INSERT INTO pending (token, channel, sender_id, capability_class, action_verb, target_summary, created_at, expires_at, status, request_extra, agent_id)
     VALUES (?, ?, ?, 'fs_write', 'write', 'a.txt', '2026-05-01T09:00:00Z', '2099-05-01T09:00:00Z', 'pending', ?, 'agent-1')`,
  ).run(token, ROBERTO.channel, ROBERTO.sender_id, JSON.stringify(extra));
  return token;
}
