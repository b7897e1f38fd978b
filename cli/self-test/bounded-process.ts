import { spawn } from "node:child_process";
import { StringDecoder } from "node:string_decoder";

/** A program that is given a limited time, and ended with all that it started: also where this process is interrupted. */

export interface BoundedProcess {
  argv: readonly [string, ...string[]];
  cwd: string;
  env: Readonly<Record<string, string>>;
  timeoutMs: number;
}

export interface Ended {
  /** Why it didn't end as it should, in a few words; null where it did. */
  problem: string | null;
  /** The end of what it printed. */
  output: string;
}

const MAX_OUTPUT = 16_384;

/** Resolves once it has ended, or its time has; never rejects. */
export function runBounded({ argv: [program, ...args], cwd, env, timeoutMs }: BoundedProcess): Promise<Ended> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { cwd, env, detached: true, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      const decoder = new StringDecoder("utf8");
      stream.on("data", (bytes: Buffer) => {
        output = (output + decoder.write(bytes)).slice(-MAX_OUTPUT);
      });
    }
    const killAll = () => killGroup(child.pid);
    const end = (problem: string | null) => {
      clearTimeout(timer);
      process.off("exit", killAll);
      killAll();
      resolve({ problem, output });
    };
    process.on("exit", killAll);
    const timer = setTimeout(() => end(`it didn't end within ${timeoutMs / 1000} s`), timeoutMs);
    child.once("error", (error) => end(`it can't be started: ${error.message}`));
    child.once("exit", (code, signal) => end(code === 0 ? null : `it ended with ${code ?? signal}`));
  });
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
