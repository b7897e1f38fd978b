import { readSync, writeSync } from "node:fs";
import { exactText, MAX_FRAME_BYTES } from "../../ipc/frames.ts";
import { agentPaths, agentTokenFile, PathError } from "../../ipc/paths.ts";
import { readRegularFile } from "../../ipc/regular-file.ts";
import { type Answer, GateLine, monotonicMs } from "./exchange.ts";
import { AbandonedError, abandonedBy } from "./parent.ts";
import { type HookPayload, parsePayload } from "./payload.ts";

/**
 * `metnos-gate hook claude-code`: Claude Code's PreToolUse payload on stdin, its answer on stdout. Loads no native module and
 * runs on Node >= 20. Says `allow` only for a decision `allowed` that came from the gate, and ends with 0 only once an answer was
 * written whole.
 */

type Permission = "allow" | "deny" | "ask";

interface HookOptions {
  wait_seconds: number;
  offline: "ask" | "deny";
  /** The process that reads the answer: the launcher's parent. */
  parent: number | undefined;
}

interface HookAnswer {
  permission: Permission;
  reason: string;
  /** Shown to the user by Claude Code itself, which may show a denial as nothing and its own prompt without a reason. */
  is_shown: boolean;
}

const AGENT = "claude-code";
const CONFIG_CHANGE = "config-change";
/** Below the 600 s after which Claude Code gives a hook up. */
const DEFAULT_WAIT_SECONDS = 590;
const MAX_INPUT_BYTES = 8 * 1024 * 1024;
/** Claude Code takes it as a refusal, in every version. */
const BLOCKS = 2;

/** Answers one payload and ends the process. `argv` begins with the agent's name. */
export async function runHook(argv: readonly string[]): Promise<void> {
  try {
    if (argv[1] === CONFIG_CHANGE) await answerConfigChange();
    else print(output(await answerFor(argv)));
  } catch (error) {
    // The answer isn't read, or can't be written: only the exit code is left to deny.
    process.stderr.write(`Metnos Gate: the hook failed (${error instanceof Error ? error.name : "unknown"})\n`);
    process.exit(BLOCKS);
  }
  process.exit(0);
}

async function answerFor(argv: readonly string[]): Promise<HookAnswer> {
  try {
    return await examined(argv);
  } catch (error) {
    if (error instanceof AbandonedError) throw error;
    if (error instanceof PathError) return deny(`${error.message}; ${error.hint}`);
    return deny(`the hook failed (${error instanceof Error ? error.name : "unknown"}): nothing is let through`);
  }
}

async function examined(argv: readonly string[]): Promise<HookAnswer> {
  const options = optionsOf(argv);
  if (options === undefined)
    return deny(`the hook's command line is not valid; run ${await command("connect claude-code")} again`);
  const paths = agentPaths(process.env);
  const gate = new GateLine(paths.agent_socket);
  const bytes = readInput();
  if (bytes === undefined) return deny("the hook's input is too large");
  const input = exactText(bytes);
  if (input === undefined) return deny("the hook's input is not valid UTF-8: the call can't be shown as it is");
  const payload = parsePayload(input);
  if ("refused" in payload) return deny(payload.refused);
  if (input.length > MAX_FRAME_BYTES - 4096) return deny("the call is larger than the 1 MiB the gate looks at");
  const answer = await gate.ask({
    token: process.env.METNOS_AGENT_TOKEN ?? readToken(agentTokenFile(paths, AGENT)),
    agent_name: AGENT,
    session: payload.session_id,
    call: payload.call,
    deadline: monotonicMs() + options.wait_seconds * 1000,
    isAbandoned: abandonedBy(options.parent),
  });
  return answered(answer, payload, options);
}

function deny(reason: string): HookAnswer {
  return { permission: "deny", reason, is_shown: true };
}

async function answered(answer: Answer, payload: HookPayload, options: HookOptions): Promise<HookAnswer> {
  switch (answer.kind) {
    case "decision": {
      const { outcome, reason, instead } = answer;
      if (outcome === "allowed") return { permission: "allow", reason, is_shown: false };
      return deny(instead === undefined ? reason : `${reason} (${instead})`);
    }
    case "unanswered":
      return deny(
        `nobody answered within ${options.wait_seconds} s; this is not a refusal, ask again when somebody is there`,
      );
    case "abandoned":
      throw new AbandonedError();
    case "error":
      if (answer.code === "bad_token" || answer.code === "token_required") {
        return offline(
          payload,
          options,
          `${answer.message}; tell the user to run: ${await command("connect claude-code")}`,
        );
      }
      return deny(answer.hint === "" ? answer.message : `${answer.message} (${answer.hint})`);
    case "unreachable":
      return offline(payload, options, `no gate is running; tell the user to start it with: ${await command("start")}`);
  }
}

/** This program's command as the user types it; loaded where a call isn't decided by a gate. */
async function command(words: string): Promise<string> {
  const { ownCommand } = await import("../../ipc/own-command.ts");
  return ownCommand(words);
}

/** Without a gate: what the guard denies is denied here, the rest is Claude Code's own prompt. Never allowed. */
async function offline(payload: HookPayload, options: HookOptions, why: string): Promise<HookAnswer> {
  const { guardedOffline } = await import("./offline-guard.ts");
  const block = guardedOffline(payload.call, process.env);
  if (block !== null) return deny(`${block.reason} (${block.instead})`);
  return { permission: options.offline, reason: why, is_shown: true };
}

/** The answer to a change of the settings while a session runs: a block, a warning, or nothing. */
async function answerConfigChange(): Promise<void> {
  const { configChange } = await import("./config-change.ts");
  const bytes = readInput();
  print(configChange(bytes === undefined ? "" : bytes.toString("utf8"), process.env));
}

function optionsOf(argv: readonly string[]): HookOptions | undefined {
  const options: HookOptions = { wait_seconds: DEFAULT_WAIT_SECONDS, offline: "ask", parent: undefined };
  if (argv[0] !== AGENT) return undefined;
  for (let index = 1; index < argv.length; index += 2) {
    const value = argv[index + 1];
    if (argv[index] === "--wait" && Number(value) > 0) options.wait_seconds = Math.min(Number(value), 2_000_000);
    else if (argv[index] === "--offline" && (value === "ask" || value === "deny")) options.offline = value;
    else if (argv[index] === "--parent" && Number(value) > 0) options.parent = Number(value);
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
      pause();
    }
  }
}

function readToken(file: string): string | undefined {
  try {
    return readRegularFile(file).trim();
  } catch {
    return undefined; // not paired yet: the gate asks the operator
  }
}

function output({ permission, reason, is_shown }: HookAnswer): object {
  const text = `Metnos Gate: ${reason}`;
  return {
    ...(is_shown ? { systemMessage: text } : {}),
    hookSpecificOutput: {
      hookEventName: "PreToolUse",
      permissionDecision: permission,
      permissionDecisionReason: text,
    },
  };
}

/** Writes all of it, or throws. */
function print(answer: object): void {
  const bytes = Buffer.from(`${JSON.stringify(answer)}\n`);
  for (let written = 0; written < bytes.length; ) written += writeChunk(bytes.subarray(written));
}

function writeChunk(bytes: Buffer): number {
  for (;;) {
    try {
      return writeSync(1, bytes);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error;
      pause();
    }
  }
}

/** For a pipe that is non-blocking: waits a moment for its reader. */
function pause(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
}
