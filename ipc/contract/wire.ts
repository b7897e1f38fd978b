import { z } from "zod";
import { confinedSchema, decisionSchema, levelSchema } from "./decision.ts";
import { mcpContextSchema, mcpToolStateSchema, mcpToolsSchema } from "./mcp.ts";
import { severitySchema, subjectTypeSchema } from "./safety.ts";
import { sessionEventSchema } from "./session-events.ts";
import { MAX_SHELL_PATH } from "./shell-path.ts";
import { undoneNoteSchema } from "./undo.ts";

/** Every message on the agent socket (docs/protocol.md). `{"type": ..., "data": {...}}`, one per line. */

export const PROTOCOL_VERSION = 1;
export const MAX_PLAN_CALLS = 256;
/** A call that takes longer than a month isn't one. In milliseconds. */
const MAX_DURATION_MS = 31 * 24 * 3600 * 1000;

/** Names are used in file names, on cards and in logs: letters, digits, `.`, `_`, `-`. */
export const agentNameSchema = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
    "1 to 64 letters, digits, '.', '_' or '-', beginning with a letter or digit",
  );
const idSchema = z.string().min(1).max(128);
const sessionSchema = z.string().min(1).max(128);
const tokenSchema = z.string().regex(/^[0-9a-f]{16}$/, "16 hex digits");

/** Kept as received, not copied: depth and `__proto__` were checked when the frame was decoded. */
const argsSchema = z.custom<Record<string, unknown>>(
  (value) => typeof value === "object" && value !== null && !Array.isArray(value),
  "expected an object",
);

/** Nobody reads more on a card, and each takes time in every stage, in which nobody else is answered. */
export const MAX_ARG_VALUES = 10_000;

/** Values, their own counted, in objects and lists. */
function hasAtMost(root: unknown, most: number): boolean {
  let left = most;
  for (const open = [root]; open.length > 0; ) {
    const inner = Object.values(open.pop() ?? {});
    left -= inner.length;
    if (left < 0) return false;
    for (const value of inner) if (typeof value === "object" && value !== null) open.push(value);
  }
  return true;
}

/** The PATH of a shell, where it is known. */
export const shellPathSchema = z
  .string()
  .max(MAX_SHELL_PATH)
  .refine((path) => !path.includes("\0"), "holds a NUL byte")
  .optional();

/** What the agent says about a call's context. None of it can loosen a decision. */
export const contextSchema = z.looseObject({
  mode: z.string().max(64).optional(),
  step: z.number().int().optional(),
  critical: z.boolean().optional(),
  capability: z.string().max(64).optional(),
  cwd: z.string().max(4096).optional(),
  /** The PATH of the shell that runs its command lines. */
  path: shellPathSchema,
  session: sessionSchema.optional(),
  /** The client's own id of the call, by which `tool.ran` names it. */
  call_id: z.string().max(128).optional(),
  /** The agent's own id of the turn, or of the user's message, that the call belongs to. */
  turn: z.string().max(128).optional(),
  /** The process of the client that waits, where its hook knows it. */
  client_pid: z.number().int().positive().optional(),
  mcp_server: z.string().max(128).optional(),
  /** Of a call that a proxy in front of an MCP server sends. It means a tool that this very connection has announced, or nothing. */
  mcp: mcpContextSchema.optional(),
  annotations: z.record(z.string(), z.unknown()).optional(),
});
export type CallContext = z.infer<typeof contextSchema>;

export const proposedCallSchema = z.object({
  intent: z.string().max(16_384),
  executor: z.string().regex(/^[A-Za-z0-9_.:/-]{1,200}$/, "1 to 200 letters, digits, '_', '.', ':', '/' or '-'"),
  args: argsSchema.refine((args) => hasAtMost(args, MAX_ARG_VALUES), `more than ${MAX_ARG_VALUES} values`),
  context: contextSchema.optional(),
});
/** One tool call as an agent proposes it. */
export type ProposedCall = z.infer<typeof proposedCallSchema>;
/** A call as it ran, to compare with the one that was allowed. */
const ranCallSchema = proposedCallSchema.pick({ executor: true }).extend({ args: argsSchema });
export type RanCall = z.infer<typeof ranCallSchema>;

/** What an agent supports that runs a call only as `confine` says. */
export const CONFINE = "confine";

const helloSchema = z.object({
  id: idSchema,
  protocol: z.number().int(),
  agent: z.object({ name: agentNameSchema, version: z.string().max(64).optional() }),
  token: z.string().max(256).optional(),
  session: sessionSchema.optional(),
  /** What the agent can do beyond asking; what this version doesn't know is ignored. `confine`: it runs a call only as `confine` says. */
  supports: z.array(z.string().max(32)).max(16).optional(),
});
export type Hello = z.infer<typeof helloSchema>;

