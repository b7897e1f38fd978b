import { randomBytes } from "node:crypto";
import { cancelled, FAILED, frameError, idOf, problemOf, TOKEN_REQUIRED } from "./agent-answers.ts";
import { type Client, newClient } from "./agent-client.ts";
import type { AgentPort, CallHold, CheckedSubject, Greeted, Refusal } from "./agent-port.ts";
import type { Decision } from "./decision.ts";
import type { FileIdentity } from "./file-identity.ts";
import { encodeFrame, type Frame } from "./frames.ts";
import { type LineConnection, LineServer, type LineServerSettings } from "./line-server.ts";
import {
  type AgentMessage,
  type AgentMessageType,
  agentMessages,
  type GateMessage,
  type GateMessageType,
  type Hello,
  PROTOCOL_VERSION,
} from "./wire.ts";

/** gate.sock: what agents reach. There is no way from here to an answer, a grant, a pairing or a setting. */

export const MAX_PAIRINGS = 16;
/** A connection that hasn't greeted by then is closed, in milliseconds. */
export const GREETING_TIMEOUT_MS = 30_000;
export const PAIRING_TIMEOUT_MS = 600_000;

/** Of the messages that come in one read, so many are answered in one write and written down together. */
const TOGETHER = 64;

export class AgentServer {
  readonly #port: AgentPort;
  readonly #server: LineServer;
  readonly #clients = new Map<number, Client>();
  #is_closing = false;
  /** What a batch of frames answers its sender, sent in one write. */
  #batch: { client: Client; answers: (() => string)[] } | undefined;

