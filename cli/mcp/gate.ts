import { ownCommand } from "../../ipc/base/own-command.ts";
import { GateClient, GateClientError, type McpTools } from "../../ipc/client.ts";
import type { ProposedCall } from "../../ipc/contract/wire.ts";
import { RETURN_MS } from "../../ipc/words/return-time.ts";
import { VERSION } from "../../main/base/version.ts";
import type { Asked, Decided } from "./asked-calls.ts";
import type { Decider } from "./proxy.ts";

/** The gate, as a proxy asks it. Nothing here rejects: whatever isn't a decision is an error with its reason. */

/** Until it was reached once, in milliseconds: a client waits meanwhile, and a gate that is away is soon known to be. */
const FIRST_RETRY_MS = 1000;

export interface GateOptions {
  agent: string;
  session: string | undefined;
  server: Pick<McpTools, "server" | "source">;
  /** What was allowed before holds no longer. */
  onInvalid(): void;
}

export class ProxyGate implements Decider {
  readonly #client: GateClient;
  readonly #server: GateOptions["server"];
  #is_pairing = false;

  constructor({ agent, session, server, onInvalid }: GateOptions) {
    this.#server = server;
    this.#client = new GateClient({
      name: agent,
      version: VERSION,
      retry_ms: RETURN_MS,
      first_retry_ms: FIRST_RETRY_MS,
      ...(session === undefined ? {} : { session }),
    });
    this.#client.on("paused", onInvalid);
    this.#client.on("disconnected", onInvalid);
    this.#client.on("pairing", () => {
      this.#is_pairing = true;
    });
    this.#client.on("ready", () => {
      this.#is_pairing = false;
    });
  }

  get isPairing(): boolean {
    return this.#is_pairing;
  }

  announce(tools: McpTools["tools"]): void {
    try {
      this.#client.announceTools({ ...this.#server, tools });
    } catch (error) {
      if (!(error instanceof GateClientError)) throw error;
      // Too deep for a message: nothing is described.
      this.#client.announceTools({ ...this.#server, tools: [] });
    }
    // The first call then doesn't wait for it. Where it fails, that call says so.
    this.#client.connect().catch(() => undefined);
  }

  ask(call: ProposedCall, key: string): Asked {
    const controller = new AbortController();
    return { key, ended: this.#decide(call, controller.signal), withdraw: () => controller.abort() };
  }

  close(): void {
    this.#client.close();
  }

  outcome(decision_id: string, ok: boolean): void {
    this.#client.outcome(decision_id, ok).catch(() => undefined); // the gate is away: it was only a report
  }

  async #decide(call: ProposedCall, signal: AbortSignal): Promise<Decided> {
    try {
      return { kind: "decision", decision: await this.#client.call(call, { signal }) };
    } catch (error) {
      if (!(error instanceof GateClientError)) return { kind: "error", reason: "the gate's answer can't be read" };
      return { kind: "error", reason: reasonOf(error) };
    }
  }
}

function reasonOf({ code, message, hint }: GateClientError): string {
  if (code === "not_running") return `no gate is running; tell the user to start it with: ${ownCommand("start")}`;
  return hint === "" ? message : `${message} (${hint})`;
}
