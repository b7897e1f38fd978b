import { confinedCommand } from "../../../../ipc/confined-command.ts";
import { callIdOf } from "../../../hook/payload.ts";
import { isObject } from "../../../json-object.ts";
import { clientProgram } from "../client-program.ts";
import { TestFolder } from "./test-folder.ts";

/**
 * `metnos-gate hook claude-code client-test FOLDER`: allows each call of a client that is tested, with other words in its place, and notes
 * what it was called with. Only a client that was started for the test has it in its settings.
 */
export function answerTest([path = "", , parent = ""]: readonly string[], input: string): object {
  const payload: unknown = JSON.parse(input);
  const call_id = isObject(payload) ? callIdOf(payload) : undefined;
  if (!isObject(payload) || call_id === undefined || !isObject(payload.tool_input)) return {};
  const { hook_event_name, tool_input } = payload;
  const folder = new TestFolder(path);
  if (hook_event_name !== "PreToolUse") {
    folder.note("after", call_id, { hook_event_name, tool_input });
    return {};
  }
  folder.note("before", call_id, clientProgram(Number(parent)) ?? {});
  return {
    hookSpecificOutput: {
      hookEventName: "PreToolUse",
      permissionDecision: "allow",
      permissionDecisionReason: "a test",
      updatedInput: { ...tool_input, command: confinedCommand(folder.argv(call_id)) },
    },
  };
}
