import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AS_NPM_STARTS } from "../../bench/gate-process.ts";
import { configureHighestLimits } from "../../bench/highest-limits.ts";
import { type Ending, LAUNCHER, RunningProgram, within } from "../../bench/running-program.ts";
import { type GatePaths, gatePaths } from "../../ipc/base/paths.ts";
import type { Level } from "../../ipc/contract/decision.ts";
import { OperatorClient } from "../../ipc/socket/operator-client.ts";
import { removeFolder } from "../../main/base/files/remove-folder.ts";

const START_MS = 60_000;

/** `metnos-gate serve` in a separate home. */
export class PrivateGate {
  readonly paths: GatePaths;
  readonly operator: OperatorClient;
  readonly #home: string;
  readonly #program: RunningProgram;

  private constructor(home: string, program: RunningProgram, operator: OperatorClient) {
    this.#home = home;
    this.#program = program;
    this.operator = operator;
    this.paths = gatePaths({ HOME: home });
  }

  /** Resolves once it answers its operator. @throws if it ends before, or isn't running within a minute */
  static async start(): Promise<PrivateGate> {
    const home = mkdtempSync(join(tmpdir(), "metnos-fuzz-"));
    const env = { HOME: home, PATH: process.env.PATH ?? "" };
    const paths = gatePaths(env);
    configureHighestLimits(paths);
    const command = [...AS_NPM_STARTS, LAUNCHER, "serve", "--no-notifications"];
    const program = new RunningProgram(process.execPath, command, { env, stdio: ["ignore", "pipe", "pipe"] });
    try {
      const isRunning = program.printed(/is running/).then(() => true);
      if (!(await within(isRunning, START_MS, false))) throw new Error(`the gate didn't start: ${program.output}`);
      return new PrivateGate(home, program, await OperatorClient.connect(paths.operator_socket, paths.operatorToken));
    } catch (error) {
      await program.end("SIGKILL");
      removeFolder(home);
      throw error;
    }
  }

  /** Pairs an agent and gives its token. */
  async pair(name: string, level: Level): Promise<string> {
    const { token_file } = await this.operator.call("agents.pair", { name, level });
    return readFileSync(token_file, "utf8").trim();
  }

  /** What it has printed. */
  get log(): string {
    return this.#program.output;
  }

  get isRunning(): boolean {
    return this.#program.ending === null;
  }

  /** Resident memory in MiB; 0 once it has ended. */
  residentMib(): number {
    return Math.round(this.#program.residentMib());
  }

  /** Asks it to end and gives its exit code, or the signal that ended it. */
  async stop(): Promise<Ending> {
    if (!(await this.#program.endsWithin("SIGTERM", START_MS))) await this.#program.end("SIGKILL");
    return this.#program.ending;
  }

  /** Ends it, whatever it does, and removes its home. */
  async remove(): Promise<void> {
    await this.#program.end("SIGKILL");
    removeFolder(this.#home);
  }
}