/** What an agent that plans in goals has checked before it continues (see ipc/contract/safety.ts). Texts longer than a rule allows get a verdict. */
const goalSchema = z.object({
  goal_id: z.string().min(1).max(128),
  description: z.string().max(65_536),
  priority: z.enum(["low", "normal", "high", "critical"]),
  goal_type: z.string().max(128),
  allow_critical: z.boolean().optional(),
});
export type Goal = z.infer<typeof goalSchema>;

const subtaskSchema = z.object({
  subtask_id: z.string().min(1).max(128),
  required_caps: z.array(z.string().max(256)).max(1024),
});
export type Subtask = z.infer<typeof subtaskSchema>;

const taskGraphSchema = z.object({
  root_goal_id: z.string().min(1).max(128),
  subtasks: z.record(z.string().max(128), subtaskSchema),
});
export type TaskGraph = z.infer<typeof taskGraphSchema>;

/** The safety filter's verdict. `checked_at` in Unix seconds. */
export const safetyVerdictSchema = z.object({
  /** False when a violation is BLOCK or CRITICAL, and while the gate is paused. */
  allowed: z.boolean(),
  subject_type: subjectTypeSchema,
  subject_id: z.string(),
  violations: z.array(
    z.object({
      rule_id: z.string(),
      severity: severitySchema,
      subject_type: subjectTypeSchema,
      subject_id: z.string(),
      detail: z.string(),
    }),
  ),
  is_paused: z.boolean(),
  checked_at: z.number(),
});
export type SafetyVerdict = z.infer<typeof safetyVerdictSchema>;

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
  /** By the request's token, or by the id of the `tool.call`: a call that is being judged has no token yet. */
  "tool.cancel": z
    .object({ id: idSchema, token: tokenSchema.optional(), call: idSchema.optional(), reason: z.string().max(500) })
    .refine(({ token, call }) => (token === undefined) !== (call === undefined), "expected token or call, one of them"),
  "tool.outcome": z.object({ decision_id: z.uuid(), ok: z.boolean(), error: z.string().max(16_384).optional() }),
  /**
   * A call has run, by the client's own id of it: the gate answers whether it ran confined, as it was allowed to. `ok`: also how it ended;
   * `duration_ms`: how long it took, as the client says; `input`: what really ran, which is compared with what was allowed. `unasked`:
   * the gate was never asked about it. `refused`: it says that it couldn't read or write something that is there outside of its box.
   */
  "tool.ran": z
    .object({
      id: idSchema,
      call_id: z.string().min(1).max(128),
      ok: z.boolean().optional(),
      duration_ms: z.number().min(0).max(MAX_DURATION_MS).optional(),
      input: ranCallSchema.optional(),
      unasked: z.literal(true).optional(),
      refused: z.literal(true).optional(),
    })
    .refine(
      ({ unasked, input }) => unasked === undefined || input !== undefined,
      "unasked says what ran: expected input",
    ),
  /** Something happened in a session; left out, in the connection's own. */
  "session.event": z.object({ id: idSchema, session: sessionSchema.optional(), event: sessionEventSchema }),
  "goal.check": z.object({ id: idSchema, goal: goalSchema }),
  "subtask.check": z.object({ id: idSchema, subtask: subtaskSchema }),
  "graph.check": z.object({ id: idSchema, graph: taskGraphSchema }),
  /** A proxy says which tools its server offers; a later message adds to them, and replaces those of the same name. */
  "mcp.tools": mcpToolsSchema.extend({ id: idSchema }),
  ping: z.object({ id: idSchema.optional() }),
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
  "agent_unreadable",
  "pairing_rejected",
  "too_many_pairings",
  "too_many_connections",
  "unknown_token",
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
  /** `confined`: null where the call wasn't allowed as a confined one. `undone`: what the user took back of this session's, said once. */
  "tool.ran.ok": z.object({
    id: z.string(),
    confined: confinedSchema.nullable(),
    undone: undoneNoteSchema.optional(),
  }),
  "mcp.tools.ok": z.object({ id: z.string(), tools: z.array(mcpToolStateSchema) }),
  "session.noted": z.object({ id: z.string() }),
  "safety.verdict": safetyVerdictSchema.extend({ id: z.string() }),
  "safety.paused": z.object({ reason: z.string(), since: z.string(), until: z.string().nullable() }),
  "safety.resumed": z.object({}),
  pong: z.object({ id: z.string().optional() }),
  error: wireErrorSchema,
} as const;
export type GateMessageType = keyof typeof gateMessages;
export type GateMessage<T extends GateMessageType> = z.infer<(typeof gateMessages)[T]>;
