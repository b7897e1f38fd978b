import { resolve } from "node:path";
import type { Json } from "../../../../ipc/base/json-object.ts";
import { shellPathOf } from "../../../../ipc/contract/shell-path.ts";
import type { ProposedCall } from "../../../../ipc/contract/wire.ts";
import { mcpExecutor } from "../../../../main/hooks/mcp-name.ts";

/** A call of one of OpenCode's tools as a call for the gate. */

export interface ToolCall {
  tool: string;
  session: string;
  call_id: string;
  args: Json;
  /** Where OpenCode runs: what relative paths begin at. */
  directory: string;
  /** The names of the MCP servers that its configuration has. */
  servers: readonly string[];
  /** The user's message that it belongs to. */
  turn: string | undefined;
  subagent: string | undefined;
}

export const SHELL_TOOL = "bash";

/** Arguments that are paths: OpenCode reads a `~` in them as a name, everybody else as the home folder. */
const PATH_ARGS = ["filePath", "path", "workdir"] as const;
const HOME_IN_PATCH = /^\*\*\* (?:Add File|Delete File|Update File|Move to): *~/m;

/** The call, or why it can't be judged by what it says. */
export function callOf(call: ToolCall): ProposedCall | { refused: string } {
  const { tool, args, directory, servers, session, turn, subagent } = call;
  const mcp = mcpToolIn(tool, servers);
  if (mcp === undefined && namesHome(args))
    return { refused: "a path that begins with ~ can mean two files; name it by its absolute path" };
  const { description, ...withoutDescription } = args;
  const isShell = mcp === undefined && tool === SHELL_TOOL;
  const { workdir } = args;
  const cwd = isShell && typeof workdir === "string" && workdir !== "" ? resolve(directory, workdir) : directory;
  return {
    // A command's description is its intent, not a part of what runs.
    intent: isShell && typeof description === "string" ? description.slice(0, 16_000) : "",
    executor: mcp === undefined ? tool : mcpExecutor(mcp.server, mcp.tool),
    args: isShell ? withoutDescription : args,
    context: {
      cwd,
      ...shellPathOf(process.env),
      session: session.slice(0, 128),
      call_id: callIdOf(call),
      ...(turn === undefined ? {} : { turn }),
      ...(subagent === undefined ? {} : { subagent: subagent.slice(0, 64) }),
      ...(mcp === undefined ? {} : { mcp_server: mcp.server.slice(0, 128) }),
    },
  };
}

/** Other sessions may use the same id. */
export function callIdOf({ session, call_id }: Pick<ToolCall, "session" | "call_id">): string {
  return `${session}.${call_id}`.slice(0, 128);
}

function namesHome(args: Json): boolean {
  if (PATH_ARGS.some((arg) => typeof args[arg] === "string" && args[arg].startsWith("~"))) return true;
  return typeof args.patchText === "string" && HOME_IN_PATCH.test(args.patchText);
}

/**
 * OpenCode names a server's tool `SERVER_TOOL`, even where one of its own is called so. Of servers whose names begin alike the longest
 * counts.
 */
export function mcpToolIn(tool: string, servers: readonly string[]): { server: string; tool: string } | undefined {
  const prefix = (server: string) => `${server.replace(/[^a-zA-Z0-9_-]/g, "_")}_`;
  const found = servers
    .filter((server) => tool.startsWith(prefix(server)) && tool.length > prefix(server).length)
    .sort((a, b) => b.length - a.length);
  return found[0] === undefined ? undefined : { server: found[0], tool: tool.slice(prefix(found[0]).length) };
}
