import type { Json } from "../../../ipc/json-object.ts";
import type { Env } from "../../../ipc/paths.ts";
import type { SessionEvent } from "../../../ipc/session-events.ts";
import { MAX_HOOK, MAX_HOOKS } from "../../../ipc/session-limits.ts";
import { settingsSources } from "../../../main/hooks/claude-code/effective-settings.ts";
import { launcherFile } from "../../hook/launcher.ts";
import { otherHooks } from "./other-hooks.ts";

/** The hooks beside the gate's; with each message of the user's, because settings change. */
export function otherHooksIn({ cwd }: Json, env: Env): SessionEvent | undefined {
  if (typeof cwd !== "string") return undefined;
  const hooks = otherHooks(settingsSources({ cwd, env }), launcherFile(env)).map((hook) => hook.slice(0, MAX_HOOK));
  return { kind: "other-hooks", hooks: hooks.slice(0, MAX_HOOKS) };
}
