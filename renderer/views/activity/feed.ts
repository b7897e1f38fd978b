import type { ActivityEntry, CallResult } from "../../../ipc/contract/activity.ts";
import type { Capability } from "../../../ipc/contract/decision.ts";
import type { OperatorEvent, OperatorParams } from "../../../ipc/contract/operator-api.ts";

/** The listing of calls: a page after the other, and the newest again as calls are decided. */

export interface ActivityFilter {
  agent?: string | undefined;
  project?: string | undefined;
  capability?: Capability | undefined;
  result?: CallResult | undefined;
  text?: string | undefined;
  /** Unix seconds, inclusive. */
  since?: number | undefined;
  /** Unix seconds, exclusive. */
  until?: number | undefined;
  /** Only those that the user answered. */
  answered?: boolean | undefined;
  /** Only those that were decided on as confined calls. */
  confined?: boolean | undefined;
}

export const NO_FILTER: ActivityFilter = {};
/** Of one page. */
export const PAGE = 100;

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

/** The newest page in the place of what it covers; older ones stay, unless there may be others in between. */
export function withNewest(entries: readonly ActivityEntry[], page: readonly ActivityEntry[]): ActivityEntry[] {
  const oldest = page.at(-1);
  if (page.length < PAGE || oldest === undefined || (entries[0]?.number ?? 0) < oldest.number) return [...page];
  return [...page, ...entries.filter(({ number }) => number < oldest.number)];
}
