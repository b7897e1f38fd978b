import type { FileIdentity } from "../base/file-identity.ts";
import { isGateSession, newGateSession } from "../base/gate-session.ts";
import type { AgentPort, CallSource, CheckedSubject, Decided, Greeted, Refusal } from "../contract/agent-port.ts";
import type { Decision } from "../contract/decision.ts";
import { isoSeconds } from "../contract/iso-seconds.ts";
import {
  type AgentMessage,
  type AgentMessageType,
  agentMessages,
  CONFINE,
  type GateMessage,
  type GateMessageType,
  type Hello,
  PROTOCOL_VERSION,
  type WireError,
} from "../contract/wire.ts";
import {
  ALREADY_GREETED,
  FAILED,
  frameError,
  idOf,
  NO_HELLO,
  OTHER_PROTOCOL,
  problemOf,
  TOKEN_REQUIRED,
  TOO_MANY_CONNECTIONS,
  TOO_MANY_PAIRINGS,
} from "./agent-answers.ts";
import { type Client, newClient, type WaitingCall } from "./agent-client.ts";
import { encodeFrame, type Frame } from "./frames.ts";
import type { Job, LineConnection, Work } from "./line-connection.ts";
import { LineServer, type LineServerSettings } from "./line-server.ts";

/** gate.sock, the agents' socket. Nothing on it can answer a request, give a grant, pair an agent or change a setting. */

export const MAX_PAIRINGS = 16;
export const PAIRING_TIMEOUT_MS = 600_000;
/** What a client may send while the user is asked to pair it, such as pings. In bytes. */
const MAX_PAIRING_BYTES = 65_536;

export class AgentServer {
  readonly #port: AgentPort;
  readonly #server: LineServer;
  readonly #clients = new Map<number, Client>();
  /** This turn's messages: sent once its decisions are in the trail. */
  readonly #outgoing = new OutgoingMessages();
  readonly #closedClients = new ClosedClients((client) => this.#clear(client));
  #isClosing = false;
  #isSending = false;
  #slowDropped = 0;
  /** Bounded, so that no single agent uses up all connections. */
  readonly #maxPerAgent: number;
  readonly #connectionsOf = new Map<string, number>();

