import type { Duplex } from "node:stream";
import { type ClientHello, MAX_CLIENT_HELLO, readClientHello } from "./client-hello.ts";

/** What a client sends while its tunnel is not open yet, and whether it is still there. */
export class FirstBytes {
  /** It has ended its connection, or sent more than it may. */
  readonly gone: AbortSignal;
  readonly #client: Duplex;
  readonly #chunks: Buffer[];
  readonly #grown: () => void;
  readonly #taken: (chunk: Buffer) => void;
  readonly #left: () => void;
  #length: number;
  #changed: (() => void) | undefined;

  constructor(client: Duplex, head: Buffer) {
    const controller = new AbortController();
    this.gone = controller.signal;
    this.#client = client;
    this.#chunks = [head];
    this.#length = head.length;
    this.#left = () => controller.abort();
    this.#grown = () => {
      // More than one first message can be: nothing that waits for an answer sends that.
      if (this.#length > 2 * MAX_CLIENT_HELLO) client.destroy();
      this.#changed?.();
    };
    this.#taken = (chunk) => {
      this.#chunks.push(chunk);
      this.#length += chunk.length;
      this.#grown();
    };
    client.on("data", this.#taken);
    client.on("error", this.#left);
    client.once("end", this.#left);
    client.once("close", this.#left);
  }

  /** The client's first message of TLS; `partial` where it doesn't come within so many milliseconds. */
  clientHello(patience_ms: number): Promise<ClientHello> {
    return new Promise((resolve) => {
      const done = (hello: ClientHello) => {
        clearTimeout(timer);
        this.#changed = undefined;
        this.gone.removeEventListener("abort", over);
        resolve(hello);
      };
      const over = () => done({ state: "partial" });
      const timer = setTimeout(over, patience_ms);
      this.gone.addEventListener("abort", over);
      this.#changed = () => {
        const hello = readClientHello(this.#bytes());
        if (hello.state !== "partial") done(hello);
      };
      if (this.gone.aborted) over();
      else this.#changed();
    });
  }

  /** All that came so far; what follows is somebody else's. */
  release(): Buffer {
    this.#client.pause();
    this.#client.off("data", this.#taken);
    this.#client.off("end", this.#left);
    this.#client.off("close", this.#left);
    return this.#bytes();
  }

  /** In one piece, so that nothing is joined twice. */
  #bytes(): Buffer {
    const bytes = Buffer.concat(this.#chunks, this.#length);
    this.#chunks.splice(0, this.#chunks.length, bytes);
    return bytes;
  }
}
