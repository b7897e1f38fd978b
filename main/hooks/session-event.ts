import { type Json, parseObject } from "../../ipc/base/json-object.ts";
import type { Env } from "../../ipc/base/paths.ts";
import type { SessionEvent } from "../../ipc/contract/session-events.ts";
import { MAX_PROMPT } from "../../ipc/contract/session-limits.ts";
import { agentAt } from "./agent-token.ts";
import { textIn } from "./payload.ts";
import { report } from "./report.ts";

/** `metnos-gate hook AGENT session`: what a client says of a session, which the gate gets to know, and nothing else is done with. */

/** Of Claude Code 2.1.330 and newer: what else is a prompt (a wake-up, a notice) wasn't said by the user. */
const USERS_SOURCES: readonly unknown[] = [undefined, "user", "sdk"];
/** Earlier versions, and `-p`, don't say it of the notices that they send themselves as if the user had. */
const NOTICE = /^\s*<(?:task-notification|system-reminder)>/;
const MAX_KIND = 64;

/**
 * The event in a payload, or undefined where there is none in it.
 * @param turn the field with the id of the user's message
 */
export function sessionEventIn(payload: Json, turn: string): SessionEvent | undefined {
  switch (payload.hook_event_name) {
    case "UserPromptSubmit":
    case "BeforeAgent": // Gemini's
      return promptIn(payload, turn);
    case "SessionStart": {
      const { cwd } = payload;
      return typeof cwd === "string" && cwd.length <= 4096 ? { kind: "began", cwd } : undefined;
    }
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

function promptIn(payload: Json, field: string): SessionEvent | undefined {
  const turn = textIn(payload, field);
  const text = textIn(payload, "prompt", MAX_PROMPT);
  if (turn === undefined || text === undefined) return undefined;
  // Codex says as well what its model gives a subagent.
  if (!USERS_SOURCES.includes(payload.source) || payload.agent_id !== undefined || NOTICE.test(text)) return undefined;
  const cwd = textIn(payload, "cwd", 4096);
  return { kind: "prompt", turn, text, ...(cwd === undefined ? {} : { cwd }) };
}

function subagentIn(kind: "subagent-started" | "subagent-ended", payload: Json): SessionEvent | undefined {
  const subagent = textIn(payload, "agent_type", MAX_KIND);
  const agentRef = textIn(payload, "agent_id");
  if (subagent === undefined) return undefined;
  return { kind, subagent, ...(agentRef === undefined ? {} : { agent_ref: agentRef }) };
}

export interface SessionReporter {
  env: Env;
  agent_name: string;
  /** The field with the id of the user's message. */
  turn: string;
  /** What else the gate gets to know with each message of the user's. */
  withPrompt?: (payload: Json) => SessionEvent | undefined;
}

/** Lets the gate know. Never rejects, and says nothing to the client: it continues as without a hook. */
export async function reportSession(
  input: string,
  { env, agent_name, turn, withPrompt }: SessionReporter,
): Promise<object> {
  const payload = parseObject(input);
  const session = payload === undefined ? undefined : textIn(payload, "session_id");
  if (payload === undefined || session === undefined) return {};
  const reporter = { ...agentAt(agent_name, env), session };
  const more = payload.hook_event_name === "UserPromptSubmit" ? withPrompt?.(payload) : undefined;
  const events = [sessionEventIn(payload, turn), more].filter((event) => event !== undefined);
  await Promise.all(events.map((event) => report(reporter, "session.event", { session, event }, "session.noted")));
  return {};
}
