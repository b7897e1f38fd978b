import { readdirSync } from "node:fs";
import { join, relative } from "node:path";
import { agentTokenFile, type Places, placesFor } from "../../ipc/places.ts";
import { monthFile } from "../../main/gate/audit/chain.ts";

/** Every file that a gate reads or writes, and which of them behave alike when they are damaged. */

export const COLUMNS = [
  "database",
  "database-wal",
  "database-shm",
  "activity.db",
  "gate.lock",
  "audit-head",
  "month of the trail",
  "operator.token",
  "agent's token",
  "chosen.json",
  "gate.toml",
  "executor",
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

function at(column: Column, name: string, path: (places: Places) => string): GateFile {
  return { name, column, path: (home) => path(placesFor({ HOME: home })) };
}

function nameOf(place: (typeof DATABASES)[number]): string {
  return place.replace("_db", ".db");
}

export const FILES: readonly GateFile[] = [
  ...DATABASES.map((place) => at("database", nameOf(place), (places) => places[place])),
  ...DATABASES.map((place) => at("database-wal", `${nameOf(place)}-wal`, (places) => `${places[place]}-wal`)),
  ...DATABASES.map((place) => at("database-shm", `${nameOf(place)}-shm`, (places) => `${places[place]}-shm`)),
  at("activity.db", "activity.db", (places) => places.activity_db),
  at("gate.lock", "gate.lock", (places) => places.lock_db),
  at("audit-head", "audit-head", (places) => places.audit_head),
  at("month of the trail", "YYYY-MM.jsonl", (places) => join(places.audit_dir, monthFile(Date.now()))),
  at("operator.token", "operator.token", (places) => places.operator_token),
  at("agent's token", "NAME.token", (places) => agentTokenFile(places, AGENT)),
  at("chosen.json", "chosen.json", (places) => places.chosen_file),
  at("gate.toml", "gate.toml", (places) => places.config_file),
  at("executor", "executors/*.toml", (places) => join(places.executors_dir, `${EXECUTOR}.toml`)),
  at("socket", "gate.sock", (places) => places.agent_socket),
  at("socket", "operator.sock", (places) => places.operator_socket),
];

/** What activity.db has beside it: counts that nobody misses. */
const UNIMPORTANT = /^activity\.db-(?:wal|shm)$/;

/** Files in a used home that `FILES` doesn't name: they are damaged, too. */
export function otherFiles(home: string): GateFile[] {
  const known = new Set(FILES.map((file) => file.path(home)));
  const { state_dir, config_dir, audit_dir } = placesFor({ HOME: home });
  return [state_dir, config_dir, audit_dir].flatMap((folder) =>
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
