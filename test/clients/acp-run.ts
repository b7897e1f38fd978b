import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { onTestFinished } from "vitest";
import { AcpSide, type Message } from "../support/acp-seat.ts";
import type { GateUnderTest } from "../support/running-gate.ts";

const GATE = new URL("../../bin/metnos-gate.js", import.meta.url).pathname;
/** Longer than any of these runs takes, in milliseconds. */
const TIMEOUT_MS = 100_000;

export interface AcpRunOptions {
  gate: GateUnderTest;
  /** The agent's own command. */
  words: readonly string[];
  env: Record<string, string>;
  project: string;
  args?: readonly string[];
}

/** A scripted editor, the command `acp` as editors start it, and a real agent behind it. Ended with all its processes when the test ends. */
export class AcpRun {
  readonly editor = new AcpSide();
  readonly child: ChildProcess;
  readonly #ended: Promise<unknown>;
  session = "";
  log = "";

  constructor({ gate, words, env, project, args = [] }: AcpRunOptions) {
    this.child = spawn(process.execPath, [GATE, "acp", ...args, "--", ...words], {
      cwd: project,
      detached: true,
      env: { ...gate.home.env, ...env },
      stdio: ["pipe", "pipe", "pipe"],
    });
    const { stdin, stdout, stderr } = this.child;
    if (stdin === null || stdout === null) throw new Error("it is started with its input and output");
    stdout.pipe(this.editor.input);
    this.editor.output.pipe(stdin);
    stdin.on("error", () => stdin.destroy());
    stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.log += text;
    });
    this.#ended = once(this.child, "exit");
    const timer = setTimeout(() => this.kill(), TIMEOUT_MS);
    this.child.once("exit", () => clearTimeout(timer));
    onTestFinished(async () => {
      this.kill();
      await this.#ended;
    });
  }

  /** Opens a session as editors do. @returns what the agent answered */
  async open(project: string): Promise<Message> {
    const clientCapabilities = { fs: { readTextFile: true, writeTextFile: true }, terminal: true };
    this.editor.send({ id: 0, method: "initialize", params: { protocolVersion: 1, clientCapabilities } });
    await this.editor.answer(0);
    this.editor.send({ id: 1, method: "session/new", params: { cwd: project, mcpServers: [] } });
    const opened = await this.editor.answer(1);
    this.session = opened.result?.sessionId;
    return opened;
  }

  /** Sends the user's message, and waits for the end of the turn. */
  async prompt(text: string, id = 2): Promise<Message> {
    this.editor.send({
      id,
      method: "session/prompt",
      params: { sessionId: this.session, prompt: [{ type: "text", text }] },
    });
    return this.editor.answer(id);
  }

  setMode(modeId: string): Promise<Message> {
    this.editor.send({ id: "mode", method: "session/set_mode", params: { sessionId: this.session, modeId } });
    return this.editor.answer("mode");
  }

  /** Reads and writes files for the agent from now on, as editors do. */
  serveFiles(): void {
    const answered = new Set<unknown>();
    this.editor.input.on("data", () => {
      for (const { id, method, params } of this.editor.received) {
        if (method === undefined || id === undefined || answered.has(id)) continue;
        answered.add(id);
        if (method === "fs/write_text_file") writeFileSync(params.path, params.content);
        const isMissing = method === "fs/read_text_file" && !existsSync(params.path);
        const content = method === "fs/read_text_file" && !isMissing ? readFileSync(params.path, "utf8") : undefined;
        this.editor.send(
          isMissing
            ? { id, error: { code: -32_002, message: `Resource not found: ${params.path}` } }
            : { id, result: { content } },
        );
      }
    });
  }

  /** The last that was said of each tool call, in order. */
  get calls(): Message[] {
    const calls = new Map<string, Message>();
    for (const { params } of this.editor.received) {
      const update = params?.update;
      if (update?.toolCallId !== undefined)
        calls.set(update.toolCallId, { ...calls.get(update.toolCallId), ...update });
    }
    return [...calls.values()];
  }

  async end(): Promise<void> {
    this.child.stdin?.end();
    await this.#ended;
  }

  /** Kills the proxy and the agent, hooks among it. */
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
