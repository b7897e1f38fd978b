import { spawn } from "node:child_process";
import type { HookEnd } from "./hosts.ts";

/** Bytes of what a hook prints: more is cut. */
const MAX_OUTPUT = 1024 * 1024;

export interface HookToRun {
  /** A line for a shell, as a client's settings have it. */
  command: string;
  cwd: string;
  env: NodeJS.ProcessEnv;
  /** A hook that hasn't answered by then waits for somebody. */
  ask_after_ms: number;
}

/** Calls a hook once, as a client does, and ends it and what it started. Undefined where it still waits after that time. */
export function runHook(payload: string, { command, cwd, env, ask_after_ms }: HookToRun): Promise<HookEnd | undefined> {
  const child = spawn("/bin/sh", ["-c", command], { cwd, env, detached: true, stdio: "pipe" });
  const end = () => {
    if (child.pid === undefined) return;
    try {
      process.kill(-child.pid, "SIGKILL");
    } catch {
      // all of them have ended
    }
  };
  return new Promise((resolve, reject) => {
    let [stdout, stderr] = ["", ""];
    let is_waiting = false;
    const timer = setTimeout(() => {
      is_waiting = true;
      end();
    }, ask_after_ms);
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      if (stdout.length < MAX_OUTPUT) stdout += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      if (stderr.length < MAX_OUTPUT) stderr += text;
    });
    child.stdin.on("error", () => child.stdin.destroy()); // a hook may answer before it has read everything
    child.stdin.end(payload);
    child.once("error", reject);
    child.once("close", (code) => {
      clearTimeout(timer);
      end();
      resolve(is_waiting ? undefined : { code, stdout, stderr });
    });
  });
}
