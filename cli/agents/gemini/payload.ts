import { resolve } from "node:path";
import type { HookCall } from "../../hook/dialect.ts";
import { mcpExecutor } from "../../hook/mcp-name.ts";
import { contextOf, parsePayload, textIn } from "../../hook/payload.ts";
import { isObject, type Json } from "../../json-object.ts";
import { readsOtherwise } from "./path-reading.ts";

/** The payload of Gemini CLI's BeforeTool hook as a call for the gate. Unknown fields are ignored. */

export const SHELL_TOOL = "run_shell_command";

const NO_PAYLOAD = { refused: "the hook's input is not a BeforeTool payload" };

/** The call, or why there is none that can be passed on as it was sent. */
export function readCall(text: string): HookCall | { refused: string } {
  const parsed = parsePayload(text);
  if ("refused" in parsed) return parsed;
  const { payload = {} } = parsed;
  const { tool_name, tool_input, cwd, hook_event_name } = payload;
  if (typeof tool_name !== "string" || !isObject(tool_input) || hook_event_name !== "BeforeTool") return NO_PAYLOAD;
  if (typeof cwd !== "string") return NO_PAYLOAD;
  const otherwise = readsOtherwise(tool_name, tool_input, cwd);
  if (otherwise !== undefined) return { refused: otherwise };
  return {
    session_id: textIn(payload, "session_id") ?? "",
    call: { ...called(tool_name, tool_input, payload.mcp_context), context: { ...contextIn(payload, cwd) } },
    rewritable: undefined,
  };
}

/** A command's description is its intent, not a part of what runs. */
function called(name: string, input: Json, mcp: unknown): { intent: string; executor: string; args: Json } {
  if (isObject(mcp) && typeof mcp.server_name === "string" && typeof mcp.tool_name === "string")
    return { intent: "", executor: mcpExecutor(mcp.server_name, mcp.tool_name), args: input };
  if (name !== SHELL_TOOL) return { intent: "", executor: name, args: input };
  const { description, ...args } = input;
  return { intent: typeof description === "string" ? description.slice(0, 16_000) : "", executor: name, args };
}

/** A command runs in the folder that it names, below the session's. */
function contextIn(payload: Json, cwd: string): HookCall["call"]["context"] {
  const { tool_name, tool_input, mcp_context: mcp } = payload;
  const { dir_path } = isObject(tool_input) ? tool_input : {};
  const is_elsewhere = tool_name === SHELL_TOOL && typeof dir_path === "string" && dir_path !== "";
  const server = isObject(mcp) ? textIn(mcp, "server_name") : undefined;
  return {
    ...contextOf(payload, "prompt_id"),
    ...(server === undefined ? {} : { mcp_server: server }),
    cwd: is_elsewhere ? resolve(cwd, dir_path) : cwd,
  };
}
