import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";

/** The command as a user runs it. */
export const LAUNCHER = fileURLToPath(new URL("../bin/metnos-gate.js", import.meta.url));

/** How a process has ended: its exit code, or the signal. */
export type Ending = number | NodeJS.Signals | null;

/** A gate, or another program, in a process of its own: what it has printed so far, and its end. */
export class RunningProgram {
  readonly child: ChildProcess;
  /** Its exit code, or the signal that ended it. What it started may still print. */
  readonly ended: Promise<Ending>;
  /** Its exit code, once everything that was printed is read. Rejects where it can't be started. */
  readonly exited: Promise<number | null>;
  stdout = "";
  stderr = "";
  #isClosed = false;
  #waiting: (() => void)[] = [];

  /** @param most of what it prints, so much is kept of each stream, in characters */
  constructor(command: string, args: readonly string[], options: SpawnOptions, most = Number.POSITIVE_INFINITY) {
    this.child = spawn(command, args, options);
    for (const stream of ["stdout", "stderr"] as const)
      this.child[stream]?.setEncoding("utf8").on("data", (text: string) => {
        if (this[stream].length < most) this[stream] += text;
        for (const resume of this.#waiting.splice(0)) resume();
      });
    this.child.stdin?.on("error", () => undefined); // a command that doesn't read its stdin
    this.ended = new Promise((resolve) => this.child.once("exit", (code, signal) => resolve(code ?? signal)));
    this.exited = once(this.child, "close").then(([code]) => {
      this.#isClosed = true;
      return code as number | null;
    });
  }

  get output(): string {
    return `${this.stdout}${this.stderr}`;
  }

  /** True once everything that it printed is read, too. */
  get hasEnded(): boolean {
    return this.#isClosed;
  }

  /** Null while it runs. */
  get ending(): Ending {
    return this.child.exitCode ?? this.child.signalCode;
  }

  /** Resolves once one of its streams matches. @throws Error with what it printed, if it ends without */
  async printed(pattern: { test(text: string): boolean }): Promise<void> {
    for (;;) {
      if (pattern.test(this.stdout) || pattern.test(this.stderr)) return;
      if (this.#isClosed) throw new Error(`ended without printing ${pattern}, by ${this.ending}:\n${this.output}`);
      await Promise.race([this.exited, new Promise<void>((resolve) => this.#waiting.push(resolve))]);
    }
  }

  /** Sends a signal and gives the exit code. */
  async end(signal: NodeJS.Signals): Promise<number | null> {
    this.child.kill(signal);
    return await this.exited;
  }

  /** Sends a signal. False where it runs still after so many milliseconds. */
  async endsWithin(signal: NodeJS.Signals, withinMs: number): Promise<boolean> {
    await within(this.end(signal), withinMs, null);
    return this.#isClosed;
  }

  /** Resident memory in MiB; 0 once it has ended. */
  residentMib(): number {
    if (this.ending !== null) return 0;
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${this.child.pid}/status`, "utf8"))?.[1] ?? 0) / 1024;
  }
}

/** What comes first: the result, or `late` after so many milliseconds. */
export async function within<Result, Late>(result: Promise<Result>, ms: number, late: Late): Promise<Result | Late> {
  const timeout = new AbortController();
  try {
    return await Promise.race([result, delay(ms, late, { signal: timeout.signal })]);
  } finally {
    timeout.abort();
  }
}