  constructor(settings: LineServerSettings, port: AgentPort) {
    this.#port = port;
    this.#maxPerAgent = Math.ceil(settings.max_connections / 2);
    this.#server = new LineServer(settings, {
      opened: (connection) => this.#clients.set(connection.id, newClient(connection)),
      received: (connection, next) => this.#received(connection, next),
      turned: () => this.#turned(),
      unadmitted: () => encodeFrame("error", NO_HELLO),
      closed: (connection) => this.#closed(connection),
      dropped: (reason, count) => {
        this.#slowDropped += count;
        port.dropped(reason, count);
      },
    });
  }

  /** Resolves with the socket's file. */
  listen(): Promise<FileIdentity> {
    return this.#server.listen();
  }

  /** Ends every connection. Waiting requests stay in the registry: they are not withdrawn. */
  async close(): Promise<void> {
    this.#isClosing = true;
    for (const client of this.#clients.values()) clearTimeout(client.timer);
    await this.#server.close();
  }

  get connectionCount(): number {
    return this.#server.connectionCount;
  }

  /** Clients that were dropped because they did not read. */
  get slowDropped(): number {
    return this.#slowDropped;
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

  /** Accepts the agent that waits under this name. */
  admit(agent: Greeted & { name: string }): void {
    for (const client of this.#waitingForPairing()) {
      if (client.hello?.agent.name === agent.name) this.#welcome(client, client.hello, agent);
    }
  }

  /** Refuses the agent that waits under this name. */
  refuse(name: string): boolean {
    return this.#turnAway(name, {
      code: "pairing_rejected",
      message: "the user did not pair this agent",
      hint: "ask the user first",
    });
  }

  /** Refuses the agent that waits under this name: the name is paired now, and its token is needed. */
  turnAway(name: string): boolean {
    return this.#turnAway(name, TOKEN_REQUIRED);
  }

  #turnAway(name: string, error: Refusal): boolean {
    const client = this.#waitingForPairing().find((waiting) => waiting.hello?.agent.name === name);
    if (client === undefined) return false;
    this.#end(client, { ...idOf(client.hello), ...error });
    return true;
  }

  /** Closes the connections of an agent whose pairing ended. */
  drop(agentId: string): void {
    for (const client of [...this.#clients.values()]) {
      if (client.agent_id === agentId && client.phase === "ready") {
        this.#end(client, {
          code: "closing",
          message: "this agent's pairing was revoked",
          hint: "ask the user to pair it again",
        });
      }
    }
  }

  /** Ends every connection with this reason and sends no more answers. Waiting requests are not withdrawn. */
  dismiss(error: Refusal): void {
    this.#isClosing = true;
    // Answers that weren't sent yet are no longer valid.
    this.#outgoing.clear();
    for (const client of [...this.#clients.values()]) if (client.phase !== "closed") this.#end(client, error);
  }

  /** Sends a message to every greeted agent. */
  broadcast<T extends GateMessageType>(type: T, data: GateMessage<T>): void {
    this.#inform(() => true, type, data);
  }

  /** Sends a message to each connection of one agent. */
  tell<T extends GateMessageType>(agentId: string, type: T, data: GateMessage<T>): void {
    this.#inform((client) => client.agent_id === agentId, type, data);
  }

  /** Behind what this turn has for each of them, such as the answer to its greeting. */
  #inform<T extends GateMessageType>(concerns: (client: Client) => boolean, type: T, data: GateMessage<T>): void {
    const line = encodeFrame(type, data);
    for (const client of this.#clients.values())
      if (client.phase === "ready" && concerns(client)) this.#outgoing.add(client.connection, () => line);
    this.#sendOutsideTurn();
  }

  #waitingForPairing(): Client[] {
    return [...this.#clients.values()].filter((client) => client.phase === "pairing");
  }

  #received(connection: LineConnection, next: () => Frame | undefined): Work | undefined {
    const client = this.#clients.get(connection.id);
    if (client === undefined) {
      connection.ignore();
      return undefined;
    }
    for (let frame = next(); frame !== undefined && client.phase !== "closed"; frame = next()) {
      if (frame.ok) {
        const work = this.#handle(client, frame.message);
        if (work !== undefined) return work;
        continue;
      }
      const error = frameError(frame);
      if (error.code === "frame_too_large") this.#end(client, error);
      else this.#send(client, "error", error);
    }
    return undefined;
  }

  /** This turn's decisions are in the trail before any of its answers is encoded and sent. */
  #turned(): void {
    // A surface that answers one of them synchronously: its decision follows the one that it answers.
    if (this.#isSending) return;
    this.#isSending = true;
    try {
      do {
        this.#port.record();
        this.#outgoing.send();
        this.#port.publish();
      } while (this.#outgoing.hasSome);
    } finally {
      this.#isSending = false;
    }
  }

  #closed(connection: LineConnection): void {
    const client = this.#clients.get(connection.id);
    if (client === undefined) return;
    clearTimeout(client.timer);
    this.#clients.delete(connection.id);
    client.phase = "closed";
    this.#forget(client.agent_id);
    this.#port.connectionEnded(connection.id);
    if (this.#isClosing) return;
    this.#closedClients.add(client);
    this.#server.work(this.#closedClients);
  }

  #forget(agentId: string): void {
    const connections = (this.#connectionsOf.get(agentId) ?? 1) - 1;
    if (connections > 0) this.#connectionsOf.set(agentId, connections);
    else this.#connectionsOf.delete(agentId);
  }

  #clear({ pending, isSessionOurs, agent_id, session }: Client): void {
    for (const { call } of [...pending]) call.disconnect("the agent disconnected");
    pending.clear();
    try {
      if (isSessionOurs && agent_id !== "") this.#port.sessionEnded(agent_id, session);
    } catch (error) {
      // A database that can't be written now must not end the gate.
      this.#port.failed("a session's end", error);
    }
  }

  #handle(client: Client, message: Record<string, unknown>): Work | undefined {
    const read = readMessage(message, client.phase);
    if ("error" in read) {
      this.#send(client, "error", read.error);
      return undefined;
    }
    try {
      return this.#answer(client, read.type, read.data);
    } catch (error) {
      this.#failed(client, read, error);
      return undefined;
    }
  }

  #failed(client: Client, { type, data }: { type: AgentMessageType; data: unknown }, error: unknown): void {
    this.#port.failed(type, error);
    this.#send(client, "error", { ...idOf(data), ...FAILED });
  }

  #answer(client: Client, type: AgentMessageType, data: unknown): Work | undefined {
    switch (type) {
      case "hello":
        this.#hello(client, data as Hello);
        return undefined;
      case "tool.call":
        this.#call(client, data as AgentMessage<"tool.call">);
        return undefined;
      case "tool.plan":
        return this.#plan(client, data as AgentMessage<"tool.plan">);
      case "tool.cancel":
        this.#cancel(client, data as AgentMessage<"tool.cancel">);
        return undefined;
      case "tool.outcome": {
        const { decision_id, ok } = data as AgentMessage<"tool.outcome">;
        this.#port.outcome(client.agent_id, decision_id, ok);
        return undefined;
      }
      case "tool.ran": {
        const { id, ...ran } = data as AgentMessage<"tool.ran">;
        this.#send(client, "tool.ran.ok", { id, ...this.#port.ran(client.agent_id, client.session, ran) });
        return undefined;
      }
      case "session.event": {
        const { id, session, event } = data as AgentMessage<"session.event">;
        this.#port.sessionEvent(client.agent_id, sessionOf(client, session), event);
        this.#send(client, "session.noted", { id });
        return undefined;
      }
      case "ping":
        this.#send(client, "pong", data as AgentMessage<"ping">);
        return undefined;
      case "goal.check":
        return this.#check(client, { type: "goal", ...(data as AgentMessage<"goal.check">) });
      case "subtask.check":
        return this.#check(client, { type: "subtask", ...(data as AgentMessage<"subtask.check">) });
      case "mcp.tools":
        this.#announce(client, data as AgentMessage<"mcp.tools">);
        return undefined;
      case "graph.check":
        return this.#check(client, { type: "graph", ...(data as AgentMessage<"graph.check">) });
    }
  }

  #check(client: Client, { id, ...subject }: CheckedSubject & { id: string }): Promise<void> {
    return this.#port.check(subject, client.agent_id).then(
      (verdict) => this.#send(client, "safety.verdict", { id, ...verdict }),
      (error: unknown) => {
        this.#port.failed("safety check", error);
        this.#send(client, "error", { id, ...FAILED });
      },
    );
  }

  #hello(client: Client, hello: Hello): void {
    if (client.phase !== "new") {
      return this.#send(client, "error", { id: hello.id, ...ALREADY_GREETED });
    }
    if (hello.protocol !== PROTOCOL_VERSION) {
      return this.#send(client, "error", { id: hello.id, ...OTHER_PROTOCOL });
    }
    const answer = this.#port.greet(hello);
    if ("refused" in answer) return this.#send(client, "error", { ...answer.refused, id: hello.id });
    if (!("pairing" in answer)) return this.#welcome(client, hello, answer);
    const waiting = this.#waitingForPairing();
    if (waiting.length >= MAX_PAIRINGS || waiting.some((other) => other.hello?.agent.name === hello.agent.name)) {
      return this.#send(client, "error", { id: hello.id, ...TOO_MANY_PAIRINGS });
    }
    client.phase = "pairing";
    client.hello = hello;
    client.requested_at = isoSeconds(Date.now());
    client.connection.admit("", MAX_PAIRING_BYTES);
    client.timer = setTimeout(() => {
      this.#end(client, { id: hello.id, ...NO_HELLO, message: "this agent was not paired in time" });
    }, PAIRING_TIMEOUT_MS);
    client.timer.unref();
    this.#send(client, "hello.pairing", { id: hello.id });
    this.#port.pairingRequested(hello.agent.name, hello.agent.version ?? null);
  }

  #welcome(client: Client, hello: Hello, { agent_id, level }: Greeted): void {
    clearTimeout(client.timer);
    const connections = (this.#connectionsOf.get(agent_id) ?? 0) + 1;
    if (connections > this.#maxPerAgent) return this.#end(client, { id: hello.id, ...TOO_MANY_CONNECTIONS });
    this.#connectionsOf.set(agent_id, connections);
    client.phase = "ready";
    client.hello = hello;
    client.agent_id = agent_id;
    client.connection.admit(agent_id);
    // A session that the gate named belongs to another connection, which may be closed: this one gets a new one.
    const named = hello.session === undefined || isGateSession(hello.session) ? undefined : hello.session;
    client.isSessionOurs = named === undefined;
    client.session = named ?? newGateSession();
    this.#send(client, "hello.ok", {
      id: hello.id,
      agent_id,
      level,
      session: client.session,
      gate_version: this.#port.gate_version,
    });
    const paused = this.#port.paused(agent_id);
    if (paused !== null) this.#send(client, "safety.paused", paused);
  }

  #call(client: Client, call: AgentMessage<"tool.call">): void {
    const { id } = call;
    let waiting: WaitingCall | undefined;
    const take = ({ decision, pending }: Decided) => {
      if (waiting !== undefined) client.pending.delete(waiting);
      waiting = pending === undefined ? undefined : { id, call: pending };
      if (waiting !== undefined) client.pending.add(waiting);
      if (decision !== undefined) this.#send(client, "tool.decision", () => ({ ...decision.sent, id }));
    };
    const source = sourceOf(client, call.context?.session);
    take(
      this.#port.decide(
        call,
        source,
        (decision, pending) => take(pending === undefined ? { decision } : { decision, pending }),
        (decide) => {
          const work = () => {
            try {
              decide();
            } catch (error) {
              take({});
              this.#failed(client, { type: "tool.call", data: call }, error);
            }
            return false;
          };
          this.#server.work({ share: client.agent_id, work });
        },
      ),
    );
  }

  /** One step for each call. */
  *#plan(client: Client, { id, intent, calls }: AgentMessage<"tool.plan">): Generator<void, void> {
    const decisions: Decision[] = [];
    try {
      for (const call of calls) {
        decisions.push(this.#port.preview({ ...call, intent }, sourceOf(client, call.context?.session)));
        yield;
      }
      this.#send(client, "tool.plan.decisions", { id, decisions });
    } catch (error) {
      this.#port.failed("tool.plan", error);
      this.#send(client, "error", { id, ...FAILED });
    }
  }

  #announce(client: Client, { id, ...tools }: AgentMessage<"mcp.tools">): void {
    const answer = this.#port.announce(sourceOf(client, undefined), tools);
    if ("refused" in answer) this.#send(client, "error", { ...answer.refused, id });
    else this.#send(client, "mcp.tools.ok", { id, tools: answer.tools });
  }

  #cancel(client: Client, { id, token, call, reason }: AgentMessage<"tool.cancel">): void {
    this.#closedClients.finish(client.agent_id);
    const waiting = [...client.pending].filter((one) =>
      call === undefined ? one.call.token === token : one.id === call,
    );
    const [first] = waiting;
    if (first === undefined) {
      const left = token === undefined ? undefined : this.#port.withdraw(client.agent_id, token, reason);
      if (left !== undefined) return this.#send(client, "tool.decision", { id, ...left });
      return this.#send(client, "error", {
        id,
        code: "unknown_token",
        message:
          call === undefined
            ? "no request of this connection waits under this token"
            : "no call of this connection waits under this id",
        hint: "it may have been answered already",
      });
    }
    for (const entry of waiting) {
      client.pending.delete(entry);
      const decision = entry.call.cancel(reason);
      if (decision === null) continue;
      if (entry.id !== id) this.#send(client, "tool.decision", () => ({ ...decision.sent, id: entry.id }));
      if (entry === first) this.#send(client, "tool.decision", () => ({ ...decision.sent, id }));
    }
  }

  /** Sends what is queued for the connection and this error, then ends it. */
  #end(client: Client, error: GateMessage<"error">): void {
    clearTimeout(client.timer);
    client.phase = "closed";
    client.connection.ignore();
    if (this.#server.isInTurn) {
      this.#outgoing.end(client.connection, () => encodeFrame("error", error));
    } else client.connection.end(encodeFrame("error", error));
  }

  /** What is queued within a turn leaves at its end. */
  #sendOutsideTurn(): void {
    if (!this.#server.isInTurn) this.#turned();
  }

  /** Sends with the turn's other messages, or at once. A decision is encoded once it is in the trail: until then it may change. */
  #send<T extends GateMessageType>(client: Client, type: T, data: GateMessage<T> | (() => GateMessage<T>)): void {
    this.#outgoing.add(client.connection, () => encodeFrame(type, typeof data === "function" ? data() : data));
    this.#sendOutsideTurn();
  }
}

