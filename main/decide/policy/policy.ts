import { hash } from "node:crypto";
import { type AgentKind, agentKindOf } from "../../../ipc/contract/agent-kind.ts";
import {
  CAPABILITIES,
  type Capability,
  LEVELS,
  type Level,
  type Outcome,
  type Requirement,
} from "../../../ipc/contract/decision.ts";
import type { Principal } from "../../../ipc/contract/operator-api.ts";
import type { PolicyOverride } from "../../../ipc/contract/policy-overrides.ts";
import { CAPABILITY_REGISTRY, type CapabilitySpec } from "../../targets/capabilities.ts";
import { canonicalJson } from "../executors/canonical.ts";
import type { GrantLookup } from "../grants/store.ts";

/** Level x capability x target, with grants (docs/decisions/requirements-policy.md). */

/** What the level ReadOnly may do, after asking. */
const READ_ONLY_ASKABLE: ReadonlySet<Capability> = new Set(["fs:read", "mail:read", "calendar:read"]);

/** The three rules, one per level (docs/decisions/requirements-policy.md, "Levels and the table"). */
const RULES: Readonly<Record<Level, (spec: CapabilitySpec) => Outcome>> = {
  ReadOnly: (spec) => {
    if (spec.default_approval === "none") return "allowed";
    return READ_ONLY_ASKABLE.has(spec.name) ? "approval_required" : "denied";
  },
  Supervised: (spec) => (spec.default_approval === "none" ? "allowed" : "approval_required"),
  Full: (spec) => (spec.default_approval === "always" ? "approval_required" : "allowed"),
};

/** The same rules in words: the explanation that the user gets. */
export const RULE_TEXT: Readonly<Record<Level, string>> = {
  ReadOnly: "ReadOnly reads after asking, and never writes, sends, runs code or spends money",
  Supervised: "Supervised may do everything, after asking wherever it touches the world",
  Full: "Full asks only for what can't be undone: running code and sending mail",
};

/** The rule behind one cell of the table, in one sentence. */
export function ruleFor(level: Level, capability: Capability): string {
  const { default_approval, description } = CAPABILITY_REGISTRY[capability];
  const outcome = POLICY_TABLE[level][capability];
  if (default_approval === "none") return `${capability} touches nothing that needs asking: allowed at every level`;
  if (outcome === "denied") return `${RULE_TEXT[level]}: to ${description} is more than it may`;
  if (outcome === "allowed") return `${RULE_TEXT[level]}: to ${description} can be undone`;
  if (default_approval === "always") return `${capability} can't be undone: asked every time, and no grant is kept`;
  return `${RULE_TEXT[level]}: asked, unless a grant covers the target`;
}

export type PolicyTable = Readonly<Record<Level, Readonly<Record<Capability, Outcome>>>>;

export const POLICY_TABLE: PolicyTable = tableOf((level, capability) => RULES[level](CAPABILITY_REGISTRY[capability]));

/** A table from each of its cells. It can't be changed any more. */
export function tableOf(cell: (level: Level, capability: Capability) => Outcome): PolicyTable {
  const row = (level: Level) =>
    Object.freeze(Object.fromEntries(CAPABILITIES.map((name) => [name, cell(level, name)]))) as Readonly<
      Record<Capability, Outcome>
    >;
  return Object.freeze(Object.fromEntries(LEVELS.map((level) => [level, row(level)]))) as PolicyTable;
}

/** True if a call needs only what the level ReadOnly may do, if only after asking. */
export function readsOnly(needs: readonly Pick<Requirement, "capability">[]): boolean {
  return needs.every(({ capability }) => POLICY_TABLE.ReadOnly[capability] !== "denied");
}

export interface PolicyAnswer {
  outcome: Outcome;
  /** The grant that turned `approval_required` into `allowed`. */
  grant_id?: number;
}

/**
 * The single entry point of the policy (docs/decisions/requirements-policy.md, "Outcome"). The grants are asked only where the table says
 * `approval_required`, and never for a capability marked `always`: no grant can lift a denial.
 *
 * @param findGrant looks up an active grant that covers the call; leave it out for the table's own answer
 * @param table as it is for the subject; where it is looser than the table of all, that one counts
 */
