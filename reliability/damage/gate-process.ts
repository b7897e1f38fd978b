import { statSync } from "node:fs";
import { LAUNCHER, RunningProgram, within } from "../../bench/running-program.ts";
import { gatePaths } from "../../ipc/base/paths.ts";
import { OperatorClient } from "../../ipc/socket/operator-client.ts";

/** A gate that neither started nor ended by then hangs; one that was asked to end, too. In milliseconds. */
const PATIENCE_MS = 120_000;
const ANSWER_MS = 30_000;

export interface RunAs {
  user: { uid: number; gid: number } | undefined;
  compile_cache: string;
  /** Further variables. */
  env?: NodeJS.ProcessEnv;
}

/** A program in a prepared home, as the user that it belongs to. */
export class ProgramAt extends RunningProgram {
  constructor(home: string, args: readonly string[], { user, compile_cache, env }: RunAs) {
    super(process.execPath, args, {
      cwd: home,
      env: { HOME: home, PATH: process.env.PATH ?? "", NODE_COMPILE_CACHE: compile_cache, ...env },
      stdio: ["ignore", "pipe", "pipe"],
      ...user,
    });
  }
}

/** `metnos-gate serve` in a prepared home. */
export class GateProcess extends ProgramAt {
  readonly #home: string;

  constructor(home: string, runAs: RunAs) {
    super(home, [LAUNCHER, "serve", "--no-notifications"], runAs);
    this.#home = home;
  }

  /** Waits until it serves or has ended. */
  async started(): Promise<"serving" | "ended" | "hangs"> {
    const serving = this.printed(/the audit trail is/).then(
      () => "serving" as const,
      () => "ended" as const,
    );
    return await within(serving, PATIENCE_MS, "hangs");
  }

  /** Asks it to end. False if it doesn't. */
  async stop(): Promise<boolean> {
    return await this.endsWithin("SIGTERM", PATIENCE_MS);
  }

  async kill(): Promise<void> {
    await this.endsWithin("SIGKILL", PATIENCE_MS);
  }

  /** Its operator's contract; undefined where it can't be reached. */
  async operator(): Promise<OperatorClient | undefined> {
    const paths = gatePaths({ HOME: this.#home });
    // A pipe would keep this process, too.
    if (statSync(paths.operatorToken, { throwIfNoEntry: false })?.isFile() !== true) return undefined;
    try {
      return await within(OperatorClient.connect(paths.operator_socket, paths.operatorToken), ANSWER_MS, undefined);
    } catch {
      return undefined; // the caller decides what that means
    }
  }
}
