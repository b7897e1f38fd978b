import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { nodeHttp } from "../../../ipc/base/node-http.ts";

/** An HTTP API on loopback, at a port of its own. What an answer throws ends its connection alone. */
export abstract class LoopbackApi {
  readonly #server: Server;
  /** How the client names itself in its requests. */
  userAgent = "";

  protected constructor() {
    this.#server = nodeHttp().createServer((request, response) => {
      this.userAgent = request.headers["user-agent"] ?? this.userAgent;
      this.answer(request, response).catch((error: unknown) => response.destroy(error as Error));
    });
  }

  protected abstract answer(request: IncomingMessage, response: ServerResponse): Promise<void>;

  protected async listening(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return this;
  }

  /** Its address, without a slash at the end. */
  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}
