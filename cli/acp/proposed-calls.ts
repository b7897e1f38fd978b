import type { Json } from "../../ipc/base/json-object.ts";
import type { ProposedCall } from "../../ipc/contract/wire.ts";
import type { Diff } from "./codex-input.ts";
import { changesIn } from "./codex-input.ts";
import type { ToolCall } from "./tool-calls.ts";

/**
 * What an agent says of a tool call, as calls that the gate knows. What the agent calls it (`kind`) only chooses among what its
 * arguments are: what they don't fit is code that runs, and its title an unknown text.
 */

export interface Proposed extends Pick<ProposedCall, "intent" | "executor" | "args"> {
  /** Where it runs, if the agent says so; it may be relative to the session's folder. */
  cwd?: string;
}

const PATH_KEYS = [
  "file_path",
  "filePath",
  "filepath",
  "path",
  "abs_path",
  "absolute_path",
  "notebook_path",
  "dir_path",
] as const;
const COMMAND_KEYS = ["command", "cmd"] as const;
/** More files than a user would look at one by one are asked about as one. */
const MAX_FILES = 20;
/** Of a title, in characters. */
const MAX_TITLE = 4000;

/** Each of them must be allowed. Never empty. */
export function proposedCalls(call: ToolCall): Proposed[] {
  const found = calls(call);
  return found !== undefined && found.length > 0 && found.length <= MAX_FILES ? found : [unknownCall(call)];
}

function calls(call: ToolCall): Proposed[] | undefined {
  const input = call.rawInput ?? {};
  // What it is asked with isn't what it has said before: neither is believed.
  if (call.isInputChanged) return undefined;
  // A server's tool may take a `command`, too: it isn't the shell's.
  if (call.name?.startsWith("mcp__")) return call.rawInput === undefined ? undefined : mcpCall(call.name, input);
  if (COMMAND_KEYS.some((key) => key in input)) return commandCall(call, input);
  switch (call.kind) {
    case "read":
      return pathsOf(call, input)?.map((path) => proposed("fs_read", { path }));
    case "edit":
      return edits(call, input);
    case "delete":
      return pathsOf(call, input)?.map((path) => proposed("fs_delete", { path }));
    case "search":
      return searchCall(call, input);
    case "fetch":
      return fetchCall(input);
    default:
      return undefined;
  }
}

/** Of a folder, in characters: a longer one is no path of the system's, and would be cut. */
const MAX_FOLDER = 2048;

function within(cwd: unknown, call: Proposed): Proposed {
  if (typeof cwd !== "string") return call;
  if (cwd.length > MAX_FOLDER) return { ...call, executor: "unknown_command", args: { ...call.args, cwd } };
  return { ...call, cwd };
}

const proposed = (executor: string, args: Json, intent = ""): Proposed => ({ intent, executor, args });

/** Only words for the user beside the command: anything else might change what it does. */
const COMMAND_OPTIONS = ["description", "timeout", "run_in_background", "directories", "patterns", "command", "cmd"];

function commandCall({ diffs, locations }: ToolCall, input: Json): Proposed[] | undefined {
  const given = COMMAND_KEYS.filter((key) => key in input);
  const [key] = given;
  const line = key === undefined ? undefined : input[key];
  if (given.length !== 1 || typeof line !== "string" || diffs.length > 0) return undefined;
  const { description, workdir, cwd } = input;
  const further = Object.keys(input).filter(
    (name) => !COMMAND_OPTIONS.includes(name) && name !== "workdir" && name !== "cwd",
  );
  if (further.length > 0 || locations.length > MAX_FILES) return undefined;
  const intent = typeof description === "string" ? description.slice(0, 16_000) : "";
  return [within(workdir ?? cwd, proposed("shell_exec", { command: line }, intent))];
}

/** As the hook names the same tool; the gate takes one that nobody has described as code. */
function mcpCall(name: string, input: Json): Proposed[] {
  const executor = name.replace(/[^A-Za-z0-9_.:/-]/g, "_").slice(0, 200);
  return [proposed(executor, input)];
}

