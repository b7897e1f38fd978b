import { LineClient, type LineMessage } from "../../bench/line-client.ts";

export interface PairedAgent {
  name: string;
  token: string;
}

export interface LoadCounts {
  sent: number;
  answered: number;
  unanswered: number;
  withdrawn: number;
  operatorAnswers: number;
  grantsChanged: number;
  restarts: number;
  failures: string[];
}

type Expected = "allowed" | "denied" | "asked" | "planned" | "withdrawn";

/** Of its requests, so many are withdrawn by the agent before an answer. */
const WITHDRAWN = 0.2;

/** One of many agents: sends the given calls, and counts unexpected answers. */
export class SoakAgent {
  readonly #agent: PairedAgent;
  readonly #socket: string;
  readonly #counts: LoadCounts;
  readonly #expected = new Map<string, Expected>();
  #client: LineClient | undefined;
  #nextId = 1;

  constructor(agent: PairedAgent, socket: string, counts: LoadCounts) {
    this.#agent = agent;
    this.#socket = socket;
    this.#counts = counts;
  }

  async connect(): Promise<void> {
    const client = await LineClient.connect(this.#socket);
    const { name, token } = this.#agent;
    const { type } = await client.ask({
      type: "hello",
      data: { id: "hello", protocol: 1, agent: { name }, token, session: `work-${name}` },
    });
    if (type !== "hello.ok") this.#fail(`${name} was answered ${type}`);
    client.listen((message) => this.#received(message));
    this.#client = client;
    // `closed` never rejects.
    void client.closed.then(() => {
      if (this.#client === client) this.#fail(`${name} was cut off`);
    });
  }

  /** Ends the connection, as an agent that crashed, and connects again. */
  async restart(): Promise<void> {
    const client = this.#client;
    if (client === undefined) return;
    this.#client = undefined;
    this.#expected.clear();
    client.close();
    await client.closed;
    await this.connect();
  }

  call(executor: string, args: Record<string, unknown>, expected: "allowed" | "denied" | "asked"): void {
    this.#send("tool.call", { intent: "", executor, args }, expected);
  }

  plan(calls: { executor: string; args: Record<string, unknown> }[]): void {
    this.#send("tool.plan", { intent: "", calls }, "planned");
  }

  /** Calls without any answer yet. */
  get unanswered(): number {
    return this.#expected.size;
  }

  close(): void {
    const client = this.#client;
    this.#client = undefined;
    client?.close();
  }

  #send(type: string, data: Record<string, unknown>, expected: Expected): void {
    if (this.#client === undefined) return; // about to reconnect
    const id = `s${this.#nextId++}`;
    this.#expected.set(id, expected);
    this.#counts.sent++;
    this.#client.send({ type, data: { id, ...data } });
  }

  #received({ type, data }: LineMessage): void {
    const id = String(data.id);
    const expected = this.#expected.get(id);
    // The final decision of a request: whatever the operator answered.
    if (expected === undefined) return;
    this.#expected.delete(id);
    this.#counts.answered++;
    const got = type === "tool.decision" ? String(data.outcome) : type;
    if (expected === "planned") {
      if (got !== "tool.plan.decisions") this.#fail(`a plan was answered ${got}`);
    } else if (expected === "withdrawn") {
      // An error means that the operator was faster.
      if (got !== "denied" && got !== "error") this.#fail(`a withdrawal was answered ${got}`);
    } else if (expected === "asked") {
      if (got !== "approval_required") this.#fail(`a request was answered ${got}`);
      else if (Math.random() < WITHDRAWN) this.#withdraw(data.pending);
    } else if (got !== expected) this.#fail(`what is ${expected} was answered ${got}: ${String(data.reason)}`);
  }

  #withdraw(pending: unknown): void {
    const token = typeof pending === "object" && pending !== null && "token" in pending ? pending.token : "";
    this.#counts.withdrawn++;
    this.#send("tool.cancel", { token, reason: "no longer needed" }, "withdrawn");
  }

  #fail(what: string): void {
    this.#counts.failures.push(what);
  }
}
