import { connect, type Socket } from "node:net";
import { BYTE_LIMITS, encodeFrame, FRAME_TIMEOUT_MS, FrameReader } from "../../ipc/socket/frames.ts";
import { isOwnSocket } from "../../ipc/socket/own-socket.ts";
import { RETURN_MS } from "../../ipc/words/return-time.ts";

/** One call over gate.sock with nothing but node:net, so that a cold process starts fast. */

export interface Request {
  token: string | undefined;
  agent_name: string;
  session: string;
  call: object;
  /** Whether the call may be allowed as a confined one: only if it then runs as the answer says. */
  can_confine: boolean;
  /** It was reached just now, and is waited for as one whose connection ended. */
  is_lost?: boolean;
  /** When to give up waiting, by `monotonicMs`: setting the clock changes nothing. */
  deadline: number;
  /** True once the process that reads the answer has ended. Checked only while the operator is asked. */
  isAbandoned(): boolean;
  /** Says it at once, where that can be known. */
  ended?: { readonly hasEnded: boolean; once(listener: () => void): void } | undefined;
}

export type Answer =
  | Decided
  | { kind: "error"; code: string; message: string; hint: string }
  | { kind: "unanswered" }
  | { kind: "abandoned" }
  | { kind: "unreachable" };

export interface Decided {
  kind: "decision";
  outcome: "allowed" | "denied";
  reason: string;
  rule: string | undefined;
  instead: string | undefined;
  /** Whether it was decided on as a confined call. */
  is_confined: boolean;
  /** The words that run it; undefined where there are none that can be run. */
  argv: readonly string[] | undefined;
}

type Outcome = Answer | { kind: "lost"; wasConnected: boolean };

/** How often that is checked, in milliseconds. */
const LOOK_MS = 250;
const HELLO = "hello";
const CALL = "call";
const ABANDONED = "the process that asked has ended";

/** Milliseconds on a clock that nobody sets: Node's `performance` would have to be loaded first. */
export function monotonicMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1000 + nanoseconds / 1e6;
}

const FOREIGN_SOCKET: Answer = {
  kind: "error",
  code: "foreign_socket",
  message: "another user could be listening at the gate's socket",
  hint: "keep the socket in a folder of your own (0700): see docs/configuration.md",
};

/** The gate at a socket. Connects at once, so that the gate accepts while the caller still reads what to ask. */
export class GateLine {
  readonly #socketPath: string;
  /** Undefined at a socket that another user could be listening at: nothing is sent to it. */
  #connection: Connection | undefined;

  constructor(socketPath: string) {
    this.#socketPath = socketPath;
    if (isOwnSocket(socketPath)) this.#connection = new Connection(socketPath);
  }

  /** Nothing more is asked. */
  close(): void {
    this.#connection?.socket.destroy();
  }

