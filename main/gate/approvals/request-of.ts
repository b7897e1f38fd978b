import type { Decision, Verdict } from "../../../ipc/decision.ts";
import { visible } from "../../../ipc/visible-text.ts";
import { describe } from "../description/describe.ts";
import { reversibilityOf } from "../description/effect.ts";
import { workingDirectoryOf } from "../guard/call-environment.ts";
import { POLICY_TABLE } from "../policy.ts";
import type { Reviewable, Subject } from "../stages/examination.ts";
import type { ResolvedRequirement } from "../targets/target.ts";
import type { BrokerSettings } from "./broker.ts";
import { askedPathsOf, choicesFor, choicesForBox, realsOfChoices } from "./choices.ts";
import { keptOf } from "./kept.ts";
import type { NewPending } from "./pending-request.ts";
import { questionFor } from "./question.ts";
import type { RequestExtra } from "./request-extra.ts";
import { type ApprovedBefore, widerAnswer } from "./wider-answer.ts";

/** A call as a user is asked about it. `approvedBefore`: what this agent was approved for of a class of capability. */
export function requestOf(
  x: Reviewable,
  agent: { agent_id: string; name: string },
  decision: Decision,
  { home, language }: Pick<BrokerSettings, "home" | "language">,
  approvedBefore: (capability_class: string) => ApprovedBefore,
): Omit<NewPending, "ttl_seconds" | "call_hash" | "share_key"> {
  const { call, subject, executor, needs, verdict, confinement } = x;
  const project = confinement?.declaration.project;
  const { links, ...question } = questionFor(call, executor, needs, { home, language, project });
  const before = approvedBefore(question.capability_class);
  const description = describe({ ...x, needs: x.stated_needs });
  const asked = needs.filter((need) => isAsked(subject, need));
  const settings = { home, cwd: workingDirectoryOf(call, home) };
  const choices = project === undefined ? choicesFor(asked, settings) : choicesForBox(asked, settings, project);
  // What is refused of a confined call is its command line: the project is nothing that anybody would refuse for it.
  const refusable =
    confinement === null ? asked : x.stated_needs.filter(({ capability }) => capability === "code:exec");
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
      recurrence_count: before.times,
      proposal: widerAnswer(choices, before, home),
      capabilities: decision.capabilities,
      needed: [...new Set(decision.capabilities.map(({ capability }) => capability))],
      choices,
      asked: refusable.map(({ capability, target }) => ({ capability, target })),
      ...askedPathsOf(needs),
      choice_reals: realsOfChoices(choices, home),
      links,
      confined: decision.confined,
      description,
      judge: judgedAs(verdict),
      ...(decision.reviews === undefined ? {} : { reviews: decision.reviews }),
      kept: keptOf(call, executor, needs, question, { home, project }),
    },
  };
}

function judgedAs({ score, reason, notes = [], degraded }: Verdict): RequestExtra["judge"] {
  return { score, reason, notes, ...(degraded === undefined ? {} : { degraded }) };
}

/** Of a call's needs, those that are asked about: only these can be granted, and one that no grant covers leaves only "once". */
function isAsked({ level }: Subject, { capability, ask_each_time }: ResolvedRequirement): boolean {
  return ask_each_time !== undefined || POLICY_TABLE[level][capability] === "approval_required";
}
