import type { ListenOptions, Server, Socket } from "node:net";
import { dirname } from "node:path";
import { IPCModule } from "node-ipc";
import type { FileIdentity } from "./file-identity.ts";
import { BYTE_LIMITS, type Frame, FrameReader, UnfinishedBudget } from "./frames.ts";
import { bindingPath, moveSocket, removeSocket } from "./socket-file.ts";

/** A Unix socket that speaks one JSON object per line, on node-ipc. Both sockets are one of these. */

/** One client. `send` takes whole lines; nothing is sent to a client that is gone. */
export interface LineConnection {
  readonly id: number;
  readonly is_open: boolean;
  send(lines: string): void;
  /** Sends, then closes. What still comes from the client is dropped. */
  end(lines: string): void;
}

export interface LineHandlers {
  opened(connection: LineConnection): void;
  /** All frames that came in one read, in order. */
  received(connection: LineConnection, frames: Frame[]): void;
  closed(connection: LineConnection): void;
  /** A client was dropped by the server, with the reason to log. */
  dropped(reason: string): void;
}

export interface LineServerSettings {
  path: string;
  max_connections: number;
  /** A client with more unread bytes than this is dropped. */
  max_unread_bytes: number;
  frame_timeout_ms?: number | undefined;
}

/** How long a client may take to read its last message before the connection is cut, in milliseconds. */
const FAREWELL_MS = 1000;

/** What all begun lines of a server may hold together, beyond the first 64 KiB of each. */
const MAX_UNFINISHED = 64 * 1024 * 1024;

/** Connections that may wait to be accepted; the system may allow fewer (net.core.somaxconn). */
const QUEUE_LENGTH = 4096;

/** The longest path a Unix socket can have (bytes), on Linux; macOS allows four less. */
const MAX_SOCKET_PATH = 103;

/** What node-ipc keeps for each socket between two reads: the line that was begun, and whose it is. */
interface Incoming {
  reader: FrameReader;
  received(frames: Frame[]): void;
}

/**
 * node-ipc's parser: frames by line instead of by form feed, bounds them, and hands bad ones on as values. All of a read go to their
 * connection at once, past node-ipc's events, which carry one message each.
 */
class LineParser {
  /** Of what is sent; each socket is read as bytes. */
  readonly encoding = "utf8";
  readonly raw = false;
  readonly maxPendingBytes: number;

  constructor(max_unread_bytes: number) {
    this.maxPendingBytes = max_unread_bytes;
  }

  /** The lines were made by the caller. */
  encode(_type: string, lines: string): string {
    return lines;
  }

  read(incoming: Incoming | "", text: string): Incoming | "" {
    if (incoming === "") return ""; // node-ipc has given this socket up
    const frames = incoming.reader.push(text);
    if (frames.length > 0) incoming.received(frames);
    return incoming;
  }
}

/**
 * Lets connections that come all at once queue up to be accepted. node-ipc can't be told: its listener has Node's queue of 511,
 * and a Unix socket refuses (EAGAIN) who finds it full.
 */
function lengthenQueue(ipc_server: IPCModule["server"]): void {
  let listener: Server | undefined;
  Object.defineProperty(ipc_server, "server", {
    get: () => listener,
    set: (created: Server) => {
      listener = created;
      const listen = created.listen.bind(created) as (options: ListenOptions, listening?: () => void) => Server;
      created.listen = ((options: ListenOptions, listening?: () => void) =>
        listen({ ...options, backlog: QUEUE_LENGTH }, listening)) as Server["listen"];
    },
  });
}

type IpcSocket = Socket & { ipcBuffer?: Incoming | "" };

export class LineServer {
  readonly #settings: LineServerSettings;
  readonly #handlers: LineHandlers;
  readonly #connections = new Map<IpcSocket, { connection: LineConnection; reader: FrameReader }>();
  readonly #ending = new Set<IpcSocket>();
  readonly #ipc = new IPCModule();
  readonly #budget = new UnfinishedBudget(MAX_UNFINISHED);
  #file: FileIdentity | undefined;
  #next_id = 1;

  constructor(settings: LineServerSettings, handlers: LineHandlers) {
    this.#settings = settings;
    this.#handlers = handlers;
  }

  get connection_count(): number {
    return this.#connections.size;
  }

  /** Listens; the socket file, which is returned, is 0600 in a 0700 folder once this resolves. Rejects with the system's error. */
  async listen(): Promise<FileIdentity> {
    const { path, max_connections, max_unread_bytes } = this.#settings;
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
    config.maxConnections = max_connections;
    config.parser = new LineParser(max_unread_bytes);
    this.#ipc.serve(bound);
    const { server } = this.#ipc;
    lengthenQueue(server);
    const is_listening = new Promise<void>((resolve, reject) => {
      server.on("start", () => resolve());
      server.on("error", (error: Error) => reject(error));
    });
    server.on("connect", (socket: IpcSocket) => this.#opened(socket));
    server.on("close", (socket: IpcSocket) => this.#closed(socket));
    server.on("error", (error: Error & { code?: string }) => this.#failed(error));
    server.start();
    server.server.on("drop", () => this.#handlers.dropped(`more than ${max_connections} connections`));
    await is_listening;
    this.#file = moveSocket(bound, path);
    return this.#file;
  }

  /** Ends every connection and stops listening; the socket file goes away, where it is still this server's. */
  async close(): Promise<void> {
    const listener = this.#ipc.server?.server;
    if (!listener) return;
    if (this.#file !== undefined) removeSocket(this.#settings.path, this.#file);
    const is_closed = new Promise<void>((resolve) => listener.once("close", () => resolve()));
    const cut = setTimeout(() => {
      for (const socket of this.#connections.keys()) socket.destroy();
    }, FAREWELL_MS);
    for (const socket of this.#connections.keys()) socket.destroySoon();
    listener.close();
    await is_closed;
    clearTimeout(cut);
  }

  #opened(socket: IpcSocket): void {
    const connection: LineConnection = {
      id: this.#next_id++,
      get is_open() {
        return !socket.destroyed;
      },
      send: (lines) => {
        if (!socket.destroyed && socket.writable) this.#ipc.server.emit(socket, "", lines);
      },
      end: (lines) => {
        if (socket.destroyed || !socket.writable) return;
        this.#ending.add(socket);
        socket.end(lines);
        setTimeout(() => socket.destroy(), FAREWELL_MS).unref();
      },
    };
    const received = (frames: Frame[]) => {
      if (!socket.destroyed && !this.#ending.has(socket)) this.#handlers.received(connection, frames);
    };
    const unfinished = () => received([{ ok: false, problem: "frame_unfinished" }]);
    const reader = new FrameReader(unfinished, this.#settings.frame_timeout_ms, BYTE_LIMITS, this.#budget);
    // As bytes: decoded piece by piece, what is not UTF-8 would be replaced without a word.
    socket.setEncoding("latin1");
    socket.ipcBuffer = { reader, received };
    this.#connections.set(socket, { connection, reader });
    this.#handlers.opened(connection);
  }

  #closed(socket: IpcSocket): void {
    const open = this.#connections.get(socket);
    if (open === undefined) return;
    open.reader.close();
    this.#connections.delete(socket);
    this.#ending.delete(socket);
    this.#handlers.closed(open.connection);
  }

  #failed(error: Error & { code?: string }): void {
    if (error.code === "ERR_IPC_BACKPRESSURE") {
      this.#handlers.dropped(`a client left more than ${this.#settings.max_unread_bytes} bytes of answers unread`);
    }
  }
}
