import { z } from "zod";
import { localPrincipal } from "../../ipc/base/paths.ts";
import { type AgentKind, agentKindOf } from "../../ipc/contract/agent-kind.ts";
import { levelSchema } from "../../ipc/contract/decision.ts";
import { GateError } from "../../ipc/contract/gate-error.ts";
import { agentNameSchema, contextSchema, type ProposedCall, proposedCallSchema } from "../../ipc/contract/wire.ts";
import { isWithinDepth, MAX_DEPTH } from "../../ipc/socket/frames.ts";
import type { Subject } from "../decide/stages/examination.ts";

/** A call that nobody makes, as a user asks about it. */

const questionSchema = proposedCallSchema.extend({
  intent: z.string().default(""),
  args: proposedCallSchema.shape.args.default({}),
  context: contextSchema.nullish().transform((context) => context ?? undefined),
  /** An agent's name, or a kind of agents: whose executors' names and profiles apply. Left out: all agents' names, no agent's profile. */
  agent: agentNameSchema.optional(),
});
const explainSchema = questionSchema.extend({ level: levelSchema.default("Supervised") });

/** `{intent, executor, args, context, agent}`. @throws GateError `invalid_input` */
export function callAskedAbout(input: unknown): { call: ProposedCall; kind: AgentKind | undefined } {
  const { agent, ...call } = parsed(questionSchema, input);
  return { call: callOf(call), kind: kindMeant(agent) };
}

/** The same with a level, as a call of no agent. @throws GateError `invalid_input` */
export function explainedCall(input: unknown): { call: ProposedCall; subject: Subject } {
  const { level, agent: name, ...asked } = parsed(explainSchema, input);
  const call = callOf(asked);
  const { session } = call.context ?? {};
  return {
    call,
    subject: { agent: null, name, kind: kindMeant(name), level, session, principal: localPrincipal() },
  };
}

function kindMeant(name: string | undefined): AgentKind | undefined {
  return name === undefined ? undefined : agentKindOf(name);
}

function callOf({ intent, executor, args, context }: z.output<typeof questionSchema>): ProposedCall {
  return context === undefined ? { intent, executor, args } : { intent, executor, args, context };
}

function parsed<T extends z.ZodType>(schema: T, input: unknown): z.output<T> {
  if (typeof input === "object" && input !== null && !isWithinDepth(input, MAX_DEPTH)) {
    throw new GateError("invalid_input", `nested deeper than ${MAX_DEPTH}, or with a key __proto__`);
  }
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new GateError(
    "invalid_input",
    `${issue?.path.join(".") || "input"}: ${issue?.message ?? "not valid"}`,
    "give {intent, executor, args, context, agent}",
  );
}
