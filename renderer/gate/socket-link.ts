import type { OperatorEvent, OperatorMethod, OperatorParams, OperatorResult } from "../../ipc/contract/operator-api.ts";
import { PAGE_CLOSE } from "../../ipc/socket/page-close.ts";
import { type ReadAnswer, readAnswer } from "../../ipc/socket/page-frames.ts";
import { PAGE_PROTOCOL, proofText, SECRET_PATTERN } from "../../ipc/socket/page-secret.ts";
import { type GateLink, isSilent, type LinkState, Listeners, notAnswering } from "./link.ts";
import type { Hint, Seat } from "./seat.ts";

const FIRST_RETRY_MS = 250;
/** A gate that is back is seen by then. */
const LAST_RETRY_MS = 1500;
/** A gate proves itself at once; what stays silent is left. */
const PROOF_MS = 4000;

interface Asking {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

/**
 * In a browser tab: a WebSocket on the page's own origin. Comes back by itself; what was asked meanwhile is refused. Whoever answers
 * gets the page's secret, and the first call, only once it has proved that it is the gate (ipc/socket/page-secret.ts).
 */
export class SocketLink implements GateLink {
  readonly #url: string;
  readonly #seat: Seat;
  readonly #leave: () => void;
  readonly #states = new Listeners<LinkState>();
  readonly #events = new Listeners<OperatorEvent>();
  readonly #asking = new Map<number, Asking>();
  #socket: WebSocket | undefined;
  #state: LinkState = "connecting";
  #nextId = 1;
  #retryMs = FIRST_RETRY_MS;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #isClosed = false;
  /** Requests before the first connection wait for it. */
  #opening: Promise<void>;
  #opened: () => void = () => undefined;

