import type { ActivityEntry } from "./activity.ts";
import type { Capability, Outcome } from "./decision.ts";

/** Which decisions are listed: the gate and the page, which adds those that arrive live, decide it alike. Plain values. */
export interface ActivityFilter {
  agent?: string | undefined;
  capability?: Capability | undefined;
  outcome?: Outcome | undefined;
  /** In the agent, the tool, what it touches or the reason; upper and lower case alike. */
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

export function matchesActivity(entry: ActivityEntry, filter: ActivityFilter): boolean {
  const { agent, capability, outcome, text, since, until, answered, confined } = filter;
  if (agent !== undefined && entry.agent_name !== agent) return false;
  if (outcome !== undefined && entry.outcome !== outcome) return false;
  if (capability !== undefined && !entry.capabilities.some((need) => need.capability === capability)) return false;
  if (since !== undefined && entry.ts < since) return false;
  if (until !== undefined && entry.ts >= until) return false;
  if (answered === true && !isAnswered(entry)) return false;
  if (confined === true && !entry.is_confined) return false;
  return text === undefined || text === "" || hasText(entry, text.toLowerCase());
}

/** What a grant covered meanwhile, nobody answered. */
function isAnswered({ status, rule }: ActivityEntry): boolean {
  return (status === "approved" || status === "rejected") && rule !== "approval.covered-by-grant";
}

function hasText({ agent_name, executor, reason, capabilities }: ActivityEntry, text: string): boolean {
  const has = (value: string) => value.toLowerCase().includes(text);
  return (
    has(agent_name) ||
    has(executor) ||
    has(reason) ||
    capabilities.some(({ capability, target }) => has(target) || has(capability))
  );
}
