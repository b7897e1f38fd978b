import { confinedCommand, remarked, shownLine } from "../../../ipc/base/confined-command.ts";
import { isObject, type Json } from "../../../ipc/base/json-object.ts";
import type { Env } from "../../../ipc/base/paths.ts";
import { environmentOf } from "../client-program.ts";
import type { HookAnswer, HookCall, HookDialect, Rewritable } from "../dialect.ts";
import { callIdOf, contextOf, parsePayload, textIn } from "../payload.ts";
import { canConfine } from "../rewriting.ts";
import { chosenShell, hasOtherShell } from "./chosen-shell.ts";
import { mayHaveRuleAbout } from "./own-rules.ts";
import { proposed } from "./proposed.ts";

/** Codex's hook: the PreToolUse payload on stdin; a denial on stdout, or nothing to object to. */
export const CODEX: HookDialect = {
  agent: "codex",
  // Codex gives a hook up after 600 s.
  wait_seconds: 590,
  offline: "deny",
  read,
  write,
  canConfine: ({ rewritable: call }, { reader, state_dir, is_gate }) =>
    canConfine({ agent: "codex", call, reader, state_dir }, (client, rewritable) =>
      mayHaveRuleAbout(rewritable, { env: environmentOf(client), is_gate }),
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
function write({ permission, reason, updated_input }: HookAnswer): object {
  if (permission === "allow" && updated_input === undefined) return {};
  return {
    hookSpecificOutput: {
      hookEventName: "PreToolUse",
      ...(permission === "allow"
        ? { permissionDecision: "allow", updatedInput: updated_input }
        : { permissionDecision: "deny", permissionDecisionReason: `Metnos Gate: ${reason}` }),
    },
  };
}
