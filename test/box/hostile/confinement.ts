import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface, type Interface } from "node:readline";
import { setTimeout as passed } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { confinedCommand } from "../../../ipc/base/confined-command.ts";
import type { BoxStatus } from "../../../ipc/contract/box.ts";
import type { World } from "./world.ts";

export const PROGRAM = fileURLToPath(new URL("./gate-of-a-box.ts", import.meta.url));

/** Small enough that each limit is reached within a second. */
const LIMITS = { processes: 128, memory_mb: 512, file_mb: 8, open_files: 256, cpu_seconds: 2, tmp_mb: 32 };

/** What the gate knows of a run once it has ended. */
export interface Report {
  confined: unknown;
  wasBypassed: boolean;
  failures: readonly string[];
}

/** How a line is run: in the box, or not. */
export interface Runner {
  /** What the user's shell gets in the place of a line. */
  wrap(line: string, project: string, cwd: string): Promise<string>;
  /** Once the gate has looked at what the last run left. */
  settled(): Promise<Report>;
}

/** As without a gate: what the scripts would do. */
export const UNCONFINED: Runner = {
  wrap: async (line) => `(${line}\n)`,
  settled: async () => ({ confined: {}, wasBypassed: false, failures: [] }),
};

/** A gate's box, in a process of the world's user. */
export class Confinement implements Runner {
  readonly #child: ChildProcess;
  readonly #lines: Interface;
  readonly #exited: Promise<unknown>;
  #calls = 0;

  private constructor(world: World, settings: object) {
    const { HOME, PATH } = world.env;
    const args = [PROGRAM, world.state, JSON.stringify({ ...LIMITS, ...settings })];
    const child = spawn(process.execPath, args, {
      env: { HOME, PATH },
      cwd: world.home,
      stdio: ["pipe", "pipe", "inherit"],
      ...world.asUser(),
    });
    this.#child = child;
    this.#exited = once(child, "exit");
    this.#lines = createInterface({ input: child.stdout });
    child.stdin.on("error", () => undefined); // it was killed
  }

  static async start(world: World, settings: object = {}): Promise<Confinement> {
    const confinement = new Confinement(world, settings);
    const { is_available, problem, detail } = await confinement.status();
    if (!is_available) throw new Error(`there is no box: ${problem} ${detail}`);
    return confinement;
  }

  /** The words that start a run. */
  async prepare(line: string, project: string, cwd = project, agent = "agent"): Promise<readonly string[]> {
    const call = String(++this.#calls);
    const answer = await this.#ask({ method: "prepare", line, project, cwd, agent, call });
    if (!("argv" in answer)) throw new Error(`it was not prepared: ${JSON.stringify(answer)}`);
    return answer.argv as readonly string[];
  }

  async wrap(line: string, project: string, cwd: string): Promise<string> {
    return confinedCommand(await this.prepare(line, project, cwd));
  }

  async settled(): Promise<Report> {
    const deadline = performance.now() + 10_000;
    while ((await this.status()).running > 0) {
      if (performance.now() > deadline) throw new Error("the gate still counts a run that has ended");
      await passed(5);
    }
    return (await this.#ask({ method: "after", agent: "agent", call: String(this.#calls) })) as unknown as Report;
  }

  async status(): Promise<BoxStatus> {
    return (await this.#ask({ method: "status" })) as unknown as BoxStatus;
  }

  async kill(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#exited;
  }

  async #ask(question: object): Promise<Record<string, unknown>> {
    const answered = once(this.#lines, "line");
    this.#child.stdin?.write(`${JSON.stringify(question)}\n`);
    const [text] = (await Promise.race([answered, this.#exited.then(() => ["{}"])])) as [string];
    return JSON.parse(text) as Record<string, unknown>;
  }
}
