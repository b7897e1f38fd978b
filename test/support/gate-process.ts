import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { COMPILE_CACHE } from "./compile-cache.ts";
import { givePort } from "./own-port.ts";
import type { TemporaryHome } from "./temporary-home.ts";

/** The command as a user runs it. */
export const LAUNCHER = fileURLToPath(new URL("../../bin/metnos-gate.js", import.meta.url));
export const CHECKOUT = fileURLToPath(new URL("../..", import.meta.url));

/** A child process: what it printed so far, and its end. Killed, by its pid, when the test ends. */
export class StartedProcess {
  readonly child: ChildProcess;
  readonly exited: Promise<number | null>;
  stdout = "";
  stderr = "";
  #waiting: (() => void)[] = [];

  constructor(command: string, args: readonly string[], options: { env: NodeJS.ProcessEnv; cwd?: string }) {
    this.child = spawn(command, args, {
      env: { NODE_COMPILE_CACHE: COMPILE_CACHE, ...options.env },
      cwd: options.cwd ?? options.env.HOME ?? CHECKOUT,
      stdio: "pipe",
    });
    this.child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      this.stdout += text;
      this.#wake();
    });
    this.child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.stderr += text;
      this.#wake();
    });
    this.child.stdin?.on("error", () => undefined); // a command that doesn't read its stdin
    this.exited = once(this.child, "close").then(([code]) => {
      this.#wake();
      return code as number | null;
    });
    onTestFinished(async () => {
      this.child.kill("SIGKILL");
      await this.exited;
    });
  }

  /** Resolves once what it printed matches. */
  async printed(pattern: { test(text: string): boolean }): Promise<void> {
    const has_ended = this.exited.then(() => true);
    while (!pattern.test(this.stdout) && !pattern.test(this.stderr)) {
      const woken = new Promise<false>((resolve) => this.#waiting.push(() => resolve(false)));
      if (!(await Promise.race([woken, has_ended]))) continue;
      if (pattern.test(this.stdout) || pattern.test(this.stderr)) return;
      throw new Error(`ended without printing ${pattern}:\n${this.stdout}${this.stderr}`);
    }
  }

  /** Sends a signal and gives the exit code. */
  async end(signal: NodeJS.Signals): Promise<number | null> {
    this.child.kill(signal);
    return await this.exited;
  }

  #wake(): void {
    for (const resume of this.#waiting.splice(0)) resume();
  }
}

/** `metnos-gate serve`, once it reports that it is running. `env` is added to the home's. */
export async function startServe(
  home: TemporaryHome,
  args: readonly string[] = [],
  env: NodeJS.ProcessEnv = {},
): Promise<StartedProcess> {
  if (args.includes("--web")) givePort(home);
  const started = new StartedProcess(process.execPath, [LAUNCHER, "serve", ...args], { env: { ...home.env, ...env } });
  await started.printed(/the audit trail is/);
  return started;
}

export interface CommandResult {
  code: number | null;
  stdout: string;
  stderr: string;
  /** stdout as JSON lines. */
  lines: Record<string, unknown>[];
}

/** Runs `metnos-gate` with arguments to its end. */
export async function runGate(
  home: TemporaryHome,
  args: readonly string[],
  stdin = "",
  cwd = home.home,
): Promise<CommandResult> {
  const started = new StartedProcess(process.execPath, [LAUNCHER, ...args], { env: home.env, cwd });
  started.child.stdin?.end(stdin);
  const code = await started.exited;
  const { stdout, stderr } = started;
  return {
    code,
    stdout,
    stderr,
    get lines() {
      return stdout
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line) as Record<string, unknown>);
    },
  };
}
