import { visible } from "../../../ipc/base/visible-text.ts";
import type { Decision, Level, Verdict } from "../../../ipc/contract/decision.ts";
import { projectAsked } from "../../decide/confinement/declaration.ts";
import { describe } from "../../decide/description/describe.ts";
import { reversibilityOf } from "../../decide/description/effect.ts";
import { type PolicyTable, policyFor } from "../../decide/policy/policy.ts";
import { kindOf, PLAN_MODE, type Reviewable } from "../../decide/stages/examination.ts";
import { workingDirectoryOf } from "../../shell-reading/clear/call-environment.ts";
import type { ResolvedRequirement } from "../../shell-reading/targets/target.ts";
import { requestedTool } from "./asked-tool.ts";
import type { BrokerSettings } from "./broker.ts";
import { askedPathsOf, choicesFor, choicesForBox, realsOfChoices } from "./choices.ts";
import { endedRequestOf } from "./ended-request.ts";
import type { NewPending, RequestExtra } from "./pending-request.ts";
import { questionFor } from "./question.ts";
import type { ApprovalRegistry } from "./registry.ts";
import { PROPOSED_FROM, widerAnswer } from "./wider-answer.ts";

/** A call as a user is asked about it. `registry`: what its agent was approved for before. */
export function newRequest(
  x: Reviewable,
  agent: { agent_id: string; name: string },
  decision: Decision,
  { home, language }: Pick<BrokerSettings, "home" | "language">,
  registry: Pick<ApprovalRegistry, "countApproved" | "lastApproved">,
): Omit<NewPending, "ttl_seconds" | "call_hash" | "share_key"> {
  const { call, subject, executor, needs, verdict, confinement } = x;
  const project = projectAsked(confinement);
  const { links, ...question } = questionFor(call, executor, needs, { home, language, project });
  const { capability_class } = question;
  const times = registry.countApproved(capability_class, agent.agent_id);
  const last = () => registry.lastApproved(capability_class, agent.agent_id, PROPOSED_FROM);
  const description = describe({ ...x, needs: x.stated_needs });
  const { table } = policyFor(x.settings.overrides, subject);
  // Asked whether the same call may come again and again, it is allowed already: there is nothing to grant, and the call itself to stop.
  const asked = x.repeated === undefined ? needs.filter((need) => isAsked(table, subject.level, need)) : [];
  const settings = { home, cwd: workingDirectoryOf(call, home) };
  const choices =
    project === undefined || x.repeated !== undefined
      ? choicesFor(asked, settings)
      : choicesForBox(asked, settings, project);
  // What is refused of a confined call is its command line: the project is nothing that anybody would refuse for it.
  const refusable =
    project === undefined || x.repeated !== undefined
      ? asked
      : x.stated_needs.filter(({ capability }) => capability === "code:exec");
  return {
    ...subject.principal,
    ...question,
    agent_id: agent.agent_id,
    agent_name: agent.name,
    session: subject.session ?? "",
    extra: {
      executor: call.executor,
      intent: call.intent,
      subagent: typeof call.context?.subagent === "string" ? visible(call.context.subagent.slice(0, 64)) : null,
      verb: executor.manifest.verb,
      cwd: call.context?.cwd ?? null,
      args: call.args,
      reversibility: reversibilityOf(description, executor),
      recurrence_count: times,
      proposal: widerAnswer(choices, times, last, home),
      capabilities: decision.capabilities,
      needed: [...new Set(decision.capabilities.map(({ capability }) => capability))],
      choices,
      asked: refusable.map(({ capability, target }) => ({ capability, target })),
      ...askedPathsOf(needs),
      choice_reals: realsOfChoices(choices, home),
      links,
      hints: asksToo(x) ? ["asks_too"] : undefined,
      client_pid: kindOf(subject) === "codex" ? call.context?.client_pid : undefined,
      repeated: x.repeated,
      ...(decision.price === undefined ? {} : { price: decision.price }),
      confined: project === undefined ? undefined : decision.confined,
      ...(executor.mcp === undefined ? {} : { mcp: requestedTool(x, table) }),
      description,
      judge: judgedAs(verdict),
      ...(decision.reviews === undefined ? {} : { reviews: decision.reviews }),
      kept: endedRequestOf(call, executor, needs, question, { home, project }),
    },
  };
}

/** Claude Code 2.1.330 asks itself about what it may run in plan mode, whatever its hook has allowed. 2.1.197 doesn't. */
function asksToo({ subject, call }: Reviewable): boolean {
  return kindOf(subject) === "claude-code" && call.context?.mode === PLAN_MODE;
}

function judgedAs({ score, reason, notes = [], degraded }: Verdict): RequestExtra["judge"] {
  return { score, reason, notes, ...(degraded === undefined ? {} : { degraded }) };
}

/** Of a call's needs, those that are asked about: only these can be granted, and one that no grant covers leaves only "once". */
function isAsked(table: PolicyTable, level: Level, { capability, ask_each_time }: ResolvedRequirement): boolean {
  return ask_each_time !== undefined || table[level][capability] === "approval_required";
}
