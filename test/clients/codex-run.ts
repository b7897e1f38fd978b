import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFailed, onTestFinished } from "vitest";
import { connectCodex } from "../../cli/agents/codex/settings.ts";
import {
  ResponsesApi,
  type ResponsesCall,
  type ResponsesOptions,
} from "../../cli/agents/pretended-model/responses-api.ts";
import type { GateUnderTest } from "../support/running-gate.ts";

export const TTL_SECONDS = 60;
/** Longer than any of these runs takes, in milliseconds. */
const TIMEOUT_MS = 100_000;

export interface CodexOptions extends ResponsesOptions {
  args?: readonly string[];
  /** After `exec`. */
  words?: readonly string[];
  /** A model that gets the tools directly; others get one tool, for a script that calls them. */
  model?: string;
}

export function command(cmd: string, more: object = {}): ResponsesCall {
  return { name: "exec_command", input: { cmd, ...more } };
}

/** A gate, and a home that Codex was connected for it in. */
export class CodexSeat {
  readonly gate: GateUnderTest;
  readonly project: string;
  readonly binary: string;

  private constructor(gate: GateUnderTest, binary: string) {
    this.gate = gate;
    this.binary = binary;
    this.project = join(gate.home.home, "project");
  }

  /** `process.env.HOME` is the gate's from then on. */
  static async take(gate: GateUnderTest, binary: string): Promise<CodexSeat> {
    const seat = CodexSeat.make(gate, binary);
    await seat.connect();
    return seat;
  }

  /** The same before it is connected. */
  static make(gate: GateUnderTest, binary: string): CodexSeat {
    const seat = new CodexSeat(gate, binary);
    const { home } = gate.home;
    mkdirSync(join(seat.project, ".codex"), { recursive: true });
    mkdirSync(join(home, ".codex"));
    mkdirSync(join(home, ".ssh"));
    writeFileSync(seat.key, "the key\n");
    process.env.HOME = home;
    delete process.env.CODEX_HOME;
    return seat;
  }

  connect() {
    return connectCodex({ project: false, answerSeconds: TTL_SECONDS, client: this.binary });
  }

  get key(): string {
    return join(this.gate.home.home, ".ssh/id_rsa");
  }

  /** Codex's own settings, and its hooks. */
  get config(): string {
    return join(this.gate.home.home, ".codex/config.toml");
  }

  get hooks(): string {
    return join(this.gate.home.home, ".codex/hooks.json");
  }

  read(file: string): string {
    return readFileSync(file, "utf8");
  }

  start(options: CodexOptions): Promise<CodexRun> {
    return CodexRun.start(this, options);
  }

  /** What the tools gave back, all of the script's. */
  async results(script: CodexOptions["script"], more: Partial<CodexOptions> = {}): Promise<string[]> {
    const run = await this.start({ script, ...more });
    const results = await run.results();
    expect(results, run.output).toHaveLength(script.flat().length);
    return results;
  }

  async decisions() {
    return (await this.gate.operator.call("status", {})).decisions;
  }

  /** Answers the next card. */
  async answerNext(decision: "approved" | "rejected"): Promise<void> {
    await this.gate.event(({ type }) => type === "approval.waiting");
    const [token = ""] = await this.gate.waiting();
    await this.gate.operator.call("approvals.resolve", { token, decision });
  }
}

export const PRETENDED_KEY = { PRETENDED_KEY: "none" };

/** What has Codex talk to a pretended model, without a sandbox of its own. */
export function flagsFor({ url }: ResponsesApi, model = "gpt-5.5"): string[] {
  const provider = `{name="pretended", base_url=${JSON.stringify(url)}, wire_api="responses", env_key="PRETENDED_KEY"}`;
  const settings = {
    model: JSON.stringify(model),
    model_provider: '"pretended"',
    "model_providers.pretended": provider,
    sandbox_mode: '"danger-full-access"',
  };
  return Object.entries(settings).flatMap(([key, value]) => ["-c", `${key}=${value}`]);
}

/** The real client with `exec`, talking to a pretend model. Ended with all of its processes when the test ends. */
export class CodexRun {
  readonly child: ChildProcess;
  readonly api: ResponsesApi;
  readonly #ended: Promise<unknown>;
  output = "";

  private constructor(
    api: ResponsesApi,
    { gate, binary, project }: CodexSeat,
    { args = [], words = [], model }: CodexOptions,
  ) {
    this.api = api;
    this.child = spawn(binary, [...flagsFor(api, model), ...args, "exec", "--skip-git-repo-check", ...words, "go"], {
      cwd: project,
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...gate.home.env, ...PRETENDED_KEY },
    });
    for (const stream of [this.child.stdout, this.child.stderr])
      stream?.setEncoding("utf8").on("data", (text: string) => {
        this.output += text;
      });
    this.#ended = once(this.child, "close");
    const timer = setTimeout(() => this.kill(), TIMEOUT_MS);
    this.child.once("exit", () => clearTimeout(timer));
    onTestFailed(() => console.log(`Codex:\n${this.output}`));
    onTestFinished(async () => {
      this.kill();
      await this.#ended;
      api.close();
    });
  }

  static async start(seat: CodexSeat, options: CodexOptions): Promise<CodexRun> {
    return new CodexRun(await ResponsesApi.start(options), seat, options);
  }

  async results(): Promise<string[]> {
    await this.#ended;
    return this.api.results;
  }

  /** Kills the client and what it started, hooks among it. */
  kill(): void {
    const { pid } = this.child;
    if (pid === undefined) return;
    try {
      process.kill(-pid, "SIGKILL");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    }
  }
}
