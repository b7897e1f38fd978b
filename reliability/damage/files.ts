import { readdirSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { agentTokenFile, type GatePaths, gatePaths } from "../../ipc/base/paths.ts";
import { monthFile } from "../../main/records/audit/chain.ts";
import { CheckpointFiles } from "../../main/records/audit/checkpoint-files.ts";
import { KEYS_FILE } from "../../main/records/receipts/public-keys-file.ts";
import { eveningFile } from "../../main/surfaces/channels/evening-message.ts";

/** Every file that a gate reads or writes, and which of them behave alike when they are damaged. */

export const COLUMNS = [
  "database",
  "database-wal",
  "database-shm",
  "activity.db",
  "gate.lock",
  "audit-head",
  "kept-pauses",
  "month of the trail",
  "operator.token",
  "agent's token",
  "chosen.json",
  "judge-results.json",
  "gate.toml",
  "policy_overrides.toml",
  "executor",
  "receipts.key",
  "receipts/keys.jsonl",
  "month of receipts",
  "month of checkpoints",
  "audit-tree",
  "evening-digest.json",
  "socket",
  "other",
] as const;
/** Files of one column have the same outcomes. */
export type Column = (typeof COLUMNS)[number];

export interface GateFile {
  name: string;
  column: Column;
  /** Where it is in a home. */
  path(home: string): string;
}

/** The agent that a prepared home has paired. */
export const AGENT = "worker";
export const EXECUTOR = "notes_search";

const DATABASES = ["grants_db", "approvals_db", "agents_db", "safety_db"] as const;

function at(column: Column, name: string, path: (paths: GatePaths) => string): GateFile {
  return { name, column, path: (home) => path(gatePaths({ HOME: home })) };
}

function nameOf(place: (typeof DATABASES)[number]): string {
  return place.replace("_db", ".db");
}

export const FILES: readonly GateFile[] = [
  ...DATABASES.map((place) => at("database", nameOf(place), (paths) => paths[place])),
  ...DATABASES.map((place) => at("database-wal", `${nameOf(place)}-wal`, (paths) => `${paths[place]}-wal`)),
  ...DATABASES.map((place) => at("database-shm", `${nameOf(place)}-shm`, (paths) => `${paths[place]}-shm`)),
  at("activity.db", "activity.db", (paths) => paths.activity_db),
  at("activity.db", "activity-lines.db", (paths) => paths.lines_db),
  at("gate.lock", "gate.lock", (paths) => paths.lockDb),
  at("audit-head", "audit-head", (paths) => paths.auditHead),
  at("kept-pauses", "kept-pauses", (paths) => paths.keptPauses),
  at("month of the trail", "YYYY-MM.jsonl", (paths) => join(paths.auditDir, monthFile(Date.now()))),
  at("operator.token", "operator.token", (paths) => paths.operatorToken),
  at("agent's token", "NAME.token", (paths) => agentTokenFile(paths, AGENT)),
  at("chosen.json", "chosen.json", (paths) => paths.chosenFile),
  at("judge-results.json", "judge-results.json", (paths) => paths.judgeResults),
  at("gate.toml", "gate.toml", (paths) => paths.configFile),
  at("executor", "executors/*.toml", (paths) => join(paths.executorsDir, `${EXECUTOR}.toml`)),
  at("policy_overrides.toml", "policy_overrides.toml", (paths) => paths.policy_overrides),
  at("receipts.key", "receipts.key", (paths) => paths.receiptKey),
  at("receipts/keys.jsonl", "receipts/keys.jsonl", (paths) => join(paths.receiptsDir, KEYS_FILE)),
  at("month of receipts", "receipts/YYYY-MM.jsonl", (paths) => join(paths.receiptsDir, monthFile(Date.now()))),
  at("month of checkpoints", "YYYY-MM.checkpoints", (paths) =>
    new CheckpointFiles(paths.checkpointsDir).fileAt(Date.now()),
  ),
  at("audit-tree", "audit-tree", (paths) => paths.checkpointRecord),
  at("evening-digest.json", "evening-digest.json", (paths) => eveningFile(paths)),
  at("socket", "gate.sock", (paths) => paths.agent_socket),
  at("socket", "operator.sock", (paths) => paths.operator_socket),
];

/** What activity.db and activity-lines.db have beside them: counts and lines that may be lost. */
const UNIMPORTANT = /^activity(?:-lines)?\.db-(?:wal|shm)$/;

/** Files in a used home that `FILES` doesn't name: they are damaged, too. */
export function otherFiles(home: string): GateFile[] {
  const known = new Set(FILES.map((file) => file.path(home)));
  const { state_dir, configDir, auditDir } = gatePaths({ HOME: home });
  return [state_dir, configDir, dirname(auditDir)].flatMap((folder) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => !entry.isDirectory() && !UNIMPORTANT.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((path) => !known.has(path))
      .map((path) => {
        const below = relative(home, path);
        return { name: below, column: "other" as const, path: (other: string) => join(other, below) };
      }),
  );
}
