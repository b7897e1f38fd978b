import { EventEmitter, once } from "node:events";
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { createGzip } from "node:zlib";
import { onTestFinished } from "vitest";

/** A real HTTP server on loopback that answers as a model's provider does, in both dialects, and goes wrong as a test wants it to. */

export type Dialect = "anthropic" | "openai";

/** A request as it arrived, read in whichever dialect it was sent. */
export interface ReceivedRequest {
  dialect: Dialect;
  headers: IncomingHttpHeaders;
  /** The body, byte for byte. */
  text: string;
  body: Readonly<Record<string, unknown>>;
  system: string;
  messages: { role: string; text: string }[];
  /** The JSON Schema asked for, if any. */
  schema: unknown;
  max_tokens: number | undefined;
  /** True once the client closed the connection before it had the answer. */
  was_aborted: boolean;
}

/** An answer of the model. A string is the text alone. */
export interface ModelReply {
  text: string;
  input_tokens?: number | null;
  output_tokens?: number | null;
  /** Milliseconds until it is sent. */
  after?: number;
}

/** What goes wrong instead of an answer. */
export type Fault =
  | { fault: "hang-before-headers" }
  /** Status 200, headers, the first bytes of an answer, then nothing more. */
  | { fault: "hang-after-headers" }
  /** Status 200 and the first half of an answer, and its end. */
  | { fault: "half-json" }
  | { fault: "not-json" }
  /** An answer that is JSON, but no provider's. */
  | { fault: "wrong-shape"; body?: unknown }
  | { fault: "status"; status: number; retry_after?: string; body?: string }
  /** Bytes without an end, ten each millisecond. */
  | { fault: "stream-forever" }
  | { fault: "huge"; megabytes?: number }
  /** A few kilobytes that are a hundred megabytes once decompressed. */
  | { fault: "gzip-bomb" }
  | { fault: "redirect"; to: string; status?: number }
  | { fault: "wrong-content-type" }
  | { fault: "reset" }
  /** The model itself refuses to answer. */
  | { fault: "refusal" }
  /** The model's answer was cut at `max_tokens`. */
  | { fault: "cut"; text: string };

export type Scripted = string | ModelReply | Fault;
export type Script = Scripted | ((request: ReceivedRequest) => Scripted | Promise<Scripted>);

/** What a judge that has no doubts answers. */
export const HARMLESS_ANSWER = '{"score": 0.9, "reason": "fits the intent"}';

const MEGABYTE = 1024 * 1024;

export class ModelServer {
  /** Every question so far, in order. */
  readonly requests: ReceivedRequest[] = [];
  /** Requests that asked no question, such as for the list of models: `GET /v1/models`. */
  readonly others: string[] = [];
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #changed = new EventEmitter().setMaxListeners(0);
  readonly #waiting: Script[] = [];
  #always: Script;
  #aborted = 0;
  #bytesSent = 0;
  #connectionsEver = 0;

