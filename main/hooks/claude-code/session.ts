import { parseObject } from "../../../ipc/json-object.ts";
import { type HookPlace, LeftToProgram } from "../dialect.ts";
import { reportSession } from "../session-event.ts";
import { sessionStart } from "./session-start.ts";

/** The field with the id of the user's message. */
export const TURN = "prompt_id";

/** The event that says what the user said: the hook's own program looks for other hooks with each (cli/agents/claude-code). */
export const PROMPT_EVENT = "UserPromptSubmit";

const START_EVENT = "SessionStart";

/** Lets the gate know what happened in a session of Claude Code, and answers its start. @throws LeftToProgram of what the user says, in the gate */
export async function answerClaudeSession(input: string, place: HookPlace): Promise<object> {
  const { env, is_gate } = place;
  const event = parseObject(input)?.hook_event_name;
  if (event === START_EVENT) return sessionStart(place);
  if (is_gate && event === PROMPT_EVENT) throw new LeftToProgram();
  return reportSession(input, { env, agent_name: "claude-code", turn: TURN });
}
