import { randomBytes } from "node:crypto";
import type { Env } from "../../ipc/base/paths.ts";
import type { McpTools } from "../../ipc/client.ts";
import type { ProposedCall } from "../../ipc/contract/wire.ts";
import { memberAt } from "../json-members.ts";
import { isStateless, progress, requestError, sendAgain, toolError } from "./answers.ts";
import { type Asked, AskedCalls, type Decided } from "./asked-calls.ts";
import { type ClientMessage, readClientLine, type ToolCall } from "./client-message.ts";
import { type ClientInfo, clientInMeta, clientOf } from "./clients.ts";
import { ForwardedCalls } from "./forwarded-calls.ts";
import { type Proposal, proposalOf } from "./proposed-call.ts";
import { ToolList } from "./tool-list.ts";

/**
 * What is between a client and its server: calls of tools wait for the gate, all else is passed on byte for byte. Of a line it reads
 * what it needs, and keeps the line as it came.
 */

/** Where lines leave to. */
export interface Ends {
  toClient(line: Buffer | string): void;
  toServer(line: Buffer): void;
}

/** What of the gate is used. */
export interface Decider {
  /** Whether the user is asked to pair the agent first. */
  readonly isPairing: boolean;
  ask(call: ProposedCall, key: string): Asked;
  announce(tools: McpTools["tools"]): void;
  outcome(decisionId: string, ok: boolean): void;
  close(): void;
}

export interface ProxyOptions {
  server: string;
  cwd: string;
  env: Env;
  ends: Ends;
  /** Called once, when the client has said who it is. `onInvalid`: what was allowed before holds no longer. */
  gateFor(client: ClientInfo, onInvalid: () => void): Decider;
  /** How long this client's calls may wait before it is answered, in seconds. */
  waitSeconds(client: ClientInfo): number;
  /** How often a client that wants to know is sent that its call waits. */
  progressMs?: number;
}

interface Waiting {
  call: ToolCall;
  line: Buffer;
  key: string;
  asked: Asked;
  isStateless: boolean;
  timers: readonly (NodeJS.Timeout | undefined)[];
}

/** Calls that wait at the same time, and what they are, in bytes: a client could send them without end. */
const MAX_WAITING = 200;
const MAX_WAITING_BYTES = 32 * 1024 * 1024;
/** What the gate takes, less what it is wrapped in. */
const MAX_CALL_BYTES = 1024 * 1024 - 8192;
const PROGRESS_MS = 10_000;
const NEWLINE = 0x0a;
/** A longer answer is passed on without being read, but for a list of tools. */
const MAX_READ_ANSWER = 256 * 1024;

export class McpProxy {
  readonly #options: ProxyOptions;
  readonly #asked = new AskedCalls();
  readonly #list = new ToolList();
  readonly #forwarded = new ForwardedCalls();
  readonly #states = new RequestStates();
  /** By the request's id as JSON. */
  readonly #waiting = new Map<string, Waiting>();
  #waitingBytes = 0;
  #client: ClientInfo = { name: "", protocol: undefined };
  #gate: Decider | undefined;
  #onIdle: (() => void) | undefined;

  constructor(options: ProxyOptions) {
    this.#options = options;
  }

  /** A line of the client's. @returns it, where it is passed on now */
  fromClient(line: Buffer): Buffer | undefined {
    const message = readClientLine(line);
    switch (message.kind) {
      case "call":
        return this.#called(message.call, line);
      case "refused":
        this.#refuse(message);
        return undefined;
      case "cancelled":
        return this.#cancelled(message.id) ? undefined : line;
      case "list":
        this.#list.requested(message.id, message.isFirstPage);
        return line;
      case "initialize":
        this.#client = clientOf(message.params);
        return line;
      default:
        // The last line of all may have come without its end, and a call that waits may follow it.
        return this.#waiting.size === 0 ? line : withEnd(line);
    }
  }

  /** A line of the client's that is too long to be read: it is not passed on. */
  clientBeyond(): void {
    this.#options.ends.toClient(requestError("null", "the line is too long to be looked at, and was not passed on"));
  }

