import type { ClientRequest, IncomingMessage } from "node:http";
import { request as secureRequest } from "node:https";
import { isObject, type Json, parseObject } from "../../ipc/json-object.ts";
import { request as plainRequest } from "../../ipc/node-http.ts";
import { requestError } from "./answers.ts";
import { clientInMeta } from "./clients.ts";
import { EventStream, onOneLine } from "./event-stream.ts";

/** An MCP server over streamable HTTP: each line of the client's is a POST, each message of the server's a line. */

export interface HttpServerOptions {
  url: URL;
  /** What the user has the server sent besides, such as a key. */
  headers: Readonly<Record<string, string>>;
  /** A message of the server's, with its `\n`; or the error that is answered in its place. */
  onLine(line: Buffer): void;
}

/** Of one message. */
const MAX_BYTES = 64 * 1024 * 1024;
/** How long after its end the server is listened to again, each time that it ends at once. */
const RETRY_MS = [1000, 5000, 30_000];

/** What a request says that its headers repeat. */
interface Said {
  /** As it was written; undefined where nobody waits for an answer. */
  id: string | undefined;
  method: string;
  name: string | undefined;
  protocol: string | undefined;
}

export class HttpServer {
  readonly #options: HttpServerOptions;
  readonly #open = new Set<ClientRequest>();
  #session: string | undefined;
  #protocol: string | undefined;
  #initialize_id: string | undefined;
  #is_closed = false;
  #idle: (() => void) | undefined;
  /** On which the server says what it says by itself. */
  #listening: ClientRequest | undefined;
  #retries = 0;

  constructor(options: HttpServerOptions) {
    this.#options = options;
  }

