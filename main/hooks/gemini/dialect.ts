import { confinedCommandAlone, remarked, shownLine } from "../../../ipc/base/confined-command.ts";
import { argumentsOf, environmentOf } from "../client-program.ts";
import type { HookAnswer, HookDialect } from "../dialect.ts";
import { canConfine } from "../rewriting.ts";
import { mayHaveRuleAbout } from "./own-rules.ts";
import { readCall } from "./payload.ts";

/** Of a command line that is longer than 150 characters Gemini shows the description; with `$(` in its remark it would refuse it. */
const REMARK = "Metnos Gate has this command run confined; the description says it as it was written by the model";

/**
 * Gemini CLI's hook: the BeforeTool payload on stdin, a decision on stdout. Never `ask`: without a terminal it ends the run. A call that
 * is allowed still gets Gemini's own question, where its mode asks one.
 */
export const GEMINI: HookDialect = {
  agent: "gemini",
  // What `connect` writes says how long both wait; this is for a command line that doesn't.
  wait_seconds: 50,
  offline: "deny",
  read: readCall,
  write,
  canConfine: ({ rewritable: call }, { reader, state_dir, is_gate }) =>
    canConfine({ agent: "gemini", call, reader, state_dir }, (client, { cwd }) =>
      mayHaveRuleAbout({ words: argumentsOf(client), env: environmentOf(client), cwd, is_gate }),
    ),
  rewritten: ({ input, line }, argv) => ({
    ...input,
    command: remarked(REMARK, confinedCommandAlone(argv)),
    description: shownLine(line),
  }),
  events: {
    /** After a command: a note for the model, or nothing. */
    after: async (input, place) => {
      const { afterCall } = await import("./after-call.ts");
      return afterCall(input, place);
    },
    /** Something happened in a session: nothing is answered. */
    session: async (input, { env }) => {
      const { reportSession } = await import("../session-event.ts");
      // It has no id for the user's messages: their times tell them apart, and a call belongs to the last one.
      return reportSession(input, { env, agent_name: "gemini", turn: "timestamp" });
    },
  },
};

function write({ permission, reason, notice = reason, updated_input }: HookAnswer): object {
  if (permission === "allow" && updated_input === undefined) return { decision: "allow" };
  if (permission === "allow")
    return { decision: "allow", hookSpecificOutput: { hookEventName: "BeforeTool", tool_input: updated_input } };
  // Without a reason the model would read that there was none.
  // Its screen shows neither the call nor the reason.
  return { decision: "deny", reason: `Metnos Gate: ${reason}`, systemMessage: `Metnos Gate: ${notice}` };
}
