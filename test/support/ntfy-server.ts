import { randomBytes } from "node:crypto";
import { EventEmitter, once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** A real HTTP server on loopback that behaves as ntfy does, as far as it is used, and goes wrong as a test wants it to. */

export interface NtfyPublished {
  id: string;
  time: number;
  topic: string;
  title?: string;
  message: string;
  priority?: number;
  click?: string;
  actions?: { action: string; label: string; url: string; method?: string; body?: string }[];
}

export type NtfyFault =
  | { status: number; headers?: Record<string, string> }
  | "drop"
  | "hang"
  | "garbage"
  | "endless-line";

export class NtfyServer {
  readonly published: NtfyPublished[] = [];
  /** Method and path of each request that arrived, and its token. */
  readonly requests: { line: string; token: string | undefined }[] = [];
  /** Of the next requests, in order, whose line matches. */
  readonly #faults: { matches: RegExp; fault: NtfyFault }[] = [];
  readonly #server: Server;
  readonly #changed = new EventEmitter();
  readonly #readers = new Set<{ topic: string; response: ServerResponse }>();
  /** Wanted to publish to this topic, and to read any; null: everybody may. */
  token: string | null = null;
  /** Nobody can read or write these without it. */
  privateTopics: string[] = [];

  private constructor(server: Server) {
    this.#server = server;
    server.on("request", (request, response) => void this.#answer(request, response));
  }

  static async start(): Promise<NtfyServer> {
    const server = await NtfyServer.listening();
    onTestFinished(() => server.stop());
    return server;
  }

  /** One that isn't of a test. */
  static async listening(): Promise<NtfyServer> {
    const server = new NtfyServer(createServer());
    server.#server.listen(0, "127.0.0.1");
    await once(server.#server, "listening");
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  fail(matches: RegExp, ...faults: NtfyFault[]): void {
    for (const fault of faults) this.#faults.push({ matches, fault });
  }

  /** Once so many messages of a topic are there. */
  async until(topic: string, count: number): Promise<NtfyPublished[]> {
    for (;;) {
      const own = this.published.filter((one) => one.topic === topic);
      if (own.length >= count) return own;
      await once(this.#changed, "changed");
    }
  }

  async untilRequests(matches: RegExp, count: number): Promise<void> {
    while (this.requests.filter(({ line }) => matches.test(line)).length < count) await once(this.#changed, "changed");
  }

  /** Presses a button of a message, as the phone does that shows it: whoever sees the topic can. */
  async press({ actions }: NtfyPublished, label: string): Promise<number> {
    const action = actions?.find((one) => one.label === label);
    if (action?.action !== "http") throw new Error(`no such button: ${label}`);
    const response = await fetch(action.url, { method: action.method ?? "POST", body: action.body ?? "" });
    await response.text();
    return response.status;
  }

  /** Somebody else publishes. */
  say(topic: string, message: string): NtfyPublished {
    const one = { id: randomBytes(6).toString("hex"), time: Math.floor(Date.now() / 1000), topic, message };
    return this.#keep(one);
  }

  /** Ends each stream, as a restart of the server does. */
  dropReaders(): void {
    for (const { response } of this.#readers) response.destroy();
  }

  get readers(): number {
    return this.#readers.size;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #keep(one: NtfyPublished): NtfyPublished {
    this.published.push(one);
    for (const { topic, response } of this.#readers)
      if (topic === one.topic) response.write(`${JSON.stringify({ ...one, event: "message" })}\n`);
    this.#changed.emit("changed");
    return one;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "", url = "/", headers } = request;
    const line = `${method} ${url}`;
    const token = headers.authorization?.replace(/^Bearer /, "");
    this.requests.push({ line, token });
    this.#changed.emit("changed");
    const at = this.#faults.findIndex(({ matches }) => matches.test(line));
    const fault = this.#faults[at]?.fault;
    if (at !== -1) this.#faults.splice(at, 1);
    if (fault !== undefined) return this.#goWrong(fault, response);
    const body = await textOf(request);
    const [, topic = "", kind] = new URL(url, this.url).pathname.split("/");
    if (method === "GET" && kind === "json") return this.#read(topic, new URL(url, this.url), token, response);
    if (method !== "POST") return void response.writeHead(404).end();
    // To the root: JSON that names the topic; to a topic: the text itself.
    const message = topic === "" ? (JSON.parse(body) as NtfyPublished) : { topic, message: body };
    if (!this.#mayUse(message.topic, token)) return void response.writeHead(403).end();
    const kept = this.#keep({ ...message, id: randomBytes(6).toString("hex"), time: Math.floor(Date.now() / 1000) });
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ ...kept, event: "message" }));
  }

  #mayUse(topic: string, token: string | undefined): boolean {
    return this.token === null || token === this.token || !this.privateTopics.includes(topic);
  }

  #read(topic: string, url: URL, token: string | undefined, response: ServerResponse): void {
    if (this.token !== null && token !== this.token) return void response.writeHead(403).end();
    response.writeHead(200, { "content-type": "application/x-ndjson" });
    response.write(`${JSON.stringify({ id: "o", time: 0, event: "open", topic })}\n`);
    const since = url.searchParams.get("since") ?? "";
    const own = this.published.filter((one) => one.topic === topic);
    const at = own.findIndex(({ id }) => id === since);
    const seconds = /^\d+$/.test(since) ? Number(since) : 0;
    for (const one of at === -1 ? own.filter(({ time }) => time >= seconds) : own.slice(at + 1))
      response.write(`${JSON.stringify({ ...one, event: "message" })}\n`);
    const reader = { topic, response };
    this.#readers.add(reader);
    response.on("close", () => {
      this.#readers.delete(reader);
      this.#changed.emit("changed");
    });
    this.#changed.emit("changed");
  }

  /** Once so many streams are open. */
  async untilReaders(count: number): Promise<void> {
    while (this.#readers.size !== count) await once(this.#changed, "changed");
  }

  #goWrong(fault: NtfyFault, response: ServerResponse): void {
    if (fault === "hang") return;
    if (fault === "drop") return void response.destroy();
    if (fault === "garbage") return void response.writeHead(200).end("<html>\n{\n[]\nnull\n");
    if (fault === "endless-line") {
      response.writeHead(200);
      const timer = setInterval(() => response.write("x".repeat(1024)), 1);
      response.on("close", () => clearInterval(timer));
      return;
    }
    response.writeHead(fault.status, fault.headers).end("SERVER-TEXT");
  }
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request) text += String(chunk);
  return text;
}