  /** A line of the server's, which is passed on whatever it is. */
  fromServer(line: Buffer): void {
    if (this.#list.isExpected) {
      const tools = this.#list.answered(line);
      if (tools !== undefined) this.#gateOf(this.#client).announce(tools);
    }
    if (!this.#forwarded.isExpecting || line.length > MAX_READ_ANSWER) return;
    const end = this.#forwarded.answered(line);
    if (end?.decision_id !== undefined) this.#gate?.outcome(end.decision_id, end.ok);
  }

  /** A line of the server's that is too long to be read. */
  serverBeyond(): void {
    const tools = this.#list.missed();
    if (tools !== undefined) this.#gateOf(this.#client).announce(tools);
  }

  /** Resolves once no call waits, at the latest after so many milliseconds. */
  async idle(mostMs: number): Promise<void> {
    if (this.#waiting.size === 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, mostMs);
      this.#onIdle = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** The client has ended: what waits is withdrawn. */
  close(): void {
    for (const [id, { asked }] of [...this.#waiting]) {
      this.#take(id);
      asked.withdraw();
    }
    this.#asked.close();
    this.#gate?.close();
  }

  #gateOf(client: ClientInfo): Decider {
    this.#gate ??= this.#options.gateFor(client, () => {
      this.#asked.forgetAllowed();
      this.#forwarded.forgetContinued();
    });
    return this.#gate;
  }

  #refuse({ ids, isCall, why }: Extract<ClientMessage, { kind: "refused" }>): void {
    const { toClient } = this.#options.ends;
    const stateless = isStateless(this.#client.protocol);
    if (ids.length === 0) toClient(requestError("null", why));
    for (const id of ids) toClient(isCall ? toolError(id, why, stateless) : requestError(id, why));
  }

  #called(call: ToolCall, line: Buffer): Buffer | undefined {
    const client = clientInMeta(call.meta) ?? this.#client;
    const stateless = isStateless(client.protocol);
    const id = idOf(call);
    const proposal = this.#proposal(call, line, id);
    if ("refused" in proposal) {
      this.#options.ends.toClient(toolError(call.id, proposal.refused, stateless));
      return undefined;
    }
    const { key } = proposal;
    // What the server itself asked to be sent again was decided on; only this protocol has that.
    if (stateless && this.#forwarded.isContinued(key, call.requestState))
      return this.#passed(call, line, key, undefined);
    const asked = this.#asked.take(key) ?? this.#gateOf(client).ask(proposal.call, key);
    const timers = this.#timers(id, call, this.#options.waitSeconds(client));
    // The line is part of a larger piece that was read.
    this.#waiting.set(id, { call, line: Buffer.from(line), key, asked, isStateless: stateless, timers });
    this.#waitingBytes += line.length;
    asked.ended.then((decided) => this.#decided(id, asked, decided)).catch(() => this.#limit(id));
    return undefined;
  }

  #proposal(call: ToolCall, line: Buffer, id: string): Proposal | { refused: string } {
    if (this.#waiting.has(id)) return { refused: "another call with this id waits" };
    if (line.length > MAX_CALL_BYTES) return { refused: "the call is larger than the 1 MiB the gate looks at" };
    if (this.#waiting.size >= MAX_WAITING || this.#waitingBytes + line.length > MAX_WAITING_BYTES)
      return { refused: "too many calls wait already" };
    const { server, cwd, env } = this.#options;
    return proposalOf(call, server, cwd, env);
  }

  #timers(id: string, { progressToken: token }: ToolCall, waitSeconds: number): Waiting["timers"] {
    const limit = setTimeout(() => this.#limit(id), waitSeconds * 1000);
    if (token === undefined) return [limit];
    let step = 0;
    const tick = setInterval(() => {
      step++;
      this.#options.ends.toClient(progress(token, step, "it waits for the user's answer"));
    }, this.#options.progressMs ?? PROGRESS_MS);
    return [limit, tick];
  }

  /** Takes a call out of those that wait. */
  #take(id: string): Waiting | undefined {
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) return undefined;
    this.#waiting.delete(id);
    this.#waitingBytes -= waiting.line.length;
    for (const timer of waiting.timers) clearTimeout(timer);
    if (this.#waiting.size === 0) this.#onIdle?.();
    return waiting;
  }

  #decided(id: string, asked: Asked, decided: Decided): void {
    const waiting = this.#waiting.get(id);
    // Another call may have its id by now.
    if (waiting?.asked !== asked) return;
    const { call, line, key, isStateless } = waiting;
    const { toServer, toClient } = this.#options.ends;
    if (decided.kind === "decision" && decided.decision.outcome === "allowed")
      toServer(withEnd(this.#passed(call, line, key, decided.decision.decision_id)));
    else toClient(toolError(call.id, refusalOf(decided), isStateless));
    this.#take(id);
  }

  /** The line as the server is to get it, whose answer is looked for. */
  #passed(call: ToolCall, line: Buffer, key: string, decisionId: string | undefined): Buffer {
    this.#forwarded.add(idOf(call), { decision_id: decisionId, key });
    return withOriginalState(line, call.requestState, this.#states.originalOf(call.requestState));
  }

  /** The client would give up soon: it is answered, and the user's answer is for its next try. */
  #limit(id: string): void {
    const waiting = this.#take(id);
    if (waiting === undefined) return;
    const { call, asked, isStateless } = waiting;
    this.#asked.leave(asked);
    if (isStateless) {
      const original = this.#states.originalOf(call.requestState);
      return this.#options.ends.toClient(sendAgain(call.id, this.#states.issue(original)));
    }
    const waits = this.#gate?.isPairing
      ? "the user hasn't paired this agent yet"
      : "approval pending: the user hasn't answered yet";
    const next = "send the same call again to continue to wait, or continue with something else";
    this.#options.ends.toClient(toolError(call.id, `${waits}; ${next}`, isStateless));
  }

  /** @returns true for a call that waits, which is withdrawn: the server doesn't know of it */
  #cancelled(id: string): boolean {
    const waiting = this.#take(id);
    waiting?.asked.withdraw();
    return waiting !== undefined;
  }
}

/** The same for `1` and `1.0`, which a server may take for the same. */
function idOf({ id }: ToolCall): string {
  return JSON.stringify(JSON.parse(id));
}

function refusalOf(decided: Decided): string {
  if (decided.kind === "error") return decided.reason;
  const { reason, explain } = decided.decision;
  return explain.instead === undefined ? reason : `${reason}; ${explain.instead}`;
}

function withEnd(line: Buffer): Buffer {
  return line.at(-1) === NEWLINE ? line : Buffer.concat([line, Buffer.of(NEWLINE)]);
}

// The state that a client sends a call again with, where the proxy asked it to: in the place of the server's own, which is put back
// before the server gets the call. Random, and good for this proxy alone: what it means is kept here.

const PREFIX = "metnos-gate:";
const MAX_KEPT = 1024;
const PATH = ["params", "requestState"] as const;

class RequestStates {
  readonly #originals = new Map<string, string | undefined>();

  /** A new one in the place of the server's, which may have given none. */
  issue(original: string | undefined): string {
    const [oldest] = this.#originals.keys();
    if (this.#originals.size >= MAX_KEPT && oldest !== undefined) this.#originals.delete(oldest);
    const state = PREFIX + randomBytes(16).toString("hex");
    this.#originals.set(state, original);
    return state;
  }

  /** The state that is the server's: the given one, unless it is one of ours. */
  originalOf(state: string | undefined): string | undefined {
    return state?.startsWith(PREFIX) ? this.#originals.get(state) : state;
  }
}

/** The line as the server is to get it: every byte of it, but for a state that isn't the server's. */
function withOriginalState(line: Buffer, given: string | undefined, original: string | undefined): Buffer {
  if (given === original) return line;
  const text = line.toString("utf8");
  const member = memberAt(text, PATH);
  if (member === undefined) return line;
  if (original !== undefined)
    return Buffer.from(text.slice(0, member.valueStart) + JSON.stringify(original) + text.slice(member.valueEnd));
  // With the comma behind it, or else the one before it.
  const rest = text.slice(member.valueEnd);
  const comma = /^\s*,/.exec(rest)?.[0];
  if (comma !== undefined) return Buffer.from(text.slice(0, member.start) + rest.slice(comma.length));
  return Buffer.from(text.slice(0, member.start).replace(/,\s*$/, "") + rest);
}