  /**
   * Asks and waits for the final decision; asks again if the gate restarts meanwhile. Never rejects. What is first asked is asked
   * in the same turn in which the line was made: it would miss the end of its connection.
   */
  async ask(request: Request): Promise<Answer> {
    if (this.#connection === undefined) return FOREIGN_SOCKET;
    let lostAt = request.is_lost ? monotonicMs() : undefined;
    for (let pause = 50; ; pause = Math.min(pause * 2, 1000)) {
      const answer = await new Attempt(request, this.#connection).outcome;
      if (answer.kind !== "lost") return answer;
      if (answer.wasConnected) {
        lostAt = monotonicMs();
        pause = 50;
      }
      if (lostAt === undefined || monotonicMs() - lostAt > RETURN_MS) return { kind: "unreachable" };
      if (monotonicMs() >= request.deadline) return { kind: "unanswered" };
      if (request.isAbandoned() || request.ended?.hasEnded) return { kind: "abandoned" };
      await new Promise((resolve) => setTimeout(resolve, pause));
      this.#connection = new Connection(this.#socketPath);
    }
  }
}

/** Room for the gate's usual answer; a longer one comes in several pieces. */
const READ_BYTES = 16_384;

/** A socket whose bytes go straight to a function: a stream's buffering would have to be loaded and compiled first. */
class Connection {
  readonly socket: Socket;
  /** Called with what was read, one character for each byte. */
  onText: (text: string) => void = () => undefined;

  constructor(socketPath: string) {
    this.socket = connect({
      path: socketPath,
      onread: {
        buffer: Buffer.allocUnsafe(READ_BYTES),
        callback: (length, buffer) => {
          this.onText((buffer as Buffer).toString("latin1", 0, length));
          return true;
        },
      },
    });
  }
}

/** One connection: the greeting and the call, sent at once, and what comes back. */
class Attempt {
  /** Never rejects. */
  readonly outcome: Promise<Outcome>;
  readonly #request: Request;
  readonly #socket: Socket;
  readonly #reader = new FrameReader(undefined, FRAME_TIMEOUT_MS, BYTE_LIMITS);
  readonly #call: string;
  #resolve: (outcome: Outcome) => void = () => undefined;
  #wasConnected = false;
  #isUnpaired = false;
  #waitingToken: string | undefined;
  #timer: NodeJS.Timeout | undefined;
  #looking: NodeJS.Timeout | undefined;

  constructor(request: Request, connection: Connection) {
    this.#request = request;
    this.#call = encodeFrame("tool.call", { id: CALL, ...request.call });
    this.outcome = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    this.#socket = connection.socket;
    connection.onText = (text) => this.#read(text);
    this.#socket.on("error", () => this.#socket.destroy()); // 'close' follows and reports it
    this.#socket.once("close", () => {
      this.#stop();
      this.#resolve({ kind: "lost", wasConnected: this.#wasConnected });
    });
    this.#socket.write(helloOf(request) + this.#call);
    request.ended?.once(() => this.#withdraw({ kind: "abandoned" }, ABANDONED));
    // After the write, which waits for the connection, too: the gate works while the timer is made.
    this.#socket.once("connect", () => {
      this.#wasConnected = true;
      this.#startWaiting();
      // Judges may take a while, and nothing is sent meanwhile.
      this.#startLooking();
    });
  }

  #read(text: string): void {
    for (const frame of this.#reader.push(text)) {
      if (!frame.ok)
        return this.#end({ kind: "error", code: frame.problem, message: "the gate's answer can't be read", hint: "" });
      const data = frame.message.data as Record<string, unknown> | null | undefined;
      if (typeof data !== "object" || data === null) continue;
      const answer = this.#answerIn(frame.message.type, data);
      if (answer !== undefined) return this.#end(answer);
    }
  }

  /** The end of the attempt, if this message is one. */
  #answerIn(type: unknown, data: Record<string, unknown>): Answer | undefined {
    switch (type) {
      case "hello.pairing":
        this.#isUnpaired = true;
        this.#startLooking();
        return undefined;
      case "hello.ok":
        if (this.#isUnpaired && data.id === HELLO) this.#socket.write(this.#call);
        return undefined;
      case "tool.decision": {
        if (data.id !== CALL) return undefined;
        if (data.outcome === "allowed" || data.outcome === "denied") return decision(data.outcome, data);
        const pending = data.pending as { token?: unknown } | undefined;
        if (typeof pending?.token === "string") this.#waitingToken = pending.token;
        this.#startLooking();
        return undefined;
      }
      case "error":
        if (data.id === CALL && data.code === "hello_required" && this.#isUnpaired) return undefined;
        if (data.id !== undefined && data.id !== CALL && data.id !== HELLO) return undefined;
        return { kind: "error", code: textOf(data.code), message: textOf(data.message), hint: textOf(data.hint) };
      default:
        return undefined;
    }
  }

  // Only once the operator may be asked: a cold start can do without the timer.
  #startWaiting(): void {
    this.#timer ??= setTimeout(
      () => this.#withdraw({ kind: "unanswered" }, "nobody answered"),
      Math.max(0, this.#request.deadline - monotonicMs()),
    );
  }

  #startLooking(): void {
    this.#looking ??= setInterval(() => {
      if (this.#request.isAbandoned()) this.#withdraw({ kind: "abandoned" }, ABANDONED);
    }, LOOK_MS);
  }

  #withdraw(answer: Answer, reason: string): void {
    if (this.#waitingToken !== undefined)
      this.#socket.write(encodeFrame("tool.cancel", { id: "cancel", token: this.#waitingToken, reason }));
    this.#end(answer);
  }

  #end(answer: Answer): void {
    this.#stop();
    this.#resolve(answer); // Who asked closes the connection, or ends.
  }

  #stop(): void {
    clearTimeout(this.#timer);
    clearInterval(this.#looking);
    this.#reader.close();
  }
}

/** The greeting, as a line. */
export function helloOf({
  agent_name,
  token,
  session,
  can_confine,
}: Pick<Request, "agent_name" | "token" | "session" | "can_confine">): string {
  return encodeFrame("hello", {
    id: HELLO,
    protocol: 1,
    agent: { name: agent_name },
    ...(token === undefined ? {} : { token }),
    ...(session === "" ? {} : { session }),
    ...(can_confine ? { supports: ["confine"] } : {}),
  });
}

function decision(outcome: "allowed" | "denied", data: Record<string, unknown>): Decided {
  const { instead, rule } = (data.explain ?? {}) as { instead?: unknown; rule?: unknown };
  return {
    kind: "decision",
    outcome,
    reason: textOf(data.reason),
    rule: typeof rule === "string" ? rule : undefined,
    instead: typeof instead === "string" ? instead : undefined,
    is_confined: data.confined !== undefined || data.confine !== undefined,
    argv: argvOf(data.confine),
  };
}

function argvOf(confine: unknown): string[] | undefined {
  const argv = (confine as { argv?: unknown } | null | undefined)?.argv;
  if (!Array.isArray(argv) || argv.length === 0) return undefined;
  return argv.every((word) => typeof word === "string" && word !== "" && !word.includes("\0")) ? argv : undefined;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
