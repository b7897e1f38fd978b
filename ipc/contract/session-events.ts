import { z } from "zod";
import { MAX_HOOK, MAX_HOOKS, MAX_PROMPT } from "./session-limits.ts";

/** What an agent's client says of its own session. It can end what was remembered for the session, or inform the user: never loosen a decision. */

export const sessionEventSchema = z.discriminatedUnion("kind", [
  /** The user's own words. `turn`: the client's id of this message, as calls name it in `context.turn`. */
  z.object({
    kind: z.literal("prompt"),
    turn: z.string().min(1).max(128),
    text: z.string().max(MAX_PROMPT),
    /** The folder that the session is in. */
    cwd: z.string().max(4096).optional(),
  }),
  /** A session begins, or begins anew, where its client has read its instructions. */
  z.object({ kind: z.literal("began"), cwd: z.string().max(4096) }),
  /** The session is over: what was granted and refused for it ends. */
  z.object({ kind: z.literal("ended"), reason: z.string().max(64).optional() }),
  /** `subagent`: its kind, as calls name it; `agent_ref`: the client's own id of this one. */
  z.object({
    kind: z.enum(["subagent-started", "subagent-ended"]),
    subagent: z.string().min(1).max(64),
    agent_ref: z.string().max(128).optional(),
  }),
  /** The hooks beside the gate's that can change a call after it was approved; none: empty. */
  z.object({ kind: z.literal("other-hooks"), hooks: z.array(z.string().max(MAX_HOOK)).max(MAX_HOOKS) }),
  z.object({ kind: z.literal("cwd-changed"), cwd: z.string().max(4096) }),
]);
export type SessionEvent = z.infer<typeof sessionEventSchema>;
