import type { ListenOptions, Server, Socket } from "node:net";
import { basename, dirname } from "node:path";
import { IPCModule } from "node-ipc";
import { debugLog } from "../base/debug-log.ts";
import type { FileIdentity } from "../base/file-identity.ts";
import { type Frame, UnfinishedBudget } from "./frames.ts";
import {
  CLOSE_GRACE_MS,
  type ConnectionHost,
  type Job,
  JobTurns,
  type LineConnection,
  ServedConnection,
  type Work,
} from "./line-connection.ts";
import { bindingPath, moveSocket, removeSocket } from "./socket-file.ts";
import { UnreadBudget, type UnreadLimits } from "./unread-budget.ts";

/** A Unix socket server for one JSON object per line, on node-ipc. Both of the gate's sockets use it. */

const debug = debugLog("socket");

export interface LineHandlers {
  opened(connection: LineConnection): void;
  /**
   * Handles frames, in order, until `next` has none: then the turn is over, or none are left. A frame's remaining work is
   * returned at once; the connection's next frames are handled after it.
   */
  received(connection: LineConnection, next: () => Frame | undefined): Work | undefined;
  /** The frames of one turn, of one connection or several, were handled. */
  turned(): void;
  /** The last line for a client that sent no hello in time, or that was silent for the longest when there were too many such. */
  unadmitted(): string;
  closed(connection: LineConnection): void;
  /** Clients were dropped by the server, with the reason to log. */
  dropped(reason: string, count: number): void;
}

export interface LineServerSettings {
  path: string;
  max_connections: number;
  ungreeted?: UngreetedLimits;
  unread: UnreadLimits;
  frameTimeoutMs?: number | undefined;
}

/** Limits for clients that haven't sent hello. */
export const UNGREETED_LIMITS: UngreetedLimits = { max: 128, greetingMs: 5000 };
/** What such a client may send in all, in bytes. */
export const MAX_UNADMITTED_BYTES = 8192;

/** The total size of a server's unfinished and unhandled lines, beyond the first 64 KiB of each client. */
const MAX_UNFINISHED = 64 * 1024 * 1024;

/** How much of a socket's data is buffered in each direction before it signals backpressure. Bytes. */
const SOCKET_BUFFER = 16 * 1024;

/** Clients dropped for exceeding the limits are logged together, at this interval in milliseconds. */
const LOG_INTERVAL_MS = 1000;

/** Connections that may wait to be accepted; the system may allow fewer (net.core.somaxconn). */
const QUEUE_LENGTH = 4096;

/** The longest path a Unix socket can have (bytes), on Linux; macOS allows four less. */
const MAX_SOCKET_PATH = 103;

/**
 * node-ipc's parser. Received data goes to its connection unparsed, past node-ipc's events, which carry one message each. It sets
 * no bound on unread output (`maxPendingBytes`): that would disconnect a client in the middle of its answers.
 */
class LineParser {
  /** For output; each socket is read as bytes. */
  readonly encoding = "utf8";
  readonly raw = false;

  /** The lines were made by the caller. */
  encode(_type: string, lines: string): string {
    return lines;
  }

  read(connection: ServedConnection | "", text: string): ServedConnection | "" {
    if (connection !== "") connection.read(text);
    return connection;
  }
}

/**
 * Lengthens the queue of connections to be accepted, for many at once. node-ipc has no setting for it: its listener has Node's
 * queue of 511, and a full Unix socket refuses a connection (EAGAIN). Nor has it one for how much of each socket is buffered.
 */
function adjustListener(ipcServer: IPCModule["server"]): void {
  let listener: Server | undefined;
  Object.defineProperty(ipcServer, "server", {
    get: () => listener,
    set: (created: Server & { highWaterMark?: number }) => {
      listener = created;
      created.highWaterMark = SOCKET_BUFFER;
      const listen = created.listen.bind(created) as (options: ListenOptions, listening?: () => void) => Server;
      created.listen = ((options: ListenOptions, listening?: () => void) =>
        listen({ ...options, backlog: QUEUE_LENGTH }, listening)) as Server["listen"];
    },
  });
}

