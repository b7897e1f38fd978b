import type { ClientRequest, IncomingMessage } from "node:http";
import { request as secureRequest } from "node:https";
import { isObject, type Json, parseObject } from "../../ipc/base/json-object.ts";
import { nodeHttp } from "../../ipc/base/node-http.ts";
import { requestError } from "./answers.ts";
import { EventStream, onOneLine } from "./event-stream.ts";
import { headerText, isId, repeatedHeaders, type Said, saidIn } from "./http-headers.ts";

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
/** How long after its end the server is listened to again, each time that it ends at once; and a stream's server that says no time. */
const RETRY_MS = [1000, 5000, 30_000];
/** How long what follows the begin of a session waits for its answer, and then for the server to be listened to, in milliseconds. */
const [BEGUN_MS, LISTENED_MS] = [10_000, 1000];
const BEGUN = "notifications/initialized";
/** How often a stream that ends early is continued, where nothing more came. */
const MAX_TRIES = 3;

/** A request whose answer hasn't come. */
interface Awaited {
  said: Said;
  /** On which its stream is. */
  sent: ClientRequest;
}

export class HttpServer {
  readonly #options: HttpServerOptions;
  readonly #open = new Set<ClientRequest>();
  readonly #awaited = new Map<string, Awaited>();
  readonly #paramHeaders = new ParamHeaders();
  #session: string | undefined;
  #protocol: string | undefined;
  #isClosed = false;
  /** What the client's end waits for: requests, and pauses before one. */
  #busy = 0;
  #idle: (() => void) | undefined;
  #retries = 0;
  /** What waits until the server is listened to: it may ask there what it needs for a call. */
  #held: Buffer[] | undefined;
  #holding: NodeJS.Timeout | undefined;

  constructor(options: HttpServerOptions) {
    this.#options = options;
  }