export function effectiveOutcome(
  level: Level,
  capability: Capability,
  findGrant?: GrantLookup,
  table: PolicyTable = POLICY_TABLE,
): PolicyAnswer {
  const outcome = strictest(POLICY_TABLE[level][capability], table[level][capability]);
  if (outcome !== "approval_required" || findGrant === undefined) return { outcome };
  if (CAPABILITY_REGISTRY[capability].default_approval === "always") return { outcome };
  const grantId = findGrant();
  return grantId === undefined ? { outcome } : { outcome: "allowed", grant_id: grantId };
}

const STRICTNESS: Readonly<Record<Outcome, number>> = { allowed: 0, approval_required: 1, denied: 2 };

export function isStricter(outcome: Outcome, than: Outcome): boolean {
  return STRICTNESS[outcome] > STRICTNESS[than];
}

/** Of several outcomes the strictest counts. */
export function strictest<O extends Outcome>(a: O, b: O): O {
  return STRICTNESS[a] >= STRICTNESS[b] ? a : b;
}

/** SHA-256 (hex) of the table that decides, and of what the user made stricter in it: another policy has another one. */
export function policyDigest(overrides: readonly PolicyOverride[]): string {
  // The same policy is the same whenever it was set.
  const said = overrides.map(({ by_hand: _, ...cell }) => cell);
  return hash("sha256", canonicalJson({ overrides: said, table: POLICY_TABLE }), "hex");
}

// Cells of the policy table that the user made stricter for some agents: policy_overrides.toml, or by hand (docs/profiles.md).

/** Whom a profile is for. */
export type ProfileHolder =
  | { by: "principal"; principal: Principal }
  | { by: "agent"; name: string }
  | { by: "agent_kind"; kinds: readonly AgentKind[] }
  | { by: "all" };

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
  /** Those of the file. */
  readonly profiles: readonly Profile[];
  /** What was made stricter by hand. */
  #byHand: readonly Profile[] = [];
  /** With what was made stricter by hand. */
  #all: readonly Profile[];
  #list: readonly PolicyOverride[];
  /** By which of the profiles fit. */
  readonly #made = new Map<string, SubjectPolicy>();

  constructor(profiles: readonly Profile[]) {
    this.profiles = profiles;
    this.#all = profiles;
    this.#list = cellsOf(profiles);
  }

  /** Every cell of every profile, in the file's order, then those that were made stricter by hand. */
  get list(): readonly PolicyOverride[] {
    return this.#list;
  }

  /** These profiles in place of the file's, with what is made stricter by hand now. */
  withFile(profiles: readonly Profile[]): PolicyOverrides {
    const other = new PolicyOverrides(profiles);
    other.setByHand(this.#byHand);
    return other;
  }

  /** What is made stricter by hand, in place of what was before: the next call is looked at by it. */
  setByHand(profiles: readonly Profile[]): void {
    this.#byHand = profiles;
    this.#all = [...this.profiles, ...profiles];
    this.#list = cellsOf(this.#all);
    this.#made.clear();
  }

  /** Of these agents' names those that no profile of a kind is for; none where there is no such profile. */
  withoutKind(names: readonly string[]): string[] {
    const kinds = this.profiles.flatMap(({ holder }) => (holder.by === "agent_kind" ? holder.kinds : []));
    return kinds.length === 0 ? [] : names.filter((name) => !kinds.includes(agentKindOf(name))).sort();
  }

  /** Of several profiles that fit, each cell's strictest counts. */
  policyFor(subject: PolicySubject): SubjectPolicy {
    const fitting = this.#all.filter(({ holder }) => fits(holder, subject));
    if (fitting.length === 0) return TABLE_POLICY;
    const key = fitting.map((profile) => this.#all.indexOf(profile)).join(" ");
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

const cellsOf = (profiles: readonly Profile[]) => profiles.flatMap(({ cells }) => cells);

function policyOf(profiles: readonly Profile[]): SubjectPolicy {
  const strictest = new Map<string, PolicyOverride>();
  for (const cell of cellsOf(profiles)) {
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
    case "all":
      return true;
  }
}
