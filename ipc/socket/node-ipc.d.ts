/** The part of node-ipc 14 that is used here; the package brings no types. */
declare module "node-ipc" {
  import type { Server, Socket } from "node:net";

  interface IpcServer {
    server: Server;
    start(): void;
    stop(): void;
    on(event: "start", listener: () => void): void;
    on(event: "connect" | "close", listener: (socket: Socket) => void): void;
    on(event: "error", listener: (error: Error & { code?: string }) => void): void;
    on(event: string, listener: (data: never, socket: Socket) => void): void;
    emit(socket: Socket, type: string, data: string): boolean;
  }

  export class IPCModule {
    config: {
      silent: boolean;
      socketRoot: string;
      secureSocketRoot: boolean;
      maxConnections: number;
      parser: unknown;
    };
    server: IpcServer;
    serve(path: string): void;
  }
}