  constructor(settings: LineServerSettings, port: AgentPort) {
    this.#port = port;
    this.#server = new LineServer(settings, {
      opened: (connection) => this.#opened(connection),
      received: (connection, frames) => this.#received(connection, frames),
      closed: (connection) => this.#closed(connection),
      dropped: (reason) => port.dropped(reason),
    });
  }

  /** Resolves with the socket's file. */
  listen(): Promise<FileIdentity> {
    return this.#server.listen();
  }

  /** Ends every connection. What waits stays in the registry: it is not withdrawn. */
  async close(): Promise<void> {
    this.#is_closing = true;
    for (const client of this.#clients.values()) clearTimeout(client.timer);
    await this.#server.close();
  }

  get connection_count(): number {
    return this.#server.connection_count;
  }

  /** The ids of the agents that are connected. */
  connected(): string[] {
    return [
      ...new Set(
        [...this.#clients.values()].filter((client) => client.phase === "ready").map((client) => client.agent_id),
      ),
    ];
  }

  pairingRequests(): { name: string; version: string | null; requested_at: string }[] {
    return this.#waitingForPairing().map(({ hello, requested_at }) => ({
      name: hello?.agent.name ?? "",
      version: hello?.agent.version ?? null,
      requested_at,
    }));
  }

  /** Lets the agent in that waits under this name. */
  admit(name: string, greeted: Greeted): void {
    for (const client of this.#waitingForPairing()) {
      if (client.hello?.agent.name === name) this.#welcome(client, client.hello, greeted);
    }
  }

  /** Turns the agent away that waits under this name. */
  refuse(name: string): boolean {
    return this.#turnAway(name, {
      code: "pairing_rejected",
      message: "the human did not pair this agent",
      hint: "ask them first",
    });
  }

  /** Turns the agent away that waits under this name: it was paired for whoever finds the token. */
  turnAway(name: string): boolean {
    return this.#turnAway(name, TOKEN_REQUIRED);
  }

  #turnAway(name: string, error: Refusal): boolean {
    const client = this.#waitingForPairing().find((waiting) => waiting.hello?.agent.name === name);
    if (client === undefined) return false;
    this.#reject(client, client.hello?.id, error);
    return true;
  }

  /** Closes the connections of an agent whose pairing ended. */
  drop(agent_id: string): void {
    for (const client of [...this.#clients.values()]) {
      if (client.agent_id === agent_id && client.phase === "ready") {
        this.#reject(client, undefined, {
          code: "closing",
          message: "this agent's pairing was revoked",
          hint: "ask the human to pair it again",
        });
      }
    }
  }

  /** Ends every connection with this reason, and answers nobody any more. What waits is not withdrawn. */
  dismiss(error: Refusal): void {
    this.#is_closing = true;
    for (const client of [...this.#clients.values()])
      if (client.phase !== "closed") this.#reject(client, undefined, error);
  }

  /** Tells every greeted agent. */
  broadcast<T extends GateMessageType>(type: T, data: GateMessage<T>): void {
    for (const client of this.#clients.values())
      if (client.phase === "ready") client.connection.send(encodeFrame(type, data));
  }

  #waitingForPairing(): Client[] {
    return [...this.#clients.values()].filter((client) => client.phase === "pairing");
  }

  #opened(connection: LineConnection): void {
    const client = newClient(connection);
    this.#clients.set(connection.id, client);
    this.#limit(client, GREETING_TIMEOUT_MS, "no hello came");
  }

  #limit(client: Client, ms: number, message: string): void {
    clearTimeout(client.timer);
    client.timer = setTimeout(() => {
      this.#reject(client, client.hello?.id, { code: "hello_required", message, hint: "connect again and say hello" });
    }, ms);
    client.timer.unref();
  }

  #received(connection: LineConnection, frames: Frame[]): void {
    const client = this.#clients.get(connection.id);
    for (let from = 0; client !== undefined && from < frames.length; from += TOGETHER)
      if (client.phase !== "closed" && connection.is_open)
        this.#answerTogether(client, frames.slice(from, from + TOGETHER));
  }

  #answerTogether(client: Client, frames: readonly Frame[]): void {
    const answers: (() => string)[] = [];
    this.#batch = { client, answers };
    let is_over = false;
    for (const frame of frames) {
      if (client.phase === "closed") break;
      if (frame.ok) this.#handle(client, frame.message);
      else {
        this.#send(client, "error", frameError(frame));
        if (frame.problem !== "frame_too_large") continue;
        is_over = true;
        break;
      }
    }
    this.#batch = undefined;
    this.#port.record();
    const lines = answers.map((encode) => encode()).join("");
    if (is_over) {
      client.phase = "closed";
      client.connection.end(lines);
    } else if (lines !== "") client.connection.send(lines);
    this.#port.publish();
  }

  #closed(connection: LineConnection): void {
    const client = this.#clients.get(connection.id);
    if (client === undefined) return;
    clearTimeout(client.timer);
    this.#clients.delete(connection.id);
    client.phase = "closed";
    if (this.#is_closing) return;
    // Each by itself: a database that can't be written now must not end the gate.
    for (const { hold } of [...client.holds])
      this.#tried("a disconnection", () => hold.leave("the agent disconnected"));
    client.holds.clear();
    const { agent_id, session } = client;
    if (client.is_session_ours && agent_id !== "")
      this.#tried("a session's end", () => this.#port.sessionEnded(agent_id, session));
    this.#port.record();
    this.#port.publish();
  }

  #tried(what: string, act: () => void): void {
    try {
      act();
    } catch (error) {
      this.#port.failed(what, error);
    }
  }

  #handle(client: Client, message: Record<string, unknown>): void {
    const { type, data } = message;
    if (typeof type !== "string" || !Object.hasOwn(agentMessages, type)) {
      this.#send(client, "error", {
        ...idOf(data),
        code: "unknown_type",
        message: typeof type === "string" ? "there is no message of this type" : "a message needs a type",
        hint: `one of: ${Object.keys(agentMessages).join(", ")}`,
      });
      return;
    }
    const known = type as AgentMessageType;
    const parsed = agentMessages[known].safeParse(data);
    if (!parsed.success) {
      this.#send(client, "error", {
        ...idOf(data),
        code: "invalid_message",
        message: `${type}: ${problemOf(parsed.error)}`,
        hint: "see docs/protocol.md",
      });
      return;
    }
    if (client.phase !== "ready" && known !== "hello" && known !== "ping") {
      const message = client.phase === "pairing" ? "the human has not paired this agent yet" : "say hello first";
      this.#send(client, "error", {
        ...idOf(data),
        code: "hello_required",
        message,
        hint: 'send {"type":"hello",...} and wait for hello.ok',
      });
      return;
    }
    try {
      this.#answer(client, known, parsed.data);
    } catch (error) {
      this.#port.failed(known, error);
      this.#send(client, "error", { ...idOf(data), ...FAILED });
    }
  }

  #answer(client: Client, type: AgentMessageType, data: unknown): void {
    switch (type) {
      case "hello":
        return this.#hello(client, data as Hello);
      case "tool.call":
        return this.#call(client, data as AgentMessage<"tool.call">);
      case "tool.plan":
        return this.#plan(client, data as AgentMessage<"tool.plan">);
      case "tool.cancel":
        return this.#cancel(client, data as AgentMessage<"tool.cancel">);
      case "tool.outcome": {
        const { decision_id, ok } = data as AgentMessage<"tool.outcome">;
        return this.#port.outcome(client.agent_id, decision_id, ok);
      }
      case "ping":
        return this.#send(client, "pong", data as AgentMessage<"ping">);
      case "goal.check":
        return this.#check(client, { type: "goal", ...(data as AgentMessage<"goal.check">) });
      case "subtask.check":
        return this.#check(client, { type: "subtask", ...(data as AgentMessage<"subtask.check">) });
      case "graph.check":
        return this.#check(client, { type: "graph", ...(data as AgentMessage<"graph.check">) });
    }
  }

  #check(client: Client, { id, ...subject }: CheckedSubject & { id: string }): void {
    this.#port.check(subject, client.agent_id).then(
      (verdict) => this.#send(client, "safety.verdict", { id, ...verdict }),
      (error: unknown) => {
        this.#port.failed("safety check", error);
        this.#send(client, "error", { id, ...FAILED });
      },
    );
  }

  #hello(client: Client, hello: Hello): void {
    if (client.phase !== "new") {
      return this.#send(client, "error", {
        id: hello.id,
        code: "already_greeted",
        message: "hello was said already",
        hint: "connect again to be somebody else",
      });
    }
    if (hello.protocol !== PROTOCOL_VERSION) {
      return this.#send(client, "error", {
        id: hello.id,
        code: "unsupported_protocol",
        message: `this gate speaks protocol ${PROTOCOL_VERSION}`,
        hint: `send "protocol": ${PROTOCOL_VERSION}`,
      });
    }
    const answer = this.#port.greet(hello);
    if ("refused" in answer) return this.#send(client, "error", { ...answer.refused, id: hello.id });
    if (!("pairing" in answer)) return this.#welcome(client, hello, answer);
    const waiting = this.#waitingForPairing();
    if (waiting.length >= MAX_PAIRINGS || waiting.some((other) => other.hello?.agent.name === hello.agent.name)) {
      return this.#send(client, "error", {
        id: hello.id,
        code: "too_many_pairings",
        message: "this name, or too many others, wait to be paired already",
        hint: "try again once the human has answered",
      });
    }
    client.phase = "pairing";
    client.hello = hello;
    client.requested_at = `${new Date().toISOString().slice(0, 19)}Z`;
    this.#limit(client, PAIRING_TIMEOUT_MS, "nobody paired this agent in time");
    this.#send(client, "hello.pairing", { id: hello.id });
    this.#port.pairingRequested(hello.agent.name, hello.agent.version ?? null);
  }

  #welcome(client: Client, hello: Hello, { agent_id, level }: Greeted): void {
    clearTimeout(client.timer);
    client.phase = "ready";
    client.hello = hello;
    client.agent_id = agent_id;
    client.is_session_ours = hello.session === undefined;
    client.session = hello.session ?? `session-${randomBytes(8).toString("hex")}`;
    this.#send(client, "hello.ok", {
      id: hello.id,
      agent_id,
      level,
      session: client.session,
      gate_version: this.#port.gate_version,
    });
    const paused = this.#port.paused();
    if (paused !== null) this.#send(client, "safety.paused", paused);
  }

  #call(client: Client, call: AgentMessage<"tool.call">): void {
    const { id } = call;
    const session = call.context?.session ?? client.session;
    let held: { id: string; hold: CallHold; decision: Decision } | undefined;
    const { decision, hold } = this.#port.decide(call, client.agent_id, session, (final) => {
      if (held !== undefined) client.holds.delete(held);
      this.#send(client, "tool.decision", () => ({ ...final, id }));
    });
    if (hold !== undefined) {
      held = { id, hold, decision };
      client.holds.add(held);
    }
    this.#send(client, "tool.decision", () => ({ ...decision, id }));
  }

  #plan(client: Client, { id, intent, calls }: AgentMessage<"tool.plan">): void {
    const decisions = calls.map((call) =>
      this.#port.preview({ ...call, intent }, client.agent_id, call.context?.session ?? client.session),
    );
    this.#send(client, "tool.plan.decisions", { id, decisions });
  }

  #cancel(client: Client, { id, token, reason }: AgentMessage<"tool.cancel">): void {
    const held = [...client.holds].filter((entry) => entry.hold.token === token);
    const [first] = held;
    if (first === undefined) {
      const left = this.#port.withdraw(client.agent_id, token, reason);
      if (left !== undefined) return this.#send(client, "tool.decision", { id, ...left });
      return this.#send(client, "error", {
        id,
        code: "unknown_token",
        message: "no request of this connection waits under this token",
        hint: "it may have been answered already",
      });
    }
    for (const entry of held) {
      client.holds.delete(entry);
      entry.hold.leave(reason);
      if (entry.id !== id) this.#send(client, "tool.decision", { id: entry.id, ...cancelled(entry.decision) });
    }
    this.#send(client, "tool.decision", { id, ...cancelled(first.decision) });
  }

  #reject(client: Client, id: string | undefined, error: Refusal): void {
    clearTimeout(client.timer);
    client.phase = "closed";
    client.connection.end(encodeFrame("error", id === undefined ? error : { id, ...error }));
  }

  /** Into the batch that is being answered, or at once. A decision is encoded once it is in the trail: until then it may change. */
  #send<T extends GateMessageType>(client: Client, type: T, data: GateMessage<T> | (() => GateMessage<T>)): void {
    const encode = () => encodeFrame(type, typeof data === "function" ? data() : data);
    if (this.#batch?.client === client) {
      this.#batch.answers.push(encode);
      return;
    }
    this.#port.record();
    client.connection.send(encode());
    this.#port.publish();
  }
}
