import { existsSync } from "node:fs";
import { userInfo } from "node:os";
import { dirname, isAbsolute, join, parse } from "node:path";
import { confinedCommand, remarked, shownLine } from "../../../ipc/base/confined-command.ts";
import { isObject, type Json, parseObject } from "../../../ipc/base/json-object.ts";
import type { Env } from "../../../ipc/base/paths.ts";
import { environmentOf } from "../client-program.ts";
import {
  type HookAnswer,
  type HookCall,
  type HookDialect,
  type HookPlace,
  LeftToProgram,
  type Rewritable,
} from "../dialect.ts";
import { callIdOf, contextOf, parsePayload, textIn } from "../payload.ts";
import { canConfine } from "../rewriting.ts";
import { RuleFiles } from "../rule-files.ts";
import { codexHome } from "./codex-home.ts";
import { proposed } from "./proposed.ts";
import { foundInTranscript, QUICKLY_READ } from "./transcript.ts";

/** Codex's hook: the PreToolUse payload on stdin; a denial on stdout, or nothing to object to. */
export const CODEX: HookDialect = {
  agent: "codex",
  // Codex gives a hook up after 600 s.
  wait_seconds: 590,
  offline: "deny",
  read,
  write,
  canConfine: ({ rewritable: call }, { reader, state_dir, isGate }) =>
    canConfine({ agent: "codex", call, reader, state_dir }, (client, rewritable) =>
      mayHaveRuleAbout(rewritable, { env: environmentOf(client), isGate }),
    ),
  rewritten: ({ input, line }, argv) => ({ ...input, command: remarked(shownLine(line), confinedCommand(argv)) }),
  events: {
    /** After a call: a note for the model, or nothing. */
    after: async (input, place) => {
      const { afterCall } = await import("./after-call.ts");
      return afterCall(input, place);
    },
    /** Something happened in a session: nothing is answered. */
    session: async (input, { env }) => {
      const { reportSession } = await import("../session-event.ts");
      return reportSession(input, { env, agent_name: "codex", turn: TURN });
    },
  },
};

/** The field with the id of the user's message. */
const TURN = "turn_id";

const NO_PAYLOAD = { refused: "the hook's input is not a PreToolUse payload" };

function read(text: string, env: Env): HookCall | { refused: string } {
  const parsed = parsePayload(text);
  if ("refused" in parsed) return parsed;
  const { payload = {} } = parsed;
  const { tool_name, tool_input, hook_event_name } = payload;
  if (typeof tool_name !== "string" || !isObject(tool_input) || hook_event_name !== "PreToolUse") return NO_PAYLOAD;
  if (tool_name === "view_image" && namesHome(tool_input))
    return { refused: "a path that begins with ~ can mean two files; name it by its absolute path" };
  const context = contextOf(payload, TURN, env);
  const shell =
    tool_name === SHELL_TOOL ? chosenShell(textIn(payload, "transcript_path", MAX_PATH), callIdOf(payload)) : "own";
  if (shell !== null && shell !== "own") return { refused: OTHER_SHELL };
  // What is clear is so as sh, bash and zsh read it.
  const declared = shell === null && hasOtherShell(context?.path, context?.cwd) ? { capability: "code:exec" } : {};
  return {
    session_id: textIn(payload, "session_id") ?? "",
    call: {
      intent: "",
      ...proposed(tool_name, tool_input),
      context: { ...context, ...declared },
    },
    rewritable: rewritableOf(payload),
  };
}

const OTHER_SHELL = "the gate can't know how another shell than the user's own reads a line; leave `shell` out";

/** The tool that runs a command line, as hooks get it. */
const SHELL_TOOL = "Bash";

function rewritableOf(payload: Json): Rewritable | undefined {
  const { tool_name, tool_input, cwd } = payload;
  if (tool_name !== SHELL_TOOL || !isObject(tool_input) || typeof tool_input.command !== "string") return undefined;
  if (typeof cwd !== "string" || callIdOf(payload) === undefined) return undefined;
  const file = textIn(payload, "transcript_path", MAX_PATH);
  const turn = textIn(payload, TURN);
  const transcript = file === undefined || turn === undefined ? {} : { transcript: { file, turn } };
  return { input: tool_input, line: tool_input.command, cwd, ...transcript };
}

const MAX_PATH = 4096;

/** To Codex a `~` is a name in the working directory, to everybody else the home folder. Of a patch the gate knows it. */
function namesHome({ path }: Json): boolean {
  return typeof path === "string" && path.startsWith("~");
}

/** A bare `allow` is a failure to Codex, as is `ask`: then the call runs all the same. */
function write({ permission, reason, updatedInput }: HookAnswer): object {
  if (permission === "allow" && updatedInput === undefined) return {};
  return {
    hookSpecificOutput: {
      hookEventName: "PreToolUse",
      ...(permission === "allow"
        ? { permissionDecision: "allow", updatedInput: updatedInput }
        : { permissionDecision: "deny", permissionDecisionReason: `Metnos Gate: ${reason}` }),
    },
  };
}

