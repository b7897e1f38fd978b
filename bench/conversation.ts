import { type Decision, decisionSchema } from "../ipc/contract/decision.ts";
import { LineClient, type LineMessage } from "./line-client.ts";

/** The connection ended while something was awaited: the gate was killed. */
export class ConnectionEnded extends Error {
  constructor() {
    super("the connection ended");
    this.name = "ConnectionEnded";
  }
}

export interface Speaker {
  name: string;
  token: string;
  session?: string;
}

/** An agent's connection on which each message has its answers, in order, by its id. */
export class Conversation {
  readonly #client: LineClient;
  readonly #inbox = new Map<string, LineMessage[]>();
  readonly #waiting = new Map<string, (message: LineMessage | undefined) => void>();
  #isEnded = false;
  #nextId = 1;

  private constructor(client: LineClient) {
    this.#client = client;
    client.listen((message) => this.#received(message));
    // `closed` never rejects.
    void client.closed.then(() => this.#end());
  }

  /** Undefined where no gate let the agent in. */
  static async begin(socket: string, { name, session, token }: Speaker): Promise<Conversation | undefined> {
    const client = await LineClient.connect(socket).catch(() => undefined);
    const hello = { id: "hello", protocol: 1, agent: { name }, token, session };
    const greeted = await client?.ask({ type: "hello", data: hello }).catch(() => undefined);
    if (client !== undefined && greeted?.type === "hello.ok") return new Conversation(client);
    client?.close();
    return undefined;
  }

  /** Sends a message. Gives its id, and the first answer. @throws ConnectionEnded */
  async ask(type: string, data: object): Promise<{ id: string; answer: LineMessage }> {
    if (this.#isEnded) throw new ConnectionEnded();
    const id = `f${this.#nextId++}`;
    this.#client.send({ type, data: { id, ...data } });
    return { id, answer: await this.next(id) };
  }

  /** Undefined where the message was refused. @throws ConnectionEnded */
  async call(
    executor: string,
    args: object,
    context?: object,
  ): Promise<{ id: string; decision: Decision } | undefined> {
    const asked = { intent: "", executor, args, ...(context === undefined ? {} : { context }) };
    const { id, answer } = await this.ask("tool.call", asked);
    return answer.type === "tool.decision" ? { id, decision: decisionSchema.parse(answer.data) } : undefined;
  }

  /** The next answer to a message that was sent. @throws ConnectionEnded */
  async next(id: string): Promise<LineMessage> {
    const there = this.#inbox.get(id)?.shift();
    if (there !== undefined) return there;
    if (this.#isEnded) throw new ConnectionEnded();
    const message = await new Promise<LineMessage | undefined>((resolve) => this.#waiting.set(id, resolve));
    if (message === undefined) throw new ConnectionEnded();
    return message;
  }

  get closed(): Promise<void> {
    return this.#client.closed;
  }

  close(): void {
    this.#client.close();
  }

  #received(message: LineMessage): void {
    const id = String(message.data.id);
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (waiting !== undefined) waiting(message);
    else this.#inbox.set(id, [...(this.#inbox.get(id) ?? []), message]);
  }

  #end(): void {
    this.#isEnded = true;
    for (const resolve of this.#waiting.values()) resolve(undefined);
    this.#waiting.clear();
  }
}
