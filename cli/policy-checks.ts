import { existsSync } from "node:fs";
import type { GatePaths } from "../ipc/base/paths.ts";
import { AGENTS_SCHEMA } from "../main/agents/agents.ts";
import { openDatabaseReadOnly } from "../main/base/sqlite/database.ts";
import type { Config } from "../main/config/config.ts";
import { loadPolicyOverrides } from "../main/config/policy-overrides-file.ts";
import { Prices } from "../main/decide/costs/prices.ts";
import { ExecutorCatalog, loadOwnExecutors } from "../main/decide/executors/catalog.ts";
import { type Profile, withoutKindText } from "../main/decide/policy/policy-overrides.ts";
import { attempt, type Check } from "./check.ts";

/** What the user configured of the policy: profiles and prices. A name that nothing fits is a remark: it may come yet. */

export function profileChecks(paths: GatePaths): Check[] {
  if (!existsSync(paths.policy_overrides)) return [];
  return [
    attempt("profiles", () => {
      const overrides = loadPolicyOverrides(paths.policy_overrides);
      const counted = `${overrides.profiles.length} in ${paths.policy_overrides}, ${overrides.list.length} cells made stricter`;
      const paired = pairedNames(paths);
      const left_out = overrides.withoutKind(paired);
      return [
        counted,
        ...unpaired(overrides.profiles, paired).map((name) => `no agent named ${name} is paired`),
        ...(left_out.length === 0 ? [] : [withoutKindText(left_out)]),
      ].join("; ");
    }),
  ];
}

function pairedNames(paths: GatePaths): string[] {
  const db = openDatabaseReadOnly(paths.agents_db, AGENTS_SCHEMA);
  const names = db?.prepare("SELECT name FROM agents WHERE revoked_at IS NULL").pluck().all() ?? [];
  db?.close();
  return names as string[];
}

function unpaired(profiles: readonly Profile[], paired: readonly string[]): string[] {
  const names = paired.map((name) => name.toLowerCase());
  return profiles.flatMap(({ holder }) =>
    holder.by === "agent" && !names.includes(holder.name.toLowerCase()) ? [holder.name] : [],
  );
}

export function priceChecks(config: Config, paths: GatePaths): Check[] {
  const { names } = new Prices(config);
  if (names.length === 0) return [];
  return [
    attempt("prices", () => {
      const known = new ExecutorCatalog(loadOwnExecutors(paths.executors_dir)).names("any");
      const unknown = names.filter((name) => !known.includes(name) && !name.startsWith("mcp__"));
      const counted = `${names.length} in ${paths.config_file}`;
      return [counted, ...unknown.map((name) => `nothing describes a tool named ${name}`)].join("; ");
    }),
  ];
}
