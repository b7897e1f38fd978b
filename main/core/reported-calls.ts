import { ownCommand } from "../../ipc/base/own-command.ts";
import type { Reported } from "../../ipc/contract/activity.ts";
import { agentKindOf } from "../../ipc/contract/agent-kind.ts";
import type { RanCall } from "../../ipc/contract/wire.ts";
import type { AgentDirectory, Listeners } from "../agents/index.ts";
import type { Alarms } from "../base/alarms.ts";
import type { ExecutorCatalog } from "../decide/executors/catalog.ts";
import type { Activity } from "../records/activity/activity.ts";
import type { RanOther, Report, ReportedCall } from "../records/activity/reports.ts";
import type { AuditLog } from "../records/audit/log.ts";

/** What agents report of their calls, for the trail and the surfaces. No decision depends on it. */

interface Parts {
  activity: Pick<Activity, "reports">;
  agents: Pick<AgentDirectory, "get">;
  audit: Pick<AuditLog, "append" | "time">;
  catalog: Pick<ExecutorCatalog, "loggedName">;
  listeners: Pick<Listeners, "hasListener" | "publish">;
  /** Keeps what calls left; undefined where nothing is kept. */
  undo?: { ended(decisionId: string): void } | undefined;
  /** Finds what they changed of what runs later. */
  later?: { ended(decisionId: string): void };
}

interface RanParts extends Parts {
  alarms: Pick<Alarms, "raise">;
}

/** An agent says what became of a call. Whether it counts is `Reports.report`'s matter; one that doesn't is only counted. */
export function noteReport(parts: Parts, agentId: string, call: ReportedCall, report: Report): void {
  const { activity, audit, catalog } = parts;
  const accepted = activity.reports.report(agentId, call, report);
  if (accepted === undefined) return;
  const { decision_id, reported } = accepted;
  for (const each of [parts.undo, parts.later]) each?.ended(decision_id);
  const { ms, duration_ms } = reported;
  const agent = nameOf(parts, agentId);
  audit.append(() => ({
    event: "outcome",
    ts: audit.time(),
    decision_id,
    ok: report.ok,
    agent,
    executor: catalog.loggedName(accepted.executor, agentKindOf(agent)),
    ms,
    ...(duration_ms === undefined ? {} : { duration_ms }),
  }));
  publishReported(parts, decision_id, reported);
}

/** An agent says what ran under its own id of a call: where that isn't what was allowed, the user has to know. */
export function noteRan(parts: RanParts, agentId: string, callId: string, ran: RanCall): void {
  const { activity, alarms, audit, catalog } = parts;
  const other = activity.reports.ran(agentId, callId, ran);
  if (other === undefined) return;
  const { decision_id, reported } = other;
  const agent = nameOf(parts, agentId);
  const kind = agentKindOf(agent);
  const executor = catalog.loggedName(other.executor, kind);
  // The arguments' names and values stay with the agent: that they differ says enough.
  const ranExecutor = catalog.loggedName(ran.executor, kind);
  audit.append({ event: "ran.other", ts: audit.time(), decision_id, agent, executor, ran_executor: ranExecutor });
  alarms.raise({
    code: "ran_other_than_allowed",
    subject: agent,
    message:
      ranExecutor === executor
        ? `${agent} ran ${executor} with other arguments than it was allowed`
        : `${agent} was allowed ${executor} and ran ${ranExecutor}`,
    hint: `look at what it did in its own history; ${ownCommand("doctor")} names other hooks that can change calls`,
  });
  publishReported(parts, decision_id, reported);
}

/** So many calls of one session, and it is an alarm. */
const TRIED_MORE_TOLD = 3;

/** An agent says that a call's box kept it from something: a program that does more than its line says. */
export function noteTriedMore(parts: RanParts, agentId: string, callId: string): void {
  const tried = parts.activity.reports.triedMore(agentId, callId);
  if (tried === undefined) return;
  const agent = noteFound(parts, "ran.tried_more", agentId, tried);
  if (tried.inSession >= TRIED_MORE_TOLD)
    parts.alarms.raise({
      code: "tried_more_than_said",
      subject: agent,
      message: `${agent} ran at least ${TRIED_MORE_TOLD} commands in one session whose programs tried more than they say, and couldn't`,
      hint: "see whether the project's own files changed what they do",
    });
}

/** A call's programs changed what runs later, which its line doesn't name. */
export function noteChangedLater(parts: Parts, agentId: string, decisionId: string): void {
  const changed = parts.activity.reports.changedLater(agentId, decisionId);
  if (changed !== undefined) noteFound(parts, "ran.changed_later", agentId, changed);
}

/** For the trail and Activity. @returns the agent's name */
function noteFound(
  parts: Parts,
  event: string,
  agentId: string,
  { decision_id, executor, reported }: RanOther,
): string {
  const { audit, catalog } = parts;
  const agent = nameOf(parts, agentId);
  const name = catalog.loggedName(executor, agentKindOf(agent));
  audit.append({ event, ts: audit.time(), decision_id, agent, executor: name });
  publishReported(parts, decision_id, reported);
  return agent;
}

/** An agent says what it ran without having asked the gate. Of many in a short time the trail gets a count. */
export function noteUnasked(parts: RanParts, agentId: string, ran: RanCall): void {
  const { activity, alarms, audit, catalog } = parts;
  const agent = nameOf(parts, agentId);
  if (activity.reports.ranUnasked(agentId)) {
    const executor = catalog.loggedName(ran.executor, agentKindOf(agent));
    audit.append({ event: "ran.unasked", ts: audit.time(), agent, executor });
  }
  alarms.raise({
    code: "ran_unasked",
    subject: agent,
    // The same for each of them: an agent that asks nobody is one alarm, not one for each of its calls.
    message: `${agent} ran what it had to ask about, and asked nobody`,
    hint: `${ownCommand("audit tail")} says which tools, its log in the editor which calls; acp --strict cancels the turn where it does that again`,
  });
}

function publishReported({ listeners }: Parts, decisionId: string, reported: Reported): void {
  if (listeners.hasListener("call.reported"))
    listeners.publish({ type: "call.reported", data: { decision_id: decisionId, reported } });
}

/** A line for each agent of whose reports some had none lately: how many, and nothing of what they named. */
export function noteCountedReports(parts: Parts): void {
  const { activity, audit } = parts;
  for (const { agent_id, count } of activity.reports.unaskedBeyond())
    audit.append({ event: "ran.unasked", ts: audit.time(), agent: nameOf(parts, agent_id), count });
  for (const { agent_id, count } of activity.reports.refused())
    audit.append({ event: "outcome.refused", ts: audit.time(), agent: nameOf(parts, agent_id), count });
}

function nameOf({ agents }: Parts, agentId: string): string {
  return agents.get(agentId)?.name ?? "none";
}