  private constructor(always: Script) {
    this.#always = always;
    this.#server = createServer((request, response) => void this.#serve(request, response));
    this.#server.on("connection", (socket: Socket) => {
      this.#connectionsEver += 1;
      this.#sockets.add(socket);
      socket.once("close", () => {
        this.#sockets.delete(socket);
        this.#changed.emit("changed");
      });
    });
  }

  /** For benchmarks; a test uses `modelServer`. */
  static async start(always: Script = HARMLESS_ANSWER, port = 0): Promise<ModelServer> {
    const server = new ModelServer(always);
    server.#server.listen(port, "127.0.0.1");
    await once(server.#server, "listening");
    return server;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** For gate.toml. */
  get base_url(): string {
    return `http://127.0.0.1:${this.port}/v1`;
  }

  /** The same server by an address that counts as another machine's. */
  get onlineUrl(): string {
    return `http://0.0.0.0:${this.port}/v1`;
  }

  /** Questions whose connection the client closed before it had the answer. */
  get aborted(): number {
    return this.#aborted;
  }

  get openConnections(): number {
    return this.#sockets.size;
  }

  get connectionsEver(): number {
    return this.#connectionsEver;
  }

  /** Of answers' bodies. */
  get bytesSent(): number {
    return this.#bytesSent;
  }

  /** For the next questions, one after the other; the usual answer after them. */
  next(...scripts: Script[]): this {
    this.#waiting.push(...scripts);
    return this;
  }

  /** The usual answer from now on. */
  always(script: Script): this {
    this.#always = script;
    return this;
  }

  /** The last question. @throws Error where there was none */
  get last(): ReceivedRequest {
    const last = this.requests.at(-1);
    if (last === undefined) throw new Error("nothing was asked");
    return last;
  }

  /** Once so many questions have arrived. */
  async received(count: number): Promise<void> {
    await this.until(() => this.requests.length >= count);
  }

  /** Once `holds`: looked at again after every request, abort and closed connection. */
  async until(holds: () => boolean): Promise<void> {
    while (!holds()) await once(this.#changed, "changed");
  }

  /** `[models.NAME]` for gate.toml. */
  toml(name: string, dialect: Dialect = "openai", ...more: string[]): string {
    return [
      `[models.${name}]`,
      `dialect = "${dialect}"`,
      `base_url = "${this.base_url}"`,
      'model = "test-model"',
      ...more,
      "",
    ].join("\n");
  }

  async close(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, "close");
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = await bodyOf(request).catch(() => undefined);
    if (text === undefined) return;
    const dialect = dialectOf(request);
    if (dialect === undefined) {
      this.others.push(`${request.method} ${request.url}`);
      this.#changed.emit("changed");
      const isList = request.method === "GET" && request.url?.endsWith("/models");
      response.writeHead(isList ? 200 : 404, { "content-type": "application/json" });
      response.end(JSON.stringify(isList ? { object: "list", data: [{ id: "test-model" }] } : {}));
      return;
    }
    const received = readRequest(dialect, request.headers, text);
    response.once("close", () => {
      if (!response.writableFinished) {
        received.was_aborted = true;
        this.#aborted += 1;
      }
      this.#changed.emit("changed");
    });
    this.requests.push(received);
    this.#changed.emit("changed");
    const script = this.#waiting.shift() ?? this.#always;
    const scripted = typeof script === "function" ? await script(received) : script;
    if (typeof scripted === "object" && "fault" in scripted) await this.#fail(response, received, scripted);
    else await this.#reply(response, received, typeof scripted === "string" ? { text: scripted } : scripted);
  }

  async #reply(response: ServerResponse, { dialect }: ReceivedRequest, reply: ModelReply): Promise<void> {
    if (reply.after !== undefined) await new Promise((resolve) => setTimeout(resolve, reply.after));
    this.#json(response, replyBody(dialect, reply));
  }

  async #fail(response: ServerResponse, { dialect }: ReceivedRequest, fault: Fault): Promise<void> {
    const whole = JSON.stringify(replyBody(dialect, { text: HARMLESS_ANSWER }));
    const json = { "content-type": "application/json" };
    switch (fault.fault) {
      case "hang-before-headers":
        return;
      case "hang-after-headers":
        response.writeHead(200, json);
        response.write(whole.slice(0, 10));
        return;
      case "half-json":
        response.writeHead(200, json).end(whole.slice(0, whole.length / 2));
        return;
      case "not-json":
        response.writeHead(200, json).end("<html>not an answer</html>");
        return;
      case "wrong-shape":
        this.#json(response, fault.body ?? { choices: "none", content: 7 });
        return;
      case "status":
        response
          .writeHead(
            fault.status,
            fault.retry_after === undefined ? json : { ...json, "retry-after": fault.retry_after },
          )
          .end(fault.body ?? JSON.stringify({ error: { type: "test_error", message: "as the test wants it" } }));
        return;
      case "stream-forever":
        response.writeHead(200, json);
        await this.#write(response, Buffer.alloc(10, " "), Number.POSITIVE_INFINITY, 1);
        return;
      case "huge":
        response.writeHead(200, json);
        await this.#write(response, Buffer.alloc(MEGABYTE, "a"), fault.megabytes ?? 100);
        return;
      case "gzip-bomb":
        response.writeHead(200, { ...json, "content-encoding": "gzip" });
        await this.#bomb(response);
        return;
      case "redirect":
        response.writeHead(fault.status ?? 307, { location: fault.to }).end();
        return;
      case "wrong-content-type":
        response.writeHead(200, { "content-type": "text/html" }).end(whole);
        return;
      case "reset":
        response.socket?.resetAndDestroy();
        return;
      case "refusal":
        this.#json(response, refusalBody(dialect));
        return;
      case "cut":
        this.#json(response, replyBody(dialect, { text: fault.text }, "length"));
        return;
    }
  }

  #json(response: ServerResponse, body: unknown): void {
    const text = JSON.stringify(body);
    this.#bytesSent += text.length;
    response.writeHead(200, { "content-type": "application/json" }).end(text);
  }

  /** So many pieces, as fast as the client reads them. */
  async #write(response: ServerResponse, piece: Buffer, count: number, pauseMs = 0): Promise<void> {
    for (let sent = 0; sent < count && !response.destroyed; sent++) {
      this.#bytesSent += piece.length;
      if (!response.write(piece)) await Promise.race([once(response, "drain"), once(response, "close")]);
      if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
    response.end();
  }

  async #bomb(response: ServerResponse): Promise<void> {
    const gzip = createGzip();
    gzip.on("data", (piece: Buffer) => {
      this.#bytesSent += piece.length;
      response.write(piece);
    });
    const spaces = Buffer.alloc(MEGABYTE, " ");
    for (let made = 0; made < 100 && !response.destroyed; made++) if (!gzip.write(spaces)) await once(gzip, "drain");
    gzip.end();
    await once(gzip, "end");
    response.end();
  }
}

