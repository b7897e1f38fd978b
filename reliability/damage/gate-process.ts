import { type ChildProcess, spawn } from "node:child_process";
import { statSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { gatePaths } from "../../ipc/base/paths.ts";
import { OperatorClient } from "../../ipc/socket/operator-client.ts";

export const LAUNCHER = fileURLToPath(new URL("../../bin/metnos-gate.js", import.meta.url));

/** A gate that neither started nor ended by then hangs; one that was asked to end, too. In milliseconds. */
const PATIENCE_MS = 120_000;
const ANSWER_MS = 30_000;

export interface RunAs {
  user: { uid: number; gid: number } | undefined;
  compile_cache: string;
  /** Further variables. */
  env?: NodeJS.ProcessEnv;
}

/** `metnos-gate serve` in a prepared home. */
export class GateProcess {
  output = "";
  readonly #child: ChildProcess;
  readonly #home: string;
  readonly #closed: Promise<void>;
  #is_closed = false;

  constructor(home: string, { user, compile_cache, env }: RunAs) {
    this.#home = home;
    this.#child = spawn(process.execPath, [LAUNCHER, "serve", "--no-notifications"], {
      cwd: home,
      env: { HOME: home, PATH: process.env.PATH ?? "", NODE_COMPILE_CACHE: compile_cache, ...env },
      stdio: ["ignore", "pipe", "pipe"],
      ...(user ?? {}),
    });
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.setEncoding("utf8").on("data", (text: string) => {
        this.output += text;
      });
    this.#closed = new Promise((resolve) => {
      this.#child.once("close", () => {
        this.#is_closed = true;
        resolve();
      });
    });
  }

  /** Waits until it serves or has ended. */
  async started(): Promise<"serving" | "ended" | "hangs"> {
    const give_up_at = Date.now() + PATIENCE_MS;
    while (Date.now() < give_up_at) {
      if (this.output.includes("the audit trail is")) return "serving";
      if (this.#is_closed) return "ended";
      await delay(20);
    }
    return "hangs";
  }

  get hasEnded(): boolean {
    return this.#is_closed;
  }

  /** Its exit code, or the signal that ended it; null while it runs. */
  get end(): number | NodeJS.Signals | null {
    return this.#child.exitCode ?? this.#child.signalCode;
  }

  /** Asks it to end. False if it doesn't. */
  async stop(): Promise<boolean> {
    return await this.#end("SIGTERM");
  }

  async kill(): Promise<void> {
    await this.#end("SIGKILL");
  }

  async #end(signal: NodeJS.Signals): Promise<boolean> {
    if (this.#is_closed) return true;
    this.#child.kill(signal);
    const timeout = new AbortController();
    const late = delay(PATIENCE_MS, undefined, { signal: timeout.signal }).catch(() => undefined);
    await Promise.race([this.#closed, late]);
    timeout.abort();
    return this.#is_closed;
  }

  /** Its operator's contract; undefined where it can't be reached. */
  async operator(): Promise<OperatorClient | undefined> {
    const paths = gatePaths({ HOME: this.#home });
    // A pipe would keep this process, too.
    if (statSync(paths.operator_token, { throwIfNoEntry: false })?.isFile() !== true) return undefined;
    const timeout = new AbortController();
    try {
      return await Promise.race([
        OperatorClient.connect(paths.operator_socket, paths.operator_token),
        delay(ANSWER_MS, undefined, { signal: timeout.signal }),
      ]);
    } catch {
      return undefined; // the caller decides what that means
    } finally {
      timeout.abort();
    }
  }
}
