import { agentPaths } from "../../../ipc/paths.ts";
import { type HookAnswer, type HookCall, type HookDialect, NEVER_CONFINED } from "../../hook/dialect.ts";
import { contextOf, parsePayload, textIn } from "../../hook/payload.ts";
import { isObject, type Json } from "../../json-object.ts";

/** Codex's hook: the PreToolUse payload on stdin; a denial on stdout, or nothing to object to. */
export const CODEX: HookDialect = {
  ...NEVER_CONFINED,
  agent: "codex",
  // Codex gives a hook up after 600 s.
  wait_seconds: 590,
  offline: "deny",
  read,
  write,
  events: {
    /** After a call: nothing is answered. */
    after: async (input) => {
      const { afterCall } = await import("./after-call.ts");
      return afterCall(input, agentPaths(process.env));
    },
    /** Something happened in a session: nothing is answered. */
    session: async (input) => {
      const { reportSession } = await import("../../hook/session-event.ts");
      return reportSession(input, { paths: agentPaths(process.env), agent_name: "codex", turn: TURN });
    },
  },
};

/** The field with the id of the user's message. */
const TURN = "turn_id";

const NO_PAYLOAD = { refused: "the hook's input is not a PreToolUse payload" };

function read(text: string): HookCall | { refused: string } {
  const parsed = parsePayload(text);
  if ("refused" in parsed) return parsed;
  const { payload = {} } = parsed;
  const { tool_name, tool_input, hook_event_name } = payload;
  if (typeof tool_name !== "string" || !isObject(tool_input) || hook_event_name !== "PreToolUse") return NO_PAYLOAD;
  if (tool_name === "view_image" && namesHome(tool_input))
    return { refused: "a path that begins with ~ can mean two files; name it by its absolute path" };
  return {
    session_id: textIn(payload, "session_id") ?? "",
    call: {
      intent: "",
      ...proposed(tool_name, tool_input),
      context: contextOf(payload, TURN),
    },
    rewritable: undefined,
  };
}

/** To Codex a `~` is a name in the working directory, to everybody else the home folder. Of a patch the gate knows it. */
function namesHome({ path }: Json): boolean {
  return typeof path === "string" && path.startsWith("~");
}

/** A tool's call as the gate gets it. */
export function proposed(executor: string, input: Json): { executor: string; args: Json } {
  return { executor, args: executor === "apply_patch" ? patchArguments(input) : input };
}

/** Codex calls the patch a command, which it isn't: none of its lines is run. */
function patchArguments({ command, ...others }: Json): Json {
  return command === undefined || "patch" in others ? { ...others, command } : { ...others, patch: command };
}

/** A bare `allow` is a failure to Codex, as is `ask`: then the call runs all the same. */
function write({ permission, reason }: HookAnswer): object {
  if (permission === "allow") return {};
  return {
    hookSpecificOutput: {
      hookEventName: "PreToolUse",
      permissionDecision: "deny",
      permissionDecisionReason: `Metnos Gate: ${reason}`,
    },
  };
}
