import { type Json, parseObject } from "../../../ipc/base/json-object.ts";
import type { Env } from "../../../ipc/base/paths.ts";
import type { SessionEvent } from "../../../ipc/contract/session-events.ts";
import { MAX_HOOK, MAX_HOOKS } from "../../../ipc/contract/session-limits.ts";
import { settingsSources } from "../../../main/hooks/claude-code/effective-settings.ts";
import { answerClaudeSession, PROMPT_EVENT, TURN } from "../../../main/hooks/claude-code/session.ts";
import type { HookPlace } from "../../../main/hooks/dialect.ts";
import { reportSession } from "../../../main/hooks/session-event.ts";
import { launcherFile } from "../../hook/launcher.ts";
import { otherHooks } from "./other-hooks.ts";

/** What happened in a session: with each message of the user's the gate gets to know the hooks beside its own, because settings change. Never rejects. */
export async function answerSession(input: string, place: HookPlace): Promise<object> {
  if (parseObject(input)?.hook_event_name !== PROMPT_EVENT) return answerClaudeSession(input, place);
  const { env } = place;
  return reportSession(input, {
    env,
    agent_name: "claude-code",
    turn: TURN,
    withPrompt: (payload) => otherHooksIn(payload, env),
  });
}

function otherHooksIn({ cwd }: Json, env: Env): SessionEvent | undefined {
  if (typeof cwd !== "string") return undefined;
  const hooks = otherHooks(settingsSources({ cwd, env }), launcherFile(env)).map((hook) => hook.slice(0, MAX_HOOK));
  return { kind: "other-hooks", hooks: hooks.slice(0, MAX_HOOKS) };
}
