import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { LAUNCHER, RunningProgram } from "../../bench/running-program.ts";
import { COMPILE_CACHE } from "./compile-cache.ts";
import { givePort } from "./own-port.ts";
import type { TemporaryHome } from "./temporary-home.ts";

export { LAUNCHER };
export const CHECKOUT = fileURLToPath(new URL("../..", import.meta.url));

/** Killed, by its pid, when the test ends. */
export class StartedProcess extends RunningProgram {
  constructor(command: string, args: readonly string[], { env, cwd }: { env: NodeJS.ProcessEnv; cwd?: string }) {
    super(command, args, {
      env: { NODE_COMPILE_CACHE: COMPILE_CACHE, ...env },
      cwd: cwd ?? env.HOME ?? CHECKOUT,
      stdio: "pipe",
    });
    onTestFinished(async () => {
      await this.end("SIGKILL");
    });
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