  send(line: Buffer): void {
    const body = line.at(-1) === 0x0a ? line.subarray(0, -1) : line;
    if (body.toString("latin1").trim() === "") return;
    if (this.#held !== undefined) return void this.#held.push(body);
    const said = saidIn(body);
    if (said.method === BEGUN) this.#hold(BEGUN_MS);
    if (this.#isWithdrawn(said)) return;
    const marked = this.#markedHeaders(said);
    if (marked === undefined && said.id !== undefined)
      return this.#say(
        requestError(said.id, "the tool's schema marks what can't be a header, so it must not be called"),
      );
    // What must not run twice isn't sent over a connection that may end just then: nobody would know whether the server has got it.
    this.#post(said, body, { ...this.#headersOf(said), ...marked }, said.method === "tools/call");
  }

  #post(said: Said, body: Buffer, headers: Record<string, string>, hasOwnConnection: boolean): void {
    const sent = this.#request("POST", headers, {
      hasOwnConnection,
      onResponse: (response) => this.#answered(response, said),
      onFailure: (why, code) => {
        const isKeptOneEnded = sent.reusedSocket && (code === "ECONNRESET" || code === "EPIPE");
        const isWanted = !this.#isClosed && (said.id === undefined || this.#awaited.get(said.id)?.sent === sent);
        if (isKeptOneEnded && isWanted) return this.#post(said, body, headers, true);
        this.#fail(said, why);
        if (said.method === BEGUN) this.#sendHeld();
      },
    });
    if (said.id !== undefined) this.#awaited.set(said.id, { said, sent });
    sent.end(body);
  }

  #hold(mostMs: number): void {
    if (this.#held === undefined) this.#busy++;
    this.#held ??= [];
    clearTimeout(this.#holding);
    this.#holding = setTimeout(() => this.#sendHeld(), mostMs);
  }

  #sendHeld(): void {
    const held = this.#held;
    if (held === undefined) return;
    clearTimeout(this.#holding);
    this.#held = undefined;
    for (const body of held) this.send(body);
    this.#release();
  }

  /** Waits until what was sent is answered, then ends the session. @param mostMs at the longest */
  async close(mostMs: number): Promise<void> {
    if (this.#busy > 0)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, mostMs);
        this.#idle = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    this.#isClosed = true;
    clearTimeout(this.#holding);
    this.#held = undefined;
    for (const open of this.#open) open.destroy();
    if (this.#session === undefined) return;
    await new Promise<void>((resolve) => {
      const ended = this.#request("DELETE", this.#headersOf(undefined), {
        onResponse: (response) => response.resume(),
        onFailure: () => resolve(),
      });
      ended.setTimeout(1000, () => ended.destroy());
      ended.once("close", resolve);
      ended.end();
    });
  }

  /** Where sessions are none, a request is withdrawn by the end of its connection. @returns true for what does that */
  #isWithdrawn({ cancelled }: Said): boolean {
    const awaited = cancelled === undefined ? undefined : this.#awaited.get(cancelled);
    if (cancelled === undefined || awaited === undefined) return false;
    this.#awaited.delete(cancelled);
    if (awaited.said.protocol === undefined) return false;
    awaited.sent.destroy();
    return true;
  }

  /** Undefined for a call of a tool that must not be called. */
  #markedHeaders({ method, protocol, name = "", args }: Said): Record<string, string> | undefined {
    return method === "tools/call" && protocol !== undefined ? this.#paramHeaders.of(name, args) : {};
  }

  #request(
    method: string,
    headers: Record<string, string>,
    { onResponse, onFailure, isListening = false, hasOwnConnection = false }: RequestEnds,
  ): ClientRequest {
    const { url } = this.#options;
    const start = url.protocol === "https:" ? secureRequest : nodeHttp().request;
    const connection = hasOwnConnection ? ({ agent: false } as const) : {};
    const sent = start(url, { method, headers: { ...this.#options.headers, ...headers }, ...connection }, onResponse);
    this.#open.add(sent);
    if (!isListening) this.#busy++;
    sent.once("error", (error: NodeJS.ErrnoException) =>
      onFailure(`the server can't be reached (${error.code ?? "failed"})`, error.code),
    );
    sent.once("close", () => {
      this.#open.delete(sent);
      if (!isListening) this.#release();
    });
    return sent;
  }

  #release(): void {
    this.#busy--;
    if (this.#busy === 0) this.#idle?.();
  }

  #headersOf(said: Said | undefined): Record<string, string> {
    const protocol = said?.protocol ?? this.#protocol;
    return {
      accept: "application/json, text/event-stream",
      ...(said === undefined ? {} : { "content-type": "application/json" }),
      ...(this.#session === undefined ? {} : { "mcp-session-id": this.#session }),
      ...(protocol === undefined ? {} : { "mcp-protocol-version": headerText(protocol) }),
      ...(said === undefined ? {} : repeatedHeaders(said)),
    };
  }

  #answered(response: IncomingMessage, said: Said): void {
    const { statusCode = 0 } = response;
    const type = (response.headers["content-type"] ?? "").split(";", 1)[0]?.trim().toLowerCase();
    if (said.method === "initialize") this.#session = headerOf(response, "mcp-session-id");
    const isStream = type === "text/event-stream" && statusCode === 200;
    const isListenedTo = said.method === BEGUN && !isStream && type !== "application/json" && statusCode < 300;
    if (isListenedTo) this.#hold(LISTENED_MS);
    else if (said.method === BEGUN) this.#sendHeld();
    if (isStream) return this.#readEvents(response, said);
    if (type === "application/json") return this.#readWhole(response, statusCode, said);
    response.resume();
    if (isListenedTo) this.#listen();
    else if (statusCode >= 300 || said.id !== undefined) this.#fail(said, `the server answered ${statusCode}`);
  }

  /** What the server says by itself; a server may offer none of that. */
  #listen(events = new EventStream(MAX_BYTES)): void {
    if (this.#isClosed) return;
    const again = () => {
      this.#sendHeld();
      events.cut();
      const pause = RETRY_MS[this.#retries++];
      if (pause !== undefined && !this.#isClosed)
        setTimeout(() => this.#listen(events), events.retryMs ?? pause).unref();
    };
    const onResponse = (response: IncomingMessage) => {
      this.#sendHeld();
      if (!isStream(response)) return response.resume();
      this.#retries = 0;
      response.once("close", again);
      return this.#readInto(events, response, () => response.destroy());
    };
    this.#get(events, { onResponse, onFailure: again, isListening: true });
  }

  /** A stream of events, behind the last one that came. */
  #get({ lastId }: EventStream, ends: RequestEnds): ClientRequest {
    const headers = { ...this.#headersOf(undefined), accept: "text/event-stream" };
    const sent = this.#request(
      "GET",
      { ...headers, ...(lastId === undefined ? {} : { "last-event-id": lastId }) },
      ends,
    );
    sent.end();
    return sent;
  }

  /** The answer to a request, and what comes before it. @param tries how often it was continued since something came */
  #readEvents(response: IncomingMessage, said: Said, events = new EventStream(MAX_BYTES), tries = 0): void {
    const { lastId } = events;
    this.#readInto(events, response, () => this.#fail(said, "the server's answer is too long"));
    response.once("close", () => this.#ended(said, events, events.lastId === lastId ? tries : 0));
  }

  /** A server that has given its events ids may end a stream, and be asked for the rest. */
  #ended(said: Said, events: EventStream, tries: number): void {
    if (said.id === undefined || !this.#awaited.has(said.id) || this.#isClosed) return;
    if (events.lastId === undefined || tries >= MAX_TRIES) return this.#fail(said, "the server's answer was cut off");
    events.cut();
    this.#busy++;
    setTimeout(() => {
      if (!this.#isClosed) this.#continue(said, events, tries + 1);
      this.#release();
    }, events.retryMs ?? RETRY_MS[0]).unref();
  }

  #continue(said: Said, events: EventStream, tries: number): void {
    this.#get(events, {
      onResponse: (response) => {
        if (isStream(response)) return this.#readEvents(response, said, events, tries);
        response.resume();
        return this.#fail(said, "the server's answer was cut off");
      },
      onFailure: () => this.#ended(said, events, tries),
    });
  }

  #readInto(events: EventStream, response: IncomingMessage, onTooLong: () => void): void {
    response.on("error", () => response.destroy()); // 'close' follows
    response.on("data", (chunk: Buffer) => {
      try {
        for (const data of events.push(chunk)) this.#received(data);
      } catch {
        onTooLong();
        response.destroy();
      }
    });
  }

  #readWhole(response: IncomingMessage, status: number, said: Said): void {
    const chunks: Buffer[] = [];
    let length = 0;
    response.on("error", () => this.#fail(said, "the server's answer was cut off"));
    response.on("data", (chunk: Buffer) => {
      length += chunk.length;
      chunks.push(chunk);
      if (length <= MAX_BYTES) return;
      this.#fail(said, "the server's answer is too long");
      response.destroy();
    });
    response.on("end", () => {
      const body = Buffer.concat(chunks);
      const isMessage = status < 300 || parseObject(body.toString("utf8"))?.jsonrpc !== undefined;
      if (isMessage) this.#received(onOneLine(body));
      // Also for one that names no request.
      this.#fail(said, `the server answered ${status}`);
    });
  }

  /** Answers what still waits for an answer. */
  #fail({ id }: Said, why: string): void {
    if (id !== undefined && this.#awaited.delete(id)) this.#say(requestError(id, why));
  }

  #received(data: Buffer): void {
    if (data.length === 0) return;
    if (this.#awaited.size > 0) this.#look(parseObject(data.toString("utf8")));
    this.#say(Buffer.concat([data, Buffer.from("\n")]));
  }

  /** What an answer means for what is sent from now on. */
  #look(message: Json | undefined): void {
    if (message === undefined || message.method !== undefined || !isId(message.id)) return;
    const id = JSON.stringify(message.id);
    const method = this.#awaited.get(id)?.said.method;
    const { result } = message;
    this.#awaited.delete(id);
    if (!isObject(result)) return;
    if (method === "tools/list") this.#paramHeaders.learn(result);
    if (method === "initialize" && typeof result.protocolVersion === "string") this.#protocol = result.protocolVersion;
  }

  #say(line: Buffer | string): void {
    if (!this.#isClosed) this.#options.onLine(Buffer.from(line));
  }
}

