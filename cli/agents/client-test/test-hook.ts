import { isObject, parseObject } from "../../../ipc/base/json-object.ts";
import { clientAbove, clientProgram } from "../../../main/hooks/client-program.ts";
import type { HookDialect } from "../../../main/hooks/dialect.ts";
import { callIn, TestFolder } from "./test-folder.ts";

/**
 * `metnos-gate hook AGENT client-test FOLDER`: allows each call of a client that is tested, with other words in its place, and notes what it was
 * called with. Only a client that was started for the test has it in its settings.
 */
export function answerTest(dialect: HookDialect, [path = "", , parent = ""]: readonly string[], input: string): object {
  const folder = new TestFolder(path);
  const asked = dialect.read(input, process.env);
  if ("refused" in asked) return noteAfter(folder, input);
  const { rewritable } = asked;
  const call = rewritable === undefined ? -1 : callIn(rewritable.line);
  if (rewritable === undefined || call === -1) return {};
  const client = clientAbove(Number(parent));
  folder.note("before", call, (client === undefined ? undefined : clientProgram(client)) ?? {});
  const updatedInput = dialect.rewritten(rewritable, folder.argv(call));
  return dialect.write({ permission: "allow", reason: "a test", updatedInput });
}

function noteAfter(folder: TestFolder, input: string): object {
  const { hook_event_name, tool_input } = parseObject(input) ?? {};
  const call = isObject(tool_input) ? callIn(String(tool_input.command)) : -1;
  if (call !== -1) folder.note("after", call, { hook_event_name, tool_input });
  return {};
}
