import type { OperatorEvent, OperatorMethod, OperatorParams, OperatorResult } from "../../ipc/operator-api.ts";
import { PAGE_CLOSE } from "../../ipc/page-close.ts";
import { type ReadAnswer, readAnswer } from "../../ipc/page-frames.ts";
import { PAGE_SECRET_KEY, pageProtocols } from "../../ipc/page-secret.ts";
import { type GateLink, isSilent, type LinkState, Listeners, notAnswering, type Silence } from "./link.ts";

const FIRST_RETRY_MS = 250;
const LAST_RETRY_MS = 5000;

const SILENCE_OF_CLOSE: Readonly<Record<number, Silence>> = {
  [PAGE_CLOSE.gate_closes]: "ended",
  [PAGE_CLOSE.session_ended]: "shut_out",
};

interface Asking {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

/** In a browser tab: a WebSocket on the page's own origin. Comes back by itself; what was asked meanwhile is refused. */
export class SocketLink implements GateLink {
  readonly #url: string;
  readonly #states = new Listeners<LinkState>();
  readonly #events = new Listeners<OperatorEvent>();
  readonly #asking = new Map<number, Asking>();
  #socket: WebSocket | undefined;
  #state: LinkState = "connecting";
  #next_id = 1;
  #retry_ms = FIRST_RETRY_MS;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #is_closed = false;
  /** What is asked before the first connection stands waits for it. */
  #opening: Promise<void>;
  #opened: () => void = () => undefined;

  constructor(url: string) {
    this.#url = url;
    this.#opening = new Promise((resolve) => {
      this.#opened = resolve;
    });
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
    if (socket === undefined || socket.readyState !== WebSocket.OPEN) throw notAnswering();
    const id = this.#next_id++;
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
    this.#is_closed = true;
    clearTimeout(this.#retry);
    this.#socket?.close();
  }

  #connect(): void {
    // Read each time: a new link, used in another tab, brings another one.
    const socket = new WebSocket(this.#url, pageProtocols(storedSecret()));
    this.#socket = socket;
    let has_opened = false;
    socket.onopen = () => {
      has_opened = true;
      this.#retry_ms = FIRST_RETRY_MS;
      this.#enter("answering");
      this.#opened();
    };
    socket.onmessage = ({ data }) => {
      const answer = readAnswer(String(data));
      // Whoever waits for what this should have been is refused, and the connection made anew.
      if (answer === undefined) socket.close();
      else this.#take(answer);
    };
    // An error is always followed by close.
    socket.onclose = ({ code }) => {
      for (const { reject } of this.#asking.values()) reject(notAnswering());
      this.#asking.clear();
      if (this.#is_closed) return;
      // What was known of this silence stays, until the gate is seen again.
      if (has_opened || !isSilent(this.#state)) this.#enter(SILENCE_OF_CLOSE[code] ?? "silent");
      this.#opened();
      if (!has_opened) void this.#askWhy();
      this.#retry = setTimeout(() => this.#connect(), this.#retry_ms);
      this.#retry_ms = Math.min(LAST_RETRY_MS, this.#retry_ms * 2);
    };
  }

  /** A refused WebSocket doesn't tell why: a gate that was started again refuses the page itself, too. */
  async #askWhy(): Promise<void> {
    try {
      const { status } = await fetch("/", { cache: "no-store" });
      if (status === 403 && isSilent(this.#state)) this.#enter("shut_out");
    } catch {
      if (this.#state === "shut_out") this.#enter("silent"); // nobody is there any more
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

/** Null where there is none, or the browser keeps nothing for this page: the gate then refuses it. */
function storedSecret(): string | null {
  try {
    return localStorage.getItem(PAGE_SECRET_KEY);
  } catch {
    return null;
  }
}
