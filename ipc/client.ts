import { randomBytes, randomUUID } from "node:crypto";
import { EventEmitter } from "node:events";
import { createConnection, type Socket } from "node:net";
import { agentTokenFile, gatePaths } from "./base/paths.ts";
import { readRegularFile } from "./base/regular-file.ts";
import { type Confined, type Decision, decisionSchema } from "./contract/decision.ts";
import type { McpTools } from "./contract/mcp.ts";
import type { SessionEvent } from "./contract/session-events.ts";
import { shellPathOf } from "./contract/shell-path.ts";
import {
  type AgentMessage,
  type GateMessage,
  type Goal,
  gateMessages,
  PROTOCOL_VERSION,
  type ProposedCall,
  type SafetyVerdict,
  type Subtask,
  safetyVerdictSchema,
  type TaskGraph,
} from "./contract/wire.ts";
import { encodeFrame, FrameReader, isWithinDepth, MAX_DEPTH, MAX_FRAME_BYTES } from "./socket/frames.ts";
import { isOwnSocket } from "./socket/own-socket.ts";

export type { Card, Decision, Level, Outcome, Stage, Verdict } from "./contract/decision.ts";
export type { McpTools } from "./contract/mcp.ts";
export type { CallContext, Goal, ProposedCall, SafetyVerdict, Subtask, TaskGraph } from "./contract/wire.ts";
export { type ConfinedEnd, type ConfinedRunOptions, startConfined } from "./socket/confined-run.ts";
export { SafeGoalDecomposer, SafeGoalRegistry, SafetyViolationError } from "./socket/safe-goals.ts";

import { ownCommand } from "./base/own-command.ts";

export interface GateClientOptions {
  /** The agent's name, as the user paired it: letters, digits, `.`, `_`, `-`. */
  name: string;
  version?: string;
  /** Left out: METNOS_AGENT_TOKEN, else the file that `metnos-gate agents pair` wrote, else the user is asked to pair. */
  token?: string;
  /** Left out: a random one that lives as long as this client. */
  session?: string;
  /** Path of gate.sock; left out: where this user's gate listens. */
  socket?: string;
  /** True if the agent runs what is allowed as a confined call only by `startConfined`. Default: no call is confined. */
  confine?: boolean;
  /** How long to keep trying to reach the gate, in milliseconds. Default 10,000; 0 tries once. */
  retryMs?: number;
  /** The same until it was reached for the first time. Default `retryMs`. */
  firstRetryMs?: number;
}

export interface GateClientEvents {
  /** Paired and ready. */
  ready: [GateMessage<"hello.ok">];
  /** The user has been asked to pair this agent. */
  pairing: [];
  /** The user is being asked; `gate.call` continues to wait. */
  waiting: [Decision];
  paused: [GateMessage<"safety.paused">];
  resumed: [];
  disconnected: [];
}

/** A refusal by the gate, or a failure to reach it: `code` is stable, `hint` says what to do. */
export class GateClientError extends Error {
  readonly code: string;
  readonly hint: string;
  constructor(code: string, message: string, hint = "") {
    super(message);
    this.name = "GateClientError";
    this.code = code;
    this.hint = hint;
  }
}

interface Asked {
  line: string;
  /** The last connection it was sent on: it is sent once on each connection. */
  sentOn?: Socket;
  resolve(data: unknown): void;
  reject(error: GateClientError): void;
  token?: string;
  /** The caller no longer waits for it: it is withdrawn at the gate. */
  isWithdrawn?: boolean;
  onWaiting?: ((decision: Decision) => void) | undefined;
}

/** `duration_ms` in milliseconds. */
export type RanReport = Partial<Pick<AgentMessage<"tool.ran">, "ok" | "duration_ms" | "input" | "unasked">>;

export interface CallOptions {
  /** Withdraws the request; the gate gets its reason, if that is a text. */
  signal?: AbortSignal;
  /** The user is being asked about this call. Called again where the gate has restarted meanwhile. */
  onWaiting?: (decision: Decision) => void;
}

/**
 * An agent's side of gate.sock: asks, waits for the final decision, reconnects and asks again when the gate restarts.
 * Anything but a decision with outcome `allowed` means no.
 */