interface RequestEnds {
  onResponse(response: IncomingMessage): void;
  /** @param code the system's */
  onFailure(why: string, code?: string): void;
  /** Nobody waits for its end. */
  isListening?: boolean;
  /** None that was kept from an earlier request, and not kept itself. */
  hasOwnConnection?: boolean;
}

function isStream({ statusCode, headers }: IncomingMessage): boolean {
  return statusCode === 200 && headers["content-type"]?.startsWith("text/event-stream") === true;
}

function headerOf(response: IncomingMessage, name: string): string | undefined {
  const value = response.headers[name];
  return typeof value === "string" && /^[\x21-\x7e]{1,1024}$/.test(value) ? value : undefined;
}

// Arguments that a server over HTTP wants in headers, too: those that the schema of its tool marks with `x-mcp-header`.

const KEY = "x-mcp-header";
const PREFIX = "mcp-param-";
/** RFC 9110, 5.6.2. */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const TYPES = new Set<unknown>(["string", "integer", "boolean"]);
/** What they hold is a value, and no schema. */
const VALUES = new Set(["const", "default", "enum", "examples"]);
const MAX_DEPTH = 64;
const MAX_KEPT = 4096;

/** Where a marked argument is, and its header. */
interface Marked {
  path: readonly string[];
  header: string;
}

