import { once } from "node:events";
import { createConnection, type Socket } from "node:net";
import { type Decision, decisionSchema } from "../../ipc/contract/decision.ts";
import type { ProposedCall } from "../../ipc/contract/wire.ts";

export interface Message {
  type: string;
  data: Record<string, unknown>;
}

interface Expecting {
  matches(message: Message): boolean;
  resolve(message: Message): void;
  reject(error: Error): void;
}

/** An agent written from the protocol alone: a socket and JSON lines, nothing of ours in between. */
export class AgentConnection {
  /** Resolves once the connection has ended, by either side. */
  readonly closed: Promise<void>;
  readonly socket: Socket;
  agent_id = "";
  session = "";
  #unread: Message[] = [];
  #expecting: Expecting[] = [];
  #text = "";
  #nextId = 1;
  #isClosed = false;

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.setEncoding("utf8");
    socket.on("data", (text: string) => this.#read(text));
    socket.on("error", () => socket.destroy()); // 'close' follows
    this.closed = new Promise((resolve) => {
      socket.once("close", () => {
        this.#isClosed = true;
        for (const { reject } of this.#expecting) reject(new Error("the connection ended"));
        resolve();
      });
    });
  }

  static async open(path: string): Promise<AgentConnection> {
    const socket = createConnection(path);
    await once(socket, "connect");
    return new AgentConnection(socket);
  }

  send(type: string, data: unknown): void {
    this.socket.write(`${JSON.stringify({ type, data })}\n`);
  }

  sendText(text: string): void {
    this.socket.write(text);
  }

  /** The next message that wasn't taken yet and matches: a type, or a predicate. */
  next(wanted: string | ((message: Message) => boolean)): Promise<Message> {
    const matches = typeof wanted === "string" ? (message: Message) => message.type === wanted : wanted;
    const index = this.#unread.findIndex(matches);
    const [found] = index === -1 ? [] : this.#unread.splice(index, 1);
    if (found !== undefined) return Promise.resolve(found);
    if (this.#isClosed) return Promise.reject(new Error("the connection ended"));
    return new Promise((resolve, reject) => this.#expecting.push({ matches, resolve, reject }));
  }

  /** Messages that were received and not taken. */
  get unread(): readonly Message[] {
    return this.#unread;
  }

  async hello(name: string, extra: Record<string, unknown> = {}): Promise<Message> {
    this.send("hello", { id: "hello", protocol: 1, agent: { name }, ...extra });
    const answer = await this.next(({ data }) => data.id === "hello");
    if (answer.type === "hello.ok") {
      this.agent_id = String(answer.data.agent_id);
      this.session = String(answer.data.session);
    }
    return answer;
  }

  /** Asks for one call and gives the first decision, and a way to wait for the final one. */
  async ask(call: Partial<ProposedCall> & { executor: string }): Promise<Asked> {
    const id = `call-${this.#nextId++}`;
    this.send("tool.call", { id, intent: "", args: {}, ...call });
    const isOurs = (message: Message) => message.data.id === id;
    const message = await this.next(isOurs);
    if (message.type !== "tool.decision") throw new Error(`expected a decision, got ${JSON.stringify(message)}`);
    const final = async () => decisionSchema.parse((await this.next(isOurs)).data);
    return { id, decision: decisionSchema.parse(message.data), final };
  }

  async ping(): Promise<void> {
    const id = `ping-${this.#nextId++}`;
    this.send("ping", { id });
    await this.next((message) => message.type === "pong" && message.data.id === id);
  }

  async close(): Promise<void> {
    this.socket.destroy();
    await this.closed;
  }

  #read(text: string): void {
    const lines = (this.#text + text).split("\n");
    this.#text = lines.pop() ?? "";
    for (const line of lines) {
      const message = JSON.parse(line) as Message;
      const index = this.#expecting.findIndex(({ matches }) => matches(message));
      const [expecting] = index === -1 ? [] : this.#expecting.splice(index, 1);
      if (expecting === undefined) this.#unread.push(message);
      else expecting.resolve(message);
    }
  }
}

export interface Asked {
  id: string;
  decision: Decision;
  final(): Promise<Decision>;
}

/** The token of the card that a decision waits for. */
export function tokenOf({ pending }: Decision): string {
  if (pending === undefined) throw new Error("this decision has no request that waits");
  return pending.token;
}
