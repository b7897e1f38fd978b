import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { type ClientHello, MAX_CLIENT_HELLO, readClientHello } from "./client-hello.ts";
import { type ProxyParts, type Refusal, reach, reasonPhrase } from "./connection.ts";
import { connectDestination, type Destination, namesHost } from "./destination.ts";

/** CONNECT: a way for TLS to one host, and for nothing else. */

/** TLS alerts, as the client's own library reports them: no such name; access denied. */
const UNRECOGNIZED_NAME = 112;
const ACCESS_DENIED = 49;

/** Serves one CONNECT request on the socket that it came by. */
export async function serveTunnel(
  request: IncomingMessage,
  client: Duplex,
  head: Buffer,
  parts: ProxyParts,
): Promise<void> {
  const first = new FirstBytes(client, head);
  const to = connectDestination(request.url ?? "");
  if (!("ok" in to)) return refuse(client, { status: 403, why: to.why });
  const problem = problemOf(request, to.ok);
  if (problem !== null) return refuse(client, { status: 400, why: problem });
  const reached = await reach(to.ok, parts, first.gone);
  if ("refusal" in reached) return refuse(client, reached.refusal);
  const host = reached.socket;
  host.once(
    "close",
    parts.opened(to.ok, () => {
      host.destroy();
      client.destroy();
    }),
  );
  // Until both are one way, the end of either is the end of both.
  const end = () => {
    host.destroy();
    client.destroy();
  };
  host.once("close", end);
  first.gone.addEventListener("abort", end);
  client.write("HTTP/1.1 200 Connection established\r\n\r\n");
  const alert = alertOn(await first.clientHello(parts.limits.headMs), to.ok);
  if (alert !== null) {
    host.off("close", end);
    host.destroy();
    client.end(alert, () => client.destroy());
    return;
  }
  host.off("close", end);
  first.gone.removeEventListener("abort", end);
  host.write(first.release());
  join(client, host);
}

/** What a CONNECT may not hold: what another program could read as a body, or as another host. */
function problemOf({ headers, rawHeaders }: IncomingMessage, to: Destination): string | null {
  if (headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined)
    return "CONNECT has no body";
  const hosts = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === "host").length;
  const isSame = headers.host === undefined || namesHost(headers.host, to);
  return hosts > 1 || !isSame ? "Host must be the host that is asked for" : null;
}

/** Null where the client means the host that it asked for; else what ends its connection: nothing where it doesn't speak TLS. */
function alertOn(hello: Awaited<ReturnType<FirstBytes["clientHello"]>>, to: Destination): Buffer | null {
  if (hello.state === "partial") return Buffer.alloc(0);
  if (hello.state === "refused") return hello.isTls ? alertOf(ACCESS_DENIED) : Buffer.alloc(0);
  // A client that connects to an address names none: RFC 6066 §3.
  const expected = to.address === undefined ? to.host : null;
  if (hello.server_name === expected) return null;
  return alertOf(hello.server_name === null ? ACCESS_DENIED : UNRECOGNIZED_NAME);
}

const alertOf = (description: number): Buffer => Buffer.from([21, 3, 3, 0, 2, 2, description]);

/** Sends each what the other says, at the pace of the slower one; the end of one direction leaves the other open. */
function join(client: Duplex, host: Socket): void {
  const onward = (from: Duplex, to: Duplex) => {
    from.pipe(to);
    from.once("error", () => to.destroy());
    from.once("close", () => {
      // What is on its way still gets there; without a reader nothing more is taken.
      if (!to.writableEnded) to.end();
      to.resume();
      if (to.writableFinished) to.destroy();
      else to.once("finish", () => to.destroy());
    });
  };
  onward(client, host);
  onward(host, client);
}

const TITLES: Readonly<Record<Refusal["status"], string>> = {
  400: "Bad Request",
  403: "Forbidden",
  502: "Bad Gateway",
};

/** Many clients show their user the first line alone: the reason is in it. */
function refuse(client: Duplex, { status, why }: Refusal): void {
  if (client.destroyed) return;
  const phrase = reasonPhrase(why);
  const body = `${TITLES[status]}: ${phrase}\n`;
  client.end(
    `HTTP/1.1 ${status} ${phrase}\r\nContent-Type: text/plain\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
    () => client.destroy(),
  );
}

/** What a client sends while its tunnel is not open yet, and whether it is still there. */
class FirstBytes {
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
  clientHello(patienceMs: number): Promise<ClientHello> {
    return new Promise((resolve) => {
      const done = (hello: ClientHello) => {
        clearTimeout(timer);
        this.#changed = undefined;
        this.gone.removeEventListener("abort", over);
        resolve(hello);
      };
      const over = () => done({ state: "partial" });
      const timer = setTimeout(over, patienceMs);
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
