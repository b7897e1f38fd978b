import { isConfinedCommand } from "../../../ipc/base/confined-command.ts";
import { isObject, type Json, parseObject } from "../../../ipc/base/json-object.ts";
import { ownCommand } from "../../../ipc/base/own-command.ts";
import type { RanCall } from "../../../ipc/contract/wire.ts";
import { OUTSIDE, reportCall } from "../after-call.ts";
import { agentAt } from "../agent-token.ts";
import type { HookPlace } from "../dialect.ts";
import { callIdOf, textIn } from "../payload.ts";
import { proposed } from "./payload.ts";

/**
 * `metnos-gate hook claude-code after`: Claude Code's PostToolUse or PostToolUseFailure payload. The gate learns that the call ran, what
 * ran, how it ended and how long it took; and the model that it ran confined, where that may be why it failed.
 */

const EVENTS = ["PostToolUse", "PostToolUseFailure"];
/** What the gate takes for a duration at the most. */
const MAX_MS = 31 * 24 * 3600 * 1000;

/** Claude Code's answer: a note for the model, or nothing. */
export async function afterCall(input: string, place: HookPlace): Promise<object> {
  const payload = parseObject(input);
  const callId = payload === undefined ? undefined : callIdOf(payload);
  if (payload === undefined || callId === undefined) return {};
  const { hook_event_name, session_id } = payload;
  if (typeof hook_event_name !== "string" || !EVENTS.includes(hook_event_name)) return {};
  // The user stopped it: it may never have begun, as it was to.
  if (payload.is_interrupt === true && ranAsGiven(payload)) return {};
  const { duration_ms } = payload;
  const note = await reportCall({
    ...agentAt("claude-code", place.env),
    place,
    session: typeof session_id === "string" ? session_id.slice(0, 128) : "",
    call_id: callId,
    ok: hook_event_name === "PostToolUse",
    ...(typeof duration_ms === "number" && duration_ms >= 0 ? { duration_ms: Math.min(duration_ms, MAX_MS) } : {}),
    ran: ranCall(payload),
    cwd: textIn(payload, "cwd") ?? "",
    output: outputOf(payload),
    in_background: isObject(payload.tool_input) && payload.tool_input.run_in_background === true,
    outside: ownCommand(OUTSIDE),
  });
  if (note === undefined) return {};
  return { hookSpecificOutput: { hookEventName: hook_event_name, additionalContext: note } };
}

/** What ran; not where the gate itself gave other words for it. */
function ranCall(payload: Json): RanCall | undefined {
  const { tool_name, tool_input } = payload;
  if (typeof tool_name !== "string" || !isObject(tool_input) || ranAsGiven(payload)) return undefined;
  const { executor, args } = proposed(tool_name, tool_input);
  return { executor, args };
}

function ranAsGiven({ tool_input }: Json): boolean {
  const command = isObject(tool_input) ? tool_input.command : undefined;
  return typeof command === "string" && isConfinedCommand(command);
}

function outputOf({ tool_response, error }: Json): string {
  const { stdout, stderr } = isObject(tool_response) ? tool_response : {};
  return [stdout, stderr, error].filter((text) => typeof text === "string").join("\n");
}
