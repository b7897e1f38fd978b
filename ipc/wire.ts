import { z } from "zod";
import { decisionSchema, levelSchema } from "./decision.ts";

/** Every message on the agent socket (docs/protocol.md). `{"type": ..., "data": {...}}`, one per line. */

export const PROTOCOL_VERSION = 1;
export const MAX_PLAN_CALLS = 256;

/** Names end up in file names, on cards and in logs: letters, digits, `.`, `_`, `-`. */
export const agentNameSchema = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
    "1 to 64 letters, digits, '.', '_' or '-', beginning with a letter or digit",
  );
const idSchema = z.string().min(1).max(128);
const sessionSchema = z.string().min(1).max(128);
const tokenSchema = z.string().regex(/^[0-9a-f]{16}$/, "16 hex digits");

/** Kept as it came, not copied: depth and `__proto__` were checked when the frame was read. */
const argsSchema = z.custom<Record<string, unknown>>(
  (value) => typeof value === "object" && value !== null && !Array.isArray(value),
  "expected an object",
);

/** What the agent says around a call. None of it can loosen a decision. */
export const contextSchema = z.looseObject({
  mode: z.string().max(64).optional(),
  step: z.number().int().optional(),
  critical: z.boolean().optional(),
  capability: z.string().max(64).optional(),
  cwd: z.string().max(4096).optional(),
  session: sessionSchema.optional(),
  mcp_server: z.string().max(128).optional(),
  annotations: z.record(z.string(), z.unknown()).optional(),
});
export type CallContext = z.infer<typeof contextSchema>;

export const proposedCallSchema = z.object({
  intent: z.string().max(16_384),
  executor: z.string().regex(/^[A-Za-z0-9_.:/-]{1,200}$/, "1 to 200 letters, digits, '_', '.', ':', '/' or '-'"),
  args: argsSchema,
  context: contextSchema.optional(),
});
/** One tool call as an agent proposes it. */
export type ProposedCall = z.infer<typeof proposedCallSchema>;

export const helloSchema = z.object({
  id: idSchema,
  protocol: z.number().int(),
  agent: z.object({ name: agentNameSchema, version: z.string().max(64).optional() }),
  token: z.string().max(256).optional(),
  session: sessionSchema.optional(),
});
export type Hello = z.infer<typeof helloSchema>;

const subjectCheckSchema = z.looseObject({ id: idSchema });

/** Agent to gate, by type. */
export const agentMessages = {
  hello: helloSchema,
  "tool.call": proposedCallSchema.extend({ id: idSchema }),
  "tool.plan": z.object({
    id: idSchema,
    intent: z.string().max(16_384),
    calls: z
      .array(proposedCallSchema.omit({ intent: true }))
      .min(1)
      .max(MAX_PLAN_CALLS),
  }),
  "tool.cancel": z.object({ id: idSchema, token: tokenSchema, reason: z.string().max(500) }),
  "tool.outcome": z.object({ decision_id: z.uuid(), ok: z.boolean(), error: z.string().max(16_384).optional() }),
  "goal.check": subjectCheckSchema,
  "subtask.check": subjectCheckSchema,
  "graph.check": subjectCheckSchema,
  ping: z.looseObject({ id: idSchema.optional() }),
} as const;
export type AgentMessageType = keyof typeof agentMessages;
export type AgentMessage<T extends AgentMessageType> = z.infer<(typeof agentMessages)[T]>;

export const ERROR_CODES = [
  "not_json",
  "not_an_object",
  "too_deep",
  "frame_too_large",
  "frame_unfinished",
  "unknown_type",
  "invalid_message",
  "unsupported_protocol",
  "hello_required",
  "already_greeted",
  "token_required",
  "bad_token",
  "pairing_rejected",
  "too_many_pairings",
  "unknown_token",
  "not_available",
  "closing",
  "internal",
] as const;
export const wireErrorSchema = z.object({
  id: z.string().optional(),
  code: z.enum(ERROR_CODES),
  message: z.string(),
  hint: z.string(),
});
export type WireError = z.infer<typeof wireErrorSchema>;

/** Gate to agent, by type. */
export const gateMessages = {
  "hello.ok": z.object({
    id: z.string(),
    agent_id: z.string(),
    level: levelSchema,
    session: z.string(),
    gate_version: z.string(),
  }),
  "hello.pairing": z.object({ id: z.string() }),
  "tool.decision": decisionSchema.extend({ id: z.string() }),
  "tool.plan.decisions": z.object({ id: z.string(), decisions: z.array(decisionSchema) }),
  "safety.paused": z.looseObject({ reason: z.string() }),
  "safety.resumed": z.looseObject({}),
  pong: z.looseObject({ id: z.string().optional() }),
  error: wireErrorSchema,
} as const;
export type GateMessageType = keyof typeof gateMessages;
export type GateMessage<T extends GateMessageType> = z.infer<(typeof gateMessages)[T]>;