function sourceOf(client: Client, named: string | undefined): CallSource {
  const canConfine = client.hello?.supports?.includes(CONFINE) === true;
  const { agent_id, connection } = client;
  return { agent_id, session: sessionOf(client, named), can_confine: canConfine, connection: connection.id };
}

/** The session that a call names, unless the gate named it for another connection. */
function sessionOf(client: Client, named: string | undefined): string {
  return named === undefined || isGateSession(named) ? client.session : named;
}

/** Parses an agent's frame as a message that is allowed in this phase of its connection, or gives the error to respond with. */
export function readMessage(
  { type, data }: Record<string, unknown>,
  phase: Client["phase"],
): { type: AgentMessageType; data: unknown } | { error: WireError } {
  const refused = (code: WireError["code"], message: string, hint: string) => ({
    error: { ...idOf(data), code, message, hint },
  });
  if (typeof type !== "string" || !Object.hasOwn(agentMessages, type)) {
    const message = typeof type === "string" ? "there is no message of this type" : "a message needs a type";
    return refused("unknown_type", message, `one of: ${Object.keys(agentMessages).join(", ")}`);
  }
  const known = type as AgentMessageType;
  const parsed = agentMessages[known].safeParse(data);
  if (!parsed.success) return refused("invalid_message", `${type}: ${problemOf(parsed.error)}`, "see docs/protocol.md");
  if (phase !== "ready" && known !== "hello" && known !== "ping") {
    const message = phase === "pairing" ? "the user has not paired this agent yet" : "send hello first";
    return refused("hello_required", message, 'send {"type":"hello",...} and wait for hello.ok');
  }
  return { type: known, data: parsed.data };
}

