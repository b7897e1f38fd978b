import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { isObject, type Json } from "../../../ipc/base/json-object.ts";
import type { Env } from "../../../ipc/base/paths.ts";
import type { HookCall, Rewritable } from "../dialect.ts";
import { mcpExecutor } from "../mcp-name.ts";
import { contextOf, parsePayload, textIn } from "../payload.ts";

/** The payload of Gemini CLI's BeforeTool hook as a call for the gate. Unknown fields are ignored. */

export const SHELL_TOOL = "run_shell_command";

const NO_PAYLOAD = { refused: "the hook's input is not a BeforeTool payload" };

/** The call, or why there is none that can be passed on as it was sent. */
export function readCall(text: string, env: Env): HookCall | { refused: string } {
  const parsed = parsePayload(text);
  if ("refused" in parsed) return parsed;
  const { payload = {} } = parsed;
  const { tool_name, tool_input, cwd, hook_event_name } = payload;
  if (typeof tool_name !== "string" || !isObject(tool_input) || hook_event_name !== "BeforeTool") return NO_PAYLOAD;
  if (typeof cwd !== "string" || cwd.length > MAX_PATH) return NO_PAYLOAD;
  const otherwise = readsOtherwise(tool_name, tool_input, cwd);
  if (otherwise !== undefined) return { refused: otherwise };
  return {
    session_id: textIn(payload, "session_id") ?? "",
    call: { ...called(tool_name, tool_input, payload.mcp_context), context: contextIn(payload, cwd, env) },
    rewritable: rewritableOf(payload, cwd),
  };
}

/** A command that Gemini says that it ran, and the folder that it ran in; undefined where it isn't one. */
export function commandThatRan(
  payload: Json,
): { executor: string; args: Json; cwd: string; call_id: string } | undefined {
  const { tool_name, tool_input, cwd, mcp_context: mcp } = payload;
  if (tool_name !== SHELL_TOOL || !isObject(tool_input) || typeof cwd !== "string" || isObject(mcp)) return undefined;
  const { executor, args } = called(tool_name, tool_input, mcp);
  return { executor, args, cwd: folderOf(tool_input, cwd), call_id: callIdOf(payload, args) };
}

/** Where nothing waits for its end, it is reported before it begins. */
function rewritableOf({ tool_name, tool_input, mcp_context: mcp }: Json, cwd: string): Rewritable | undefined {
  if (tool_name !== SHELL_TOOL || isObject(mcp) || !isObject(tool_input)) return undefined;
  if (typeof tool_input.command !== "string" || tool_input.is_background === true) return undefined;
  return { input: tool_input, line: tool_input.command, cwd };
}

/** Gemini has no id for a call: one that says the same before and after it, of the same words in the same session. */
function callIdOf({ session_id, cwd }: Json, args: Json): string {
  return createHash("sha256")
    .update(JSON.stringify([session_id, cwd, args]))
    .digest("hex");
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
function contextIn(payload: Json, cwd: string, env: Env): HookCall["call"]["context"] {
  const { tool_name, tool_input, mcp_context: mcp } = payload;
  const command = commandThatRan(payload);
  const server = isObject(mcp) ? textIn(mcp, "server_name") : undefined;
  return {
    ...contextOf(payload, "prompt_id", env),
    ...(server === undefined ? {} : { mcp_server: server }),
    ...(command === undefined ? {} : { call_id: command.call_id }),
    cwd: tool_name === SHELL_TOOL && isObject(tool_input) ? folderOf(tool_input, cwd) : cwd,
  };
}

function folderOf({ dir_path }: Json, cwd: string): string {
  return typeof dir_path === "string" && dir_path !== "" && cwd.length + dir_path.length <= 2 * MAX_PATH
    ? resolve(cwd, dir_path)
    : cwd;
}

// Gemini CLI reads the paths of its own tools in ways that nobody else does: `%2e` is a dot, a leading `@` may be dropped, NUL bytes are,
// `file://` is a URL, `~` is a name, and `replace` looks for a relative path that isn't there in the whole workspace. The gate, and the card,
// would name another file than the one it opens: such a call is refused, with how to say it instead.

/** The arguments of its own tools that are paths. */
const PATH_ARGS = ["file_path", "dir_path"] as const;

/** Named so by all of its tools that read or write files. A tool of an MCP server reads its arguments as it likes. */
const OWN_TOOLS: readonly string[] = [
  "read_file",
  "write_file",
  "replace",
  "list_directory",
  "glob",
  "grep_search",
  "search_file_content",
  "run_shell_command",
];

/** By one of them Gemini has git or grep search, where it has no ripgrep of its own. */
const SEARCH_TOOLS: readonly string[] = ["grep_search", "search_file_content"];

/** Longer than any path the system takes. */
const MAX_PATH = 4096;

const INSTEAD = "name it by its absolute path, as it is on disk";

/** Why a call can't be judged by the path that it names, or undefined. @param cwd where Gemini runs: absolute */
function readsOtherwise(tool: string, input: Json, cwd: string): string | undefined {
  if (!OWN_TOOLS.includes(tool)) return undefined;
  for (const arg of PATH_ARGS) {
    const path = input[arg];
    if (typeof path !== "string" || path === "") continue;
    // To make such a one absolute may take long.
    if (path.length > MAX_PATH) return `${arg}: longer than ${MAX_PATH} characters`;
    const why = misread(path, cwd) ?? (tool === "replace" ? searchedFor(path, cwd) : undefined);
    if (why !== undefined) return `${arg}: ${why}; ${INSTEAD}`;
  }
  return SEARCH_TOOLS.includes(tool) ? searchesMore(input) : undefined;
}

function misread(path: string, cwd: string): string | undefined {
  if (path.includes("\0")) return "a path with a NUL byte";
  if (/^[@~]/.test(path)) return `a path that begins with ${path[0]} can mean two files`;
  if (/^file:/i.test(path)) return "a URL is not a path";
  const whole = resolve(cwd, path);
  return decoded(whole) === whole ? undefined : "Gemini would read its % as an encoded character";
}

/** What git and grep are given as they are: an option can start a program (`-O`), a path may lead out of the folder that is searched. */
function searchesMore({ pattern, include_pattern: included }: Json): string | undefined {
  if (typeof pattern === "string" && pattern.startsWith("-"))
    return "pattern: one that begins with a dash would be an option of git or grep; write the dash as [-]";
  if (typeof included === "string" && /^[:/]|(?:^|\/)\.\.(?:\/|$)/.test(included))
    return "include_pattern: it can lead out of the folder that is searched; name that folder in dir_path";
  return undefined;
}

/** As Gemini does: what can't be decoded stays as it is. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** It takes any file of the workspace whose path ends so. */
function searchedFor(path: string, cwd: string): string | undefined {
  if (path.startsWith("/") || existsSync(join(cwd, path))) return undefined;
  return "it isn't there, and Gemini would edit another file whose path ends like it";
}
