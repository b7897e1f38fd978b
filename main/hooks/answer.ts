import { agentPaths, PathError } from "../../ipc/base/paths.ts";
import { exactText, MAX_FRAME_BYTES } from "../../ipc/socket/frames.ts";
import { agentToken } from "./agent-token.ts";
import type { HookAnswer, HookCall, HookDialect, HookPlace } from "./dialect.ts";
import { LeftToProgram } from "./dialect.ts";
import { type Answer, type Decided, GateLine, monotonicMs, type Request } from "./exchange.ts";
import { noticeOf } from "./notice.ts";
import { AbandonedError } from "./parent.ts";

/**
 * What a client's hook is answered about a call, the same for the hook's own program and for the gate, which answers over pipes. Says
 * `allow` only for a decision `allowed` that came over the agents' socket.
 */

export interface HookOptions {
  wait_seconds: number;
  offline: "ask" | "deny";
  /** The process that reads the answer: the launcher's parent. */
  parent: number | undefined;
  /** A gate was there just now: it is expected back. */
  is_lost: boolean;
  /** The launcher, where it isn't the program's own parent. */
  launcher: number | undefined;
  /** The client, where that is a shell of it. */
  client: number | undefined;
}

/** The words after the client's name; undefined where they aren't valid. */
export function optionsOf({ wait_seconds, offline }: HookDialect, argv: readonly string[]): HookOptions | undefined {
  const options: HookOptions = {
    wait_seconds,
    offline,
    is_lost: false,
    parent: undefined,
    launcher: undefined,
    client: undefined,
  };
  for (let index = 0; index < argv.length; index += 2) {
    const value = argv[index + 1];
    if (argv[index] === "--wait" && Number(value) > 0) options.wait_seconds = Math.min(Number(value), 2_000_000);
    // Where a client takes `ask` for consent, or ends its session by it, only `deny` may be said.
    else if (argv[index] === "--offline" && (value === "deny" || value === offline)) options.offline = value;
    else if (argv[index] === "--parent" && Number(value) > 0) options.parent = Number(value);
    else if (argv[index] === "--lost") options.is_lost = true;
    else if (argv[index] === "--launcher" && Number(value) > 0) options.launcher = Number(value);
    else if (argv[index] === "--client" && Number(value) > 0) options.client = Number(value);
    else return undefined;
  }
  return options;
}

export interface AskedCall extends HookPlace {
  dialect: HookDialect;
  options: HookOptions;
  /** Reads the payload; undefined where it is too large. Called once the gate has been connected to. */
  input(): Buffer | undefined;
  /** True once nobody reads the answer any more. Checked only while the operator is asked. */
  isAbandoned(): boolean;
  /** As soon as that is known. */
  ended?: Request["ended"];
}

/** No gate can say anything about the call: `error` where it doesn't know the agent, as it said. */
export interface Unreached {
  call: HookCall;
  error?: string;
}

/** The answer, or why no gate has given one. @throws AbandonedError; LeftToProgram */
export async function askGate(asked: AskedCall): Promise<HookAnswer | Unreached> {
  try {
    return await examined(asked);
  } catch (error) {
    if (error instanceof AbandonedError || error instanceof LeftToProgram) throw error;
    if (error instanceof PathError) return deny(`${error.message}; ${error.hint}`);
    return deny(`the hook failed (${error instanceof Error ? error.name : "unknown"}): nothing is let through`);
  }
}

/** Nothing is awaited before the greeting: it is sent in the turn in which its connection was made. */
async function examined({
  dialect,
  options,
  input,
  isAbandoned,
  ended,
  ...place
}: AskedCall): Promise<HookAnswer | Unreached> {
  const { agent } = dialect;
  const paths = agentPaths(place.env);
  const gate = new GateLine(paths.agent_socket);
  try {
    const call = readCall(dialect, input(), place);
    if ("refused" in call) return deny(call.refused);
    const { state_dir } = paths;
    const canConfine = dialect.canConfine(call, { reader: options.parent, state_dir, ...place });
    const answer = await gate.ask({
      token: agentToken(paths, agent, place.env),
      agent_name: agent,
      session: call.session_id,
      call: calledBy(options.client, call.call),
      can_confine: canConfine,
      deadline: monotonicMs() + options.wait_seconds * 1000,
      is_lost: options.is_lost,
      isAbandoned,
      ended,
    });
    return answer.kind === "decision"
      ? decided(dialect, answer, call, canConfine)
      : unanswered(answer, call, options.wait_seconds);
  } finally {
    // The program ends next, and its connection with it: closing it first would only take time.
    if (place.isGate) gate.close();
  }
}

function calledBy(client: number | undefined, call: HookCall["call"]): HookCall["call"] {
  return client === undefined ? call : { ...call, context: { ...call.context, client_pid: client } };
}

/** The call in a payload, or why it can't be passed on as it was sent. */
function readCall(
  dialect: HookDialect,
  bytes: Buffer | undefined,
  { env }: Pick<HookPlace, "env">,
): HookCall | { refused: string } {
  if (bytes === undefined) return { refused: "the hook's input is too large" };
  const input = exactText(bytes);
  if (input === undefined) return { refused: "the hook's input is not valid UTF-8: the call can't be shown as it is" };
  const call = dialect.read(input, env);
  if ("refused" in call || input.length <= MAX_FRAME_BYTES - 4096) return call;
  return { refused: "the call is larger than the 1 MiB the gate looks at" };
}

export function deny(reason: string, notice = reason): HookAnswer {
  return { permission: "deny", reason, notice };
}

function decided(
  dialect: HookDialect,
  { outcome, reason, rule, instead, is_confined, argv }: Decided,
  { rewritable }: HookCall,
  canConfine: boolean,
): HookAnswer {
  if (outcome === "denied")
    return deny(instead === undefined ? reason : `${reason}; ${instead}`, noticeOf({ reason, rule }));
  if (!is_confined) return { permission: "allow", reason };
  // It was allowed as a confined call alone: it never runs otherwise.
  if (!canConfine || argv === undefined || rewritable === undefined)
    return deny("this call is allowed only where it runs confined, and it can't be here");
  return { permission: "allow", reason, updatedInput: dialect.rewritten(rewritable, argv) };
}

function unanswered(answer: Exclude<Answer, Decided>, call: HookCall, waitSeconds: number): HookAnswer | Unreached {
  switch (answer.kind) {
    case "unanswered":
      return deny(`nobody answered within ${waitSeconds} s; this is not a refusal, ask again when somebody is there`);
    case "abandoned":
      throw new AbandonedError();
    case "error":
      if (answer.code === "bad_token" || answer.code === "token_required") return { call, error: answer.message };
      return deny(answer.hint === "" ? answer.message : `${answer.message} (${answer.hint})`);
    case "unreachable":
      return { call };
  }
}
