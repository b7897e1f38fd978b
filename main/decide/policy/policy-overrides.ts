import type { Capability, Level, Outcome } from "../../../ipc/contract/decision.ts";
import type { Principal } from "../../../ipc/contract/operator-api.ts";
import type { PolicyOverride } from "../../../ipc/contract/policy-overrides.ts";
import { type AgentKind, agentKindOf } from "../executors/agent-kind.ts";
import { isStricter, POLICY_TABLE, type PolicyTable, tableOf } from "./policy.ts";

/** Cells of the policy table that the user made stricter for some agents: policy_overrides.toml (docs/profiles.md). */

/** Whom a profile is for. */
export type ProfileHolder =
  | { by: "principal"; principal: Principal }
  | { by: "agent"; name: string }
  | { by: "agent_kind"; kinds: readonly AgentKind[] };

export interface Profile {
  readonly holder: ProfileHolder;
  readonly cells: readonly PolicyOverride[];
}

/** For whom a call is looked at, as far as profiles count. */
export interface PolicySubject {
  agent: { name: string } | null;
  /** Without an agent: the name of the one that is meant, and its kind. */
  name?: string | undefined;
  kind?: AgentKind | undefined;
  principal: Principal;
}

/** The policy table as it is for one subject. */
export interface SubjectPolicy {
  readonly table: PolicyTable;
  /** What made a cell stricter than the table; undefined where nothing did. */
  override(level: Level, capability: Capability): PolicyOverride | undefined;
}

/** Of a subject for which nothing is made stricter. */
export const TABLE_POLICY: SubjectPolicy = { table: POLICY_TABLE, override: () => undefined };

export class PolicyOverrides {
  /** Every cell of every profile, in the file's order. */
  readonly list: readonly PolicyOverride[];
  readonly profiles: readonly Profile[];
  /** By which of the profiles fit. */
  readonly #made = new Map<string, SubjectPolicy>();

  constructor(profiles: readonly Profile[]) {
    this.profiles = profiles;
    this.list = profiles.flatMap(({ cells }) => cells);
  }

  /** Of these agents' names those that no profile of a kind is for; none where there is no such profile. */
  withoutKind(names: readonly string[]): string[] {
    const kinds = this.profiles.flatMap(({ holder }) => (holder.by === "agent_kind" ? holder.kinds : []));
    return kinds.length === 0 ? [] : names.filter((name) => !kinds.includes(agentKindOf(name))).sort();
  }

  /** Of several profiles that fit, each cell's strictest counts. */
  policyFor(subject: PolicySubject): SubjectPolicy {
    const fitting = this.profiles.filter(({ holder }) => fits(holder, subject));
    if (fitting.length === 0) return TABLE_POLICY;
    const key = fitting.map((profile) => this.profiles.indexOf(profile)).join(" ");
    const made = this.#made.get(key) ?? policyOf(fitting);
    this.#made.set(key, made);
    return made;
  }
}

/** What `doctor` and the gate's start say of agents that were left out, maybe by mistake. */
export function withoutKindText(names: readonly string[]): string {
  return `no profile of a kind is for ${names.join(", ")}`;
}

/** Where nothing is configured, the table itself. */
export function policyFor(overrides: PolicyOverrides | undefined, subject: PolicySubject): SubjectPolicy {
  return overrides?.policyFor(subject) ?? TABLE_POLICY;
}

function policyOf(profiles: readonly Profile[]): SubjectPolicy {
  const strictest = new Map<string, PolicyOverride>();
  for (const cell of profiles.flatMap(({ cells }) => cells)) {
    const key = keyOf(cell.level, cell.capability);
    const before: Outcome = strictest.get(key)?.outcome ?? POLICY_TABLE[cell.level][cell.capability];
    if (isStricter(cell.outcome, before)) strictest.set(key, cell);
  }
  const override = (level: Level, capability: Capability) => strictest.get(keyOf(level, capability));
  const cellOf = (level: Level, capability: Capability) =>
    override(level, capability)?.outcome ?? POLICY_TABLE[level][capability];
  return { table: tableOf(cellOf), override };
}

const keyOf = (level: Level, capability: Capability) => `${level} ${capability}`;

/** Paired names differ in more than case: one that is written with other capitals means the same agent. */
function fits(holder: ProfileHolder, { agent, name = agent?.name, kind, principal }: PolicySubject): boolean {
  switch (holder.by) {
    case "principal":
      return holder.principal.channel === principal.channel && holder.principal.sender_id === principal.sender_id;
    case "agent":
      return name !== undefined && holder.name.toLowerCase() === name.toLowerCase();
    case "agent_kind":
      return holder.kinds.some((one) => one === (name === undefined ? kind : agentKindOf(name)));
  }
}
