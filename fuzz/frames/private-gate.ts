import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { configureHighestLimits } from "../../bench/highest-limits.ts";
import { type GatePaths, gatePaths } from "../../ipc/base/paths.ts";
import type { Level } from "../../ipc/contract/decision.ts";
import { OperatorClient } from "../../ipc/socket/operator-client.ts";

const LAUNCHER = fileURLToPath(new URL("../../bin/metnos-gate.js", import.meta.url));
const START_MS = 60_000;

/** `metnos-gate serve` in a separate home. */
export class PrivateGate {
  readonly paths: GatePaths;
  readonly operator: OperatorClient;
  readonly log_file: string;
  readonly #home: string;
  readonly #child: ChildProcess;
  readonly #exited: Promise<number | NodeJS.Signals | null>;

  private constructor(
    home: string,
    child: ChildProcess,
    exited: Promise<number | NodeJS.Signals | null>,
    operator: OperatorClient,
  ) {
    this.#home = home;
    this.#child = child;
    this.#exited = exited;
    this.operator = operator;
    this.paths = gatePaths({ HOME: home });
    this.log_file = logFile(home);
  }

  /** Resolves once it answers its operator. @throws if it ends before, or doesn't answer within a minute */
  static async start(): Promise<PrivateGate> {
    const home = mkdtempSync(join(tmpdir(), "metnos-fuzz-"));
    const paths = gatePaths({ HOME: home });
    configureHighestLimits(paths);
    const log = openSync(logFile(home), "w", 0o600);
    const child = spawn(
      process.execPath,
      ["--max-semi-space-size=16", "--expose-gc", LAUNCHER, "serve", "--no-notifications"],
      { env: { HOME: home, PATH: process.env.PATH ?? "" }, stdio: ["ignore", log, log] },
    );
    closeSync(log);
    const exited = once(child, "exit").then(([code, signal]) => (code ?? signal) as number | NodeJS.Signals | null);
    const give_up_at = Date.now() + START_MS;
    while (Date.now() < give_up_at && child.exitCode === null && child.signalCode === null) {
      try {
        const operator = await OperatorClient.connect(paths.operator_socket, paths.operator_token);
        return new PrivateGate(home, child, exited, operator);
      } catch {
        await delay(50); // it doesn't listen yet
      }
    }
    child.kill("SIGKILL");
    await exited;
    const output = readFileSync(logFile(home), "utf8");
    rmSync(home, { recursive: true, force: true });
    throw new Error(`the gate didn't start: ${output}`);
  }

  /** Pairs an agent and gives its token. */
  async pair(name: string, level: Level): Promise<string> {
    const { token_file } = await this.operator.call("agents.pair", { name, level });
    return readFileSync(token_file, "utf8").trim();
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Resident memory in MiB; 0 once it has ended. */
  residentMib(): number {
    if (!this.isRunning) return 0;
    const status = readFileSync(`/proc/${this.#child.pid}/status`, "utf8");
    return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
  }

  /** Asks it to end and gives its exit code, or the signal that ended it. */
  async stop(): Promise<number | NodeJS.Signals | null> {
    this.#child.kill("SIGTERM");
    const cut = setTimeout(() => this.#child.kill("SIGKILL"), START_MS);
    const code = await this.#exited;
    clearTimeout(cut);
    return code;
  }

  /** Ends it, whatever it does, and removes its home. */
  async remove(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#exited;
    rmSync(this.#home, { recursive: true, force: true });
  }
}

function logFile(home: string): string {
  return join(home, "serve-output.txt");
}
