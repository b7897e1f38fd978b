import { chmodSync } from "node:fs";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { nodeHttp } from "../../../ipc/base/node-http.ts";
import { GateError } from "../../../ipc/contract/gate-error.ts";
import type { ProxyParts } from "./connection.ts";
import type { Destination } from "./destination.ts";
import type { HostAccess } from "./host-access.ts";
import type { NetworkLimits } from "./limits.ts";
import type { AddressRules } from "./lookup.ts";
import { servePlain } from "./plain-request.ts";
import { WAITING } from "./relay.ts";
import { serveTunnel } from "./tunnel.ts";

/**
 * One box's: a name at a time, and each once for all connections that wait for it. The names of the whole gate are looked up in two
 * threads, and one whose servers don't answer keeps its thread for long, also when nobody waits any more.
 */
class LookUps implements AddressRules {
  readonly #rules: AddressRules;
  readonly #going = new Map<string, Promise<string[]>>();
  #last: Promise<unknown> = Promise.resolve();
  #isOver = false;

  constructor(rules: AddressRules) {
    this.#rules = rules;
  }

  resolve(name: string): Promise<string[]> {
    const going = this.#going.get(name);
    if (going !== undefined) return going;
    const found = this.#last.then(() => {
      if (this.#isOver) throw new Error("the box has ended");
      return this.#rules.resolve(name);
    });
    const forget = () => this.#going.delete(name);
    this.#going.set(name, found);
    this.#last = found.then(forget, forget);
    return found;
  }

  isAllowed(address: string, port: number): boolean {
    return this.#rules.isAllowed(address, port);
  }

  /** The box has ended: nothing more is looked up. */
  close(): void {
    this.#isOver = true;
  }
}

/** More than any of the programs that are meant here sends. */
const MAX_HEADERS = 100;
const KEEP_ALIVE_MS = 60_000;

export interface RunProxyParts {
  /** Of its socket. */
  path: string;
  /** Decides which hosts are reached. */
  hosts: HostAccess;
  rules: AddressRules;
  limits: NetworkLimits;
  /** Logs an unexpected error. */
  failed(what: string, error: unknown): void;
  /** Its box first connects. */
  reached?: (() => void) | undefined;
}

/** The proxy of one box, on a Unix socket that only its box has. */
export class RunProxy {
  readonly #server: Server;
  readonly #hosts: HostAccess;
  readonly #lookUps: LookUps;
  readonly #sockets = new Set<Socket>();
  /** What each connection is answered with now. */
  readonly #busy = new WeakMap<Socket, ServerResponse>();
  /** By what its relay gets which hosts wait. */
  #relay: ServerResponse | undefined;
  readonly #open = new Map<object, { to: Destination; close: () => void }>();

  /** It listens once this returns. @throws GateError `box_unavailable` */
  static listen(parts: RunProxyParts): RunProxy {
    const proxy = new RunProxy(parts);
    proxy.#listen(parts);
    return proxy;
  }

  private constructor({ hosts, rules, limits, failed }: RunProxyParts) {
    this.#hosts = hosts;
    this.#lookUps = new LookUps(rules);
    const parts: ProxyParts = {
      ask: (to, gone) => hosts.ask(to, gone),
      mayStay: (to) => hosts.mayStay(to),
      opened: (to, close) => this.#opened(to, close),
      rules: this.#lookUps,
      limits,
    };
    const served = (what: Promise<void>, socket: { destroy(): void }) => {
      what.catch((error: unknown) => {
        failed("a confined command's connection", error);
        socket.destroy();
      });
    };
    const plain = (request: IncomingMessage, response: ServerResponse, continues: boolean) => {
      const { socket } = request;
      if (this.#isBusy(socket)) return void socket.destroy();
      this.#busy.set(socket, response);
      if (request.url === WAITING && this.#relay === undefined) return this.#tellRelay(response);
      served(servePlain(request, response, parts, continues), socket);
    };
    this.#server = nodeHttp().createServer(
      {
        maxHeaderSize: limits.headBytes,
        headersTimeout: limits.headMs,
        // Bodies may take as long as their connection.
        requestTimeout: 0,
        connectionsCheckingInterval: Math.min(5000, limits.headMs),
        keepAliveTimeout: KEEP_ALIVE_MS,
        requireHostHeader: true,
        insecureHTTPParser: false,
      },
      (request, response) => plain(request, response, false),
    );
    this.#server.maxConnections = limits.connections;
    this.#server.maxHeadersCount = MAX_HEADERS;
    this.#server.on("checkContinue", (request, response) => plain(request, response, true));
    this.#server.on("connect", (request, socket, head) => {
      if (this.#isBusy(request.socket)) socket.destroy();
      else served(serveTunnel(request, socket, head, parts), socket);
    });
    this.#server.on("connection", (socket) => {
      this.#sockets.add(socket);
      socket.once("close", () => this.#sockets.delete(socket));
    });
  }

  #listen({ path, failed, reached }: RunProxyParts): void {
    if (reached !== undefined) this.#server.once("connection", reached);
    this.#server.on("error", (error) => failed("a confined command's proxy", error));
    this.#server.listen(path);
    // A Unix socket is there once `listen` returns; whatever went wrong is an event that comes later.
    if (!this.#server.listening) {
      throw new GateError("box_unavailable", "a confined command gets no network now", "see the gate's log");
    }
    chmodSync(path, 0o600);
    this.#server.unref();
  }

  /** A request behind one that isn't answered yet: of those a single connection could bring any number. */
  #isBusy(socket: Socket): boolean {
    return this.#busy.get(socket)?.writableFinished === false;
  }

  #opened(to: Destination, close: () => void): () => void {
    const key = {};
    this.#open.set(key, { to, close });
    return () => this.#open.delete(key);
  }

  /** It was asked for by the box's relay, as far as is known: what it learns is only what the box itself has asked for. */
  #tellRelay(response: ServerResponse): void {
    this.#relay = response;
    response.once("close", () => {
      this.#relay = undefined;
    });
    response.on("error", () => response.destroy());
    response.sendDate = false;
    response.writeHead(200).flushHeaders();
  }

  /** A host waits for the user's answer: the command's terminal says so. @param host in its normal form */
  tell(host: string): void {
    this.#relay?.write(`${host}\n`);
  }

  /** Grants or refusals have changed: what they don't let through any more is closed. */
  review(): void {
    this.#hosts.forgetAllowed();
    for (const { to, close } of [...this.#open.values()]) if (!this.#hosts.mayStay(to)) close();
  }

  /** The agent may nothing more for now, or is another one: all that is open is closed, and asked about anew. */
  interrupt(): void {
    this.#hosts.forgetApproved();
    for (const { close } of [...this.#open.values()]) close();
  }

  /** Ends the run's connections, and withdraws what it asks for. */
  close(): void {
    this.#hosts.close();
    this.#lookUps.close();
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    for (const { close } of [...this.#open.values()]) close();
  }
}