export class GateClient extends EventEmitter<GateClientEvents> {
  readonly session: string;
  readonly #options: GateClientOptions;
  readonly #asked = new Map<string, Asked>();
  /** Tokens of withdrawn requests that the gate is still to be sent: it couldn't be reached. */
  readonly #left = new Set<string>();
  #socket: Socket | undefined;
  #greeting: Socket | undefined;
  #connecting: Promise<GateMessage<"hello.ok">> | undefined;
  #isClosed = false;
  #wasReached = false;
  /** The line that says which tools a server has; undefined where none is to be said. */
  #announcement: string | undefined;

  constructor(options: GateClientOptions) {
    super();
    this.#options = options;
    this.session = options.session ?? `session-${randomBytes(8).toString("hex")}`;
  }

  /** Connects and greets; waits for the user where the agent has to be paired first. @throws GateClientError */
  connect(): Promise<GateMessage<"hello.ok">> {
    if (this.#isClosed) return Promise.reject(new GateClientError("closed", "this client was closed"));
    this.#connecting ??= this.#reach().catch((error: unknown) => {
      this.#connecting = undefined;
      throw error;
    });
    return this.#connecting;
  }

  /**
   * Asks for one tool call and waits for the final decision, including the user's answer.
   * @throws GateClientError if the gate refuses the message or can't be reached: take it as a no
   */
  async call(call: ProposedCall, options: CallOptions = {}): Promise<Decision> {
    if (options.signal?.aborted) throw withdrawn();
    const id = randomUUID();
    const answer = this.#ask(id, "tool.call", { id, ...withShellPath(call) }, options.onWaiting);
    const withdraw = () => this.#withdraw(id, options.signal?.reason);
    options.signal?.addEventListener("abort", withdraw, { once: true });
    try {
      return decisionSchema.parse(await answer);
    } finally {
      options.signal?.removeEventListener("abort", withdraw);
    }
  }

  /** What the gate would decide on each call of a plan. The user isn't asked: each call still has to be asked for by itself. */
  async plan(intent: string, calls: Omit<ProposedCall, "intent">[]): Promise<Decision[]> {
    const id = randomUUID();
    const answer = await this.#ask(id, "tool.plan", { id, intent, calls: calls.map(withShellPath) });
    return gateMessages["tool.plan.decisions"].parse(answer).decisions;
  }

  /** The safety filter's verdict on a goal, before it is accepted. @throws GateClientError: take it as a no */
  async checkGoal(goal: Goal): Promise<SafetyVerdict> {
    const id = randomUUID();
    return safetyVerdictSchema.parse(await this.#ask(id, "goal.check", { id, goal }));
  }

  /** The safety filter's verdict on a subtask, before it is dispatched. @throws GateClientError */
  async checkSubtask(subtask: Subtask): Promise<SafetyVerdict> {
    const id = randomUUID();
    return safetyVerdictSchema.parse(await this.#ask(id, "subtask.check", { id, subtask }));
  }

  /** The safety filter's verdict on a task graph and all its subtasks. @throws GateClientError */
  async checkGraph(graph: TaskGraph): Promise<SafetyVerdict> {
    const id = randomUUID();
    return safetyVerdictSchema.parse(await this.#ask(id, "graph.check", { id, graph }));
  }

  /** Withdraws a waiting request, by its `pending.token`. A call that is being judged has none: see the signal of `call`. */
  async cancel(token: string, reason: string): Promise<Decision> {
    const id = randomUUID();
    return decisionSchema.parse(await this.#ask(id, "tool.cancel", { id, token, reason }));
  }

  /** Reports the outcome of an allowed call to the gate. There is no response. */
  async outcome(decisionId: string, ok: boolean, error?: string): Promise<void> {
    await this.connect();
    this.#socket?.write(
      encodeFrame("tool.outcome", { decision_id: decisionId, ok, ...(error === undefined ? {} : { error }) }),
    );
  }

  /**
   * Reports that a call has run, by its `context.call_id`, and how: `input` is compared with what was allowed, and with `unasked` it is
   * what ran without the gate having been asked.
   * @returns what it was confined to; null where it wasn't to be
   */
  async ran(callId: string, report: RanReport = {}): Promise<Confined | null> {
    const id = randomUUID();
    return gateMessages["tool.ran.ok"].parse(await this.#ask(id, "tool.ran", { id, call_id: callId, ...report }))
      .confined;
  }

  /** Reports something that happened in a session: left out, in this client's own. */
  async sessionEvent(event: SessionEvent, session?: string): Promise<void> {
    const id = randomUUID();
    await this.#ask(id, "session.event", { id, event, ...(session === undefined ? {} : { session }) });
  }

  /**
   * Says which tools the MCP server behind this agent has, now and on each later connection, before any call that waits. An empty
   * list: nothing is known of them any more. What the gate answers is not awaited: without it each of their calls is asked about.
   * @throws GateClientError where they are too many for one message
   */
  announceTools(tools: McpTools): void {
    this.#announcement = frameFor("mcp.tools", { id: randomUUID(), ...tools });
    this.#socket?.write(this.#announcement);
  }

  /** Checks that the gate responds. */
  async ping(): Promise<void> {
    const id = randomUUID();
    await this.#ask(id, "ping", { id });
  }

  /** Ends the connection; the gate withdraws its waiting requests. */
  close(): void {
    this.#isClosed = true;
    this.#greeting?.destroy();
    this.#socket?.destroy();
    this.#failAll(new GateClientError("closed", "this client was closed"));
  }

  #ask(
    id: string,
    type: string,
    data: Record<string, unknown>,
    onWaiting?: (decision: Decision) => void,
  ): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const asked: Asked = { line: frameFor(type, data), resolve, reject, onWaiting };
      this.#asked.set(id, asked);
      this.connect().then(
        () => this.#send(asked),
        (error: unknown) => {
          this.#asked.delete(id);
          reject(error);
        },
      );
    });
  }

  #send(asked: Asked): void {
    if (this.#socket === undefined || asked.sentOn === this.#socket || asked.isWithdrawn) return;
    asked.sentOn = this.#socket;
    this.#socket.write(asked.line);
  }

  #withdraw(id: string, why: unknown): void {
    const asked = this.#asked.get(id);
    if (asked === undefined) return;
    asked.isWithdrawn = true;
    const reason = typeof why === "string" ? why : undefined;
    if (asked.token !== undefined) this.#cancel({ token: asked.token }, reason);
    // Judges may be looking at it: it has no token before the user is asked.
    else if (this.#socket !== undefined && asked.sentOn === this.#socket) this.#cancel({ call: id }, reason);
    // Without a connection there is no response to wait for: the withdrawal is sent after the next connect.
    if (this.#socket === undefined || asked.sentOn === undefined) this.#asked.delete(id);
    asked.reject(withdrawn());
  }

  #cancel(named: { token: string } | { call: string }, reason = "withdrawn by the agent"): void {
    if (this.#socket !== undefined)
      this.#socket.write(encodeFrame("tool.cancel", { id: randomUUID(), ...named, reason }));
    else if ("token" in named) this.#left.add(named.token);
  }

  async #reach(): Promise<GateMessage<"hello.ok">> {
    const { retryMs = 10_000, firstRetryMs = retryMs } = this.#options;
    const deadline = performance.now() + (this.#wasReached ? retryMs : firstRetryMs);
    for (let pause = 25; ; pause = Math.min(pause * 2, 1000)) {
      try {
        return await this.#greet();
      } catch (error) {
        const canRetry = error instanceof GateClientError && error.code === "not_running";
        if (!canRetry || this.#isClosed || performance.now() + pause > deadline) throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, pause));
      if (this.#isClosed) throw new GateClientError("closed", "this client was closed");
    }
  }

  async #greet(): Promise<GateMessage<"hello.ok">> {
    const paths = gatePaths(process.env);
    const { name, version, socket: path = paths.agent_socket } = this.#options;
    const token = this.#options.token ?? process.env.METNOS_AGENT_TOKEN ?? readToken(agentTokenFile(paths, name));
    const id = randomUUID();
    if (!isOwnSocket(path)) {
      const hint = "keep the socket in a folder of your own (0700)";
      throw new GateClientError("foreign_socket", "another user could be listening at the gate's socket", hint);
    }
    return new Promise((resolve, reject) => {
      const socket = createConnection(path);
      this.#greeting = socket;
      const reader = FrameReader.forAnswers();
      let isReady = false;
      socket.setEncoding("utf8");
      socket.on("connect", () => {
        const agent = { name, ...(version === undefined ? {} : { version }) };
        socket.write(
          encodeFrame("hello", {
            id,
            protocol: PROTOCOL_VERSION,
            agent,
            session: this.session,
            ...(token ? { token } : {}),
            ...(this.#options.confine === true ? { supports: ["confine"] } : {}),
          }),
        );
      });
      socket.on("error", () => socket.destroy()); // 'close' follows and is handled there
      socket.on("close", () => {
        reader.close();
        if (!isReady)
          return reject(
            new GateClientError("not_running", "the gate can't be reached", `start it with: ${ownCommand("start")}`),
          );
        this.#lost(socket);
      });
      socket.on("data", (text: string) => {
        for (const frame of reader.push(text)) {
          if (!frame.ok) continue;
          const { type, data } = frame.message;
          if (isReady) this.#received(type, data);
          else if (type === "hello.pairing") this.emit("pairing");
          else if (type === "hello.ok") {
            const ok = gateMessages["hello.ok"].safeParse(data);
            if (!ok.success || ok.data.id !== id) continue;
            isReady = true;
            this.#greeting = undefined;
            this.#socket = socket;
            this.#wasReached = true;
            if (this.#announcement !== undefined) socket.write(this.#announcement);
            for (const token of this.#left) this.#cancel({ token });
            this.#left.clear();
            this.emit("ready", ok.data);
            resolve(ok.data);
          } else if (type === "error") {
            reject(errorOf(data));
            socket.destroy();
          }
        }
      });
    });
  }

  /** The connection was lost: reconnects and repeats the open requests. The gate recognises an identical call. */
  #lost(socket: Socket): void {
    if (this.#socket !== socket) return;
    this.#socket = undefined;
    this.#connecting = undefined;
    if (this.#isClosed) return;
    this.emit("disconnected");
    for (const [id, asked] of this.#asked) {
      if (!asked.isWithdrawn) continue;
      this.#asked.delete(id);
      if (asked.token !== undefined) this.#left.add(asked.token);
    }
    if (this.#asked.size + this.#left.size === 0) return;
    this.connect().then(
      () => {
        for (const asked of this.#asked.values()) this.#send(asked);
      },
      (error: unknown) =>
        this.#failAll(
          error instanceof GateClientError ? error : new GateClientError("not_running", "the gate can't be reached"),
        ),
    );
  }

  #received(type: unknown, data: unknown): void {
    if (type === "safety.paused") {
      const paused = gateMessages["safety.paused"].safeParse(data);
      if (paused.success) this.emit("paused", paused.data);
      return;
    }
    if (type === "safety.resumed") {
      this.emit("resumed");
      return;
    }
    const id =
      typeof data === "object" && data !== null && "id" in data && typeof data.id === "string" ? data.id : undefined;
    const asked = id === undefined ? undefined : this.#asked.get(id);
    if (id === undefined || asked === undefined) return;
    if (type === "tool.decision") {
      const decision = decisionSchema.safeParse(data);
      if (decision.success && decision.data.outcome === "approval_required") {
        const token = decision.data.pending?.token;
        if (token !== undefined) asked.token = token;
        if (asked.isWithdrawn && token !== undefined) return this.#cancel({ token });
        this.emit("waiting", decision.data);
        asked.onWaiting?.(decision.data);
        return;
      }
    }
    this.#asked.delete(id);
    if (type === "error") asked.reject(errorOf(data));
    else asked.resolve(data);
  }

  #failAll(error: GateClientError): void {
    for (const asked of this.#asked.values()) asked.reject(error);
    this.#asked.clear();
  }
}

function errorOf(data: unknown): GateClientError {
  const error = gateMessages.error.safeParse(data);
  if (!error.success) return new GateClientError("internal", "the gate sent an error that can't be read");
  return new GateClientError(error.data.code, error.data.message, error.data.hint);
}

function withdrawn(): GateClientError {
  return new GateClientError("withdrawn", "the request was withdrawn");
}

/** @throws GateClientError for messages that the gate would refuse without naming their id */
function frameFor(type: string, data: Record<string, unknown>): string {
  if (!isWithinDepth({ type, data }, MAX_DEPTH)) {
    throw new GateClientError(
      "too_deep",
      `the message is nested deeper than ${MAX_DEPTH}, or has a key __proto__`,
      "send flatter arguments",
    );
  }
  const line = encodeFrame(type, data);
  if (Buffer.byteLength(line) > MAX_FRAME_BYTES) {
    throw new GateClientError("frame_too_large", `a message may have ${MAX_FRAME_BYTES} bytes`, "send less at once");
  }
  return line;
}

function readToken(file: string): string | undefined {
  try {
    return readRegularFile(file).trim();
  } catch {
    return undefined; // not paired yet: the user is asked
  }
}

/** What the call itself says counts. */
function withShellPath<T extends Pick<ProposedCall, "context">>(call: T): T {
  return { ...call, context: { ...shellPathOf(process.env), ...call.context } };
}
