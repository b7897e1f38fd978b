import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { gemini } from "../../cli/agents/gemini/adapter.ts";
import { GenerateContentApi, type GenerateScript } from "../../cli/agents/pretended-model/generate-content-api.ts";
import type { ToolResult, ToolUse } from "../../cli/agents/pretended-model/messages-api.ts";
import type { GateUnderTest } from "../support/running-gate.ts";
import { answerCards, type CardAnswer } from "./answer-cards.ts";
import { ClientProcess } from "./client-process.ts";
import { ECHO_MCP_SERVER } from "./echo-mcp-server.ts";

export const ANSWER_SECONDS = 60;

export function shell(command: string, more: Record<string, unknown> = {}): ToolUse {
  return { name: "run_shell_command", input: { command, description: "a test", ...more } };
}

export interface GeminiOptions {
  args?: readonly string[];
  env?: Record<string, string>;
}

/** A gate, and a project in which Gemini CLI was connected to it. */
export class GeminiSeat {
  readonly gate: GateUnderTest;
  readonly project: string;
  readonly #program: string;

  private constructor(gate: GateUnderTest, program: string) {
    this.gate = gate;
    this.#program = program;
    this.project = join(gate.home.home, "project");
    mkdirSync(this.project);
    mkdirSync(join(gate.home.home, ".ssh"));
    writeFileSync(this.key, "the key\n");
    this.write(this.server, ECHO_MCP_SERVER);
    this.write(this.settings, {
      security: { auth: { selectedType: "gemini-api-key" }, folderTrust: { enabled: false } },
      model: { name: "gemini-2.5-pro" },
      general: { enableAutoUpdate: false },
      mcpServers: { echo: { command: process.execPath, args: [this.server], trust: true } },
    });
  }

  /** HOME is the gate's until the test ends. */
  static async connected(gate: GateUnderTest, program: string): Promise<GeminiSeat> {
    const seat = new GeminiSeat(gate, program);
    const home = process.env.HOME;
    process.env.HOME = gate.home.home;
    onTestFinished(() => {
      process.env.HOME = home;
    });
    await gate.operator.call("agents.pair", { name: "gemini", level: "Supervised" });
    await gemini.connect({ project: false, answerSeconds: ANSWER_SECONDS });
    return seat;
  }

  get settings(): string {
    return join(this.gate.home.home, ".gemini/settings.json");
  }

  get server(): string {
    return join(this.gate.home.home, "echo-server.cjs");
  }

  get key(): string {
    return join(this.gate.home.home, ".ssh/id_rsa");
  }

  write(file: string, value: object | string): void {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, typeof value === "string" ? value : JSON.stringify(value, null, 2));
  }

  projectSettings(settings: object): void {
    this.write(join(this.project, ".gemini/settings.json"), settings);
  }

  async start(script: GenerateScript, { args = ["--approval-mode", "yolo"], env = {} }: GeminiOptions = {}) {
    const api = await GenerateContentApi.start(script);
    onTestFinished(() => api.close());
    const client = new ClientProcess([process.execPath, this.#program, ...args, "-p", "go"], this.project, {
      ...this.environmentFor(api),
      NO_COLOR: "1",
      ...env,
    });
    return { client, api };
  }

  environmentFor(api: GenerateContentApi) {
    return { ...this.gate.home.env, GEMINI_API_KEY: "dummy", GOOGLE_GEMINI_BASE_URL: api.url };
  }

  /** What the tools gave back, once the client has ended. */
  async results(script: GenerateScript | GenerateScript["turns"], options: GeminiOptions = {}): Promise<ToolResult[]> {
    const whole: GenerateScript = "turns" in script ? script : { turns: script };
    const { client, api } = await this.start(whole, options);
    await client.ended;
    expect(api.results, client.output).toHaveLength(whole.turns.flat().length);
    return api.results;
  }

  answer(...answers: readonly CardAnswer[]) {
    return answerCards(this.gate, answers);
  }
}
