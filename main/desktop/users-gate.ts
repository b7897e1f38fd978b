import type { GatePaths } from "../../ipc/base/paths.ts";
import { GateError } from "../../ipc/contract/gate-error.ts";
import {
  type OperatorEvent,
  type OperatorEventType,
  type OperatorHandler,
  type OperatorMethod,
  type OperatorParams,
  type OperatorResult,
  PAGE_EVENTS,
} from "../../ipc/contract/operator-api.ts";
import { OperatorClient } from "../../ipc/socket/operator-client.ts";
import type { RunningGate } from "../serve.ts";

/**
 * Whose gate the app's surfaces use: one that runs in the app, or the user's own that another process runs. `away`: that one has ended,
 * and the app waits for it.
 */
export type GateMode = "own" | "attached" | "away";

export interface GateSources {
  /** Starts a gate in this process. @throws GateError `already_running` where another process has it */
  serve(): Promise<RunningGate>;
  /** Connects to the gate that runs, with the user's token. @throws GateError `not_running` */
  connect(): Promise<OperatorClient>;
  log(line: string): void;
  /** Milliseconds; for tests. */
  retryMs?: number;
  openingMs?: number;
}

/** How often a gate that is away is looked for. Milliseconds. */
const RETRY_MS = 1000;
/** A command holds the gate's lock for a moment, and a starting gate doesn't listen yet. Milliseconds. */
const OPENING_MS = 10_000;
const OPENING_RETRY_MS = 200;
/** A gate that takes longer to answer counts as away. Milliseconds. */
const CONNECTING_MS = 5000;
/** Where no gate is there, or none that can be used yet. */
const AWAY = ["not_running", "not_answering", "connection_lost"] as const;

type Current =
  | { mode: "own"; gate: RunningGate; unsubscribe: () => void }
  | { mode: "attached"; client: OperatorClient }
  | { mode: "away" };

/** The user's one gate, wherever it runs, as one contract that outlives it. */
export class UsersGate implements OperatorHandler {
  readonly #sources: GateSources;
  readonly #listeners = new Map<(event: OperatorEvent) => void, readonly OperatorEventType[]>();
  readonly #modeListeners = new Set<(mode: GateMode) => void>();
  readonly #ownEnded: Promise<GateError>;
  #reportOwnEnd: (why: GateError) => void = () => undefined;
  #current: Current = { mode: "away" };
  #retry: NodeJS.Timeout | undefined;
  #isLooking = false;
  #isClosed = false;