interface Answers {
  encode: (() => string)[];
  /** The connection is ended after these messages. */
  isLast: boolean;
}

/** A turn's outgoing messages: encoded and sent together at its end, in one write for each connection. */
class OutgoingMessages {
  #answers = new Map<LineConnection, Answers>();

  get hasSome(): boolean {
    return this.#answers.size > 0;
  }

  add(connection: LineConnection, encode: () => string): void {
    this.#to(connection).encode.push(encode);
  }

  /** The last message that this client gets. */
  end(connection: LineConnection, encode: () => string): void {
    const answers = this.#to(connection);
    answers.encode.push(encode);
    answers.isLast = true;
  }

  /** Drops the queued messages. */
  clear(): void {
    this.#answers.clear();
  }

  send(): void {
    if (!this.hasSome) return;
    const all = this.#answers;
    this.#answers = new Map();
    for (const [connection, { encode, isLast }] of all) {
      const lines = encode.map((line) => line()).join("");
      if (isLast) connection.end(lines);
      else connection.send(lines);
    }
  }

  #to(connection: LineConnection): Answers {
    let answers = this.#answers.get(connection);
    if (answers === undefined) {
      answers = { encode: [], isLast: false };
      this.#answers.set(connection, answers);
    }
    return answers;
  }
}

/** Disconnected clients whose state is still to be released: a thousand at once are worked through in turns, like any other work. */
class ClosedClients implements Job {
  readonly share = "";
  readonly #clear: (client: Client) => void;
  readonly #clients = new Set<Client>();

  constructor(clear: (client: Client) => void) {
    this.#clear = clear;
  }

  add(client: Client): void {
    this.#clients.add(client);
  }

  /** Releases this agent's closed connections now: none of them may count as waiting for a request that another one withdraws. */
  finish(agentId: string): void {
    for (const client of this.#clients) {
      if (client.agent_id !== agentId) continue;
      this.#clients.delete(client);
      this.#clear(client);
    }
  }

  work(endsAt: number): boolean {
    for (const client of this.#clients) {
      this.#clients.delete(client);
      this.#clear(client);
      if (performance.now() >= endsAt) break;
    }
    return this.#clients.size > 0;
  }
}
