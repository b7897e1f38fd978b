import {
  CAPABILITIES,
  type Capability,
  LEVELS,
  type Level,
  type Outcome,
  type Requirement,
} from "../../../ipc/contract/decision.ts";
import { CAPABILITY_REGISTRY, type CapabilitySpec } from "../../shell-reading/targets/capabilities.ts";
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
 * @param find_grant looks up an active grant that covers the call; leave it out for the table's own answer
 * @param table as it is for the subject; where it is looser than the table of all, that one counts
 */
export function effectiveOutcome(
  level: Level,
  capability: Capability,
  find_grant?: GrantLookup,
  table: PolicyTable = POLICY_TABLE,
): PolicyAnswer {
  const outcome = strictest(POLICY_TABLE[level][capability], table[level][capability]);
  if (outcome !== "approval_required" || find_grant === undefined) return { outcome };
  if (CAPABILITY_REGISTRY[capability].default_approval === "always") return { outcome };
  const grant_id = find_grant();
  return grant_id === undefined ? { outcome } : { outcome: "allowed", grant_id };
}

const STRICTNESS: Readonly<Record<Outcome, number>> = { allowed: 0, approval_required: 1, denied: 2 };

export function isStricter(outcome: Outcome, than: Outcome): boolean {
  return STRICTNESS[outcome] > STRICTNESS[than];
}

/** Of several outcomes the strictest counts. */
export function strictest<O extends Outcome>(a: O, b: O): O {
  return STRICTNESS[a] >= STRICTNESS[b] ? a : b;
}
