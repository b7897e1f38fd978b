import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { opencode } from "../../cli/agents/opencode/adapter.ts";
import { PLUGIN_NAME } from "../../cli/agents/opencode/places.ts";
import {
  ChatCompletionsApi,
  type ChatScript,
  FIRST_WORDS,
} from "../../cli/agents/pretended-model/chat-completions-api.ts";
import type { ToolUse } from "../../cli/agents/pretended-model/messages-api.ts";
import { pluginText } from "../../cli/hook/opencode-plugin.ts";
import type { GateUnderTest } from "../support/running-gate.ts";
import { answerCards, type CardAnswer } from "./answer-cards.ts";
import { ClientProcess } from "./client-process.ts";
import { CLIENTS } from "./clients.ts";
import { ECHO_MCP_SERVER } from "./echo-mcp-server.ts";

export const ANSWER_SECONDS = 60;

export function bash(command: string, more: Record<string, unknown> = {}): ToolUse {
  return { name: "bash", input: { command, description: "a test", ...more } };
}

export interface OpenCodeOptions {
  words?: readonly string[];
  env?: Record<string, string>;
  model?: string;
}

/** A gate, and a project in which OpenCode was connected to it. */
export class OpenCodeSeat {
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
    this.#installTypes();
  }

  /** OpenCode would install what plugins in TypeScript import, from npm, at its first start. */
  #installTypes(): void {
    const dependencies = { "@opencode-ai/plugin": CLIENTS.opencode.version };
    const folder = join(this.gate.home.home, ".config/opencode");
    this.write(join(folder, "package.json"), { dependencies });
    this.write(join(folder, "package-lock.json"), {
      lockfileVersion: 3,
      requires: true,
      packages: { "": { dependencies } },
    });
    const installed = { name: "@opencode-ai/plugin", version: CLIENTS.opencode.version };
    this.write(join(folder, "node_modules/@opencode-ai/plugin/package.json"), installed);
  }

  /** HOME is the gate's until the test ends. */
  static async paired(gate: GateUnderTest, program: string): Promise<OpenCodeSeat> {
    const seat = new OpenCodeSeat(gate, program);
    const home = process.env.HOME;
    process.env.HOME = gate.home.home;
    onTestFinished(() => {
      process.env.HOME = home;
    });
    await gate.operator.call("agents.pair", { name: "opencode", level: "Supervised" });
    return seat;
  }

  static async connected(gate: GateUnderTest, program: string): Promise<OpenCodeSeat> {
    const seat = await OpenCodeSeat.paired(gate, program);
    seat.connect();
    return seat;
  }

  /** Writes the plugin; the client isn't tested. */
  connect(): void {
    this.write(join(this.plugins, PLUGIN_NAME), pluginText(this.gate.home.env, ANSWER_SECONDS));
  }

  async decisions() {
    return (await this.gate.operator.call("status", {})).decisions;
  }

  get server(): string {
    return join(this.gate.home.home, "echo-server.cjs");
  }

  get key(): string {
    return join(this.gate.home.home, ".ssh/id_rsa");
  }

  get plugins(): string {
    return join(this.gate.home.home, ".config/opencode/plugin");
  }

  write(file: string, value: object | string): void {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, typeof value === "string" ? value : JSON.stringify(value, null, 2));
  }

  /** Those of this seat: tests beside this one run an OpenCode, too, which says nothing to this one's gate. */
  async checks() {
    const checks = await opencode.checks({
      cwd: this.project,
      env: this.gate.home.env,
      answerSeconds: ANSWER_SECONDS,
    });
    return checks.filter(({ detail }) => {
      const [, pid] = /\(process ([0-9]+)\)/.exec(detail) ?? [];
      return pid === undefined || homeOf(pid) === this.gate.home.home;
    });
  }

  async start(
    script: ChatScript,
    { words = ["run", "--auto", FIRST_WORDS], env = {}, model = "m1" }: OpenCodeOptions = {},
  ) {
    const api = await ChatCompletionsApi.start(script);
    onTestFinished(() => api.close());
    const client = new ClientProcess([this.#program, ...words], this.project, {
      ...this.environmentFor(api, model),
      ...env,
    });
    return { client, api };
  }

  /** Writes its settings, too. */
  environmentFor(api: ChatCompletionsApi, model = "m1") {
    const provider = {
      npm: "@ai-sdk/openai-compatible",
      options: { baseURL: api.url, apiKey: "x" },
      models: { [model]: { name: "M1", tool_call: true, limit: { context: 200_000, output: 8000 } } },
    };
    this.write(join(this.gate.home.home, ".config/opencode/opencode.json"), {
      model: `fake/${model}`,
      small_model: `fake/${model}`,
      enabled_providers: ["fake"],
      provider: { fake: provider },
      mcp: { echo: { type: "local", command: [process.execPath, this.server] } },
    });
    return {
      ...this.gate.home.env,
      OPENCODE_DISABLE_MODELS_FETCH: "1",
      OPENCODE_DISABLE_AUTOUPDATE: "1",
      OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
    };
  }

  /** What the tools gave back, once the client has ended. */
  async results(script: ChatScript | ChatScript["turns"], options: OpenCodeOptions = {}): Promise<string[]> {
    const whole: ChatScript = "turns" in script ? script : { turns: script };
    const { client, api } = await this.start(whole, options);
    await client.ended;
    expect(api.results, client.output).toHaveLength(whole.turns.flat().length);
    return api.results;
  }

  answer(...answers: readonly CardAnswer[]) {
    return answerCards(this.gate, answers);
  }
}

/** The HOME that a process was started with; undefined where it has ended. */
function homeOf(pid: string): string | undefined {
  try {
    const variables = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
    return variables.find((variable) => variable.startsWith("HOME="))?.slice("HOME=".length);
  } catch {
    return undefined;
  }
}
