import { readSync, writeSync } from "node:fs";
import { type AskedCall, askGate, deny, type HookOptions, optionsOf, type Unreached } from "../../main/hooks/answer.ts";
import { dialectOf } from "../../main/hooks/answering/dialects.ts";
import type { HookAnswer, HookDialect } from "../../main/hooks/dialect.ts";
import { noticeOf } from "../../main/hooks/notice.ts";
import { AbandonedError, abandonedBy } from "../../main/hooks/parent.ts";

/**
 * `metnos-gate hook AGENT`: what a client's hook gets about a call on stdin, its answer on stdout. The same for every client; how each
 * says it is its dialect. Loads no native module and runs on Node >= 20. Ends with 0 only once an answer was written whole.
 */

/** Every client that is known takes it as a refusal. */
const BLOCKS = 2;

/** Answers one payload and ends the process. `argv` begins with the agent's name. */
export async function runHook(argv: readonly string[]): Promise<void> {
  try {
    // Not awaited where it is there at once: a greeting must be sent in the turn in which its connection was made.
    const found = dialectOf(argv[0]);
    if (found === undefined) throw new Error("there is no such hook");
    const dialect = found instanceof Promise ? await found : found;
    if (argv[1] === undefined || argv[1].startsWith("--"))
      print(dialect.write(await answerFor(dialect, argv.slice(1))));
    else {
      const { answerEvent } = await import("./events.ts");
      print(await answerEvent(dialect, argv.slice(1), readInput()?.toString("utf8") ?? ""));
    }
  } catch (error) {
    // The answer isn't read, or can't be written: only the exit code is left to deny.
    process.stderr.write(`Metnos Gate: the hook failed (${error instanceof Error ? error.name : "unknown"})\n`);
    process.exit(BLOCKS);
  }
  process.exit(0);
}

async function answerFor(dialect: HookDialect, argv: readonly string[]): Promise<HookAnswer> {
  const options = optionsOf(dialect, argv);
  if (options === undefined)
    return deny(
      `the hook's command line is not valid; tell the user to run: ${await command(`connect ${dialect.agent}`)}`,
    );
  const asked: AskedCall = {
    dialect,
    options,
    env: process.env,
    isGate: false,
    input: readInput,
    isAbandoned: abandonedBy(options.parent, options.client, options.launcher),
  };
  // It was withdrawn as nobody reads its answer: the user isn't asked once more.
  if (options.is_lost && asked.isAbandoned()) throw new AbandonedError();
  const answer = await askGate(asked);
  if ("permission" in answer) return answer;
  try {
    return await offline(dialect, answer, options);
  } catch (error) {
    if (error instanceof AbandonedError) throw error;
    return deny(`the hook failed (${error instanceof Error ? error.name : "unknown"}): nothing is let through`);
  }
}

/** Without a gate: what the guard denies is denied here, the rest is the client's own prompt, or denied. Never allowed. */
async function offline({ agent }: HookDialect, { call, error }: Unreached, options: HookOptions): Promise<HookAnswer> {
  const { guardedOffline } = await import("./offline-guard.ts");
  const block = guardedOffline(call.call, agent, process.env);
  if (block !== null) return deny(`${block.reason} (${block.instead})`, noticeOf(block));
  const reason =
    error === undefined
      ? `no gate is running; tell the user to start it with: ${await command("start")}`
      : `${error}; tell the user to run: ${await command(`connect ${agent}`)}`;
  return { permission: await permissionOffline(agent, options), reason, notice: reason };
}

/** `ask` only where the client then asks. */
async function permissionOffline(agent: HookDialect["agent"], options: HookOptions): Promise<"ask" | "deny"> {
  if (agent !== "claude-code" || options.offline === "deny") return options.offline;
  const { isInVsCode } = await import("../agents/claude-code/editor.ts");
  return isInVsCode(process.env, options.parent) ? "deny" : "ask";
}

/** This program's command as the user types it; loaded where a call isn't decided by a gate. */
async function command(words: string): Promise<string> {
  const { ownCommand } = await import("../../ipc/base/own-command.ts");
  return ownCommand(words);
}

// A hook's stdin and stdout, read and written at once: streams would have to be loaded first.

const MAX_INPUT_BYTES = 8 * 1024 * 1024;

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
