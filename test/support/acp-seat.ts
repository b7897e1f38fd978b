import { EventEmitter, once } from "node:events";
import { PassThrough } from "node:stream";
import { onTestFinished } from "vitest";
import type { AskIn } from "../../cli/acp/decide.ts";
import { ConnectedGate } from "../../cli/acp/gate.ts";
import { AcpProxy } from "../../cli/acp/proxy.ts";
import { LineFilter } from "../../cli/proxy/line-filter.ts";
import { LineOutput } from "../../cli/proxy/line-output.ts";
import type { GateUnderTest } from "./running-gate.ts";

/** A message as it is sent, without `jsonrpc`. */
// biome-ignore lint/suspicious/noExplicitAny: what the other side sends is what is tested
export type Message = any;

/** One end of a connection: an editor, or an agent. */
export class AcpSide {
  readonly output = new PassThrough();
  readonly input = new PassThrough();
  /** What it has received: lines, and the messages in them. */
  readonly lines: string[] = [];
  readonly received: Message[] = [];
  readonly #events = new EventEmitter();

  constructor() {
    let text = "";
    this.input.setEncoding("utf8").on("data", (more: string) => {
      text += more;
      const lines = text.split(/(?<=\n)/);
      text = lines.at(-1)?.endsWith("\n") === true ? "" : (lines.pop() ?? "");
      for (const line of lines) {
        this.lines.push(line);
        this.received.push(line.trim() === "" ? {} : JSON.parse(line));
      }
      this.#events.emit("line");
    });
  }

  send(message: object): void {
    this.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }

  write(text: string | Buffer): void {
    this.output.write(text);
  }

  /** The first message that matches, now or later. */
  async get(matches: (message: Message) => boolean): Promise<Message> {
    for (;;) {
      const found = this.received.find(matches);
      if (found !== undefined) return found;
      await once(this.#events, "line");
    }
  }

  /** The answer to a request of its own. */
  answer(id: unknown): Promise<Message> {
    return this.get((message) => message.id === id && message.method === undefined);
  }

  request(method: string): Promise<Message> {
    return this.get((message) => message.method === method && message.id !== undefined);
  }
}

export interface AcpSeatOptions {
  askIn?: AskIn;
  isStrict?: boolean;
  name?: string;
}

/** An editor and an agent that the test speaks for, with the proxy and a real gate in between. */
export class AcpSeat {
  readonly editor = new AcpSide();
  readonly agent = new AcpSide();
  readonly said: string[] = [];
  readonly gate: GateUnderTest;
  readonly proxy: AcpProxy;

  constructor(gate: GateUnderTest, { askIn = "gate", isStrict = false, name = "opencode-acp" }: AcpSeatOptions = {}) {
    this.gate = gate;
    const say = (text: string) => this.said.push(text);
    const socket = gate.paths.agent_socket;
    const connected = new ConnectedGate({ name, socket, token: gate.token(name), retryMs: 500 }, say);
    const [editor, agent] = [new LineOutput(this.editor.input), new LineOutput(this.agent.input)];
    this.proxy = new AcpProxy({
      gate: connected,
      askIn,
      isStrict,
      editor,
      agent,
      agentOutput: this.agent.output,
      say,
    });
    const direction = { maxBytes: 1024 * 1024 * 4, beyond: "drop" } as const;
    const { proxy } = this;
    const tooLong = (who: string) => () => proxy.tooLong(who);
    new LineFilter({
      ...direction,
      from: this.agent.output,
      to: editor,
      look: proxy.fromAgent,
      onBeyond: tooLong("agent"),
    });
    new LineFilter({
      ...direction,
      from: this.editor.output,
      to: agent,
      look: proxy.fromEditor,
      onBeyond: tooLong("editor"),
    });
    onTestFinished(() => {
      this.proxy.close();
      connected.close();
    });
  }

  /** Opens a session in a folder. */
  async open(cwd: string, session = "s1", result: object = {}): Promise<void> {
    this.editor.send({ id: `open-${session}`, method: "session/new", params: { cwd, mcpServers: [] } });
    const { id } = await this.agent.get((message) => message.id === `open-${session}`);
    this.agent.send({ id, result: { sessionId: session, ...result } });
    await this.editor.answer(id);
  }

  /** The agent asks for permission. @returns what it is answered */
  async permission(toolCall: object, more: object = {}): Promise<Message> {
    const id = `ask-${++this.#count}`;
    this.agent.send({
      id,
      method: "session/request_permission",
      params: { sessionId: "s1", toolCall, options: OPTIONS, ...more },
    });
    return (await this.agent.answer(id)).result.outcome;
  }

  #count = 0;

  /** The next card is answered. @returns the request as the gate keeps it */
  async answerNext(decision: "approved" | "rejected") {
    const event = await this.gate.event(({ type }) => type === "approval.waiting");
    const [token = ""] = await this.gate.waiting();
    const request = await this.gate.request(token);
    await this.gate.operator.call("approvals.resolve", { token, decision });
    return { event, request };
  }
}

export const OPTIONS = [
  { optionId: "always", name: "Always allow", kind: "allow_always" },
  { optionId: "once", name: "Allow", kind: "allow_once" },
  { optionId: "no", name: "Reject", kind: "reject_once" },
  { optionId: "never", name: "Never", kind: "reject_always" },
];
