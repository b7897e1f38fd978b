import { exactText, MAX_FRAME_BYTES } from "../../ipc/frames.ts";
import { agentPaths, PathError } from "../../ipc/paths.ts";
import { agentToken } from "../../main/hooks/agent-token.ts";
import type { HookAnswer, HookCall, HookDialect } from "../../main/hooks/dialect.ts";
import { dialectOf } from "../../main/hooks/dialects.ts";
import { type Answer, type Decided, GateLine, monotonicMs } from "../../main/hooks/exchange.ts";
import { AbandonedError, abandonedBy } from "../../main/hooks/parent.ts";
import { print, readInput } from "./standard-streams.ts";

/**
 * `metnos-gate hook AGENT`: what a client's hook gets about a call on stdin, its answer on stdout. The same for every client; how each
 * says it is its dialect. Loads no native module and runs on Node >= 20. Says `allow` only for a decision `allowed` that came from the
 * gate, and ends with 0 only once an answer was written whole.
 */

interface HookOptions {
  wait_seconds: number;
  offline: "ask" | "deny";
  /** The process that reads the answer: the launcher's parent. */
  parent: number | undefined;
  /** The client, where that is a shell of it. */
  client: number | undefined;
}

/** Every client that is known takes it as a refusal. */
const BLOCKS = 2;

/** Answers one payload and ends the process. `argv` begins with the agent's name. */
export async function runHook(argv: readonly string[]): Promise<void> {
  try {
    // Not awaited where it is there at once: a greeting must be sent in the turn in which its connection was made.
    const found = dialectOf(argv[0]);
    if (found === undefined) throw new Error("there is no such hook");
    const dialect = found instanceof Promise ? await found : found;
    const event = dialect.events[argv[1] ?? ""];
    if (event !== undefined) print(await event(readInput()?.toString("utf8") ?? "", argv.slice(2)));
    else print(dialect.write(await answerFor(dialect, argv.slice(1))));
  } catch (error) {
    // The answer isn't read, or can't be written: only the exit code is left to deny.
    process.stderr.write(`Metnos Gate: the hook failed (${error instanceof Error ? error.name : "unknown"})\n`);
    process.exit(BLOCKS);
  }
  process.exit(0);
}

async function answerFor(dialect: HookDialect, argv: readonly string[]): Promise<HookAnswer> {
  try {
    return await examined(dialect, argv);
  } catch (error) {
    if (error instanceof AbandonedError) throw error;
    if (error instanceof PathError) return deny(`${error.message}; ${error.hint}`);
    return deny(`the hook failed (${error instanceof Error ? error.name : "unknown"}): nothing is let through`);
  }
}

async function examined(dialect: HookDialect, argv: readonly string[]): Promise<HookAnswer> {
  const { agent } = dialect;
  const options = optionsOf(dialect, argv);
  if (options === undefined)
    return deny(`the hook's command line is not valid; tell the user to run: ${await command(`connect ${agent}`)}`);
  const paths = agentPaths(process.env);
  const gate = new GateLine(paths.agent_socket);
  const call = readCall(dialect);
  if ("refused" in call) return deny(call.refused);
  const can_confine = dialect.canConfine(call, options.parent, paths.state_dir);
  const answer = await gate.ask({
    token: agentToken(paths, agent),
    agent_name: agent,
    session: call.session_id,
    call: call.call,
    can_confine,
    deadline: monotonicMs() + options.wait_seconds * 1000,
    isAbandoned: abandonedBy(options.parent, options.client),
  });
  if (answer.kind === "decision") return decided(dialect, answer, call, can_confine);
  return unanswered(dialect, answer, call, options);
}

/** The call on stdin, or why it can't be passed on as it was sent. */
function readCall(dialect: HookDialect): HookCall | { refused: string } {
  const bytes = readInput();
  if (bytes === undefined) return { refused: "the hook's input is too large" };
  const input = exactText(bytes);
  if (input === undefined) return { refused: "the hook's input is not valid UTF-8: the call can't be shown as it is" };
  const call = dialect.read(input);
  if ("refused" in call || input.length <= MAX_FRAME_BYTES - 4096) return call;
  return { refused: "the call is larger than the 1 MiB the gate looks at" };
}

function deny(reason: string): HookAnswer {
  return { permission: "deny", reason, is_shown: true };
}

function decided(
  dialect: HookDialect,
  { outcome, reason, instead, is_confined, argv }: Decided,
  { rewritable }: HookCall,
  can_confine: boolean,
): HookAnswer {
  if (outcome === "denied") return deny(instead === undefined ? reason : `${reason}; ${instead}`);
  if (!is_confined) return { permission: "allow", reason, is_shown: false };
  // It was allowed as a confined call alone: it never runs otherwise.
  if (!can_confine || argv === undefined || rewritable === undefined)
    return deny("this call is allowed only where it runs confined, and it can't be here");
  return { permission: "allow", reason, is_shown: false, updated_input: dialect.rewritten(rewritable, argv) };
}

async function unanswered(
  { agent }: HookDialect,
  answer: Exclude<Answer, Decided>,
  call: HookCall,
  options: HookOptions,
): Promise<HookAnswer> {
  switch (answer.kind) {
    case "unanswered":
      return deny(
        `nobody answered within ${options.wait_seconds} s; this is not a refusal, ask again when somebody is there`,
      );
    case "abandoned":
      throw new AbandonedError();
    case "error":
      if (answer.code === "bad_token" || answer.code === "token_required") {
        const why = `${answer.message}; tell the user to run: ${await command(`connect ${agent}`)}`;
        return offline(agent, call, options, why);
      }
      return deny(answer.hint === "" ? answer.message : `${answer.message} (${answer.hint})`);
    case "unreachable": {
      const why = `no gate is running; tell the user to start it with: ${await command("start")}`;
      return offline(agent, call, options, why);
    }
  }
}

/** This program's command as the user types it; loaded where a call isn't decided by a gate. */
async function command(words: string): Promise<string> {
  const { ownCommand } = await import("../../ipc/own-command.ts");
  return ownCommand(words);
}

/** Without a gate: what the guard denies is denied here, the rest is the client's own prompt, or denied. Never allowed. */
async function offline(
  agent: HookDialect["agent"],
  { call }: HookCall,
  options: HookOptions,
  why: string,
): Promise<HookAnswer> {
  const { guardedOffline } = await import("./offline-guard.ts");
  const block = guardedOffline(call, agent, process.env);
  if (block !== null) return deny(`${block.reason} (${block.instead})`);
  return { permission: options.offline, reason: why, is_shown: true };
}

function optionsOf({ wait_seconds, offline }: HookDialect, argv: readonly string[]): HookOptions | undefined {
  const options: HookOptions = { wait_seconds, offline, parent: undefined, client: undefined };
  for (let index = 0; index < argv.length; index += 2) {
    const value = argv[index + 1];
    if (argv[index] === "--wait" && Number(value) > 0) options.wait_seconds = Math.min(Number(value), 2_000_000);
    // Where a client takes `ask` for consent, or ends its session by it, only `deny` may be said.
    else if (argv[index] === "--offline" && (value === "deny" || value === offline)) options.offline = value;
    else if (argv[index] === "--parent" && Number(value) > 0) options.parent = Number(value);
    else if (argv[index] === "--client" && Number(value) > 0) options.client = Number(value);
    else return undefined;
  }
  return options;
}
