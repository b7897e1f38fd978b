import { createHash, createHmac } from "node:crypto";
import { once } from "node:events";
import { type IncomingHttpHeaders, request } from "node:http";
import { onTestFinished } from "vitest";
import { type ClientOptions, WebSocket } from "ws";
import type { OperatorEvent } from "../../ipc/contract/operator-api.ts";
import type { GateUnderTest } from "./running-gate.ts";

/** Somebody at the page's port: speaks HTTP and WebSocket from the standards alone, with any header they like. */

export interface Answered {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}

/** A link, taken apart. */
export interface Link {
  url: string;
  port: number;
  /** `/?token=...` */
  path: string;
}

export async function linkTo(gate: GateUnderTest): Promise<Link> {
  const { url } = await gate.operator.call("web.link", {});
  const { port, pathname, search } = new URL(url);
  return { url, port: Number(port), path: pathname + search };
}

/** One request on a separate connection. `path` is sent as it is. */
export function ask(
  port: number,
  path: string,
  {
    method = "GET",
    headers = {},
    body = "",
  }: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: "127.0.0.1", port, path, method, headers, agent: false }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
      response.on("error", reject);
      response.on("end", () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }));
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

/** What a fresh link is exchanged for. */
export interface Session {
  port: number;
  /** As a request carries it. */
  cookie: string;
  /** What the page's own origin stores. */
  secret: string;
}

export async function sessionFor(gate: GateUnderTest): Promise<Session> {
  const { port, path } = await linkTo(gate);
  return sessionIn(port, await ask(port, path));
}

/** The session in a link's answer. */
export function sessionIn(port: number, { headers, body }: Answered): Session {
  const [cookie = ""] = headers["set-cookie"]?.[0]?.split(";") ?? [];
  const [, secret = ""] = /<meta name="metnos-page-secret" content="([0-9a-f]{64})">/.exec(body) ?? [];
  return { port, cookie, secret };
}

export type PageMessage = Record<string, unknown> & {
  id?: number;
  result?: unknown;
  failure?: { code: string; message: string; hint: string };
  event?: OperatorEvent;
};

/** An open WebSocket to `/operator`. */
export class PageSocket {
  readonly socket: WebSocket;
  readonly closed: Promise<{ code: number; reason: string }>;
  readonly #unread: PageMessage[] = [];

  /** Messages that were received and not taken. */
  get unread(): readonly PageMessage[] {
    return this.#unread;
  }

  readonly #waiting: (() => void)[] = [];

  private constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on("message", (data) => {
      this.#unread.push(JSON.parse(String(data)));
      for (const wake of this.#waiting.splice(0)) wake();
    });
    socket.on("error", () => undefined); // 'close' follows
    this.closed = once(socket, "close").then(([code, reason]) => ({ code, reason: String(reason) }));
    onTestFinished(() => socket.terminate());
  }

  /** As the page does it: the gate has proved itself, and has the page's secret. */
  static async open(session: Session, options: ClientOptions = {}): Promise<PageSocket> {
    const page = await PageSocket.connect(session, options);
    const proofs = await page.proofs(NONCE);
    if (!proofs.includes(expectedProof(session, NONCE))) throw new Error("the gate didn't prove itself");
    page.send({ secret: session.secret });
    await page.call(0, ""); // is refused; the secret was read before it
    return page;
  }

  /** An open WebSocket, on which nothing was said yet. */
  static async connect({ port, cookie }: Omit<Session, "secret">, options: ClientOptions = {}): Promise<PageSocket> {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/operator`, "metnos", {
      ...options,
      headers: { Cookie: cookie },
      origin: `http://127.0.0.1:${port}`,
    });
    const page = new PageSocket(socket);
    await once(socket, "open");
    return page;
  }

  /** What the gate answers a page's nonce with. */
  async proofs(nonce: string): Promise<unknown[]> {
    this.send({ nonce });
    const { proofs } = await this.next((message) => "proofs" in message);
    return proofs as unknown[];
  }

  send(message: unknown): void {
    this.socket.send(JSON.stringify(message));
  }

  async next(matches: (message: PageMessage) => boolean): Promise<PageMessage> {
    for (;;) {
      const index = this.#unread.findIndex(matches);
      const [found] = index === -1 ? [] : this.#unread.splice(index, 1);
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  async call(id: number, method: string, params: unknown = {}): Promise<PageMessage> {
    this.send({ id, method, params });
    return await this.next((message) => message.id === id);
  }

  event(type: string): Promise<PageMessage> {
    return this.next(({ event }) => event?.type === type);
  }
}

const NONCE = "1".repeat(64);

/** What the gate has to answer a page at 127.0.0.1 with, written from the protocol alone. */
export function expectedProof({ port, secret }: Pick<Session, "port" | "secret">, nonce: string): string {
  const key = createHash("sha256").update(secret).digest();
  return createHmac("sha256", key).update(`metnos page\nhttp://127.0.0.1:${port}\n${nonce}`).digest("hex");
}

/** The status that a WebSocket's upgrade is refused with; 101 where it was accepted. */
export async function upgradeStatus(
  { port }: Pick<Session, "port">,
  options: ClientOptions,
  path = "/operator",
): Promise<number> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, "metnos", options);
  socket.on("error", () => undefined); // reported by 'unexpected-response'
  onTestFinished(() => socket.terminate());
  return await new Promise((resolve) => {
    socket.once("open", () => resolve(101));
    socket.once("unexpected-response", (sent, response) => {
      sent.destroy();
      resolve(response.statusCode ?? 0);
    });
  });
}
