import type { ActivityEntry } from "../../../ipc/activity.ts";
import type { Capability, Outcome } from "../../../ipc/decision.ts";
import type { OperatorEvent } from "../../../ipc/operator-api.ts";

/** The listing of decisions: those fetched, and those that arrive live. */

export interface ActivityFilter {
  agent: string | null;
  capability: Capability | null;
  outcome: Outcome | null;
}

export const NO_FILTER: ActivityFilter = { agent: null, capability: null, outcome: null };
/** The gate keeps as many. */
export const MOST_SHOWN = 1000;

type DecisionEvent = Extract<OperatorEvent, { type: "decision" }>["data"];

export function entryOf({ ts, agent_name, executor, decision }: DecisionEvent): ActivityEntry {
  const { decision_id, outcome, stage, reason, capabilities, status } = decision;
  const entry = { decision_id, ts, agent_name, executor, outcome, stage, reason, capabilities };
  return status === undefined ? entry : { ...entry, status };
}

export function matches(entry: ActivityEntry, filter: ActivityFilter): boolean {
  if (filter.agent !== null && entry.agent_name !== filter.agent) return false;
  if (filter.outcome !== null && entry.outcome !== filter.outcome) return false;
  return filter.capability === null || entry.capabilities.some(({ capability }) => capability === filter.capability);
}

/**
 * Puts newer entries before the present ones. A question and its answer are one decision: the later one stays, in the
 * place of its own time.
 */
export function withNewer(entries: readonly ActivityEntry[], newer: readonly ActivityEntry[]): ActivityEntry[] {
  const seen = new Set<string>();
  const all: ActivityEntry[] = [];
  for (const entry of [...newer, ...entries]) {
    if (seen.has(entry.decision_id)) continue;
    seen.add(entry.decision_id);
    all.push(entry);
    if (all.length === MOST_SHOWN) break;
  }
  return all;
}

/** Appends an older page, without what is listed already. */
export function withOlder(entries: readonly ActivityEntry[], older: readonly ActivityEntry[]): ActivityEntry[] {
  return withNewer([...entries, ...older], []);
}
