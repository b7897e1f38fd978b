import { ownCommand } from "../base/own-command.ts";
import { GateError } from "../contract/gate-error.ts";
import type {
  OperatorApi,
  OperatorEvent,
  OperatorEventType,
  OperatorMethod,
  OperatorParams,
  OperatorResult,
} from "../contract/operator-api.ts";
import { OperatorClient } from "./operator-client.ts";

/** How often a gate that has gone is looked for, in milliseconds. */
const RETRY_MS = 500;

export type GatePresence = "there" | "away";

/**
 * The operator's contract over operator.sock, for what is open for long: where the gate goes, it waits for the next one and subscribes
 * there. What is asked meanwhile is refused, and asked by nobody again.
 */
export class LastingOperator implements OperatorApi {
  readonly #path: string;
  readonly #tokenFile: string;
  readonly #subscribed = new Map<(event: OperatorEvent) => void, readonly OperatorEventType[] | undefined>();
  readonly #presence = new Set<(presence: GatePresence) => void>();
  #client: OperatorClient | undefined;
  #retry: NodeJS.Timeout | undefined;
  #isClosed = false;
  #ended: () => void = () => undefined;
  /** Resolves once `close` was called. */
  readonly closed = new Promise<void>((resolve) => {
    this.#ended = resolve;
  });

  private constructor(path: string, tokenFile: string) {
    this.#path = path;
    this.#tokenFile = tokenFile;
  }

  /** @throws GateError as `OperatorClient.connect`, where no gate is there to begin with: `patienceMs` is how long that one may take */
  static async connect(path: string, tokenFile: string, patienceMs?: number): Promise<LastingOperator> {
    const lasting = new LastingOperator(path, tokenFile);
    lasting.#use(await OperatorClient.connect(path, tokenFile, patienceMs));
    return lasting;
  }

  /** @throws GateError `not_answering` while no gate is there */
  async call<M extends OperatorMethod>(method: M, params: OperatorParams<M>): Promise<OperatorResult<M>> {
    if (this.#client === undefined)
      throw new GateError("not_answering", "the gate isn't answering", `start it with: ${ownCommand("start")}`);
    return await this.#client.call(method, params);
  }

  subscribe(listener: (event: OperatorEvent) => void, types?: readonly OperatorEventType[]): () => void {
    this.#subscribed.set(listener, types);
    this.#client?.subscribe((event) => this.#tell(listener, event), types);
    return () => this.#subscribed.delete(listener);
  }

  /** Calls the listener when the gate goes, and when there is one again. The function that is returned ends it. */
  onPresence(listener: (presence: GatePresence) => void): () => void {
    this.#presence.add(listener);
    return () => this.#presence.delete(listener);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#retry);
    await this.#client?.close();
    this.#ended();
  }

  #use(client: OperatorClient): void {
    this.#client = client;
    for (const [listener, types] of this.#subscribed) client.subscribe((event) => this.#tell(listener, event), types);
    void client.closed.then(() => {
      this.#client = undefined;
      if (this.#isClosed) return;
      this.#say("away");
      this.#lookAgain();
    });
  }

  /** Not to one that has ended its subscription meanwhile. */
  #tell(listener: (event: OperatorEvent) => void, event: OperatorEvent): void {
    if (this.#subscribed.has(listener)) listener(event);
  }

  #lookAgain(): void {
    this.#retry = setTimeout(async () => {
      try {
        const client = await OperatorClient.connect(this.#path, this.#tokenFile);
        if (this.#isClosed) return void (await client.close());
        this.#use(client);
        this.#say("there");
      } catch {
        if (!this.#isClosed) this.#lookAgain(); // none yet, or one that is just starting
      }
    }, RETRY_MS);
  }

  #say(presence: GatePresence): void {
    for (const listener of [...this.#presence]) listener(presence);
  }
}
