import { LOSS_TEXTS, lossIn } from "../../ipc/exact-json.ts";
import { membersWithin } from "../../ipc/frames.ts";
import type { ProposedCall } from "../../ipc/wire.ts";

/** The payload of Claude Code's PreToolUse hook as a call for the gate. Unknown fields are ignored. */
export interface HookPayload {
  session_id: string;
  call: ProposedCall;
}

const NO_PAYLOAD = { refused: "the hook's input is not a PreToolUse payload" };

/** The call, or why there is none that can be passed on as it was sent. */
export function parsePayload(text: string): HookPayload | { refused: string } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return NO_PAYLOAD; // the caller denies, with the reason
  }
  if (!isObject(value) || typeof value.tool_name !== "string" || !isObject(value.tool_input)) return NO_PAYLOAD;
  if (value.hook_event_name !== undefined && value.hook_event_name !== "PreToolUse") return NO_PAYLOAD;
  // However deep: what is too deep, or has a key __proto__, is refused by the gate.
  const members = membersWithin(value, Number.POSITIVE_INFINITY);
  const loss = members === undefined ? undefined : lossIn(text, members);
  if (loss !== undefined) return { refused: LOSS_TEXTS[loss].join("; ") };
  const session_id =
    typeof value.session_id === "string" && value.session_id !== "" ? value.session_id.slice(0, 128) : "";
  const { tool_name, tool_input } = value;
  const { description, ...without_description } = tool_input;
  const is_bash = tool_name === "Bash";
  const server = tool_name.startsWith("mcp__") ? /^mcp__(.+?)__/.exec(tool_name)?.[1] : undefined;
  const context = {
    ...(typeof value.cwd === "string" ? { cwd: value.cwd } : {}),
    ...(typeof value.permission_mode === "string" ? { mode: value.permission_mode.slice(0, 64) } : {}),
    ...(session_id === "" ? {} : { session: session_id }),
    ...(server === undefined ? {} : { mcp_server: server.slice(0, 128) }),
    ...(typeof value.agent_type === "string" ? { subagent: value.agent_type.slice(0, 64) } : {}),
  };
  return {
    session_id,
    call: {
      // Bash has a description beside the command: that is the intent, not a part of what runs.
      intent: is_bash && typeof description === "string" ? description.slice(0, 16_000) : "",
      executor: tool_name,
      args: is_bash ? without_description : tool_input,
      context,
    },
  };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
