import { basename, dirname } from "node:path";
import { isObject, type Json } from "../../ipc/base/json-object.ts";

/**
 * What codex-acp 0.16 says of a call is Codex's own event: the words that start a shell for a line, or the changes of a patch, among
 * numbers of its own that differ between its question and what it runs (tried).
 */

/** A change of a file, as an agent shows it. */
export interface Diff {
  path: string;
  operation: "write" | "delete";
  /** Undefined where the agent shows no texts. */
  oldText?: string;
  new_text?: string;
}

/** Say nothing about what runs. `reason`: the model's own words, kept as such. */
const OF_EVENT = new Set([
  ...["call_id", "turn_id", "process_id", "started_at_ms", "source", "auto_approved"],
  ...["reason", "parsed_cmd", "proposed_execpolicy_amendment", "available_decisions", "additional_permissions"],
]);
/** They read a line as the gate does. One of another folder may be anything. */
const SHELLS = new Set(["bash", "dash", "sh", "zsh"]);
const SHELL_FOLDERS = new Set([".", "/bin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"]);

/**
 * The input without what says nothing about what runs: its command's line and folder, or its changes by path. One of another form as it
 * is, and so is another tool's, which may be called with what looks alike: whatever is in it, it gets.
 */
export function withoutEvent(input: Json, { kind, name }: { kind: string; name: string | undefined }): Json {
  if (name !== undefined || kind === "" || kind === "other") return input;
  const { call_id, command, cwd, changes, reason } = input;
  const known = Object.keys(input).filter((key) => !OF_EVENT.has(key));
  const line = typeof call_id === "string" ? lineOf(command) : undefined;
  if (line !== undefined && known.every((key) => key === "command" || key === "cwd"))
    return {
      command: line,
      ...(cwd === undefined ? {} : { cwd }),
      ...(typeof reason === "string" ? { description: reason } : {}),
    };
  // In no certain order.
  if (kind === "edit" && isObject(changes) && known.length === 1)
    return { changes: Object.fromEntries(Object.entries(changes).sort(([a], [b]) => (a < b ? -1 : 1))) };
  return input;
}

function lineOf(command: unknown): string | undefined {
  if (!Array.isArray(command) || command.length !== 3) return undefined;
  const [shell, option, line] = command as unknown[];
  if (typeof shell !== "string" || typeof line !== "string" || (option !== "-lc" && option !== "-c")) return undefined;
  return SHELLS.has(basename(shell)) && SHELL_FOLDERS.has(dirname(shell)) && !shell.startsWith("./") ? line : undefined;
}

/** The changes of an input, a moved file as two; none where it has none, undefined where one of them can't be read, or something is beside them. */
export function changesIn({ changes, ...others }: Json): Diff[] | undefined {
  if (changes === undefined) return [];
  if (!isObject(changes) || Object.keys(others).length > 0) return undefined;
  const found = Object.entries(changes).map(([path, change]) =>
    isObject(change) ? changeOf(path, change) : undefined,
  );
  return found.every((diffs) => diffs !== undefined) ? found.flat() : undefined;
}

function changeOf(path: string, { type, content, unified_diff, move_path }: Json): Diff[] | undefined {
  if (type === "delete") return [{ path, operation: "delete" }];
  if (type === "add" && typeof content === "string") return [{ path, operation: "write", new_text: content }];
  if (type !== "update" || typeof unified_diff !== "string") return undefined;
  const texts = { oldText: sideOf(unified_diff, "-"), new_text: sideOf(unified_diff, "+") };
  if (move_path === null || move_path === undefined) return [{ path, operation: "write", ...texts }];
  if (typeof move_path !== "string") return undefined;
  return [
    { path, operation: "delete" },
    { path: move_path, operation: "write", ...texts },
  ];
}

/** The lines of one side of a unified diff, without its headers. */
function sideOf(unifiedDiff: string, side: "-" | "+"): string {
  const lines = unifiedDiff.split(/(?<=\n)/);
  return lines
    .filter((line) => line.startsWith(" ") || line.startsWith(side))
    .map((line) => line.slice(1))
    .join("");
}
