import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { LAUNCHER, StartedProcess } from "./gate-process.ts";
import type { TemporaryHome } from "./temporary-home.ts";

/** The test's own server: the file that it logs to is its argument. */
export const MCP_SERVER = new URL("mcp-server.js", import.meta.url).pathname;

export interface Answer {
  id?: unknown;
  method?: string;
  params?: Record<string, unknown>;
  result?: { content?: { text: string }[]; isError?: boolean; [key: string]: unknown };
  error?: { code: number; message: string };
}

export interface ProxyOptions {
  /** Before `--`. */
  words?: readonly string[];
  client?: string;
  protocol?: string;
  env?: Record<string, string>;
  /** What is started in the place of the test's own server. */
  server?: readonly string[];
}

/** `metnos-gate mcp` between a client, which is the test, and a small server. Ended when the test ends. */
export class ProxyUnderTest {
  readonly process: StartedProcess;
  readonly log: string;
  #nextId = 0;

  constructor(home: TemporaryHome, { words = ["--name", "notes"], env = {}, server }: ProxyOptions = {}) {
    this.log = join(home.home, `server-${Math.random().toString(36).slice(2)}.log`);
    const started = server ?? [process.execPath, MCP_SERVER, this.log];
    const behind = started.length === 0 ? [] : ["--", ...started];
    this.process = new StartedProcess(process.execPath, [LAUNCHER, "mcp", ...words, ...behind], {
      env: { ...home.env, ...env },
      cwd: home.home,
    });
  }

  /** Greets as a client does, and lists the server's tools. */
  static async greeted(home: TemporaryHome, options: ProxyOptions = {}): Promise<ProxyUnderTest> {
    const proxy = new ProxyUnderTest(home, options);
    const { client = "codex-mcp-client", protocol = "2025-06-18" } = options;
    await proxy.request("initialize", {
      protocolVersion: protocol,
      capabilities: {},
      clientInfo: { name: client, version: "1" },
    });
    proxy.write({ jsonrpc: "2.0", method: "notifications/initialized" });
    await proxy.request("tools/list", {});
    await proxy.request("tools/list", { cursor: "2" });
    return proxy;
  }

  write(message: object | string | Buffer): void {
    const isBytes = typeof message === "string" || Buffer.isBuffer(message);
    this.process.child.stdin?.write(isBytes ? message : `${JSON.stringify(message)}\n`);
  }

  /** Sends a request. @returns its answer */
  async request(method: string, params: object): Promise<Answer> {
    const id = this.#nextId++;
    this.write({ jsonrpc: "2.0", id, method, params });
    return await this.answer(id);
  }

  call(name: string, args: object, more: object = {}): Promise<Answer> {
    return this.request("tools/call", { name, arguments: args, ...more });
  }

  /** The answer with this id, now or later. */
  async answer(id: unknown): Promise<Answer> {
    const find = () => this.messages.find((message) => message.method === undefined && message.id === id);
    await this.process.printed({ test: () => find() !== undefined });
    const found = find();
    if (found === undefined) throw new Error("no answer");
    return found;
  }

  /** What the client has got so far. */
  get messages(): Answer[] {
    const lines = this.process.stdout.split("\n").slice(0, -1);
    return lines.flatMap((line) => {
      try {
        return [JSON.parse(line) as Answer];
      } catch {
        return []; // none of a protocol
      }
    });
  }

  /** What the server has got so far. */
  get received(): string {
    return existsSync(this.log) ? readFileSync(this.log, "utf8") : "";
  }

  /** The tools that ran, as the server got them. */
  get ran(): { name: string; arguments: object }[] {
    const messages = this.received.split("\n").slice(0, -1);
    return messages
      .map((line) => JSON.parse(line))
      .flatMap(({ method, params }) => (method === "tools/call" ? [params] : []));
  }
}

/** What a call's result says. */
export function textOf(answer: Answer): string {
  const text = answer.result?.content?.[0]?.text;
  expect(text, JSON.stringify(answer)).toBeTypeOf("string");
  return text ?? "";
}
