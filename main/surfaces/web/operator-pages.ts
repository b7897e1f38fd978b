import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { type RawData, WebSocket, WebSocketServer } from "ws";
import { z } from "zod";
import { ownCommand } from "../../../ipc/base/own-command.ts";
import { GateError } from "../../../ipc/contract/gate-error.ts";
import { type OperatorHandler, PAGE_EVENTS } from "../../../ipc/contract/operator-api.ts";
import { decodeFrame } from "../../../ipc/socket/frames.ts";
import { dispatch, operatorRequestSchema } from "../../../ipc/socket/operator-dispatch.ts";
import { PAGE_CLOSE } from "../../../ipc/socket/page-close.ts";
import { MAX_PAGE_FRAME_BYTES, type PageAnswer } from "../../../ipc/socket/page-frames.ts";
import { PAGE_PROTOCOL, SECRET_PATTERN } from "../../../ipc/socket/page-secret.ts";

/** The open pages: the operator's contract, one JSON object in a text frame. */

export interface PageLimits {
  maxPages: number;
  /** A page that has more unread bytes than this when something is to be sent is dropped. */
  max_unread_bytes: number;
  /** How often each page has to show that it is still there, in milliseconds. */
  heartbeatMs: number;
}

/** Nesting in a request: its parameters have two levels at the most. */
const MAX_DEPTH = 8;
/** Calls of one page that may run at the same time. */
const MAX_CALLS = 64;
/** How long a page may take to say goodbye when the gate closes, in milliseconds. */
const CLOSE_GRACE_MS = 500;

/** How long a page may take for its first two frames, in milliseconds. */
const GREETING_MS = 5000;

/** The browser's sessions, as its cookies name them: the page's secret tells which is its own. */
export interface PageSessions {
  /** What proves to the page that the gate knows them (ipc/socket/page-secret.ts). */
  proofs(nonce: string): string[];
  /** Whether the session of this secret still counts: asked again at each frame and each event. Undefined where there is none. */
  admit(pageSecret: string): (() => boolean) | undefined;
}

interface Page {
  socket: WebSocket;
  sessions: PageSessions;
  /** Whether its session still counts. Null until the page has shown its secret: no call is taken before, no event sent. */
  isAllowed: (() => boolean) | null;
  isGreeted: boolean;
  isAlive: boolean;
  calls: number;
}

