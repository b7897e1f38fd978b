import { parseObject } from "../../../ipc/json-object.ts";
import { type HookPlace, LeftToProgram } from "../dialect.ts";
import { reportSession } from "../session-event.ts";

/** The field with the id of the user's message. */
export const TURN = "prompt_id";

/** The event that says what the user said: the hook's own program looks for other hooks with each (cli/agents/claude-code). */
const PROMPT_EVENT = "UserPromptSubmit";

/** Lets the gate know what happened in a session of Claude Code. @throws LeftToProgram of what the user says, in the gate */
export async function reportClaudeSession(input: string, { env, is_gate }: HookPlace): Promise<object> {
  if (is_gate && parseObject(input)?.hook_event_name === PROMPT_EVENT) throw new LeftToProgram();
  return reportSession(input, { env, agent_name: "claude-code", turn: TURN });
}