  constructor(url: string, seat: Seat) {
    this.#url = url;
    this.#opening = new Promise((resolve) => {
      this.#opened = resolve;
    });
    this.#seat = seat;
    this.#leave = seat.onHint((hint) => this.#hinted(hint));
    this.#connect();
  }

  get state(): LinkState {
    return this.#state;
  }

  onState(listener: (state: LinkState) => void): () => void {
    return this.#states.add(listener);
  }

  async call<M extends OperatorMethod>(method: M, params: OperatorParams<M>): Promise<OperatorResult<M>> {
    if (this.#state === "connecting") await this.#opening;
    const socket = this.#socket;
    if (socket?.readyState !== WebSocket.OPEN || this.#state !== "answering") throw notAnswering();
    const id = this.#nextId++;
    const result = await new Promise<unknown>((resolve, reject) => {
      this.#asking.set(id, { resolve, reject });
      socket.send(JSON.stringify({ id, method, params }));
    });
    return result as OperatorResult<M>;
  }

  subscribe(listener: (event: OperatorEvent) => void): () => void {
    return this.#events.add(listener);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#retry);
    this.#leave();
    this.#socket?.close();
  }

  #hinted(hint: Hint): void {
    // Without a new link the session stays as it is: ended.
    if (!isSilent(this.#state) || (hint === "seen" && this.#state === "shut_out")) return;
    if (this.#socket?.readyState === WebSocket.CONNECTING) return; // already under way
    clearTimeout(this.#retry);
    this.#connect();
  }

  #connect(): void {
    // Read each time: a new link, used in another tab, brings another one.
    const secret = this.#seat.secret();
    const nonce = newNonce();
    const socket = new WebSocket(this.#url, PAGE_PROTOCOL);
    this.#socket = socket;
    let hasOpened = false;
    let late: ReturnType<typeof setTimeout> | undefined;
    socket.onopen = () => {
      hasOpened = true;
      late = setTimeout(() => socket.close(), PROOF_MS);
      socket.send(JSON.stringify({ nonce }));
    };
    socket.onmessage = async ({ data }) => {
      socket.onmessage = null; // a gate says nothing more before it has the secret
      clearTimeout(late);
      const isGate = await provesSession(String(data), secret, this.#seat.origin, nonce);
      if (!isGate || secret === null) {
        this.#enter("stranger");
        return socket.close();
      }
      if (socket.readyState !== WebSocket.OPEN) return;
      socket.onmessage = (message) => this.#received(socket, String(message.data));
      socket.send(JSON.stringify({ secret }));
      this.#retryMs = FIRST_RETRY_MS;
      this.#enter("answering");
      this.#opened();
    };
    // An error is always followed by close.
    socket.onclose = ({ code }) => {
      clearTimeout(late);
      if (socket === this.#socket) this.#lost(code, hasOpened);
    };
  }

  #received(socket: WebSocket, data: string): void {
    const answer = readAnswer(data);
    // Whoever waits for what this should have been is refused, and the connection made anew.
    if (answer === undefined) socket.close();
    else this.#take(answer);
  }

  #lost(code: number, hasOpened: boolean): void {
    for (const { reject } of this.#asking.values()) reject(notAnswering());
    this.#asking.clear();
    if (this.#isClosed) return;
    if (code === PAGE_CLOSE.sessionEnded) this.#enter("shut_out");
    else if (!isSilent(this.#state)) this.#enter("silent");
    this.#opened();
    if (!hasOpened) void this.#askWhy();
    if (this.#state === "shut_out") return;
    this.#retry = setTimeout(() => this.#connect(), this.#retryMs);
    this.#retryMs = Math.min(LAST_RETRY_MS, this.#retryMs * 2);
  }

  /** A refused WebSocket doesn't tell why: a gate that doesn't know this session refuses the page itself, too. */
  async #askWhy(): Promise<void> {
    try {
      const { status } = await fetch("/", { cache: "no-store" });
      if ((status !== 403 && status !== 401) || !isSilent(this.#state)) return;
      clearTimeout(this.#retry);
      this.#enter("shut_out");
    } catch {
      if (this.#state === "stranger") this.#enter("silent"); // nobody is there any more
    }
  }

  #take(answer: ReadAnswer): void {
    if ("event" in answer) {
      this.#events.tell(answer.event);
      return;
    }
    const asking = this.#asking.get(answer.id);
    this.#asking.delete(answer.id);
    if ("error" in answer) asking?.reject(answer.error);
    else asking?.resolve(answer.result);
  }

  #enter(state: LinkState): void {
    if (state === this.#state) return;
    this.#state = state;
    this.#states.tell(state);
  }
}

// Whether what answers at the page's port is the gate that this browser's session is of.

/** A new one for each connection: an earlier answer proves nothing. */
function newNonce(): string {
  return hex(crypto.getRandomValues(new Uint8Array(32)));
}

/**
 * Whether the first frame on a WebSocket proves that its sender knows the session of this secret.
 * @param origin the page's own
 * @param secret null where this browser has none: nothing proves it then
 */
async function provesSession(frame: string, secret: string | null, origin: string, nonce: string): Promise<boolean> {
  const proofs = proofsIn(frame);
  if (secret === null || !SECRET_PATTERN.test(secret) || proofs.length === 0) return false;
  const expected = await proof(secret, origin, nonce);
  return proofs.includes(expected);
}

/** Computed here, never compared with what an earlier page was sent. */
async function proof(secret: string, origin: string, nonce: string): Promise<string> {
  const text = new TextEncoder();
  const hash = await crypto.subtle.digest("SHA-256", text.encode(secret));
  const key = await crypto.subtle.importKey("raw", hash, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  return hex(new Uint8Array(await crypto.subtle.sign("HMAC", key, text.encode(proofText(origin, nonce)))));
}

function proofsIn(frame: string): readonly unknown[] {
  try {
    const { proofs } = JSON.parse(frame) as { proofs?: unknown };
    return Array.isArray(proofs) ? proofs : [];
  } catch {
    return []; // no frame of a gate
  }
}

function hex(bytes: Uint8Array): string {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
