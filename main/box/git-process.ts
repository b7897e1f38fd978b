import { type ChildProcess, spawn } from "node:child_process";

/** Git as the gate itself runs it, on a repository that may be anybody's: a pipe or a device in it neither keeps it nor has it fill the memory. */

/** In KiB, of what it reserves for itself: a long history needs less. */
const MAX_MEMORY = 1024 * 1024;

/** In a process group of its own, which ends as the other end of a pipe is closed: by the gate, or with it. */
const WITH_GATE = `ulimit -d ${MAX_MEMORY} 2>/dev/null
{ read -r _; kill -KILL 0; } <&3 >/dev/null &
exec git "$@" 3<&-`;

/**
 * What it prints, part by part.
 * @param ms after which it is killed @returns whether it ended by itself and without an error
 */
export function runGit(
  words: readonly string[],
  { env, ms, input = "" }: { env: NodeJS.ProcessEnv; ms: number; input?: string },
  on: (text: string, child: ChildProcess) => void,
): { child: ChildProcess; ended: Promise<boolean> } {
  const child = spawn("/bin/sh", ["-c", WITH_GATE, "git", ...words], {
    cwd: "/",
    env,
    detached: true,
    stdio: ["pipe", "pipe", "ignore", "pipe"],
  });
  const timer = setTimeout(() => child.kill("SIGKILL"), ms);
  timer.unref();
  const ended = new Promise<boolean>((resolve) => {
    child.once("error", () => resolve(false));
    child.once("close", (code) => resolve(code === 0));
  });
  // Where no more files can be opened, there are none of these.
  const { stdin, stdout, stdio } = child;
  const pipe = stdio?.[3];
  pipe?.on("error", () => undefined); // it ended first
  stdin?.on("error", () => undefined); // it ended before it read what it was given
  child.once("exit", () => {
    clearTimeout(timer);
    pipe?.destroy();
  });
  stdout?.setEncoding("utf8").on("data", (text: string) => on(text, child));
  stdin?.end(input);
  return { child, ended };
}
