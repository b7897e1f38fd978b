import type { AgentPaths, Env } from "../../../ipc/paths.ts";
import type { SessionEvent } from "../../../ipc/session-events.ts";
import { MAX_HOOK, MAX_HOOKS, MAX_PROMPT } from "../../../ipc/session-limits.ts";
import { agentToken } from "../../hook/agent-token.ts";
import { textIn } from "../../hook/payload.ts";
import { report } from "../../hook/report.ts";
import { type Json, parseObject } from "../../json-object.ts";
import { settingsSources } from "./effective-settings.ts";
import { otherHooks } from "./other-hooks.ts";

/** `metnos-gate hook claude-code session`: what Claude Code says of a session, which the gate is told, and nothing else is done with. */

/** Of 2.1.330 and newer: what else is a prompt (a wake-up, a notice) wasn't said by the user. */
const USERS_SOURCES: readonly unknown[] = [undefined, "user", "sdk"];
/** Earlier versions, and `-p`, don't say it of the notices that they send themselves as if the user had. */
const NOTICE = /^\s*<(?:task-notification|system-reminder)>/;
const MAX_KIND = 64;

/** The event in a payload of Claude Code's, or undefined where there is none in it. */
export function sessionEventIn(payload: Json): SessionEvent | undefined {
  switch (payload.hook_event_name) {
    case "UserPromptSubmit":
      return promptIn(payload);
    case "SessionEnd": {
      const reason = textIn(payload, "reason", MAX_KIND);
      return { kind: "ended", ...(reason === undefined ? {} : { reason }) };
    }
    case "SubagentStart":
      return subagentIn("subagent-started", payload);
    case "SubagentStop":
      return subagentIn("subagent-ended", payload);
    case "CwdChanged": {
      const { new_cwd } = payload;
      return typeof new_cwd === "string" && new_cwd.length <= 4096 ? { kind: "cwd-changed", cwd: new_cwd } : undefined;
    }
    default:
      return undefined;
  }
}

function promptIn(payload: Json): SessionEvent | undefined {
  const turn = textIn(payload, "prompt_id");
  const text = textIn(payload, "prompt", MAX_PROMPT);
  if (turn === undefined || text === undefined) return undefined;
  if (!USERS_SOURCES.includes(payload.source) || NOTICE.test(text)) return undefined;
  return { kind: "prompt", turn, text };
}

function subagentIn(kind: "subagent-started" | "subagent-ended", payload: Json): SessionEvent | undefined {
  const subagent = textIn(payload, "agent_type", MAX_KIND);
  const agent_ref = textIn(payload, "agent_id");
  if (subagent === undefined) return undefined;
  return { kind, subagent, ...(agent_ref === undefined ? {} : { agent_ref }) };
}

/** Beside the gate's; with each message of the user's, because settings change. */
function otherHooksIn({ cwd }: Json, env: Env): SessionEvent | undefined {
  if (typeof cwd !== "string") return undefined;
  const hooks = otherHooks(settingsSources({ cwd, env })).map((hook) => hook.slice(0, MAX_HOOK));
  return { kind: "other-hooks", hooks: hooks.slice(0, MAX_HOOKS) };
}

/** Tells the gate. Never rejects, and says nothing to Claude Code: it goes on as without a hook. */
export async function tellOfSession(input: string, paths: AgentPaths, agent_name: string, env: Env): Promise<object> {
  const payload = parseObject(input);
  const session = payload === undefined ? undefined : textIn(payload, "session_id");
  if (payload === undefined || session === undefined) return {};
  const reporter = { socket_path: paths.agent_socket, agent_name, token: agentToken(paths, agent_name), session };
  const is_prompt = payload.hook_event_name === "UserPromptSubmit";
  const events = [sessionEventIn(payload), ...(is_prompt ? [otherHooksIn(payload, env)] : [])];
  await Promise.all(
    events
      .filter((event) => event !== undefined)
      .map((event) => report(reporter, "session.event", { session, event }, "session.noted")),
  );
  return {};
}
