import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { isObject, type Json, parseObject } from "../ipc/base/json-object.ts";
import { BridgedProgram } from "./bridged-program.ts";

/**
 * The suite speaks to servers over HTTP alone, the proxy to clients over stdio alone: this is between the two, for tests. It is the same
 * with the proxy and without it, and what HTTP asks of a server itself (sessions, headers, status codes) it does in the server's place.
 */

const MODERN = "2026-07-28";
const PROTOCOL = "io.modelcontextprotocol/protocolVersion";
/** What HTTP wants of errors; others are results to it. */
const STATUS: Readonly<Record<number, number>> = {
  [-32601]: 404,
  [-32602]: 400,
  [-32020]: 400,
  [-32021]: 400,
  [-32022]: 400,
};

export class Bridge {
  readonly #start: () => BridgedProgram;
  readonly #http: Server;
  readonly #sessions = new Map<string, BridgedProgram>();
  /** Of the protocol without sessions: one for all. */
  #modern: BridgedProgram | undefined;

  private constructor(words: readonly string[], env: NodeJS.ProcessEnv) {
    this.#start = () => new BridgedProgram(words, env);
    this.#http = createServer((request, response) => {
      this.#handle(request, response).catch((error: Error) => response.destroy(error));
    });
  }

  /** @param words start a server over stdio: one for each session */
  static async listen(words: readonly string[], env: NodeJS.ProcessEnv): Promise<Bridge> {
    const bridge = new Bridge(words, env);
    await new Promise<void>((resolve) => bridge.#http.listen(0, "127.0.0.1", resolve));
    return bridge;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#http.address() as AddressInfo).port}/mcp`;
  }

  async close(): Promise<void> {
    this.#http.closeAllConnections();
    this.#http.close();
    await Promise.all([...this.#sessions.values(), this.#modern].map((program) => program?.close()));
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (![request.headers.host, request.headers.origin].every(isLocal))
      return answer(response, 403, null, -32000, "not local");
    let text = "";
    for await (const chunk of request.setEncoding("utf8")) text += chunk;
    if (request.method === "POST") return this.#posted(request, parseObject(text), response);
    const id = request.headers["mcp-session-id"];
    const program = typeof id === "string" ? this.#sessions.get(id) : undefined;
    if (program === undefined) return answer(response, id === undefined ? 405 : 404, null, -32000, "no such session");
    if (request.method === "GET") return program.listen(response);
    this.#sessions.delete(String(id));
    await program.close();
    response.writeHead(200).end();
  }

  #posted(request: IncomingMessage, message: Json | undefined, response: ServerResponse): void {
    if (message === undefined) return answer(response, 400, null, -32700, "not JSON");
    const meta = isObject(message.params) && isObject(message.params._meta) ? message.params._meta : {};
    const header = request.headers["mcp-protocol-version"];
    const sessionId = request.headers["mcp-session-id"];
    const isModern =
      sessionId === undefined &&
      [meta[PROTOCOL], header].some((version) => typeof version === "string" && version >= MODERN);
    if (isModern) return this.#postedModern(message, meta[PROTOCOL], header, response);
    if (message.method === "initialize") return this.#initialized(message, response);
    const program = this.#sessions.get(String(sessionId));
    if (program === undefined)
      return answer(response, sessionId === undefined ? 400 : 404, message.id, -32000, "no such session");
    program.send(message, response);
  }

  #postedModern(message: Json, version: unknown, header: unknown, response: ServerResponse): void {
    if (typeof header !== "string" || (version !== undefined && header !== version))
      return answer(response, 400, message.id, -32020, "the header isn't what the request says");
    // A server reads a request without these as one of an earlier protocol.
    if (version === undefined) return answer(response, 400, message.id, -32602, `${PROTOCOL} is missing`);
    // A server answers one of another version as the first on a connection alone.
    if (version !== MODERN) return this.#startedOnce(message, response);
    this.#modern ??= this.#start();
    this.#modern.send(message, response, STATUS);
  }

  #startedOnce(message: Json, response: ServerResponse): void {
    const program = this.#start();
    response.once("close", () => void program.close());
    program.send(message, response, STATUS);
  }

  #initialized(message: Json, response: ServerResponse): void {
    const id = crypto.randomUUID();
    const program = this.#start();
    this.#sessions.set(id, program);
    response.setHeader("mcp-session-id", id);
    program.send(message, response);
  }
}

function isLocal(address: string | undefined): boolean {
  const host = address?.replace(/^https?:\/\//, "");
  return host === undefined || /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?$/.test(host);
}

function answer(response: ServerResponse, status: number, id: unknown, code: number, message: string): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify({ jsonrpc: "2.0", id: id ?? null, error: { code, message } }));
}
