import { once } from "node:events";
import { createConnection, type Socket } from "node:net";
import { createInterface, type Interface } from "node:readline";

/** An agent with a token, one question at a time. */
export class AgentLine {
  readonly #socket: Socket;
  readonly #lines: AsyncIterator<string>;
  readonly #reader: Interface;
  #next_id = 1;

  private constructor(socket: Socket) {
    this.#socket = socket;
    this.#reader = createInterface({ input: socket });
    this.#lines = this.#reader[Symbol.asyncIterator]();
  }

  /** @throws if it isn't let in */
  static async greet(path: string, name: string, token: string): Promise<AgentLine> {
    const socket = createConnection(path);
    const connected = once(socket, "connect");
    await connected;
    socket.on("error", () => socket.destroy()); // the next answer is missing
    const agent = new AgentLine(socket);
    const { type } = await agent.#ask("hello", { protocol: 1, agent: { name }, token });
    if (type !== "hello.ok") throw new Error(`not let in: ${type}`);
    return agent;
  }

  /** The first decision of a call: its outcome, its id, and the token of the card where the operator is asked. */
  async call(executor: string, args: object): Promise<{ outcome: string; decision_id: string; token?: string }> {
    const { type, data } = await this.#ask("tool.call", { intent: "", executor, args });
    if (type !== "tool.decision") throw new Error(`no decision: ${JSON.stringify(data)}`);
    const { pending } = data as { pending?: { token: string } };
    const decision = { outcome: String(data.outcome), decision_id: String(data.decision_id) };
    return pending === undefined ? decision : { ...decision, token: pending.token };
  }

  close(): void {
    this.#reader.close();
    this.#socket.destroy();
  }

  async #ask(type: string, data: object): Promise<{ type: string; data: Record<string, unknown> }> {
    const id = `q${this.#next_id++}`;
    this.#socket.write(`${JSON.stringify({ type, data: { id, ...data } })}\n`);
    for (;;) {
      const { done, value } = await this.#lines.next();
      if (done === true) throw new Error("the gate has closed the connection");
      const message = JSON.parse(value) as { type: string; data: Record<string, unknown> };
      if (message.data.id === id) return message;
    }
  }
}