type IpcSocket = Socket & { ipcBuffer?: ServedConnection | "" };

/** Of the next connection: one number for those of all servers, as what connections announce is kept by it. */
let nextId = 1;

export class LineServer {
  readonly #settings: LineServerSettings;
  readonly #handlers: LineHandlers;
  readonly #connections = new Map<IpcSocket, ServedConnection>();
  readonly #ipc = new IPCModule();
  readonly #ungreeted: UngreetedConnections;
  readonly #host: ConnectionHost;
  readonly #unreported = new Map<string, number>();
  #logTimer: NodeJS.Timeout | undefined;
  #file: FileIdentity | undefined;

  constructor(settings: LineServerSettings, handlers: LineHandlers) {
    this.#settings = settings;
    this.#handlers = handlers;
    this.#ungreeted = new UngreetedConnections(settings.ungreeted ?? UNGREETED_LIMITS, (connection) =>
      connection.end(handlers.unadmitted()),
    );
    this.#host = {
      turns: new JobTurns(() => handlers.turned()),
      unread: new UnreadBudget(settings.unread),
      unfinished: new UnfinishedBudget(MAX_UNFINISHED),
      frameTimeoutMs: settings.frameTimeoutMs,
      maxUnadmittedBytes: MAX_UNADMITTED_BYTES,
      received: (connection, next) => handlers.received(connection, next),
      admitted: (connection) => this.#ungreeted.delete(connection),
      dropped: (reason) => handlers.dropped(reason, 1),
    };
  }

  get connectionCount(): number {
    return this.#connections.size;
  }

  /** True while frames are handled: `turned` follows. */
  get isInTurn(): boolean {
    return this.#host.turns.isWorking;
  }

  /** Does the server's other work in the same turns; `turned` follows. */
  work(job: Job): void {
    this.#host.turns.add(job);
  }

  /** Listens; the socket file, which is returned, is 0600 in a 0700 folder once this resolves. Rejects with the system's error. */
  async listen(): Promise<FileIdentity> {
    const { path } = this.#settings;
    const bound = bindingPath(path);
    if (Math.max(Buffer.byteLength(path), Buffer.byteLength(bound)) > MAX_SOCKET_PATH) {
      throw Object.assign(
        new Error(`the socket's path is longer than the ${MAX_SOCKET_PATH} bytes a Unix socket can have: ${path}`),
        { code: "socket_path_too_long", hint: "set METNOS_RUNTIME_DIR to a shorter folder" },
      );
    }
    const { config } = this.#ipc;
    config.silent = true;
    config.socketRoot = `${dirname(path)}/`;
    config.secureSocketRoot = true;
    // Counted here: beyond the limit, a silent connection is closed before one that wasn't.
    config.maxConnections = Number.POSITIVE_INFINITY;
    config.parser = new LineParser();
    this.#ipc.serve(bound);
    const { server } = this.#ipc;
    adjustListener(server);
    const isListening = new Promise<void>((resolve, reject) => {
      server.on("start", () => resolve());
      server.on("error", (error: Error) => reject(error));
    });
    server.on("connect", (socket: IpcSocket) => this.#opened(socket));
    server.on("close", (socket: IpcSocket) => this.#closed(socket));
    server.start();
    await isListening;
    this.#file = moveSocket(bound, path);
    return this.#file;
  }

  /** Ends every connection and stops listening; removes the socket file, where it is still this server's. */
  async close(): Promise<void> {
    clearTimeout(this.#logTimer);
    const listener = this.#ipc.server?.server;
    if (!listener) return;
    if (this.#file !== undefined) removeSocket(this.#settings.path, this.#file);
    const isClosed = new Promise<void>((resolve) => listener.once("close", () => resolve()));
    const cut = setTimeout(() => {
      for (const socket of this.#connections.keys()) socket.destroy();
    }, CLOSE_GRACE_MS);
    for (const [socket, connection] of this.#connections) {
      connection.ignore();
      socket.destroySoon();
    }
    listener.close();
    await isClosed;
    clearTimeout(cut);
  }

  #opened(socket: IpcSocket): void {
    const { max_connections } = this.#settings;
    const isFull = this.#connections.size >= max_connections;
    const excess = this.#ungreeted.excess(isFull);
    if (isFull && excess === undefined) {
      this.#tooMany(`more than ${max_connections} connections`);
      socket.destroy();
      return;
    }
    if (excess !== undefined) {
      this.#tooMany(
        isFull
          ? `more than ${max_connections} connections, and this one had not sent hello`
          : `more than ${(this.#settings.ungreeted ?? UNGREETED_LIMITS).max} connections that have not sent hello`,
      );
      excess.endAtOnce(this.#handlers.unadmitted());
      this.#ungreeted.delete(excess);
    }
    const connection = new ServedConnection(nextId++, socket, this.#host);
    // As bytes: decoded piece by piece, invalid UTF-8 would be silently replaced.
    socket.setEncoding("latin1");
    socket.ipcBuffer = connection;
    this.#connections.set(socket, connection);
    this.#ungreeted.add(connection);
    if (debug.isOn) debug.write(`${this.#name} connection ${connection.id} opened, ${this.#connections.size} open`);
    this.#handlers.opened(connection);
  }

  #closed(socket: IpcSocket): void {
    const connection = this.#connections.get(socket);
    if (connection === undefined) return;
    this.#connections.delete(socket);
    this.#ungreeted.delete(connection);
    connection.closed();
    if (debug.isOn) debug.write(`${this.#name} connection ${connection.id} closed, ${this.#connections.size} open`);
    this.#handlers.closed(connection);
  }

  /** The socket's file without its folder. */
  get #name(): string {
    return basename(this.#settings.path);
  }

  /** One line each second, however many they are: a client that keeps connecting can't fill the log. */
  #tooMany(reason: string): void {
    this.#unreported.set(reason, (this.#unreported.get(reason) ?? 0) + 1);
    if (this.#logTimer !== undefined) return;
    const report = () => {
      this.#logTimer = undefined;
      if (this.#unreported.size === 0) return;
      for (const [found, count] of this.#unreported) this.#handlers.dropped(found, count);
      this.#unreported.clear();
      this.#logTimer = setTimeout(report, LOG_INTERVAL_MS).unref();
    };
    report();
  }
}

// Connections that haven't sent hello: limited in number and time, so that they can't keep other clients out.

interface UngreetedLimits {
  /** How many may be silent for longer than the grace period. */
  max: number;
  /** How long one may take until it is admitted, in milliseconds. */
  greetingMs: number;
}

/** Grace period, in milliseconds, before a connection counts as silent: many at once are read over several turns of the event loop. */
const GRACE_MS = 1000;

class UngreetedConnections {
  readonly #limits: UngreetedLimits;
  readonly #late: (connection: ServedConnection) => void;
  /** The oldest first. */
  readonly #timers = new Map<ServedConnection, NodeJS.Timeout>();

  /** `late` is called for one that isn't admitted in time. */
  constructor(limits: UngreetedLimits, late: (connection: ServedConnection) => void) {
    this.#limits = limits;
    this.#late = late;
  }

  add(connection: ServedConnection): void {
    this.#timers.set(connection, this.#timer(connection));
  }

  delete(connection: ServedConnection): void {
    clearTimeout(this.#timers.get(connection));
    this.#timers.delete(connection);
  }

  /** The connection to close before another is accepted; undefined while there is room. `isFull`: all connections are in use. */
  excess(isFull: boolean): ServedConnection | undefined {
    if (!isFull && this.#timers.size <= this.#limits.max) return undefined;
    const heardBy = performance.now() - (isFull ? 0 : GRACE_MS);
    for (const connection of this.#timers.keys()) {
      if (connection.openedAt > heardBy) return undefined;
      if (connection.isSilent) return connection;
    }
    return undefined;
  }

  #timer(connection: ServedConnection): NodeJS.Timeout {
    const timer = setTimeout(() => {
      // It is late only if nothing that it sent is still unhandled.
      if (connection.isSilent) this.#late(connection);
      else this.#timers.set(connection, this.#timer(connection));
    }, this.#limits.greetingMs);
    timer.unref();
    return timer;
  }
}
