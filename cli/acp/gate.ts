import { type Decision, GateClient, type Level, type ProposedCall } from "../../ipc/client.ts";
import type { AcpGate, Ran } from "./proxy.ts";

/** The gate at its socket, as the proxy asks it in the agent's name. */
export class ConnectedGate implements AcpGate {
  readonly #name: string;
  readonly #client: GateClient;

  /** @param say gets what the user should know of the connection */
  constructor(name: string, say: (text: string) => void) {
    this.#name = name;
    this.#client = new GateClient({ name });
    this.#client.on("pairing", () => say(`${name} isn't paired: the gate asks you`));
  }

  readonly call: AcpGate["call"] = (call, options) => this.#client.call(call, options);

  plan(intent: string, calls: Omit<ProposedCall, "intent">[]): Promise<Decision[]> {
    return this.#client.plan(intent, calls);
  }

  /** Asked anew each time: the user may have changed it meanwhile. */
  async level(): Promise<Level> {
    const client = new GateClient({ name: this.#name });
    try {
      return (await client.connect()).level;
    } finally {
      client.close();
    }
  }

  ran(_call_id: string, _ran: Ran): void {}

  prompted(_session: string, _turn: number, _words: string): void {}

  close(): void {
    this.#client.close();
  }
}