export class ParamHeaders {
  /** By the tool's name; undefined for one whose marks aren't valid. */
  readonly #tools = new Map<string, readonly Marked[] | undefined>();

  /** @param result of a `tools/list` */
  learn({ tools }: Json): void {
    for (const tool of Array.isArray(tools) ? tools : [])
      if (isObject(tool) && typeof tool.name === "string") this.#keep(tool.name, markedIn(tool.inputSchema));
  }

  /** Undefined for a tool that must not be called: its marks aren't valid. */
  of(tool: string, args: Json): Record<string, string> | undefined {
    if (!this.#tools.has(tool)) return {};
    const headers = this.#tools.get(tool)?.flatMap(({ path, header }) => {
      const value = valueAt(args, path);
      return value === undefined ? [] : [[PREFIX + header, headerText(String(value))] as const];
    });
    return headers === undefined ? undefined : Object.fromEntries(headers);
  }

  #keep(tool: string, marked: readonly Marked[] | undefined): void {
    this.#tools.delete(tool);
    if (marked?.length === 0) return;
    const [oldest] = this.#tools.keys();
    if (this.#tools.size >= MAX_KEPT && oldest !== undefined) this.#tools.delete(oldest);
    this.#tools.set(tool, marked);
  }
}

/** Undefined where a mark is at another place than on a plain argument, is none that can be a header, or is there twice. */
function markedIn(schema: unknown): Marked[] | undefined {
  const marked: Marked[] = [];
  if (!collect(schema, [], true, marked, 0)) return undefined;
  const names = new Set(marked.map(({ header }) => header.toLowerCase()));
  return names.size < marked.length ? undefined : marked;
}

/** @param isArgument false within what isn't reached by `properties` alone. @returns false where a mark isn't valid */
function collect(
  node: unknown,
  path: readonly string[],
  isArgument: boolean,
  marked: Marked[],
  depth: number,
): boolean {
  if (typeof node !== "object" || node === null) return true;
  if (depth > MAX_DEPTH) return false;
  if (Array.isArray(node)) return node.every((one) => collect(one, path, false, marked, depth + 1));
  if (!isObject(node)) return true;
  if (Object.hasOwn(node, KEY)) {
    const header = node[KEY];
    const isValid = isArgument && path.length > 0 && typeof header === "string" && TOKEN.test(header);
    if (!isValid || !TYPES.has(node.type)) return false;
    marked.push({ path, header });
  }
  return Object.entries(node).every(([key, child]) => {
    if (VALUES.has(key)) return true;
    if (key !== "properties" || !isObject(child)) return collect(child, path, false, marked, depth + 1);
    return Object.entries(child).every(([name, one]) => collect(one, [...path, name], isArgument, marked, depth + 1));
  });
}

function valueAt(args: Json, path: readonly string[]): string | number | boolean | undefined {
  let value: unknown = args;
  for (const name of path) value = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  return ["string", "number", "boolean"].includes(typeof value) ? (value as string | number | boolean) : undefined;
}
