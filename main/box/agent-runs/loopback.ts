import { randomBytes } from "node:crypto";
import { chmodSync, rmSync } from "node:fs";
import { connect, createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import type { LoopbackWay } from "../network/relay.ts";

/** An agent's ways to servers of this machine that its user named, such as a model that runs here: bytes, as they are. */

const MAX_CONNECTIONS = 64;

export interface LoopbackParts {
  /** The gate's own folder for sockets. */
  folder: string;
  ports: readonly number[];
  /** Nothing of the agent may continue now. */
  isStopped(): boolean;
  /** Logs an unexpected error. */
  failed(what: string, error: unknown): void;
}

export class Loopback {
  readonly ways: readonly LoopbackWay[];
  readonly #servers: readonly Server[];
  readonly #sockets = new Set<Socket>();

  /** Listens once it is made. */
  constructor({ folder, ports, isStopped, failed }: LoopbackParts) {
    // Short: the path of a socket has about a hundred characters.
    this.ways = ports.map((port) => ({ port, socket: join(folder, randomBytes(6).toString("hex")) }));
    this.#servers = this.ways.map(({ port, socket }) => {
      const server = createServer({ allowHalfOpen: true }, (inside) => {
        if (isStopped()) return void inside.destroy();
        this.#join(inside, connect({ port, host: "127.0.0.1", allowHalfOpen: true }));
      });
      server.maxConnections = MAX_CONNECTIONS;
      server.on("error", (error) => failed("an agent's way to this machine", error));
      server.listen(socket);
      if (server.listening) chmodSync(socket, 0o600);
      server.unref();
      return server;
    });
  }

  /** Ends what is open. */
  interrupt(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  close(): void {
    for (const server of this.#servers) server.close();
    this.interrupt();
    for (const { socket } of this.ways) rmSync(socket, { force: true });
  }

  #join(inside: Socket, outside: Socket): void {
    for (const [from, to] of [
      [inside, outside],
      [outside, inside],
    ] as const) {
      this.#sockets.add(from);
      from.pipe(to);
      from.on("error", () => to.destroy());
      from.once("close", () => {
        this.#sockets.delete(from);
        to.destroySoon();
      });
    }
  }
}