/** All paths that the agent names, in whichever place; undefined where one of them is no text. */
function pathsOf({ locations, diffs }: Pick<ToolCall, "locations" | "diffs">, input: Json): string[] | undefined {
  const named = PATH_KEYS.filter((key) => key in input).map((key) => input[key]);
  if (!named.every((path) => typeof path === "string")) return undefined;
  return [...new Set([...named, ...locations, ...diffs.map(({ path }) => path)])];
}

function edits(call: ToolCall, input: Json): Proposed[] | undefined {
  const paths = pathsOf(call, input);
  if (paths === undefined || changesIn(input) === undefined) return undefined;
  const without = paths.filter((path) => !call.diffs.some((diff) => diff.path === path));
  return [...call.diffs.map(editOf), ...without.map((path) => ofInput(path, input))];
}

function editOf({ path, operation, oldText, new_text }: Diff): Proposed {
  if (operation === "delete") return proposed("fs_delete", { path });
  if (new_text === undefined) return proposed("fs_write", { path });
  if (oldText === undefined) return proposed("Write", { file_path: path, content: new_text });
  return proposed("Edit", { file_path: path, old_string: oldText, new_string: new_text });
}

/** Without a diff the card shows what the input says. */
function ofInput(path: string, { content, old_string, new_string, oldString, newString }: Json): Proposed {
  const [from, to] = [old_string ?? oldString, new_string ?? newString];
  if (typeof from === "string" && typeof to === "string")
    return proposed("Edit", { file_path: path, old_string: from, new_string: to });
  return typeof content === "string" ? proposed("Write", { file_path: path, content }) : proposed("fs_write", { path });
}

function searchCall({ diffs }: ToolCall, input: Json): Proposed[] | undefined {
  const { pattern } = input;
  const paths = pathsOf({ locations: [], diffs }, input);
  if (typeof pattern !== "string" || paths === undefined) return undefined;
  return (paths.length === 0 ? ["."] : paths).map((path) => proposed("Grep", { pattern, path }));
}

/** What sends something isn't the reading of an address. */
const SENDING_KEYS = ["method", "body", "data", "json", "form", "headers"];

function fetchCall(input: Json): Proposed[] | undefined {
  const { url, query } = input;
  if (SENDING_KEYS.some((key) => key in input)) return undefined;
  if (typeof url === "string" && query === undefined) return [proposed("http_get", { url })];
  return typeof query === "string" && url === undefined ? [proposed("WebSearch", { query })] : undefined;
}

/** Code that nobody can read: asked about, once only. A title is often the command itself; the guard reads it as one, and can only deny by it. */
function unknownCall({ title, kind, name, rawInput, locations, diffs }: ToolCall): Proposed {
  const text = title.slice(0, MAX_TITLE);
  const isCommand = kind === "execute" && rawInput === undefined;
  return proposed(isCommand ? "unknown_command" : "unknown_tool", {
    ...(isCommand ? { command: text } : { title: text }),
    ...(kind === "" ? {} : { kind: kind.slice(0, 100) }),
    ...(name === undefined ? {} : { name: name.slice(0, 200) }),
    ...(rawInput === undefined ? {} : { input: rawInput }),
    ...(locations.length === 0 ? {} : { locations: locations.slice(0, 200) }),
    ...(diffs.length === 0 ? {} : { changes: diffs.slice(0, 200) }),
  });
}

/** A terminal of the editor's. Whether a shell reads its words is the editor's: only what means the same either way is a command. */
export function terminalCall({ command, args, env, cwd }: Json): Proposed {
  const words = args === undefined || args === null ? [] : args;
  const isPlain =
    typeof command === "string" &&
    Array.isArray(words) &&
    (words.length === 0 || [command, ...words].every((word) => typeof word === "string" && PLAIN_WORD.test(word)));
  const hasEnv = Array.isArray(env) ? env.length > 0 : env !== undefined && env !== null;
  if (!isPlain || hasEnv)
    return within(cwd, proposed("unknown_command", { command, args: words, ...(hasEnv ? { env } : {}) }));
  return within(cwd, proposed("shell_exec", { command: [command, ...words].join(" ") }));
}

const PLAIN_WORD = /^[A-Za-z0-9_./:@%+,-]+$/;
