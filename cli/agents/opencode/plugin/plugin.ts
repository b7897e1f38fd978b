import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { confinedCommandAlone, remarked, shownLine } from "../../../../ipc/base/confined-command.ts";
import { isObject, type Json } from "../../../../ipc/base/json-object.ts";
import { reportCall } from "../../../../main/hooks/after-call.ts";
import { clientProgram, hasPassed } from "../../../../main/hooks/client-program.ts";
import { type Answer, GateLine, monotonicMs } from "../../../../main/hooks/exchange.ts";
import { noticeOf } from "../../../../main/hooks/notice.ts";
import { callIn, TestFolder } from "../../client-test/test-folder.ts";
import { callIdOf, callOf, mcpToolIn, SHELL_TOOL, type ToolCall } from "./calls.ts";
import { hold } from "./held-arguments.ts";
import { KeptConnection } from "./kept-connection.ts";
import { Notices } from "./notices.ts";
import { hasOtherShell, mayHaveRuleAbout } from "./own-rules.ts";
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
const begun = new Map<string, Begun>();
const MAX_BEGUN = 256;

interface Begun {
  at: number;
  call: ToolCall;
  /** The command line that the model wrote, and the one that the gate gave for it. */
  line?: string;
  given?: string;
}

/** Called by OpenCode for each folder that it opens. */
export const MetnosGate = async ({ directory, client }: { directory: string; client?: unknown }) => {
  keepConnected();
  const notices = new Notices(client, () => settings().commands.watch);
  let servers: readonly string[] = [];
  let inForce: Json | undefined;
  return {
    config: async (config: Json) => {
      inForce = config;
      servers = isObject(config.mcp) ? Object.keys(config.mcp) : [];
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
      const replace = hold(output.args);
      const isAnswered = notices.asking();
      const { refused, notice, argv, line } = await answered(call, sessionID, inForce).finally(isAnswered);
      if (refused !== undefined) {
        if (notice !== null) notices.denied(notice ?? refused);
        throw new Error(`Metnos Gate: ${refused}`);
      }
      const given =
        argv === undefined || line === undefined
          ? {}
          : { line, given: remarked(shownLine(line), confinedCommandAlone(argv)) };
      if (given.given !== undefined) replace(given.given);
      begun.set(callIdOf(call), { at: monotonicMs(), call, ...given });
      for (const oldest of begun.keys()) if (begun.size > MAX_BEGUN) begun.delete(oldest);
    },
    "tool.execute.after": async ({ sessionID, callID, args }: ToolInput, output?: ToolOutput) => {
      const callId = callIdOf({ session: sessions.rootOf(sessionID).id, call_id: callID });
      const found = begun.get(callId);
      begun.delete(callId);
      if (found === undefined) return;
      await ran(found, args ?? found.call.args, output);
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

const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

/** The command line in whose place OpenCode can be given another one; undefined where there is none, or it isn't known to run that. */
function confinableLine({ tool, args, servers, directory }: ToolCall, inForce: Json | undefined): string | undefined {
  const { command } = args;
  if (tool !== SHELL_TOOL || mcpToolIn(tool, servers) !== undefined || typeof command !== "string") return undefined;
  const { state_dir, test_folder } = settings();
  if (test_folder !== undefined) return command;
  const program = clientProgram(process.pid);
  if (program === undefined || !hasPassed(program, state_dir, AGENT)) return undefined;
  return mayHaveRuleAbout(inForce, command, directory) ? undefined : command;
}

/** Why the call must not run, or undefined; and what is run in its place, if anything. */
interface Answered {
  refused?: string | undefined;
  /** What the user reads of it, where that is something else; null for nothing. */
  notice?: string | null;
  argv?: readonly string[];
  line?: string;
}

/** Never rejects. @param waitingIn the session that the call is in, which may be a subagent's @param inForce OpenCode's settings */
async function answered(toolCall: ToolCall, waitingIn: string, inForce: Json | undefined): Promise<Answered> {
  const waiting = sessions.begin(waitingIn);
  try {
    const call = callOf(toolCall);
    if ("refused" in call) return call;
    // What is clear is so in a usual shell.
    if (toolCall.tool === SHELL_TOOL && inForce !== undefined && hasOtherShell(inForce))
      call.context = { ...call.context, capability: "code:exec" };
    const line = confinableLine(toolCall, inForce);
    const { socket, wait_seconds, test_folder } = settings();
    if (test_folder !== undefined) return answeredInTest(new TestFolder(test_folder), line);
    const answer = await new GateLine(process.env.METNOS_GATE_SOCKET || socket).ask({
      token: token(),
      agent_name: AGENT,
      session: call.context?.session ?? "",
      call,
      can_confine: line !== undefined,
      deadline: monotonicMs() + wait_seconds * 1000,
      isAbandoned: () => waiting.isAbandoned,
    });
    const isGiven = answer.kind === "decision" && answer.outcome === "allowed" && answer.is_confined;
    if (isGiven && line !== undefined && answer.argv !== undefined) return { argv: answer.argv, line };
    return { refused: reasonAgainst(answer), ...noticeFor(answer) };
  } catch (error) {
    return {
      refused: `its plugin failed (${error instanceof Error ? error.name : "unknown"}): nothing is let through`,
    };
  } finally {
    sessions.end(waitingIn, waiting);
  }
}

function answeredInTest(folder: TestFolder, line = ""): Answered {
  const call = callIn(line);
  if (call === -1) return { refused: "it is none of the test's" };
  folder.note("before", call, clientProgram(process.pid) ?? {});
  return { argv: folder.argv(call), line };
}

interface ToolOutput {
  title?: unknown;
  output?: unknown;
}

/** What ran: another plugin may have changed it after the gate was asked. */
async function ran({ at, call, line, given }: Begun, args: Json, output: ToolOutput = {}): Promise<void> {
  const { socket, commands, test_folder } = settings();
  if (test_folder !== undefined) {
    const noted = { hook_event_name: "tool.execute.after", tool_input: args };
    new TestFolder(test_folder).note("after", callIn(String(args.command)), noted);
    return;
  }
  const other = callOf({ ...call, args });
  const input = "refused" in other ? undefined : { executor: other.executor, args: other.args };
  const report = { call_id: callIdOf(call), ok: true, duration_ms: Math.round(monotonicMs() - at) };
  if (given === undefined) {
    kept?.say("tool.ran", { ...report, ...(input === undefined ? {} : { input }) });
    return;
  }
  if (output.title === given) output.title = line;
  const note = await reportCall({
    ...report,
    place: { env: process.env, isGate: false },
    socketPath: process.env.METNOS_GATE_SOCKET || socket,
    agent_name: AGENT,
    token: token(),
    session: call.session,
    ran: args.command === given ? undefined : input,
    output: String(output.output),
    cwd: ("refused" in other ? undefined : other.context?.cwd) ?? "",
    outside: commands.outside,
  });
  if (note !== undefined && typeof output.output === "string") output.output += `\n${note}`;
}

function noticeFor(answer: Answer): Pick<Answered, "notice"> {
  // Whoever stopped it knows that.
  if (answer.kind === "abandoned") return { notice: null };
  return answer.kind === "decision" && answer.outcome === "denied" ? { notice: noticeOf(answer) } : {};
}

function reasonAgainst(answer: Answer): string | undefined {
  const { wait_seconds, commands } = settings();
  switch (answer.kind) {
    case "decision":
      if (answer.outcome === "allowed")
        return answer.is_confined
          ? "this call is allowed only where it runs confined, and it can't be here"
          : undefined;
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
    kept = new KeptConnection({ socketPath: process.env.METNOS_GATE_SOCKET || socket, agent: AGENT, token });
    const file = join(loaded_dir, String(process.pid));
    mkdirSync(loaded_dir, { recursive: true, mode: 0o700 });
    writeFileSync(file, "", { mode: 0o600 });
    process.once("exit", () => rmSync(file, { force: true }));
  } catch {
    // the gate is asked all the same; only `doctor` can't see that this process asks
  }
}
