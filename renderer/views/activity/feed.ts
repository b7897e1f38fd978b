import type { ActivityEntry, Reported } from "../../../ipc/contract/activity.ts";
import type { ActivityFilter } from "../../../ipc/contract/activity-filter.ts";
import type { OperatorEvent, OperatorParams } from "../../../ipc/contract/operator-api.ts";

/** The listing of decisions: those fetched, and those that arrive live. */

export const NO_FILTER: ActivityFilter = {};
/** The gate keeps as many. */
export const MOST_SHOWN = 1000;

const NOT_YET: Reported = { state: "unreported", ms: null };

type DecisionEvent = Extract<OperatorEvent, { type: "decision" }>["data"];

export function entryOf({ ts, agent_name, executor, decision }: DecisionEvent): ActivityEntry {
  const { decision_id, outcome, stage, reason, explain, capabilities, status } = decision;
  const isConfined = decision.confined !== undefined;
  const call = { decision_id, ts, agent_name, executor, is_confined: isConfined };
  const entry = {
    ...call,
    outcome,
    stage,
    reason,
    rule: explain.rule,
    capabilities,
    ...(outcome === "allowed" ? { reported: NOT_YET } : {}),
  };
  return status === undefined ? entry : { ...entry, status };
}

/** What an agent said became of a call, in its place. */
export function withReport(
  entries: readonly ActivityEntry[],
  { decision_id, reported }: Extract<OperatorEvent, { type: "call.reported" }>["data"],
): ActivityEntry[] {
  return entries.map((entry) => (entry.decision_id === decision_id ? { ...entry, reported } : entry));
}

/** As the gate takes it. */
export function paramsOf({ since, until, text, ...filter }: ActivityFilter): OperatorParams<"activity.list"> {
  const date = (seconds: number) => new Date(seconds * 1000).toISOString();
  return {
    ...filter,
    ...(text === undefined || text === "" ? {} : { text }),
    ...(since === undefined ? {} : { since: date(since) }),
    ...(until === undefined ? {} : { until: date(until) }),
  };
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
