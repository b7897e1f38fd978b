import { isObject, type Json } from "../../../ipc/base/json-object.ts";
import type { Env } from "../../../ipc/base/paths.ts";
import type { HookCall, Rewritable } from "../dialect.ts";
import { callIdOf, contextOf, parsePayload, textIn } from "../payload.ts";

/** The payload of Claude Code's PreToolUse hook as a call for the gate. Unknown fields are ignored. */

/** The one tool whose calls may be rewritten, and after which the hook is called. */
const SHELL_TOOL = "Bash";
/** Those that run a command, with a description beside it. */
const INTENT_TOOLS: readonly string[] = [SHELL_TOOL, "Monitor"];

/** With a work tree of its own a subagent is more than that: git runs for it. */
const SUBAGENT_TOOLS: readonly string[] = ["Agent", "Task"];
const SUBAGENT_IN_WORKTREE = "AgentInWorktree";

const NO_PAYLOAD = { refused: "the hook's input is not a PreToolUse payload" };

/** The call, or why there is none that can be passed on as it was sent. */
export function readCall(text: string, env: Env): HookCall | { refused: string } {
  const parsed = parsePayload(text);
  if ("refused" in parsed) return parsed;
  const { payload = {} } = parsed;
  const { tool_name, tool_input, cwd, hook_event_name = "PreToolUse" } = payload;
  if (typeof tool_name !== "string" || !isObject(tool_input) || hook_event_name !== "PreToolUse") return NO_PAYLOAD;
  return {
    session_id: textIn(payload, "session_id") ?? "",
    call: { ...proposed(tool_name, tool_input), context: contextOf(payload, "prompt_id", env) },
    rewritable: callIdOf(payload) === undefined || typeof cwd !== "string" ? undefined : rewritableOf(payload, cwd),
  };
}

/** The call of a tool, before it runs and after. The description beside a command is the intent, not a part of what runs. */
export function proposed(executor: string, input: Json): { intent: string; executor: string; args: Json } {
  if (SUBAGENT_TOOLS.includes(executor) && input.isolation)
    return { intent: "", executor: SUBAGENT_IN_WORKTREE, args: input };
  if (!INTENT_TOOLS.includes(executor)) return { intent: "", executor, args: input };
  const { description, ...args } = input;
  return { intent: typeof description === "string" ? description.slice(0, 16_000) : "", executor, args };
}

/** Only the tool whose shell lives as long as its command, in the background as well. */
function rewritableOf({ tool_name, tool_input }: Json, cwd: string): Rewritable | undefined {
  if (tool_name !== SHELL_TOOL || !isObject(tool_input)) return undefined;
  const { command } = tool_input;
  if (typeof command !== "string") return undefined;
  return { input: tool_input, line: command, cwd };
}
