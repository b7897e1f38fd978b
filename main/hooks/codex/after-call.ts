import { isConfinedCommand } from "../../../ipc/base/confined-command.ts";
import { isObject, parseObject } from "../../../ipc/base/json-object.ts";
import { ownCommand } from "../../../ipc/base/own-command.ts";
import { OUTSIDE, reportCall } from "../after-call.ts";
import { agentAt } from "../agent-token.ts";
import type { HookPlace } from "../dialect.ts";
import { callIdOf, textIn } from "../payload.ts";
import { proposed } from "./proposed.ts";

/** `metnos-gate hook codex after`: Codex's PostToolUse payload. The gate learns what ran; Codex doesn't say how it ended. */

/** Codex's answer: a note for the model, or nothing. */
export async function afterCall(input: string, place: HookPlace): Promise<object> {
  const payload = parseObject(input);
  const callId = payload === undefined ? undefined : callIdOf(payload);
  if (payload === undefined || callId === undefined) return {};
  const { hook_event_name, tool_name, tool_input, tool_response } = payload;
  if (hook_event_name !== "PostToolUse" || typeof tool_name !== "string" || !isObject(tool_input)) return {};
  const isAsGiven = typeof tool_input.command === "string" && isConfinedCommand(tool_input.command);
  const note = await reportCall({
    ...agentAt("codex", place.env),
    place,
    session: textIn(payload, "session_id") ?? "",
    call_id: callId,
    ran: isAsGiven ? undefined : proposed(tool_name, tool_input),
    cwd: textIn(payload, "cwd") ?? "",
    output: typeof tool_response === "string" ? tool_response : "",
    outside: ownCommand(OUTSIDE),
  });
  if (note === undefined) return {};
  return { hookSpecificOutput: { hookEventName: hook_event_name, additionalContext: note } };
}
