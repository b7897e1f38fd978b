import type { HookAnswer, HookDialect } from "../dialect.ts";
import { canConfine, rewritten } from "../rewriting.ts";
import { readCall } from "./payload.ts";
import { mayHaveRuleAbout } from "./permission-rules.ts";

/** Claude Code's hook: the PreToolUse payload on stdin, `hookSpecificOutput` on stdout. */
export const CLAUDE_CODE: HookDialect = {
  agent: "claude-code",
  // Claude Code gives a hook up after 600 s.
  wait_seconds: 590,
  offline: "ask",
  read: readCall,
  write,
  canConfine: ({ rewritable: call }, { reader, state_dir, ...place }) =>
    canConfine({ agent: "claude-code", call, reader, state_dir }, (pid, { line, cwd }) =>
      mayHaveRuleAbout({ line, cwd, pid, ...place }),
    ),
  rewritten,
  events: {
    /** After a call: a note for the model, or nothing. */
    after: async (input, place) => {
      const { afterCall } = await import("./after-call.ts");
      return afterCall(input, place);
    },
    /** Something happened in a session: nothing is answered, but to its start. */
    session: async (input, place) => {
      const { answerClaudeSession } = await import("./session.ts");
      return answerClaudeSession(input, place);
    },
  },
};

function write({ permission, reason, notice, updated_input }: HookAnswer): object {
  return {
    ...(notice === undefined ? {} : { systemMessage: `Metnos Gate: ${notice}` }),
    hookSpecificOutput: {
      hookEventName: "PreToolUse",
      permissionDecision: permission,
      permissionDecisionReason: `Metnos Gate: ${reason}`,
      ...(updated_input === undefined ? {} : { updatedInput: updated_input }),
    },
  };
}