/** For the running test; closed when it has ended. @param port one that another server had before; left out: any */
export async function modelServer(always: Script = HARMLESS_ANSWER, port = 0): Promise<ModelServer> {
  const server = await ModelServer.start(always, port);
  onTestFinished(() => server.close());
  return server;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString();
}

function dialectOf({ method, url }: IncomingMessage): Dialect | undefined {
  if (method !== "POST") return undefined;
  if (url?.endsWith("/messages")) return "anthropic";
  return url?.endsWith("/chat/completions") ? "openai" : undefined;
}

type Body = Readonly<Record<string, unknown>>;

function readRequest(dialect: Dialect, headers: IncomingHttpHeaders, text: string): ReceivedRequest {
  const body = JSON.parse(text) as Body;
  const all = (body.messages as { role: string; content: string }[]).map(({ role, content }) => ({
    role,
    text: content,
  }));
  const systemMessages = all.filter(({ role }) => role === "system").map(({ text }) => text);
  const format = (dialect === "openai" ? body.response_format : (body.output_config as Body | undefined)?.format) as
    | Body
    | undefined;
  return {
    dialect,
    headers,
    text,
    body,
    system: dialect === "anthropic" ? String(body.system ?? "") : systemMessages.join("\n"),
    messages: all.filter(({ role }) => role !== "system"),
    schema: dialect === "openai" ? (format?.json_schema as Body | undefined)?.schema : format?.schema,
    max_tokens: (body.max_tokens ?? body.max_completion_tokens) as number | undefined,
    was_aborted: false,
  };
}

function replyBody(dialect: Dialect, reply: ModelReply, end: "stop" | "length" = "stop"): Body {
  const { text, input_tokens = 100, output_tokens = 20 } = reply;
  const isCounted = input_tokens !== null && output_tokens !== null;
  if (dialect === "anthropic")
    return {
      id: "msg_test",
      type: "message",
      role: "assistant",
      model: "test-model",
      content: [{ type: "text", text }],
      stop_reason: end === "stop" ? "end_turn" : "max_tokens",
      stop_sequence: null,
      ...(isCounted ? { usage: { input_tokens, output_tokens } } : {}),
    };
  const usage = { prompt_tokens: input_tokens, completion_tokens: output_tokens };
  return {
    id: "chatcmpl-test",
    object: "chat.completion",
    created: 0,
    model: "test-model",
    choices: [{ index: 0, message: { role: "assistant", content: text, refusal: null }, finish_reason: end }],
    ...(isCounted ? { usage } : {}),
  };
}

function refusalBody(dialect: Dialect): Body {
  if (dialect === "anthropic") return { ...replyBody(dialect, { text: "" }), content: [], stop_reason: "refusal" };
  return {
    ...replyBody(dialect, { text: "" }),
    choices: [
      {
        index: 0,
        message: { role: "assistant", content: null, refusal: "I can't help with that." },
        finish_reason: "stop",
      },
    ],
  };
}
