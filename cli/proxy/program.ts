import { type ChildProcess, spawn } from "node:child_process";
import { constants } from "node:os";
import type { Readable, Writable } from "node:stream";
import type { Env } from "../../ipc/base/paths.ts";
import { visible } from "../../ipc/base/visible-text.ts";

/** The program behind a proxy: its stdin and stdout are the proxy's to pass on, its stderr is the proxy's own. */

export interface ProgramOptions {
  env: Env;
  cwd?: string;
  /** How long it may continue once its input has ended, in milliseconds; then SIGTERM, and a second later SIGKILL. */
  graceMs: number;
}

export interface Program {
  stdin: Writable;
  stdout: Readable;
  /** Its exit code, 128 and more for a signal, 127 where it can't be started. What it wrote was read before, or for two seconds more. */
  ended: Promise<number>;
  /** Its input ends, and it gets its time. Once. */
  close(): void;
}

/** A process that it has started may hold its output open. In milliseconds. */
const MAX_DRAIN_MS = 2000;
const KILL_MS = 1000;
const PASSED_ON = ["SIGTERM", "SIGINT", "SIGHUP"] as const;

/** @param words the program and its arguments; not read by any shell */
export function startProgram(words: readonly string[], { env, cwd, graceMs }: ProgramOptions): Program {
  const [program = "", ...args] = words;
  const child = spawn(program, args, { env: { ...env }, cwd, stdio: ["pipe", "pipe", "inherit"] });
  const { stdin, stdout } = child;
  if (stdin === null || stdout === null) throw new Error("a program is started with its input and output");
  stdin.on("error", () => stdin.destroy()); // it has closed its input, or has ended: its exit says so
  const passOn = (signal: NodeJS.Signals) => child.kill(signal);
  for (const signal of PASSED_ON) process.on(signal, passOn);
  const ended = endOf(child, program, stdout).finally(() => {
    for (const signal of PASSED_ON) process.off(signal, passOn);
  });
  let isClosed = false;
  const close = () => {
    if (isClosed) return;
    isClosed = true;
    stdin.end();
    if (child.exitCode !== null || child.signalCode !== null) return;
    const terminate = setTimeout(() => child.kill("SIGTERM"), graceMs);
    const kill = setTimeout(() => child.kill("SIGKILL"), graceMs + KILL_MS);
    child.once("exit", () => {
      clearTimeout(terminate);
      clearTimeout(kill);
    });
  };
  return { stdin, stdout, ended, close };
}

async function endOf(child: ChildProcess, program: string, stdout: Readable): Promise<number> {
  const { code, signal, error } = await new Promise<End>((resolve) => {
    child.once("error", (error) => resolve({ code: null, signal: null, error }));
    child.once("exit", (code, signal) => resolve({ code, signal }));
  });
  if (error !== undefined) {
    const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
    const why = isMissing ? "there is no such program" : visible(error.message);
    process.stderr.write(`metnos-gate: ${visible(program)} can't be started: ${why}\n`);
    stdout.destroy();
    return 127;
  }
  await drained(stdout);
  stdout.destroy();
  return signal === null ? (code ?? 1) : 128 + constants.signals[signal];
}

interface End {
  code: number | null;
  signal: NodeJS.Signals | null;
  error?: Error;
}

/** Everything was read, or nothing came for a while though it was read. */
function drained(stdout: Readable): Promise<void> {
  if (stdout.closed) return Promise.resolve();
  return new Promise((resolve) => {
    const enough = () => {
      if (stdout.isPaused()) timer.refresh();
      else resolve();
    };
    const timer = setTimeout(enough, MAX_DRAIN_MS);
    stdout.on("data", () => timer.refresh());
    stdout.once("close", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
