import { agentPaths } from "../../../ipc/paths.ts";
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
  canConfine: ({ rewritable: call }, reader, state_dir) =>
    canConfine({ agent: "claude-code", call, reader, state_dir }, (pid, { line, cwd }) =>
      mayHaveRuleAbout({ line, cwd, pid, env: process.env }),
    ),
  rewritten,
  events: {
    /** A change of the settings while a session runs: a block, a warning, or nothing. */
    "config-change": async (input, argv) => {
      const { configChange } = await import("../../../cli/agents/claude-code/config-change.ts");
      return configChange(input, process.env, argv);
    },
    /** After a call: a note for the model, or nothing. */
    after: async (input) => {
      const { afterCall } = await import("./after-call.ts");
      return afterCall(input, agentPaths(process.env), "claude-code");
    },
    /** Something happened in a session: nothing is answered. */
    session: async (input) => {
      const [{ reportSession }, { otherHooksIn }] = await Promise.all([
        import("../session-event.ts"),
        import("../../../cli/agents/claude-code/other-hooks-event.ts"),
      ]);
      return reportSession(input, {
        paths: agentPaths(process.env),
        agent_name: "claude-code",
        turn: "prompt_id",
        withPrompt: (payload) => otherHooksIn(payload, process.env),
      });
    },
    /** In the test of a client: what the test has the client's call become. */
    "client-test": async (input, argv) => {
      const { answerTest } = await import("../../../cli/agents/client-test/test-hook.ts");
      return answerTest(CLAUDE_CODE, argv, input);
    },
  },
};

function write({ permission, reason, is_shown, updated_input }: HookAnswer): object {
  const text = `Metnos Gate: ${reason}`;
  return {
    ...(is_shown ? { systemMessage: text } : {}),
    hookSpecificOutput: {
      hookEventName: "PreToolUse",
      permissionDecision: permission,
      permissionDecisionReason: text,
      ...(updated_input === undefined ? {} : { updatedInput: updated_input }),
    },
  };
}
