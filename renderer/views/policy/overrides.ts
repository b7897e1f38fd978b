import type { Capability, Level, Outcome } from "../../../ipc/contract/decision.ts";
import type { OperatorResult, PolicyRow } from "../../../ipc/contract/operator-api.ts";

/** What policy_overrides.toml and the user's own hand make stricter, by the table's cells. */

export type Override = OperatorResult<"policy.overrides">["overrides"][number];

const STRICTER_LAST: readonly Outcome[] = ["allowed", "approval_required", "denied"];

export function isStricter(outcome: Outcome, than: Outcome): boolean {
  return STRICTER_LAST.indexOf(outcome) > STRICTER_LAST.indexOf(than);
}

const AGENT = "agent ";

/** Of what was made stricter by hand: for which agent; null for every one. */
export function agentOf({ profile }: Override): string | null {
  return profile.startsWith(AGENT) ? profile.slice(AGENT.length) : null;
}

export interface CellOverrides {
  /** Each that is about this cell, in the file's order. */
  all: readonly Override[];
  /** Of them, those that are in force for the agent that is looked at. */
  inForce: readonly Override[];
}

const NONE: CellOverrides = { all: [], inForce: [] };

export function overridesAt(
  overrides: readonly Override[],
  capability: Capability,
  level: Level,
  agent: string | null,
): CellOverrides {
  const all = overrides.filter((one) => one.capability === capability && one.level === level);
  if (all.length === 0) return NONE;
  const isForAll = (one: Override) => one.by_hand !== undefined && agentOf(one) === null;
  // What is for every agent is in force whoever is looked at.
  return { all, inForce: all.filter((one) => isForAll(one) || (agent !== null && one.agents.includes(agent))) };
}

/** The table's outcome, or the strictest of those in force for the agent. */
export function outcomeAt(row: PolicyRow, level: Level, { inForce }: CellOverrides): Outcome {
  const outcomes = [row.cells[level].outcome, ...inForce.map(({ outcome }) => outcome)];
  return outcomes.toSorted((a, b) => STRICTER_LAST.indexOf(a) - STRICTER_LAST.indexOf(b)).at(-1) ?? "denied";
}
