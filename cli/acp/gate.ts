import { type Decision, GateClient, type GateClientOptions, type Level, type ProposedCall } from "../../ipc/client.ts";
import { MAX_PROMPT } from "../../ipc/contract/session-limits.ts";
import type { AskedGate } from "./decide.ts";

/** Of a session's and a call's id on the wire, in characters. */
const MAX_ID = 128;

/** What the proxy asks of the gate. */
export interface AcpGate extends AskedGate {
  plan(intent: string, calls: Omit<ProposedCall, "intent">[]): Promise<Decision[]>;
  /** The agent's level as it is now. */
  level(): Promise<Level>;
  /** A call ended, or ran other than it was allowed. */
  ran(callId: string, ran: Ran): void;
  /** The user's own words. */
  prompted(session: string, turn: number, words: string): void;
  /** What was granted and refused for the session ends. */
  ended(session: string): void;
}

export interface Ran {
  ok: boolean;
  /** It ran though nobody was asked. */
  isUnasked: boolean;
  input?: Pick<ProposedCall, "executor" | "args">;
}

/** The gate at its socket, as the proxy asks it in the agent's name. */
export class ConnectedGate implements AcpGate {
  readonly #options: GateClientOptions;
  readonly #client: GateClient;

  /** @param say gets what the user should know of the connection */
  constructor(options: GateClientOptions, say: (text: string) => void) {
    this.#options = options;
    this.#client = new GateClient(options);
    this.#client.on("pairing", () => say(`${options.name} isn't paired: the gate asks you`));
  }

  readonly call: AcpGate["call"] = (call, options) => this.#client.call(call, options);

  plan(intent: string, calls: Omit<ProposedCall, "intent">[]): Promise<Decision[]> {
    return this.#client.plan(intent, calls);
  }

  /** Asked anew each time: the user may have changed it meanwhile. */
  async level(): Promise<Level> {
    const client = new GateClient(this.#options);
    try {
      return (await client.connect()).level;
    } finally {
      client.close();
    }
  }

  ran(callId: string, { ok, isUnasked, input }: Ran): void {
    // Of a call that the gate was never asked about it has no id to compare.
    const id = isUnasked ? callId.slice(0, MAX_ID) : callId;
    if (id === "" || id.length > MAX_ID) return;
    const unasked = isUnasked ? { unasked: true as const } : {};
    this.#report(this.#client.ran(id, { ok, ...unasked, ...(input === undefined ? {} : { input }) }));
  }

  prompted(session: string, turn: number, words: string): void {
    if (words === "" || session.length > MAX_ID) return;
    const text = words.slice(0, MAX_PROMPT);
    this.#report(this.#client.sessionEvent({ kind: "prompt", turn: String(turn), text }, session));
  }

  ended(session: string): void {
    if (session.length <= MAX_ID) this.#report(this.#client.sessionEvent({ kind: "ended" }, session));
  }

  #report(sent: Promise<unknown>): void {
    sent.catch(() => undefined); // it informs the user, and decides nothing
  }

  close(): void {
    this.#client.close();
  }
}
