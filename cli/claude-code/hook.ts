import { readSync, writeSync } from "node:fs";
import { exactText, MAX_FRAME_BYTES } from "../../ipc/frames.ts";
import { agentTokenFile, PlaceError, placesFor } from "../../ipc/places.ts";
import { readRegularFile } from "../../ipc/regular-file.ts";
import { type Answer, askGate } from "./exchange.ts";
import { type HookPayload, parsePayload } from "./payload.ts";

/**
 * `metnos-gate hook claude-code`: Claude Code's PreToolUse payload on stdin, its answer on stdout. Loads no native module and
 * runs on Node >= 20. Says `allow` only for a decision `allowed` that came from the gate.
 */

type Permission = "allow" | "deny" | "ask";

interface HookOptions {
  wait_seconds: number;
  offline: "ask" | "deny";
}

const AGENT = "claude-code";
/** Below the 600 s after which Claude Code gives a hook up. */
const DEFAULT_WAIT_SECONDS = 590;
const MAX_INPUT_BYTES = 8 * 1024 * 1024;
const START_HINT = "start it with: metnos-gate serve";

/** Answers one payload and ends the process. `argv` begins with the agent's name. */
export async function runHook(argv: readonly string[]): Promise<void> {
  let permission: Permission = "deny";
  let reason: string;
  try {
    [permission, reason] = await answerFor(argv);
  } catch (error) {
    permission = "deny";
    reason =
      error instanceof PlaceError
        ? `${error.message}; ${error.hint}`
        : `the hook failed (${error instanceof Error ? error.name : "unknown"}): nothing is let through`;
  }
  print(permission, `Metnos Gate: ${reason}`);
  process.exit(0);
}

async function answerFor(argv: readonly string[]): Promise<[Permission, string]> {
  const options = optionsOf(argv);
  if (options === undefined)
    return ["deny", "the hook's command line is not valid; run metnos-gate connect claude-code again"];
  const bytes = readInput();
  if (bytes === undefined) return ["deny", "the hook's input is too large"];
  const input = exactText(bytes);
  if (input === undefined) return ["deny", "the hook's input is not valid UTF-8: the call can't be shown as it is"];
  const payload = parsePayload(input);
  if ("refused" in payload) return ["deny", payload.refused];
  if (input.length > MAX_FRAME_BYTES - 4096) return ["deny", "the call is larger than the 1 MiB the gate looks at"];
  const places = placesFor(process.env);
  const answer = await askGate({
    socket_path: places.agent_socket,
    token: process.env.METNOS_AGENT_TOKEN ?? readToken(agentTokenFile(places, AGENT)),
    agent_name: AGENT,
    session: payload.session_id,
    call: payload.call,
    deadline: performance.now() + options.wait_seconds * 1000,
  });
  return permissionFor(answer, payload, options);
}

async function permissionFor(
  answer: Answer,
  payload: HookPayload,
  options: HookOptions,
): Promise<[Permission, string]> {
  switch (answer.kind) {
    case "decision": {
      const { outcome, reason, instead } = answer;
      return [outcome === "allowed" ? "allow" : "deny", instead === undefined ? reason : `${reason} (${instead})`];
    }
    case "nobody":
      return [
        "deny",
        `nobody answered within ${options.wait_seconds} s; this is not a refusal, ask again when somebody is there`,
      ];
    case "error":
      if (answer.code === "bad_token" || answer.code === "token_required") {
        return offline(payload, options, `${answer.message}; run metnos-gate connect claude-code`);
      }
      return ["deny", answer.hint === "" ? answer.message : `${answer.message} (${answer.hint})`];
    case "unreachable":
      return offline(payload, options, `no gate is running; ${START_HINT}`);
  }
}

/** Without a gate: what the guard denies is denied here, the rest is Claude Code's own prompt. Never allowed. */
async function offline(payload: HookPayload, options: HookOptions, why: string): Promise<[Permission, string]> {
  const { guardedOffline } = await import("./offline-guard.ts");
  const block = guardedOffline(payload.call, process.env);
  return block === null ? [options.offline, why] : ["deny", `${block.reason} (${block.instead})`];
}

function optionsOf(argv: readonly string[]): HookOptions | undefined {
  const options: HookOptions = { wait_seconds: DEFAULT_WAIT_SECONDS, offline: "ask" };
  if (argv[0] !== AGENT) return undefined;
  for (let index = 1; index < argv.length; index += 2) {
    const value = argv[index + 1];
    if (argv[index] === "--wait" && Number(value) > 0) options.wait_seconds = Math.min(Number(value), 2_000_000);
    else if (argv[index] === "--offline" && (value === "ask" || value === "deny")) options.offline = value;
    else return undefined;
  }
  return options;
}

/** All of stdin, or undefined beyond 8 MiB. */
function readInput(): Buffer | undefined {
  const chunks: Buffer[] = [];
  let length = 0;
  for (;;) {
    const chunk = Buffer.allocUnsafe(65_536);
    const read = readChunk(chunk);
    if (read === 0) return Buffer.concat(chunks, length);
    chunks.push(chunk.subarray(0, read));
    length += read;
    if (length > MAX_INPUT_BYTES) return undefined;
  }
}

function readChunk(chunk: Buffer): number {
  for (;;) {
    try {
      return readSync(0, chunk);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "EOF") return 0;
      if (code !== "EAGAIN") throw error;
      // A pipe that was left non-blocking: wait a moment for its writer.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
    }
  }
}

function readToken(file: string): string | undefined {
  try {
    return readRegularFile(file).trim();
  } catch {
    return undefined; // not paired yet: the gate asks its human
  }
}

function print(permissionDecision: Permission, permissionDecisionReason: string): void {
  const answer = { hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision, permissionDecisionReason } };
  writeSync(1, `${JSON.stringify(answer)}\n`);
}
