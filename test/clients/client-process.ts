import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { onTestFinished } from "vitest";

/** Longer than any of these runs takes, in milliseconds. */
const TIMEOUT_MS = 100_000;

/** A real client as a group of processes, ended with all of them when the test ends. */
export class ClientProcess {
  readonly child: ChildProcess;
  readonly ended: Promise<unknown>;
  output = "";

  constructor(command: readonly string[], cwd: string, env: Record<string, string>) {
    const [program = "", ...args] = command;
    this.child = spawn(program, args, { cwd, detached: true, stdio: ["ignore", "pipe", "pipe"], env });
    for (const stream of [this.child.stdout, this.child.stderr])
      stream?.setEncoding("utf8").on("data", (text: string) => {
        this.output += text;
      });
    this.ended = once(this.child, "close");
    const timer = setTimeout(() => this.kill(), TIMEOUT_MS);
    this.child.once("exit", () => clearTimeout(timer));
    onTestFinished(async () => {
      this.kill();
      await this.ended;
    });
  }

  /** Kills it and what it started, hooks among it. */
  kill(): void {
    const { pid } = this.child;
    if (pid !== undefined) killed(-pid);
  }
}

/** @param pid of a process, or below zero of a group; nothing happens where it has ended */
export function killed(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