// The shell that a line runs in, where its model names one (`exec_command`'s `shell`, tried with 0.169.0): Codex takes
// the kind of shell from that name, and looks it up on PATH. Hooks don't learn it; its record of the session says it.

/** They read a line in another way than the gate does. */
const OTHERS = ["pwsh", "powershell"];
/** Where Codex looks for one beside PATH. */
const USUAL = "/usr/local/bin";
/** More folders of a PATH aren't looked through. */
const MAX_FOLDERS = 256;
/** The user's, as the system says: it may have to ask another machine. */
let loginShell: string | undefined;

/**
 * What is known of it: the user's own; another one, by its name, which may lie in a project or read the line otherwise;
 * or null where the record doesn't say it. Never throws.
 */
export function chosenShell(
  transcript: string | undefined,
  callId: string | undefined,
): "own" | { name: string } | null {
  if (transcript === undefined || callId === undefined) return null;
  try {
    const args = foundInTranscript(transcript, (lines) => argumentsIn(lines, callId), QUICKLY_READ);
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
  loginShell ??= userInfo().shell ?? "";
  return loginShell;
}

const kindOf = (shell: string): string => parse(shell).name;

function argumentsIn(lines: readonly string[], callId: string) {
  for (const line of lines) {
    if (!line.includes('"function_call"') || !line.includes(callId)) continue;
    const { type, payload } = parseObject(line) ?? {};
    if (type !== "response_item" || !isObject(payload) || payload.call_id !== callId) continue;
    const { type: kind, arguments: args } = payload;
    if (kind === "function_call") return typeof args === "string" ? parseObject(args) : undefined;
  }
  return undefined;
}

// Codex's own sandbox and rules (tried with 0.169.0). In its sandbox the gate's box can't be made, and its rules see a rewritten call's
// wrapper instead of its command line: there a call is not rewritten.

/** An administrator's: its rules count before all others. */
const MANAGED = ["/etc/codex/requirements.toml", "/etc/codex/rules"];
/** What its rules say where they don't allow. */
const RESTRICTS = /forbidden|prompt/;
/** Codex runs it itself, by writing the files. */
const PATCH = /\bapply_?patch\b/;
/** Codex refuses this by itself, or asks. Two expressions: one for both takes long where `rm` is there often. */
const DELETION = /\brm\b/;
const FORCED = /-(?:\w*f|-force)/;

/** True where Codex's sandbox is on for this turn, where it may ask, and where a rule of its own may be about the line. In doubt true. @throws LeftToProgram */
export function mayHaveRuleAbout({ line, cwd, transcript }: Rewritable, { env, isGate }: HookPlace): boolean {
  if (PATCH.test(line) || isForcedDeletion(line)) return true;
  if (transcript === undefined) return true;
  if (!isUnrestricted(turnContext(transcript, isGate))) return true;
  const files = new RuleFiles(isGate);
  return (
    MANAGED.some((path) => existsSync(path)) ||
    ruleFolders(cwd, env).some((folder) => files.below(folder).some((file) => RESTRICTS.test(files.read(file))))
  );
}

function isForcedDeletion(line: string): boolean {
  const at = line.search(DELETION);
  return at !== -1 && FORCED.test(line.slice(at));
}

function isUnrestricted(context: Json | undefined): boolean {
  const { sandbox_policy, approval_policy } = context ?? {};
  return isObject(sandbox_policy) && sandbox_policy.type === "danger-full-access" && approval_policy === "never";
}

function ruleFolders(cwd: string, env: HookPlace["env"]): string[] {
  const folders: string[] = [join(codexHome(env), "rules")];
  for (let folder = cwd; ; folder = dirname(folder)) {
    folders.push(join(folder, ".codex", "rules"));
    if (dirname(folder) === folder) return folders;
  }
}

/** How the turn runs, as Codex wrote down last; undefined where it isn't found. @throws LeftToProgram; the system's error */
function turnContext({ file, turn }: NonNullable<Rewritable["transcript"]>, isGate: boolean): Json | undefined {
  const found = foundInTranscript(file, (lines) => contextIn(lines, turn), isGate ? QUICKLY_READ : undefined);
  if (found === undefined && isGate) throw new LeftToProgram();
  return found;
}

function contextIn(lines: readonly string[], turn: string): Json | undefined {
  for (const line of lines) {
    if (!line.includes('"turn_context"') || !line.includes(turn)) continue;
    const { type, payload } = parseObject(line) ?? {};
    if (type === "turn_context" && isObject(payload) && payload.turn_id === turn) return payload;
  }
  return undefined;
}
