import type { Json } from "../../ipc/base/json-object.ts";
import type { Env } from "../../ipc/base/paths.ts";
import { mcpExecutor } from "../../ipc/contract/mcp-names.ts";
import type { CallContext, ProposedCall } from "../../ipc/contract/wire.ts";
import { isWithinDepth, MAX_DEPTH } from "../../ipc/socket/frames.ts";
import { callHash } from "../../main/decide/executors/canonical.ts";
import type { ToolCall } from "./client-message.ts";

/** A tool's call as the gate is asked about it. */

export interface Proposal {
  call: ProposedCall;
  /** The same for the same call. */
  key: string;
}

/** Beside the arguments a message holds names, and the context. */
const ARGS_DEPTH = MAX_DEPTH - 4;
const MAX_EXECUTOR = 200;
const MAX_TOOL_NAME = 256;
const MAX_ID = 128;

/** @param server as the user's client calls it */
export function proposalOf(call: ToolCall, server: string, cwd: string, env: Env): Proposal | { refused: string } {
  const executor = mcpExecutor(server, call.tool);
  if (call.tool === "" || call.tool.length > MAX_TOOL_NAME || executor.length > MAX_EXECUTOR)
    return { refused: "the tool's name is too long" };
  if (!isWithinDepth(call.args, ARGS_DEPTH))
    return { refused: `the arguments are nested deeper than ${ARGS_DEPTH}, or have a key __proto__` };
  const context = contextOf(call, server, cwd, env);
  // Several tools may have one executor's name: `a.b` and `a_b`.
  const key = JSON.stringify([call.tool, callHash(executor, call.args)]);
  return { call: { intent: "", executor, args: call.args, context }, key };
}

/** The client's own session: what is granted for it holds for its hook's calls, too. */
export function sessionOf(meta: Json, env: Env): string | undefined {
  return idIn(meta.sessionId) ?? idIn(env.CLAUDE_CODE_SESSION_ID);
}

function contextOf({ id, tool, meta }: ToolCall, server: string, cwd: string, env: Env): CallContext {
  const session = sessionOf(meta, env);
  const callId = idIn(meta["claudecode/toolUseId"]) ?? idIn(meta.callId);
  return {
    cwd,
    mcp_server: server,
    mcp: { server, tool, call_id: id.slice(0, MAX_ID) },
    ...(session === undefined ? {} : { session }),
    ...(callId === undefined ? {} : { call_id: callId }),
  };
}

function idIn(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" && value.length <= MAX_ID ? value : undefined;
}
