import type { Json } from "../../../ipc/base/json-object.ts";

/** A tool's call as the gate gets it. */
export function proposed(executor: string, input: Json): { executor: string; args: Json } {
  return { executor, args: executor === "apply_patch" ? patchArguments(input) : input };
}

/** Codex calls the patch a command, which it isn't: none of its lines is run. */
function patchArguments({ command, ...others }: Json): Json {
  return command === undefined || "patch" in others ? { ...others, command } : { ...others, patch: command };
}