  private constructor(sources: GateSources) {
    this.#sources = sources;
    this.#ownEnded = new Promise((resolve) => {
      this.#reportOwnEnd = resolve;
    });
  }

  /**
   * Starts a gate here, or attaches to the one that runs already. One that holds the lock but never answers is waited for.
   * @throws GateError what keeps a gate from starting, `not_authorised` where the one that runs isn't the user's
   */
  static async open(sources: GateSources): Promise<UsersGate> {
    const gate = new UsersGate(sources);
    const until = performance.now() + (sources.openingMs ?? OPENING_MS);
    while (!(await gate.#serveOrAttach())) {
      if (performance.now() > until) {
        sources.log("another process has the gate's lock, but no gate answers: waiting for it");
        gate.#lookLater();
        break;
      }
      await new Promise((resolve) => setTimeout(resolve, OPENING_RETRY_MS));
    }
    return gate;
  }

  get mode(): GateMode {
    return this.#current.mode;
  }

  /** Resolves with the reason once a gate of this process can't continue. */
  get ownEnded(): Promise<GateError> {
    return this.#ownEnded;
  }

  /** Called with each change. Returns the function that ends it. */
  onMode(listener: (mode: GateMode) => void): () => void {
    this.#modeListeners.add(listener);
    return () => this.#modeListeners.delete(listener);
  }

  /** The user's wish, while the gate is away: a gate in this process, or the other one if it is there again. @throws GateError as `open` */
  async start(): Promise<void> {
    if (this.#current.mode !== "away") return;
    if (await this.#serveOrAttach()) return;
    throw new GateError(
      "already_running",
      "another process has the gate's lock, but no gate answers",
      "end that process, or wait for it",
    );
  }

  async call<M extends OperatorMethod>(method: M, params: OperatorParams<M>): Promise<OperatorResult<M>> {
    return await this.#api().call(method, params);
  }

  async handle(method: OperatorMethod, params: unknown): Promise<unknown> {
    if (this.#current.mode === "own") return await this.#current.gate.operator.on("app").handle(method, params);
    // The gate itself checks them.
    return await this.#api().call(method, params as OperatorParams<OperatorMethod>);
  }

  subscribe(listener: (event: OperatorEvent) => void, types: readonly OperatorEventType[] = PAGE_EVENTS): () => void {
    this.#listeners.set(listener, types);
    return () => this.#listeners.delete(listener);
  }

  /** Ends the gate of this process; of another one only the connection. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#retry);
    const current = this.#current;
    this.#current = { mode: "away" };
    if (current.mode === "own") {
      current.unsubscribe();
      await current.gate.close();
    } else if (current.mode === "attached") await current.client.close();
  }

  #api(): Pick<OperatorHandler, "call"> {
    if (this.#current.mode === "own") return this.#current.gate.operator;
    if (this.#current.mode === "attached") return this.#current.client;
    throw new GateError("connection_lost", "the gate has ended", "start it again, or wait for it");
  }

  /** False where another process has the gate but doesn't listen. */
  async #serveOrAttach(): Promise<boolean> {
    try {
      const gate = await this.#sources.serve();
      const unsubscribe = gate.operator.subscribe((event) => this.#publish(event), PAGE_EVENTS);
      void gate.ended.then((why) => this.#reportOwnEnd(why));
      this.#enter({ mode: "own", gate, unsubscribe });
      return true;
    } catch (error) {
      if (!isCode(error, "already_running")) throw error;
    }
    return await this.#attach();
  }

  async #attach(): Promise<boolean> {
    let client: OperatorClient | undefined;
    try {
      client = await this.#sources.connect();
      // Also tells whether the two understand each other.
      const { pid, version } = await client.call("status", {});
      this.#sources.log(`attached to the gate that runs already: process ${pid}, version ${version}`);
    } catch (error) {
      void client?.close();
      if (AWAY.some((code) => isCode(error, code))) return false;
      throw error;
    }
    client.subscribe((event) => this.#publish(event), PAGE_EVENTS);
    const attached = client;
    void attached.closed.then(() => this.#lost(attached));
    this.#enter({ mode: "attached", client });
    return true;
  }

  #lost(client: OperatorClient): void {
    if (this.#isClosed || this.#current.mode !== "attached" || this.#current.client !== client) return;
    this.#sources.log("the gate that the app was attached to has ended: waiting for it");
    this.#enter({ mode: "away" });
    this.#lookLater();
  }

  #lookLater(): void {
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => void this.#look(), this.#sources.retryMs ?? RETRY_MS);
  }

  async #look(): Promise<void> {
    if (this.#isClosed || this.#isLooking || this.#current.mode !== "away") return;
    this.#isLooking = true;
    const isThere = await this.#attach().catch((error: unknown) => {
      this.#sources.log(
        `a gate is there, but can't be used: ${error instanceof Error ? error.message : "no reason given"}`,
      );
      return false;
    });
    this.#isLooking = false;
    if (!isThere && !this.#isClosed) this.#lookLater();
  }

  #enter(next: Current): void {
    clearTimeout(this.#retry);
    this.#current = next;
    for (const listener of [...this.#modeListeners]) listener(next.mode);
  }

  #publish(event: OperatorEvent): void {
    for (const [listener, types] of this.#listeners) if (types.includes(event.type)) listener(event);
  }
}

/** The gate that runs for this user, as the command line connects to it. @throws GateError `not_running`, `not_answering`, `not_authorised` */
export function connectToGate({ operator_socket, operatorToken }: GatePaths): Promise<OperatorClient> {
  return OperatorClient.connect(operator_socket, operatorToken, CONNECTING_MS);
}

function isCode(error: unknown, code: GateError["code"]): boolean {
  return error instanceof GateError && error.code === code;
}