export class OperatorPages {
  readonly #api: OperatorHandler;
  readonly #limits: PageLimits;
  readonly #log: (line: string) => void;
  readonly #pages = new Set<Page>();
  readonly #server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: MAX_PAGE_FRAME_BYTES,
    handleProtocols: (offered) => offered.has(PAGE_PROTOCOL) && PAGE_PROTOCOL,
  });
  #unsubscribe: (() => void) | undefined;
  readonly #heartbeat: NodeJS.Timeout;

  constructor(api: OperatorHandler, limits: PageLimits, log: (line: string) => void) {
    this.#api = api;
    this.#limits = limits;
    this.#log = log;
    this.#heartbeat = setInterval(() => this.#checkAll(), limits.heartbeatMs);
    this.#heartbeat.unref();
  }

  get isFull(): boolean {
    return this.#pages.size >= this.#limits.maxPages;
  }

  /** Takes over a checked upgrade. */
  open(request: IncomingMessage, stream: Duplex, head: Buffer, sessions: PageSessions): void {
    this.#server.handleUpgrade(request, stream, head, (socket) => {
      const page: Page = { socket, sessions, isAllowed: null, isGreeted: false, isAlive: true, calls: 0 };
      this.#pages.add(page);
      const late = setTimeout(() => {
        if (page.isAllowed === null) socket.terminate();
      }, GREETING_MS);
      socket.on("message", (data, isBinary) => this.#received(page, data, isBinary));
      socket.on("pong", () => {
        page.isAlive = true;
      });
      socket.on("error", () => socket.terminate()); // 'close' follows; a broken frame has already been answered
      socket.once("close", () => {
        clearTimeout(late);
        this.#closed(page);
      });
    });
  }

  /** Closes the pages whose session has ended, at once. */
  closeEnded(): void {
    for (const page of this.#pages) this.#stillAllowed(page);
  }

  async close(): Promise<void> {
    clearInterval(this.#heartbeat);
    const pages = [...this.#pages];
    const areClosed = pages.map(({ socket }) => new Promise<void>((resolve) => socket.once("close", () => resolve())));
    for (const { socket } of pages) socket.close(PAGE_CLOSE.gateCloses, "the gate is closing");
    const cut = setTimeout(() => {
      for (const { socket } of pages) socket.terminate();
    }, CLOSE_GRACE_MS);
    await Promise.all(areClosed);
    clearTimeout(cut);
  }

  #closed(page: Page): void {
    this.#pages.delete(page);
    if (this.#pages.size > 0) return;
    this.#unsubscribe?.();
    this.#unsubscribe = undefined;
  }

  #received(page: Page, data: RawData, isBinary: boolean): void {
    const { socket } = page;
    if (socket.readyState !== WebSocket.OPEN || !this.#stillAllowed(page)) return;
    if (isBinary) return socket.close(1003, "text frames only");
    const frame = decodeFrame(String(data), { bytes: MAX_PAGE_FRAME_BYTES, depth: MAX_DEPTH });
    if (page.isAllowed === null) return this.#greeted(page, frame.ok ? frame.message : undefined);
    const request = operatorRequestSchema.safeParse(frame.ok ? frame.message : undefined);
    if (!request.success) return socket.close(1008, "a request needs id, method and params");
    const { id, method, params } = request.data;
    void this.#call(page, id, method, params);
  }

  /** The page's first two frames: its nonce, and, once it has seen that this is its gate, its secret. */
  #greeted(page: Page, message: unknown): void {
    const { socket, sessions, isGreeted } = page;
    const said = (isGreeted ? secretSchema : nonceSchema).safeParse(message);
    if (!said.success) return socket.close(1008, "a page begins with its nonce, then its secret");
    if ("nonce" in said.data) {
      page.isGreeted = true;
      return this.#send(page, JSON.stringify({ proofs: sessions.proofs(said.data.nonce) }));
    }
    const isAllowed = sessions.admit(said.data.secret);
    if (isAllowed === undefined) return socket.close(PAGE_CLOSE.sessionEnded, "the session has ended");
    page.isAllowed = isAllowed;
    this.#unsubscribe ??= this.#api.subscribe((event) => this.#tellAll({ event }), PAGE_EVENTS);
  }

  async #call(page: Page, id: number, method: string, params: unknown): Promise<void> {
    page.calls++;
    const answer = await dispatch(this.#api, method, params, {
      refusal: () => refusalOf(method, page.calls),
      failed: (what, error) => this.#log(`page: ${what} failed: ${error instanceof Error ? error.name : "unknown"}`),
    });
    page.calls--;
    const frame: PageAnswer = answer.ok ? { id, result: answer.result } : { id, failure: answer.failure };
    this.#send(page, JSON.stringify(frame));
  }

  #tellAll(answer: PageAnswer): void {
    const text = JSON.stringify(answer);
    for (const page of this.#pages) {
      if (page.isAllowed !== null && this.#stillAllowed(page)) this.#send(page, text);
    }
  }

  #send({ socket }: Page, text: string): void {
    if (socket.readyState !== WebSocket.OPEN) return;
    const { max_unread_bytes } = this.#limits;
    if (socket.bufferedAmount > max_unread_bytes) {
      this.#log(`page: dropped one that left more than ${max_unread_bytes} bytes unread`);
      socket.terminate();
      return;
    }
    socket.send(text, () => undefined); // a failed write ends in 'close'
  }

  #stillAllowed({ socket, isAllowed }: Page): boolean {
    if (isAllowed === null || isAllowed()) return true;
    if (socket.readyState === WebSocket.OPEN) socket.close(PAGE_CLOSE.sessionEnded, "the session has ended");
    return false;
  }

  #checkAll(): void {
    for (const page of this.#pages) {
      if (!page.isAlive) page.socket.terminate();
      else if (this.#stillAllowed(page)) {
        page.isAlive = false;
        page.socket.ping();
      }
    }
  }
}

const hex = z.string().regex(SECRET_PATTERN);
const nonceSchema = z.strictObject({ nonce: hex });
const secretSchema = z.strictObject({ secret: hex });

/** @param calls of this page that run, with this one */
function refusalOf(method: string, calls: number): GateError | undefined {
  if (calls > MAX_CALLS) return new GateError("busy", "too many calls at once", "wait for their answers");
  // A page that could make links would outlive its own session.
  if (method === "web.link")
    return new GateError("not_available", "a page makes no links", `in a terminal: ${ownCommand("open")}`);
  return undefined;
}
