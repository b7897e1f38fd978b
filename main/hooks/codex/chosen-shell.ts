import { existsSync } from "node:fs";
import { userInfo } from "node:os";
import { isAbsolute, parse } from "node:path";
import { isObject, parseObject } from "../../../ipc/base/json-object.ts";
import { foundInTranscript, QUICKLY_READ } from "./transcript.ts";

/**
 * The shell that a line runs in, where its model names one (`exec_command`'s `shell`, tried with 0.169.0): Codex takes
 * the kind of shell from that name, and looks it up on PATH. Hooks don't learn it; its record of the session says it.
 */

/** They read a line in another way than the gate does. */
const OTHERS = ["pwsh", "powershell"];
/** Where Codex looks for one beside PATH. */
const USUAL = "/usr/local/bin";
/** More folders of a PATH aren't looked through. */
const MAX_FOLDERS = 256;
/** The user's, as the system says: it may have to ask another machine. */
let own_shell: string | undefined;

/**
 * What is known of it: the user's own; another one, by its name, which may lie in a project or read the line otherwise;
 * or null where the record doesn't say it. Never throws.
 */
export function chosenShell(
  transcript: string | undefined,
  call_id: string | undefined,
): "own" | { name: string } | null {
  if (transcript === undefined || call_id === undefined) return null;
  try {
    const args = foundInTranscript(transcript, (lines) => argumentsIn(lines, call_id), QUICKLY_READ);
    if (args === undefined) return null;
    // A script of the model's calls tools that aren't recorded: not all was looked through for them.
    const { shell } = args;
    if (shell === undefined || shell === null) return "own";
    if (typeof shell === "object") return { name: "" };
    return typeof shell === "string" && kindOf(shell) === kindOf(ownShell()) ? "own" : { name: String(shell) };
  } catch {
    return null; // no record, or no user's shell
  }
}

/** True if a shell is in reach that reads lines in another way; in doubt true. @param path the client's PATH @param cwd the client's */
export function hasOtherShell(path = "", cwd = ""): boolean {
  const folders = new Set(
    [...path.split(":"), USUAL].map((folder) => (isAbsolute(folder) ? folder : `${cwd}/${folder}`)),
  );
  if (folders.size > MAX_FOLDERS) return true;
  return [...folders].some((folder) => OTHERS.some((name) => existsSync(`${folder}/${name}`)));
}

function ownShell(): string {
  own_shell ??= userInfo().shell ?? "";
  return own_shell;
}

const kindOf = (shell: string): string => parse(shell).name;

function argumentsIn(lines: readonly string[], call_id: string) {
  for (const line of lines) {
    if (!line.includes('"function_call"') || !line.includes(call_id)) continue;
    const { type, payload } = parseObject(line) ?? {};
    if (type !== "response_item" || !isObject(payload) || payload.call_id !== call_id) continue;
    const { type: kind, arguments: args } = payload;
    if (kind === "function_call") return typeof args === "string" ? parseObject(args) : undefined;
  }
  return undefined;
}
