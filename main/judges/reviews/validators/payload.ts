import { isAbsolute } from "node:path";
import type { SessionDecisions } from "../../../calls/index.ts";
import type { ExecutorCatalog } from "../../../decide/executors/catalog.ts";
import { type JudgeAgentConfig, type ReviewConfig, type Send, sendToModel } from "../../../decide/reviews/config.ts";
import { kindOf, type Reviewable } from "../../../decide/stages/examination.ts";
import type { JudgeAgent, Worker, WorkerMount } from "../judge-ports.ts";
import { sentCall } from "../sent/sent-call.ts";

/** What a judge agent is given about a call (docs/decisions/requirements-validators.md, "What a judge is given"). */

/** Fixed: by it a judge's prompt or program knows that nothing has run yet. */
const VALIDATION_CONTEXT = "semantic_judge_pre_execution_inner_loop";

/** Of the proposed call's preview, in characters. */
const MAX_PREVIEW = 4096;
const MAX_TOOLS = 256;

export interface PayloadParts {
  catalog: Pick<ExecutorCatalog, "names">;
  decisions: Pick<SessionDecisions, "of" | "deniedInTurn">;
  /** What of the call's arguments the judge agent gets. */
  send: Send;
  /** Milliseconds. */
  now: () => number;
}

export function validatorPayload(
  x: Reviewable,
  { criteria, agent }: { criteria: string; agent: Pick<JudgeAgent, "mounts"> },
  { catalog, decisions, send, now }: PayloadParts,
): Record<string, unknown> {
  const { task, proposed } = proposedCall(x, send);
  const session = x.subject.session ?? "";
  const agentId = x.subject.agent?.agent_id;
  return {
    task,
    proposed_tool_call: proposed,
    available_tools: catalog.names(kindOf(x.subject)).slice(0, MAX_TOOLS),
    worker_mounts: mountsSent(agent.mounts(workerOf(x)), send),
    output: preview(proposed),
    criteria,
    validation_context: VALIDATION_CONTEXT,
    policy_violations:
      agentId === undefined ? [] : decisions.deniedInTurn(agentId, session, x.call.context?.turn, now(), "policy"),
    execution_id: session,
    tool_audit_history:
      agentId === undefined
        ? []
        : decisions.of(agentId, session).map(({ executor, outcome, stage }) => ({ executor, outcome, stage })),
  };
}

/** Whose call it is, for its judge agents. */
export function workerOf({ call, subject }: Reviewable): Worker {
  const cwd = call.context?.cwd;
  return { cwd: cwd !== undefined && isAbsolute(cwd) ? cwd : null, agent_name: subject.agent?.name ?? "" };
}

/** Where the folders are on this machine is a value, too. */
function mountsSent(mounts: readonly WorkerMount[], send: Send): readonly Partial<WorkerMount>[] {
  return send === "keys" ? mounts.map(({ target, read_only }) => ({ target, read_only })) : mounts;
}

function preview(proposed: Readonly<Record<string, unknown>>): string {
  const text = JSON.stringify(proposed);
  return text.length <= MAX_PREVIEW ? text : `${text.slice(0, MAX_PREVIEW)}… (${text.length} characters)`;
}

/** What a judge agent gets of the arguments: the user's own program all of it, whatever it starts; a model as `[judge]` says, or by its host. */
export function sendToAgent({ send }: ReviewConfig["judge"], { kind }: JudgeAgentConfig, isOnline: boolean): Send {
  if (kind === "command") return "full";
  return sendToModel(send, isOnline);
}

/** Under the names that judge agents know: what is proposed, and what the gate itself says of it. */
function proposedCall(x: Reviewable, send: Send): { task: string; proposed: Record<string, unknown> } {
  const { intent, user_asked, tool, args, ...reading } = sentCall(x, send);
  const sent = { intent, user_asked, name: tool, arguments: args };
  // The user's own program has it all, and a model that the user says so of: nothing is cut.
  const { intent: said, user_asked: asked, ...call } = send === "full" ? { ...sent, ...wholeCall(x) } : sent;
  // Where the user's own words are known, the agent's are its account of this call.
  return asked === undefined
    ? { task: said, proposed: { ...call, ...reading } }
    : { task: asked, proposed: { ...call, intent: said, ...reading } };
}

function wholeCall({ call, subject, settings }: Reviewable) {
  const userAsked = settings.words?.of(call, subject) ?? undefined;
  return { intent: call.intent, user_asked: userAsked, name: call.executor, arguments: call.args };
}
