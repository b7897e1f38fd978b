import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Answer, GateLine, monotonicMs } from "../../../hook/exchange.ts";
import { isObject, type Json } from "../../../json-object.ts";
import { callIdOf, callOf, type ToolCall } from "./calls.ts";
import { KeptConnection } from "./kept-connection.ts";
import { Sessions } from "./sessions.ts";
import type { PluginSettings } from "./settings.ts";

/**
 * The plugin that OpenCode loads: it asks the gate before each tool, and throws to deny. It runs in OpenCode's own process (Bun). What fails
 * while it is loaded leaves OpenCode without it and without a word: so nothing is done then that could fail.
 */

// The text of PLACEHOLDER (settings.ts), which `connect` replaces.
const SETTINGS_TEXT = "{metnos-gate settings}";

const AGENT = "opencode";
const MAX_PROMPT = 16_384;

interface ToolInput {
  tool: string;
  sessionID: string;
  callID: string;
  args?: Json;
}

const settings = (): PluginSettings => JSON.parse(SETTINGS_TEXT) as PluginSettings;
const sessions = new Sessions();
let kept: KeptConnection | undefined;
/** When each call that was allowed began, by its id; of the last ones. */
const begun = new Map<string, { at: number; call: ToolCall }>();
const MAX_BEGUN = 256;

/** Called by OpenCode for each folder that it opens. */
export const MetnosGate = async ({ directory }: { directory: string }) => {
  keepConnected();
  let servers: readonly string[] = [];
  return {
    config: async ({ mcp }: { mcp?: unknown }) => {
      servers = isObject(mcp) ? Object.keys(mcp) : [];
    },
    "tool.execute.before": async ({ tool, sessionID, callID }: ToolInput, output: { args: Json }) => {
      keepConnected();
      const root = sessions.rootOf(sessionID);
      const call: ToolCall = {
        tool,
        session: root.id,
        call_id: callID,
        args: output.args,
        directory,
        servers,
        turn: root.turn,
        subagent: root.subagent,
      };
      // Before the gate is asked: while the user thinks nothing changes it, either.
      freeze(output.args);
      const refused = await refusal(call, sessionID);
      if (refused !== undefined) throw new Error(`Metnos Gate: ${refused}`);
      begun.set(callIdOf(call), { at: monotonicMs(), call });
      for (const oldest of begun.keys()) if (begun.size > MAX_BEGUN) begun.delete(oldest);
    },
    "tool.execute.after": async ({ sessionID, callID, args }: ToolInput) => {
      const call_id = callIdOf({ session: sessions.rootOf(sessionID).id, call_id: callID });
      const found = begun.get(call_id);
      begun.delete(call_id);
      if (found === undefined) return;
      // What ran: another plugin may have changed it after the gate was asked.
      const ran = callOf({ ...found.call, args: args ?? found.call.args });
      const input = "refused" in ran ? {} : { input: { executor: ran.executor, args: ran.args } };
      kept?.say("tool.ran", { call_id, ok: true, duration_ms: Math.round(monotonicMs() - found.at), ...input });
    },
    "chat.message": async (
      { sessionID }: { sessionID: string },
      { message, parts }: { message: unknown; parts: readonly unknown[] },
    ) => {
      const turn = isObject(message) ? textOf(message.id)?.slice(0, 128) : undefined;
      if (!sessions.said(sessionID, turn) || turn === undefined) return;
      const words = (Array.isArray(parts) ? parts : []).filter(
        (part) => isObject(part) && part.type === "text" && part.synthetic !== true,
      ) as Json[];
      const text = words
        .map((part) => String(part.text))
        .join("\n")
        .slice(0, MAX_PROMPT);
      kept?.say("session.event", { session: sessionID, event: { kind: "prompt", turn, text } });
    },
    event: async ({ event }: { event: { type: string; properties?: Json } }) => {
      try {
        noted(event.type, event.properties ?? {});
      } catch {
        // an event in a form that isn't known says nothing
      }
    },
  };
};

function noted(type: string, properties: Json): void {
  const { sessionID, info, status } = properties;
  if ((type === "session.created" || type === "session.updated") && isObject(info) && typeof info.id === "string")
    sessions.created(info.id, textOf(info.parentID), textOf(info.agent));
  else if (type === "session.deleted" && isObject(info) && typeof info.id === "string")
    kept?.say("session.event", { session: info.id, event: { kind: "ended", reason: "deleted" } });
  else if (typeof sessionID !== "string") return;
  else if (type === "session.idle" || type === "session.error") sessions.idle(sessionID);
  else if (type === "session.status" && isObject(status) && status.type === "idle") sessions.idle(sessionID);
}

/** What is asked about is what runs: a plugin that would change it afterwards fails, and the call with it. */
function freeze(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  Object.freeze(value);
  for (const member of Object.values(value)) freeze(member);
}

const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

/** Why the call must not run, or undefined. Never rejects. @param waiting_in the session that the call is in, which may be a subagent's */
async function refusal(tool_call: ToolCall, waiting_in: string): Promise<string | undefined> {
  const waiting = sessions.begin(waiting_in);
  try {
    const call = callOf(tool_call);
    if ("refused" in call) return call.refused;
    const { socket, wait_seconds } = settings();
    const answer = await new GateLine(process.env.METNOS_GATE_SOCKET || socket).ask({
      token: token(),
      agent_name: AGENT,
      session: call.context?.session ?? "",
      call,
      can_confine: false,
      deadline: monotonicMs() + wait_seconds * 1000,
      isAbandoned: () => waiting.is_abandoned,
    });
    return reasonAgainst(answer);
  } catch (error) {
    return `its plugin failed (${error instanceof Error ? error.name : "unknown"}): nothing is let through`;
  } finally {
    sessions.end(waiting_in, waiting);
  }
}

function reasonAgainst(answer: Answer): string | undefined {
  const { wait_seconds, commands } = settings();
  switch (answer.kind) {
    case "decision":
      if (answer.outcome === "allowed" && !answer.is_confined) return undefined;
      return answer.instead === undefined ? answer.reason : `${answer.reason}; ${answer.instead}`;
    case "unanswered":
      return `nobody answered within ${wait_seconds} s; this is not a refusal, ask again when somebody is there`;
    case "abandoned":
      return "it was stopped before anybody answered";
    case "error":
      if (answer.code === "bad_token" || answer.code === "token_required")
        return `${answer.message}; tell the user to run: ${commands.connect}`;
      return answer.hint === "" ? answer.message : `${answer.message} (${answer.hint})`;
    case "unreachable":
      return `no gate is running; tell the user to start it with: ${commands.start}`;
  }
}

function token(): string | undefined {
  if (process.env.METNOS_AGENT_TOKEN !== undefined) return process.env.METNOS_AGENT_TOKEN;
  try {
    return readFileSync(settings().token_file, "utf8").trim();
  } catch {
    return undefined; // not paired: the gate asks the user
  }
}

/** Once in a process, however many folders it opens. */
function keepConnected(): void {
  if (kept !== undefined) return;
  try {
    const { socket, loaded_dir } = settings();
    kept = new KeptConnection({ socket_path: process.env.METNOS_GATE_SOCKET || socket, agent: AGENT, token });
    const file = join(loaded_dir, String(process.pid));
    mkdirSync(loaded_dir, { recursive: true, mode: 0o700 });
    writeFileSync(file, "", { mode: 0o600 });
    process.once("exit", () => rmSync(file, { force: true }));
  } catch {
    // the gate is asked all the same; only `doctor` can't see that this process asks
  }
}
