import { confinedCommandAlone, withoutRemark } from "../../../ipc/base/confined-command.ts";
import { isObject, type Json, parseObject } from "../../../ipc/base/json-object.ts";
import { ownCommand } from "../../../ipc/base/own-command.ts";
import { agentPaths, boxLauncher } from "../../../ipc/base/paths.ts";
import { OUTSIDE, reportCall } from "../after-call.ts";
import { agentAt } from "../agent-token.ts";
import type { HookPlace } from "../dialect.ts";
import { textIn } from "../payload.ts";
import { commandThatRan } from "./payload.ts";

/**
 * `metnos-gate hook gemini after`: Gemini's AfterTool payload of a command. Gemini names no call: what ran by the gate's own words is named by
 * the run in them, and every other command has to be one that was asked about.
 */

/** Gemini's answer: a note for the model, or nothing. */
export async function afterCall(input: string, place: HookPlace): Promise<object> {
  const payload = parseObject(input);
  const ran = payload === undefined ? undefined : commandThatRan(payload);
  if (payload === undefined || ran === undefined || payload.hook_event_name !== "AfterTool") return {};
  const run = runIn(ran.args.command, boxLauncher(agentPaths(place.env)));
  const { executor, args, cwd } = ran;
  const note = await reportCall({
    ...agentAt("gemini", place.env),
    place,
    session: textIn(payload, "session_id") ?? "",
    ...(run === undefined ? { call_id: ran.call_id, unasked: true as const } : { call_id: run }),
    ran: run === undefined ? { executor, args } : undefined,
    cwd,
    output: outputOf(payload),
    outside: ownCommand(OUTSIDE),
  });
  return note === undefined ? {} : { hookSpecificOutput: { hookEventName: "AfterTool", additionalContext: note } };
}

/** The run that a command line starts by the gate's own launcher, which runs nothing but what it prepared. */
function runIn(command: unknown, launcher: string): string | undefined {
  const given = withoutRemark(String(command));
  const run = / run ([\w.-]+) /.exec(given)?.[1];
  return run !== undefined && given === confinedCommandAlone([launcher, "run", run]) ? run : undefined;
}

function outputOf({ tool_response }: Json): string {
  const { llmContent: content } = isObject(tool_response) ? tool_response : {};
  return typeof content === "string" ? content : "";
}
