import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { MessagesApi, type ToolResult, type ToolUse } from "../../cli/agents/pretended-model/messages-api.ts";

export interface ClaudeCodeOptions {
  binary: string;
  env: { HOME: string; PATH: string };
  project: string;
  /** The calls that the model makes, one a turn. */
  script: readonly ToolUse[];
  args?: readonly string[];
  /** True where `say` tells it what to do; otherwise it has one message. */
  isTalk?: boolean;
  beforeTurn?: (turn: number) => void | Promise<void>;
}

/** Longer than any of these runs takes, in milliseconds. */
const TIMEOUT_MS = 100_000;

const TALK = ["--input-format", "stream-json", "--output-format", "stream-json", "--verbose"];

export const API_KEY = "sk-ant-test";

export function environmentFor(api: MessagesApi, env: ClaudeCodeOptions["env"]) {
  return {
    ...env,
    ANTHROPIC_BASE_URL: api.url,
    ANTHROPIC_API_KEY: API_KEY,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    CLAUDE_CODE_TMPDIR: env.HOME,
    DISABLE_AUTOUPDATER: "1",
    IS_SANDBOX: "1",
  };
}

/** In a terminal it would ask them before anything else. */
export function answerFirstQuestions(home: string, project: string): void {
  const projects = { [project]: { hasTrustDialogAccepted: true } };
  const customApiKeyResponses = { approved: [API_KEY], rejected: [] };
  const settings = { hasCompletedOnboarding: true, theme: "dark", customApiKeyResponses, projects };
  writeFileSync(join(home, ".claude.json"), JSON.stringify(settings));
}

/** The real client with `-p`, talking to a pretend model. Ended with all of its processes when the test ends. */
export class ClaudeCodeRun {
  readonly child: ChildProcess;
  readonly #api: MessagesApi;
  readonly #ended: Promise<unknown>;
  output = "";

  private constructor(api: MessagesApi, { binary, env, project, args = [], isTalk = false }: ClaudeCodeOptions) {
    this.#api = api;
    this.child = spawn(binary, ["-p", ...(isTalk ? TALK : ["go"]), ...args], {
      cwd: project,
      detached: true,
      stdio: [isTalk ? "pipe" : "ignore", "pipe", "pipe"],
      env: environmentFor(api, env),
    });
    for (const stream of [this.child.stdout, this.child.stderr])
      stream?.setEncoding("utf8").on("data", (text: string) => {
        this.output += text;
      });
    this.#ended = once(this.child, "exit");
    const timer = setTimeout(() => this.kill(), TIMEOUT_MS);
    this.child.once("exit", () => clearTimeout(timer));
    onTestFinished(async () => {
      this.kill();
      await this.#ended;
      api.close();
    });
  }

  static async start(options: ClaudeCodeOptions): Promise<ClaudeCodeRun> {
    return new ClaudeCodeRun(await MessagesApi.start(options.script, options.beforeTurn), options);
  }

  /** What the tools gave back, once the client has ended. */
  async results(): Promise<ToolResult[]> {
    await this.#ended;
    return this.#api.results;
  }

  /** All messages that the model has received, as JSON, once the client has ended. */
  async conversation(): Promise<string> {
    await this.#ended;
    return this.#api.conversation;
  }

  /** The user says something. */
  say(content: string): void {
    this.#tell({ type: "user", message: { role: "user", content } });
  }

  /** What Escape does in a terminal. */
  interrupt(): void {
    this.#tell({ type: "control_request", request_id: "interrupt", request: { subtype: "interrupt" } });
  }

  #tell(message: object): void {
    this.child.stdin?.write(`${JSON.stringify(message)}\n`);
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
