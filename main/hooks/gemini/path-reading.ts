import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Json } from "../../../ipc/base/json-object.ts";

/**
 * Gemini CLI reads the paths of its own tools in ways that nobody else does: `%2e` is a dot, a leading `@` may be dropped, NUL bytes are,
 * `file://` is a URL, `~` is a name, and `replace` looks for a relative path that isn't there in the whole workspace. The gate, and the card,
 * would name another file than the one it opens: such a call is refused, with how to say it instead.
 */

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

/** Longer than any path the system takes. */
export const MAX_PATH = 4096;

const INSTEAD = "name it by its absolute path, as it is on disk";

/** Why a call can't be judged by the path that it names, or undefined. @param cwd where Gemini runs: absolute */
export function readsOtherwise(tool: string, input: Json, cwd: string): string | undefined {
  if (!OWN_TOOLS.includes(tool)) return undefined;
  for (const arg of PATH_ARGS) {
    const path = input[arg];
    if (typeof path !== "string" || path === "") continue;
    // To make such a one absolute may take long.
    if (path.length > MAX_PATH) return `${arg}: longer than ${MAX_PATH} characters`;
    const why = misread(path, cwd) ?? (tool === "replace" ? searchedFor(path, cwd) : undefined);
    if (why !== undefined) return `${arg}: ${why}; ${INSTEAD}`;
  }
  return undefined;
}

function misread(path: string, cwd: string): string | undefined {
  if (path.includes("\0")) return "a path with a NUL byte";
  if (/^[@~]/.test(path)) return `a path that begins with ${path[0]} can mean two files`;
  if (/^file:/i.test(path)) return "a URL is not a path";
  const whole = resolve(cwd, path);
  return decoded(whole) === whole ? undefined : "Gemini would read its % as an encoded character";
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
