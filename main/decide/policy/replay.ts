import { CAPABILITIES, type Capability, type Level, type Outcome, type Stage } from "../../../ipc/contract/decision.ts";
import type { TryUnknown } from "../../../ipc/contract/policy-try.ts";
import type { Rule } from "../../../ipc/contract/rules.ts";
import { effectiveOutcome, isStricter, POLICY_TABLE, type PolicyTable, strictest } from "./policy.ts";

/**
 * What the policy would have said of a call that is over, from what is kept of it (docs/policy-try.md). Asks no grant and reads nothing. Each
 * call by itself: all else is taken to have been as it was.
 */

/** The policy table of one level, as it is for one subject. */
export type LevelCells = PolicyTable[Level];

/** How the policy looked at one need. `grants`: a grant may answer for it. `level`: none, the level's own outcome counts. `always`: it is asked about, whatever was granted. */
type NeedAnswer = "grants" | "level" | "always";

/** One need, as the policy ruled on it. */
export interface RuledNeed {
  capability: Capability;
  by: NeedAnswer;
  /** The grant that covers it; null where none does, undefined where that wasn't looked up. */
  grant: number | null | undefined;
}

/** What is kept of how a call was decided on. */
export interface KeptRuling {
  level: Level;
  /** In force for it. */
  cells: LevelCells;
  /** What it needs as it states it; null where a stage denied it before that was known. */
  stated: readonly Capability[] | null;
  /** What the policy ruled on; null where it wasn't reached, or denied the call. */
  ruled: readonly RuledNeed[] | null;
  /** It costs more than its level may spend without asking. */
  is_dear: boolean;
  /** Whether it runs confined may depend on what it may read. */
  may_confine: boolean;
  /** The gate's own, before anybody answered. */
  outcome: Outcome;
  /** That denied it; null where none did. */
  stage: Stage | null;
  rule: Rule;
}

/**
 * `outcome`: null of what the policy denied and wouldn't deny any more, whatever comes of it then. `may_loosen`: it isn't known that it isn't
 * let through more.
 */
export type Replayed = { outcome: Outcome | null } | { unknown: TryUnknown; may_loosen: boolean };

/** What would have become of a call, had these cells been in force for it. */
export function replayed(kept: KeptRuling, cells: LevelCells): Replayed {
  const { level, stated, ruled, stage, outcome } = kept;
  const recorded: Replayed = { outcome };
  // Whatever the policy says, it isn't asked.
  if (stated === null || (ruled === null && stage !== "policy")) return recorded;
  if (isDeniedByProfile(level, stated, cells)) return { outcome: "denied" };
  if (ruled === null) return replayedDenial(kept, stated, cells);
  if (isDeniedAnyway(kept)) return recorded;
  if (isConfinedOtherwise(kept, cells)) return { unknown: "confinement", may_loosen: outcome !== "allowed" };
  const before = isDeniedByProfile(level, stated, kept.cells) ? "denied" : outcomeOf(kept, ruled, kept.cells);
  const after = outcomeOf(kept, ruled, cells);
  // Another policy was in force when it was kept than when it was decided on.
  if (before === null || after === null || !explains(kept, before))
    return { unknown: "other", may_loosen: outcome !== "allowed" };
  if (after === "denied") return { outcome: after };
  if (after === before) return recorded;
  // A budget, and what the user refused for the session, deny it whether it would be asked about or not.
  if (stage === "rate" || stage === "approval") return recorded;
  if (stage !== null)
    return { unknown: stage === "judge" || stage === "validators" ? "judges" : "other", may_loosen: true };
  if (kept.rule === "policy.allowed-for-hook") return recorded;
  // What its session has seen is asked about whatever the policy says.
  return { outcome: isAskedForFlow(kept.rule) ? "approval_required" : after };
}

/** Whether what is recorded of a call may depend on what became of others that came before it. */
export function dependsOnOthers({ level, ruled, rule, is_dear }: KeptRuling, cells: LevelCells): boolean {
  if (rule === "rate.budget-used") return true;
  if (!isAskedForFlow(rule) || ruled === null) return false;
  return outcomeOf({ level, is_dear }, ruled, cells) === "allowed";
}

const isAskedForFlow = (rule: Rule): boolean => rule.startsWith("flow.");

/** Guard and rules look at the call as it states itself: they deny it under every policy. */
const isDeniedAnyway = ({ stage, rule }: KeptRuling): boolean =>
  stage === "guard" || (stage === "judge" && rule === "judge.low-score");

/** No box lets an agent do what its profile denies it. */
function isDeniedByProfile(level: Level, needs: readonly Capability[], cells: LevelCells): boolean {
  return needs.some((capability) => cells[capability] === "denied" && POLICY_TABLE[level][capability] !== "denied");
}

/** What a box shows depends on what may be read without asking. */
const isConfinedOtherwise = ({ may_confine, cells }: KeptRuling, now: LevelCells): boolean =>
  may_confine && cells["fs:read"] !== now["fs:read"];

/** Of a call that the policy denied: what it ruled on isn't known. */
function replayedDenial(kept: KeptRuling, stated: readonly Capability[], cells: LevelCells): Replayed {
  const { level, rule } = kept;
  const denied: Replayed = { outcome: "denied" };
  if (!kept.may_confine && stated.some((capability) => POLICY_TABLE[level][capability] === "denied")) return denied;
  if (isConfinedOtherwise(kept, cells)) return { unknown: "confinement", may_loosen: true };
  // No profile lifts that, and it needs the same.
  if (rule === "policy.level-denies") return denied;
  // Only a profile denied it, for what it states or what its box would let through: where that is gone a later stage may deny it, too.
  const isLooser = (capability: Capability) =>
    kept.cells[capability] === "denied" && isStricter("denied", cells[capability]);
  return CAPABILITIES.some(isLooser) ? { outcome: null } : denied;
}

/** The policy's outcome; null where a grant that wasn't looked up would decide. */
function outcomeOf(
  { level, is_dear }: Pick<KeptRuling, "level" | "is_dear">,
  needs: readonly RuledNeed[],
  cells: LevelCells,
): Outcome | null {
  const table = { ...POLICY_TABLE, [level]: cells };
  let outcome: Outcome = is_dear ? "approval_required" : "allowed";
  let isOpen = false;
  for (const { capability, by, grant } of needs) {
    const find = by === "grants" ? () => grant ?? undefined : undefined;
    const answer = effectiveOutcome(level, capability, find, table).outcome;
    if (answer === "denied") return "denied";
    if (answer === "approval_required" && by === "grants" && grant === undefined) isOpen = true;
    else outcome = strictest(outcome, by === "always" ? "approval_required" : answer);
  }
  return isOpen && outcome === "allowed" ? null : outcome;
}

/** Whether what the policy says from what is kept is what was decided. */
function explains({ outcome, stage, rule }: KeptRuling, before: Outcome): boolean {
  if (stage !== null) return before !== "denied";
  if (rule === "policy.allowed-for-hook" || isAskedForFlow(rule)) return before !== "denied";
  if (rule === "rate.same-call-asks") return before === "allowed";
  return before === outcome;
}
