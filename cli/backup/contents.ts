import { dirname, join } from "node:path";
import type { GatePaths } from "../../ipc/base/paths.ts";
import { AGENTS_SCHEMA } from "../../main/agents/index.ts";
import type { Schema } from "../../main/base/sqlite/database-schema.ts";
import { APPROVALS_SCHEMA } from "../../main/calls/approvals/schema.ts";
import { grantsSchema } from "../../main/core/storage/grants-schema.ts";
import { SAFETY_SCHEMA } from "../../main/decide/safety/schema.ts";
import { ACTIVITY_SCHEMA } from "../../main/records/activity/activity.ts";
import { KEPT_CALLS_SCHEMA } from "../../main/records/activity/kept-calls-schema.ts";
import { MONTH_FILE } from "../../main/records/audit/chain.ts";
import { ARCHIVE_FILE } from "../../main/records/audit/month-files.ts";

/** What is in a backup, by its name there, and where that is here: a list of what is known, so no secret is in it by accident. */

/** The folders that a backup is of, by the first part of its names. */
export type Root = "config" | "state" | "data";

export function rootFolders({ configDir, state_dir, auditDir }: GatePaths): Record<Root, string> {
  return { config: configDir, state: state_dir, data: dirname(auditDir) };
}

/** A database, what makes a file one, and what of it isn't for another machine. */
export interface BackedDatabase {
  schema: Schema;
  /** Tokens, chats, and what waits for an answer: gone from the copy. */
  forget: string;
}

/** By the name in the backup. */
export function databasesIn(home: string): Readonly<Record<string, BackedDatabase>> {
  return {
    "state/grants.db": { schema: grantsSchema(home), forget: "DELETE FROM grants WHERE session IS NOT NULL;" },
    "state/approvals.db": {
      schema: APPROVALS_SCHEMA,
      forget: `DELETE FROM pending WHERE status = 'pending'; DELETE FROM refusals; DELETE FROM judge_passes;
        DELETE FROM channel_messages;`,
    },
    "state/agents.db": {
      schema: AGENTS_SCHEMA,
      // No token has this hash: an agent that is paired again keeps its grants, and none gets in before.
      forget: `UPDATE agents SET token_hash = '${"0".repeat(64)}'; DELETE FROM channel_links; DELETE FROM pin_tries;`,
    },
    "state/safety.db": { schema: SAFETY_SCHEMA, forget: "" },
    "state/activity.db": { schema: ACTIVITY_SCHEMA, forget: "" },
    "state/activity-lines.db": { schema: KEPT_CALLS_SCHEMA, forget: "" },
  };
}

/** Where a database is here, by its name in the backup. */
export function databaseFiles(paths: GatePaths): Readonly<Record<string, string>> {
  return {
    "state/grants.db": paths.grants_db,
    "state/approvals.db": paths.approvals_db,
    "state/agents.db": paths.agents_db,
    "state/safety.db": paths.safety_db,
    "state/activity.db": paths.activity_db,
    "state/activity-lines.db": paths.lines_db,
  };
}

const STATE_FILES = ["audit-head", "audit-tree", "kept-pauses", "judge-results.json"] as const;
const CONFIG_FILES = ["gate.toml", "chosen.json", "policy_overrides.toml"] as const;
/** Small files, each read whole. */
export const HEAD = "state/audit-head";
export const CONFIG = "config/gate.toml";

/** The files beside the databases and the trail, each where it is here. */
export function smallFiles(paths: GatePaths): Readonly<Record<string, string>> {
  return {
    [CONFIG]: paths.configFile,
    "config/chosen.json": paths.chosenFile,
    "config/policy_overrides.toml": paths.policy_overrides,
    [HEAD]: paths.auditHead,
    "state/audit-tree": paths.checkpointRecord,
    "state/kept-pauses": paths.keptPauses,
    "state/judge-results.json": paths.judgeResults,
  };
}

/** Folders with many files, and which of them count. */
export function manyFiles(
  paths: GatePaths,
): readonly { name: string; folder: string; isOurs(name: string): boolean }[] {
  return [
    { name: "config/executors", folder: paths.executorsDir, isOurs: (name) => EXECUTOR.test(name) },
    { name: "data/receipts", folder: paths.receiptsDir, isOurs: (name) => RECEIPTS.test(name) },
    { name: "data/checkpoints", folder: paths.checkpointsDir, isOurs: (name) => CHECKPOINTS.test(name) },
    { name: TRAIL, folder: paths.auditDir, isOurs: isOfTrail },
  ];
}

export const TRAIL = "data/vaglio";
const isOfTrail = (name: string): boolean => MONTH_FILE.test(name) || ARCHIVE_FILE.test(name);
const EXECUTOR = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}\.toml$/;
const RECEIPTS = /^(?:\d{4}-\d\d|keys)\.jsonl$/;
const CHECKPOINTS = /^\d{4}-\d\d\.checkpoints$/;

/** Whether a backup may have a file of this name: where it goes is known by it, and by nothing else. */
export function isKnownName(name: string): boolean {
  const [root, first = "", second, ...more] = name.split("/");
  if (more.length > 0) return false;
  if (second === undefined) {
    if (root === "config") return CONFIG_FILES.some((file) => file === first);
    return root === "state" && (STATE_FILES.some((file) => file === first) || name in databaseNames);
  }
  switch (`${root}/${first}`) {
    case "config/executors":
      return EXECUTOR.test(second);
    case "data/receipts":
      return RECEIPTS.test(second);
    case "data/checkpoints":
      return CHECKPOINTS.test(second);
    case TRAIL:
      return isOfTrail(second);
    default:
      return false;
  }
}

const databaseNames: Readonly<Record<string, true>> = {
  "state/grants.db": true,
  "state/approvals.db": true,
  "state/agents.db": true,
  "state/safety.db": true,
  "state/activity.db": true,
  "state/activity-lines.db": true,
};

/** Of each root what a restore replaces, or moves aside where the backup has none of it: also what was only good for the old state. */
export const REPLACED: Readonly<Record<Root, readonly string[]>> = {
  config: [...CONFIG_FILES, "executors"],
  state: [
    ...Object.keys(databaseNames).flatMap((name) => {
      const file = name.slice("state/".length);
      return [file, `${file}-wal`, `${file}-shm`];
    }),
    ...STATE_FILES,
    "receipts.key",
    "agents",
    "web-sessions.json",
  ],
  data: ["vaglio", "receipts", "checkpoints"],
};

/** Larger ones aren't the gate's. */
export const SMALL_FILE_BYTES = 16 * 1024 * 1024;

/** Settings, and what the gate knows beside its databases and its growing files. */
export function isReadWhole(name: string): boolean {
  return name.startsWith("config/") || (name.startsWith("state/") && !(name in databaseNames));
}

/** Where something of a backup goes below its root, such as `vaglio/2026-05.jsonl`. */
export function belowRoot(name: string): { root: Root; path: string } {
  const [root = "", ...rest] = name.split("/");
  return { root: root as Root, path: join(...rest) };
}
