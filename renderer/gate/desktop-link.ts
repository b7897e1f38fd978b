import { receivedError } from "../../ipc/contract/gate-error.ts";
import type { OperatorEvent, OperatorMethod, OperatorParams, OperatorResult } from "../../ipc/contract/operator-api.ts";
import type { Bridge } from "../../ipc/socket/bridge.ts";
import { type GateLink, type LinkState, Listeners, notAnswering } from "./link.ts";

const RETRY_MS = 2000;

/** In the desktop app: the bridge that the preload put there. */
export class DesktopLink implements GateLink {
  readonly #bridge: Bridge;
  readonly #states = new Listeners<LinkState>();
  #state: LinkState = "answering";
  readonly #unwatch: () => void;
  #retry: ReturnType<typeof setTimeout> | undefined;

  constructor(bridge: Bridge) {
    this.#bridge = bridge;
    this.#unwatch = bridge.watchGate((isThere) => {
      if (isThere) this.#ask();
      else this.#enter("silent");
    });
  }

  get state(): LinkState {
    return this.#state;
  }

  onState(listener: (state: LinkState) => void): () => void {
    return this.#states.add(listener);
  }

  async call<M extends OperatorMethod>(method: M, params: OperatorParams<M>): Promise<OperatorResult<M>> {
    const answer = await this.#bridge.call(method, params).catch(() => {
      this.#enter("silent");
      throw notAnswering();
    });
    // The app is there, but the gate that it uses has ended.
    if (!answer.ok && answer.failure.code === "connection_lost") {
      this.#enter("silent");
      throw notAnswering();
    }
    this.#enter("answering");
    if (answer.ok) return answer.result;
    throw receivedError(answer.failure);
  }

  subscribe(listener: (event: OperatorEvent) => void): () => void {
    return this.#bridge.subscribe(listener);
  }

  async close(): Promise<void> {
    clearTimeout(this.#retry);
    this.#unwatch();
  }

  #ask(): void {
    void this.call("status", {}).catch(() => null);
  }

  #enter(state: LinkState): void {
    clearTimeout(this.#retry);
    if (state === "silent") this.#retry = setTimeout(() => this.#ask(), RETRY_MS);
    if (state === this.#state) return;
    this.#state = state;
    this.#states.tell(state);
  }
}
