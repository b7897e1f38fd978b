import { parseObject } from "../../../ipc/base/json-object.ts";
import { agentPaths } from "../../../ipc/base/paths.ts";
import { askingStatus } from "../../../ipc/socket/asking-status.ts";
import { recordedVersion } from "../client-program.ts";
import { type HookPlace, LeftToProgram } from "../dialect.ts";
import { reportSession } from "../session-event.ts";

/** From this version on Claude Code is known to show a hook's `statusMessage` while a tool waits for it. 2.1.197 says no more than "Waiting". */
const SHOWS_STATUS = [2, 1, 330];

/** At a session's start: how to answer, where it is on record that this very client doesn't show it while somebody is asked. */
function sessionStart({ env, reader }: HookPlace): object {
  const version = reader === undefined ? undefined : recordedVersion(reader, agentPaths(env).state_dir, "claude-code");
  return !version || showsStatus(version) ? {} : { systemMessage: askingStatus() };
}

function showsStatus(version: string): boolean {
  const numbers = version.split(".").map(Number);
  const at = SHOWS_STATUS.findIndex((number, place) => numbers[place] !== number);
  return at === -1 || (numbers[at] ?? 0) > (SHOWS_STATUS[at] ?? 0);
}

/** The field with the id of the user's message. */
export const TURN = "prompt_id";

/** The event that says what the user said: the hook's own program looks for other hooks with each (cli/agents/claude-code). */
export const PROMPT_EVENT = "UserPromptSubmit";

const START_EVENT = "SessionStart";

/** Lets the gate know what happened in a session of Claude Code, and answers its start. @throws LeftToProgram of what the user says, in the gate */
export async function answerClaudeSession(input: string, place: HookPlace): Promise<object> {
  const { env, isGate } = place;
  const event = parseObject(input)?.hook_event_name;
  if (isGate && event === PROMPT_EVENT) throw new LeftToProgram();
  const nothing = await reportSession(input, { env, agent_name: "claude-code", turn: TURN });
  return event === START_EVENT ? sessionStart(place) : nothing;
}
