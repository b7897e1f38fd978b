import { MAX_FRAME_BYTES } from "../../../ipc/frames.ts";
import type { AgentPaths } from "../../../ipc/paths.ts";
import { agentToken } from "../../hook/agent-token.ts";
import { callIdOf, textIn } from "../../hook/payload.ts";
import { reportRan } from "../../hook/ran-exchange.ts";
import { isObject, parseObject } from "../../json-object.ts";
import { proposed } from "./dialect.ts";

/** `metnos-gate hook codex after`: Codex's PostToolUse payload. The gate learns what ran; Codex doesn't say how it ended. */
export async function afterCall(input: string, paths: AgentPaths): Promise<object> {
  const payload = parseObject(input);
  const call_id = payload === undefined ? undefined : callIdOf(payload);
  if (payload === undefined || call_id === undefined) return {};
  const { hook_event_name, tool_name, tool_input } = payload;
  if (hook_event_name !== "PostToolUse" || typeof tool_name !== "string" || !isObject(tool_input)) return {};
  const ran = proposed(tool_name, tool_input);
  const is_short = JSON.stringify(ran.args).length <= MAX_FRAME_BYTES / 4;
  await reportRan({
    socket_path: paths.agent_socket,
    agent_name: "codex",
    token: agentToken(paths, "codex"),
    session: textIn(payload, "session_id") ?? "",
    call_id,
    ...(is_short ? { input: ran } : {}),
  });
  return {};
}