  send(line: Buffer): void {
    const body = line.at(-1) === 0x0a ? line.subarray(0, -1) : line;
    if (body.toString("latin1").trim() === "") return;
    const said = saidIn(body);
    if (said.method === "initialize") this.#initialize_id = said.id;
    const fail = (why: string) => {
      if (said.id !== undefined && !this.#is_closed) this.#options.onLine(Buffer.from(requestError(said.id, why)));
    };
    const sent = this.#request("POST", this.#headersOf(said), (response) => this.#answered(response, said, fail), fail);
    sent.end(body);
  }

  /** Waits until what was sent is answered, then ends the session. @param most_ms at the longest */
  async close(most_ms: number): Promise<void> {
    if (this.#open.size > 0)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, most_ms);
        this.#idle = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    this.#is_closed = true;
    for (const open of this.#open) open.destroy();
    this.#listening?.destroy();
    if (this.#session === undefined) return;
    await new Promise<void>((resolve) => {
      const ended = this.#request(
        "DELETE",
        this.#headersOf(undefined),
        (response) => response.resume(),
        () => resolve(),
      );
      ended.setTimeout(1000, () => ended.destroy());
      ended.once("close", resolve);
      ended.end();
    });
  }

  #request(
    method: string,
    headers: Record<string, string>,
    onResponse: (response: IncomingMessage) => void,
    onFailure: (why: string) => void,
  ): ClientRequest {
    const { url } = this.#options;
    const start = url.protocol === "https:" ? secureRequest : plainRequest;
    const sent = start(url, { method, headers: { ...this.#options.headers, ...headers } }, onResponse);
    this.#open.add(sent);
    sent.once("error", (error: NodeJS.ErrnoException) =>
      onFailure(`the server can't be reached (${error.code ?? "failed"})`),
    );
    sent.once("close", () => {
      this.#open.delete(sent);
      if (this.#open.size === 0) this.#idle?.();
    });
    return sent;
  }

  #headersOf(said: Said | undefined): Record<string, string> {
    const protocol = said?.protocol ?? this.#protocol;
    return {
      accept: "application/json, text/event-stream",
      ...(said === undefined ? {} : { "content-type": "application/json" }),
      ...(this.#session === undefined ? {} : { "mcp-session-id": this.#session }),
      ...(protocol === undefined ? {} : { "mcp-protocol-version": protocol }),
      // A protocol without sessions wants them on each request.
      ...(said?.protocol === undefined ? {} : { "mcp-method": said.method }),
      ...(said?.protocol === undefined || said.name === undefined ? {} : { "mcp-name": headerText(said.name) }),
    };
  }

  #answered(response: IncomingMessage, said: Said, fail: (why: string) => void): void {
    const { statusCode = 0 } = response;
    const type = (response.headers["content-type"] ?? "").split(";", 1)[0]?.trim().toLowerCase();
    if (said.method === "initialize") this.#session = headerOf(response, "mcp-session-id");
    if (type === "text/event-stream" && statusCode === 200) return this.#readEvents(response, fail);
    if (type === "application/json") return this.#readWhole(response, statusCode, fail);
    response.resume();
    if (statusCode >= 300 || said.id !== undefined) fail(`the server answered ${statusCode}`);
    else if (said.method === "notifications/initialized") this.#listen();
  }

  /** What the server says by itself; a server may offer none of that. */
  #listen(): void {
    if (this.#is_closed) return;
    const again = () => {
      if (this.#is_closed) return;
      const pause = RETRY_MS[this.#retries++];
      if (pause !== undefined) setTimeout(() => this.#listen(), pause).unref();
    };
    const headers = { ...this.#headersOf(undefined), accept: "text/event-stream" };
    const onResponse = (response: IncomingMessage) => {
      const is_stream =
        response.statusCode === 200 && response.headers["content-type"]?.startsWith("text/event-stream");
      if (!is_stream) return response.resume();
      this.#retries = 0;
      response.once("close", again);
      return this.#readEvents(response, () => response.destroy());
    };
    const listening = this.#request("GET", headers, onResponse, again);
    // Nobody waits for its end.
    this.#open.delete(listening);
    this.#listening = listening;
    listening.end();
  }

  #readEvents(response: IncomingMessage, fail: (why: string) => void): void {
    const events = new EventStream(MAX_BYTES);
    response.on("error", () => fail("the server's answer was cut off"));
    response.on("data", (chunk: Buffer) => {
      try {
        for (const data of events.push(chunk)) this.#say(data);
      } catch {
        fail("the server's answer is too long");
        response.destroy();
      }
    });
  }

  #readWhole(response: IncomingMessage, status: number, fail: (why: string) => void): void {
    const chunks: Buffer[] = [];
    let length = 0;
    response.on("error", () => fail("the server's answer was cut off"));
    response.on("data", (chunk: Buffer) => {
      length += chunk.length;
      chunks.push(chunk);
      if (length <= MAX_BYTES) return;
      fail("the server's answer is too long");
      response.destroy();
    });
    response.on("end", () => {
      const body = Buffer.concat(chunks);
      const is_message = status < 300 || parseObject(body.toString("utf8"))?.jsonrpc !== undefined;
      if (is_message) this.#say(onOneLine(body));
      else fail(`the server answered ${status}`);
    });
  }

  #say(data: Buffer): void {
    if (data.length === 0) return;
    if (this.#initialize_id !== undefined) this.#greeted(data);
    this.#options.onLine(Buffer.concat([data, Buffer.from("\n")]));
  }

  #greeted(data: Buffer): void {
    const message = parseObject(data.toString("utf8"));
    if (message?.id === undefined || JSON.stringify(message.id) !== this.#initialize_id) return;
    this.#initialize_id = undefined;
    if (isObject(message.result) && typeof message.result.protocolVersion === "string")
      this.#protocol = headerText(message.result.protocolVersion);
  }
}

function saidIn(body: Buffer): Said {
  const message: Json = parseObject(body.toString("utf8")) ?? {};
  const { id, method, params } = message;
  const has_answer = typeof method === "string" && (typeof id === "string" || typeof id === "number");
  const named: Json = isObject(params) ? params : {};
  const name = named.name ?? named.uri;
  return {
    id: has_answer ? JSON.stringify(id) : undefined,
    method: typeof method === "string" ? headerText(method) : "",
    name: typeof name === "string" ? name : undefined,
    protocol: isObject(named._meta) ? clientInMeta(named._meta)?.protocol : undefined,
  };
}

/** What can't be in a header as it is goes in base64, marked as such. */
function headerText(text: string): string {
  const is_plain = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !text.startsWith("=?base64?");
  return is_plain ? text : `=?base64?${Buffer.from(text).toString("base64")}?=`;
}

function headerOf(response: IncomingMessage, name: string): string | undefined {
  const value = response.headers[name];
  return typeof value === "string" && /^[\x21-\x7e]{1,1024}$/.test(value) ? value : undefined;
}
