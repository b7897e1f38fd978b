import type { Activity } from "./gate/activity/activity.ts";
import type { ReportedCall } from "./gate/activity/reports.ts";
import type { AgentDirectory } from "./gate/agents.ts";
import type { AuditLog } from "./gate/audit/log.ts";
import { agentKindOf } from "./gate/executors/agent-kind.ts";
import type { ExecutorCatalog } from "./gate/executors/catalog.ts";
import type { Listeners } from "./listeners.ts";

/** What agents report of their calls, for the trail and the surfaces. No decision depends on it. */

interface Parts {
  activity: Pick<Activity, "reports">;
  agents: Pick<AgentDirectory, "get">;
  audit: Pick<AuditLog, "append" | "time">;
  catalog: Pick<ExecutorCatalog, "loggedName">;
  listeners: Pick<Listeners, "hasListener" | "publish">;
}

/** An agent says what became of a call. Whether it counts is `Reports.report`'s matter; one that doesn't is only counted. */
export function noteReport(parts: Parts, agent_id: string, call: ReportedCall, ok: boolean): void {
  const { activity, audit, catalog, listeners } = parts;
  const accepted = activity.reports.report(agent_id, call, ok);
  if (accepted === undefined) return;
  const { decision_id, reported } = accepted;
  const agent = nameOf(parts, agent_id);
  audit.append(() => {
    const executor = catalog.loggedName(accepted.executor, agentKindOf(agent));
    return { event: "outcome", ts: audit.time(), decision_id, ok, agent, executor, ms: reported.ms };
  });
  if (listeners.hasListener("call.reported"))
    listeners.publish({ type: "call.reported", data: { decision_id, reported } });
}

/** A line for each agent whose reports didn't count lately: how many, and nothing of what they named. */
export function noteRefusedReports(parts: Parts): void {
  const { activity, audit } = parts;
  for (const { agent_id, count } of activity.reports.refused())
    audit.append({ event: "outcome.refused", ts: audit.time(), agent: nameOf(parts, agent_id), count });
}

function nameOf({ agents }: Parts, agent_id: string): string {
  return agents.get(agent_id)?.name ?? "none";
}
