import { isConfinedCommand } from "../../../ipc/confined-command.ts";
import { ownCommand } from "../../../ipc/own-command.ts";
import { type AgentPaths, homeFolder } from "../../../ipc/paths.ts";
import { visible } from "../../../ipc/visible-text.ts";
import { agentToken } from "../../hook/agent-token.ts";
import { callIdOf } from "../../hook/payload.ts";
import { type ConfinedTo, reportRan } from "../../hook/ran-exchange.ts";
import { isObject, type Json, parseObject } from "../../json-object.ts";
import { saysRefused } from "./refusal-texts.ts";

/**
 * `metnos-gate hook claude-code after`: Claude Code's PostToolUse or PostToolUseFailure payload of a call that was allowed as a confined
 * one. The gate learns that it ran, and the model that it ran confined, where that may be why it failed.
 */

const EVENTS = ["PostToolUse", "PostToolUseFailure"];

/** Claude Code's answer: a note for the model, or nothing. */
export async function afterCall(input: string, paths: AgentPaths, agent_name: string): Promise<object> {
  const payload = parseObject(input);
  const call_id = payload === undefined ? undefined : callIdOf(payload);
  if (payload === undefined || call_id === undefined) return {};
  const { hook_event_name, session_id } = payload;
  if (typeof hook_event_name !== "string" || !EVENTS.includes(hook_event_name)) return {};
  // The user stopped it: it may never have begun, as it was to.
  if (payload.is_interrupt === true && ranAsGiven(payload)) return {};
  const confined = await reportRan({
    socket_path: paths.agent_socket,
    agent_name,
    token: agentToken(paths, agent_name),
    session: typeof session_id === "string" ? session_id.slice(0, 128) : "",
    call_id,
    ok: hook_event_name === "PostToolUse",
  });
  if (confined === null || !saysRefused(outputOf(payload))) return {};
  return { hookSpecificOutput: { hookEventName: hook_event_name, additionalContext: noteOf(confined) } };
}

/** The note for the model, so that it doesn't look for another cause. */
function noteOf({ project, network }: ConfinedTo): string {
  const home = homeFolder(process.env);
  const place = visible(project.startsWith(`${home}/`) ? `~${project.slice(home.length)}` : project);
  const reach = network ? "only the hosts that the user allows" : "no network";
  return `Metnos Gate: this command ran confined to ${place}, with ${reach}. If it failed for that, don't work around it: to run it outside, send it again as \`${ownCommand("outside --reason WHY -- COMMAND")}\`; the user is asked`;
}

function ranAsGiven({ tool_input }: Json): boolean {
  const command = isObject(tool_input) ? tool_input.command : undefined;
  return typeof command === "string" && isConfinedCommand(command);
}

function outputOf({ tool_response, error }: Json): string {
  const { stdout, stderr } = isObject(tool_response) ? tool_response : {};
  return [stdout, stderr, error].filter((text) => typeof text === "string").join("\n");
}
