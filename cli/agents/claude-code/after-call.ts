import { isConfinedCommand } from "../../../ipc/confined-command.ts";
import { MAX_FRAME_BYTES } from "../../../ipc/frames.ts";
import { ownCommand } from "../../../ipc/own-command.ts";
import { type AgentPaths, homeFolder } from "../../../ipc/paths.ts";
import { visible } from "../../../ipc/visible-text.ts";
import type { RanCall } from "../../../ipc/wire.ts";
import { agentToken } from "../../hook/agent-token.ts";
import { callIdOf } from "../../hook/payload.ts";
import { type ConfinedTo, reportRan } from "../../hook/ran-exchange.ts";
import { isObject, type Json, parseObject } from "../../json-object.ts";
import { proposed } from "./payload.ts";
import { saysRefused } from "./refusal-texts.ts";

/**
 * `metnos-gate hook claude-code after`: Claude Code's PostToolUse or PostToolUseFailure payload. The gate learns that the call ran, what
 * ran, how it ended and how long it took; and the model that it ran confined, where that may be why it failed.
 */

const EVENTS = ["PostToolUse", "PostToolUseFailure"];
/** What the gate takes for a duration at the most. */
const MAX_MS = 31 * 24 * 3600 * 1000;

/** Claude Code's answer: a note for the model, or nothing. */
export async function afterCall(input: string, paths: AgentPaths, agent_name: string): Promise<object> {
  const payload = parseObject(input);
  const call_id = payload === undefined ? undefined : callIdOf(payload);
  if (payload === undefined || call_id === undefined) return {};
  const { hook_event_name, session_id } = payload;
  if (typeof hook_event_name !== "string" || !EVENTS.includes(hook_event_name)) return {};
  // The user stopped it: it may never have begun, as it was to.
  if (payload.is_interrupt === true && ranAsGiven(payload)) return {};
  const { duration_ms } = payload;
  const input_ran = ranCall(payload);
  const confined = await reportRan({
    socket_path: paths.agent_socket,
    agent_name,
    token: agentToken(paths, agent_name),
    session: typeof session_id === "string" ? session_id.slice(0, 128) : "",
    call_id,
    ok: hook_event_name === "PostToolUse",
    ...(typeof duration_ms === "number" && duration_ms >= 0 ? { duration_ms: Math.min(duration_ms, MAX_MS) } : {}),
    ...(input_ran === undefined ? {} : { input: input_ran }),
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

/** What ran, to be compared with what was allowed; not where the gate itself gave other words for it, or where it is too long. */
function ranCall(payload: Json): RanCall | undefined {
  const { tool_name, tool_input } = payload;
  if (typeof tool_name !== "string" || !isObject(tool_input) || ranAsGiven(payload)) return undefined;
  const { executor, args } = proposed(tool_name, tool_input);
  return JSON.stringify(args).length > MAX_FRAME_BYTES / 4 ? undefined : { executor, args };
}

function ranAsGiven({ tool_input }: Json): boolean {
  const command = isObject(tool_input) ? tool_input.command : undefined;
  return typeof command === "string" && isConfinedCommand(command);
}

function outputOf({ tool_response, error }: Json): string {
  const { stdout, stderr } = isObject(tool_response) ? tool_response : {};
  return [stdout, stderr, error].filter((text) => typeof text === "string").join("\n");
}
