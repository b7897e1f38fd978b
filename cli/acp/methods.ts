import type { Json } from "../../ipc/base/json-object.ts";
import { hasKeyLike, knownKeys, leniently, UNCLEAR_KEY } from "../proxy/ambiguous-json.ts";

/** Which of the agent's requests are decided on, and which reach the editor as they are. */

export const PERMISSION = "session/request_permission";
export const READ_FILE = "fs/read_text_file";
export const WRITE_FILE = "fs/write_text_file";
export const TERMINAL = "terminal/create";

const DECIDED = new Set([PERMISSION, READ_FILE, WRITE_FILE, TERMINAL]);
/** Of terminals that were allowed. */
const OF_TERMINALS = new Set(["terminal/output", "terminal/wait_for_exit", "terminal/kill", "terminal/release"]);
const MODES = new Set(["session/set_mode", "session/set_config_option"]);
const PARAMS = knownKeys(
  ...["sessionId", "path", "content", "line", "limit", "command", "args", "env", "cwd"],
  ...["toolCall", "options", "title", "subject", "modeId", "configId", "value"],
);

export type MethodKind =
  | "decided"
  | "passed"
  /** It would use the editor's files or terminals, and nobody knows how. */
  | "unknown";

/** What becomes of a method of the agent's. */
export function methodKind(method: string): MethodKind {
  if (DECIDED.has(method)) return "decided";
  const read = leniently(method);
  const is_of_editor = DECIDED.has(read) || /^(?:fs|terminal)\//.test(read);
  return is_of_editor && !OF_TERMINALS.has(method) ? "unknown" : "passed";
}

/** True of a message without an id that some editors would act on all the same, and nobody could refuse. */
export function isRequestOfAgent(method: string): boolean {
  return methodKind(method) !== "passed" || OF_TERMINALS.has(method);
}

/** Whether a method of the editor's chooses a mode: to every agent, or only to one that reads it leniently. */
export function choiceOfMode(method: string): "clear" | "unclear" | undefined {
  if (MODES.has(method)) return "clear";
  return MODES.has(leniently(method)) ? "unclear" : undefined;
}

/** Why parameters can't be decided on; undefined where they can. */
export function unclearParams(params: Json): string | undefined {
  return hasKeyLike(params, PARAMS) ? UNCLEAR_KEY : undefined;
}
