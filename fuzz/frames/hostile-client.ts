import { once } from "node:events";
import { createConnection, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { gateMessages } from "../../ipc/contract/wire.ts";
import type { Seeded } from "../seeded.ts";
import { hostileFrame, MAY_BE_ALLOWED, oversizedLine } from "./frame-maker.ts";

/** Connections that do to gate.sock what no agent should. */

/** What all of them share, and what they saw. */
export interface Findings {
  frames: number;
  answers: number;
  connections: number;
  /** Connections that hadn't greeted and that the gate closed. */
  turnedAway: number;
  /** `decision_id` of each call that a client received as allowed. */
  allowed: Set<string>;
  /** Tokens of requests that wait, or did. */
  tokens: string[];
  violations: string[];
}

export type Behaviour =
  | "sends and reads"
  | "doesn't greet"
  | "leaves at once"
  | "leaves within a line"
  | "never reads"
  | "sends a byte at a time"
  | "sends nothing";

export const BEHAVIOURS: readonly (readonly [weight: number, behaviour: Behaviour])[] = [
  [50, "sends and reads"],
  [25, "doesn't greet"],
  [8, "leaves at once"],
  [6, "leaves within a line"],
  [2, "never reads"],
  [3, "sends a byte at a time"],
  [6, "sends nothing"],
];

const ANSWER_MS = 60_000;
/** How long a client that never reads keeps writing once the gate takes nothing more, in milliseconds. */
const STUCK_MS = 200;
const MAX_TOKENS = 200;

export interface Plan {
  behaviour: Behaviour;
  /** How many frames it sends at the most. */
  frames: number;
  /** Of the agent that it greets as. */
  agent: { name: string; token: string };
}

/** One connection from its beginning to its end. What it finds wrong is added to `findings.violations`. */
export async function runHostileClient(path: string, plan: Plan, random: Seeded, findings: Findings): Promise<void> {
  findings.connections++;
  const socket = createConnection(path);
  socket.on("error", () => socket.destroy()); // 'close' follows
  try {
    await once(socket, "connect");
  } catch {
    findings.violations.push(`${plan.behaviour}: not let in`);
    return;
  }
  try {
    await new HostileClient(socket, plan, random, findings).run();
  } finally {
    socket.destroy();
  }
}

class HostileClient {
  readonly #socket: Socket;
  readonly #plan: Plan;
  readonly #random: Seeded;
  readonly #findings: Findings;
  readonly #isGreeted: boolean;
  #rest = "";
  #answers = 0;
  #expected = 0;
  #hasPassedFence = false;
  #isEndedByUs = false;
  #finished: () => void = () => undefined;
  #greeted: () => void = () => undefined;

  constructor(socket: Socket, plan: Plan, random: Seeded, findings: Findings) {
    this.#socket = socket;
    this.#plan = plan;
    this.#random = random;
    this.#findings = findings;
    this.#isGreeted = plan.behaviour !== "doesn't greet";
  }

  async run(): Promise<void> {
    const { behaviour } = this.#plan;
    if (behaviour === "sends nothing") {
      await delay(this.#random.below(300));
      return;
    }
    this.#socket.setEncoding("latin1");
    this.#socket.on("data", (text: string) => this.#read(text));
    if (this.#isGreeted && !(await this.#greet())) return this.#wrong("not greeted");
    if (behaviour === "never reads") return await this.#writeUnread();
    if (behaviour === "sends a byte at a time") await this.#writeBytes();
    else {
      const lines = this.#lines(this.#plan.frames).join("");
      if (behaviour === "leaves within a line") return this.#leaveWithin(lines);
      this.#socket.write(lines, "latin1");
      if (behaviour === "leaves at once") return;
    }
    await this.#answered();
  }

  /** Little may be sent before the greeting is answered. */
  async #greet(): Promise<boolean> {
    const { name, token } = this.#plan.agent;
    const isOver = new Promise<boolean>((resolve) => {
      this.#greeted = () => resolve(true);
      this.#socket.once("close", () => resolve(false));
    });
    const data = { id: "hello", protocol: 1, agent: { name }, token };
    this.#socket.write(`${JSON.stringify({ type: "hello", data })}\n`);
    const timeout = new AbortController();
    const late = delay(ANSWER_MS, false, { signal: timeout.signal }).catch(() => false);
    const isGreeted = await Promise.race([isOver, late]);
    timeout.abort();
    return isGreeted;
  }

  /** Frames with their ends; now and then the last one is longer than any may be. */
  #lines(count: number): string[] {
    const lines: string[] = [];
    for (let n = 0; n < count; n++) {
      const { line, answers } = hostileFrame({ random: this.#random, tokens: this.#findings.tokens }, n);
      lines.push(`${line}\n`);
      this.#expected += answers;
    }
    this.#findings.frames += count;
    if (this.#plan.behaviour === "sends and reads" && this.#random.chance(0.01)) {
      this.#isEndedByUs = true;
      lines.push(`${oversizedLine()}\n`);
    }
    return lines;
  }

  async #writeBytes(): Promise<void> {
    for (const line of this.#lines(2)) {
      for (const byte of line.slice(0, 2000)) {
        this.#socket.write(byte, "latin1");
        if (this.#random.chance(0.2)) await delay(0);
      }
      if (line.length > 2000) this.#socket.write(line.slice(2000), "latin1");
    }
  }

  #leaveWithin(lines: string): void {
    const cut = this.#random.below(lines.length) + 1;
    this.#socket.end(lines.slice(0, cut), "latin1");
  }

  async #writeUnread(): Promise<void> {
    this.#socket.removeAllListeners("data").pause();
    for (const line of this.#lines(this.#plan.frames)) {
      if (this.#socket.destroyed) return;
      if (this.#socket.write(line, "latin1")) continue;
      const isDrained = once(this.#socket, "drain").then(
        () => true,
        () => false,
      );
      if (!(await Promise.race([isDrained, delay(STUCK_MS, false)]))) return;
    }
  }

  /** Waits until everything that was sent is answered, or the connection ends. */
  async #answered(): Promise<void> {
    this.#socket.write(`\n${JSON.stringify({ type: "ping", data: { id: "fence" } })}\n`);
    const isOver = new Promise<"answered" | "closed">((resolve) => {
      this.#finished = () => resolve("answered");
      this.#socket.once("close", () => resolve("closed"));
    });
    this.#look();
    const timeout = new AbortController();
    const late = delay(ANSWER_MS, "late" as const, { signal: timeout.signal }).catch(() => "late" as const);
    const end = await Promise.race([isOver, late]);
    timeout.abort();
    if (end === "late") this.#wrong(`${this.#answers} answers to ${this.#expected} frames after ${ANSWER_MS} ms`);
    if (end !== "closed" || this.#isEndedByUs) return;
    if (this.#isGreeted) this.#wrong("a greeted connection was closed");
    else this.#findings.turnedAway++;
  }

  #look(): void {
    if (this.#hasPassedFence && this.#answers >= this.#expected) this.#finished();
  }

  #read(text: string): void {
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines) this.#take(Buffer.from(line, "latin1").toString("utf8"));
    this.#look();
  }

  #take(line: string): void {
    const { type, data } = JSON.parse(line) as { type: keyof typeof gateMessages; data: Record<string, unknown> };
    if (!Object.hasOwn(gateMessages, type)) return this.#wrong(`an answer of type ${JSON.stringify(type)}`);
    if (!gateMessages[type].safeParse(data).success) return this.#wrong(`an answer that isn't right: ${line}`);
    if (type === "pong" && data.id === "fence") {
      this.#hasPassedFence = true;
      return;
    }
    if (type === "hello.ok") return this.#greeted();
    if (type === "safety.paused" || type === "safety.resumed") return;
    this.#findings.answers++;
    this.#answers++;
    if (type === "error" && data.code === "internal") this.#wrong("the gate failed on a frame");
    if (type === "tool.decision") this.#decision(data, line);
  }

  #decision(data: Record<string, unknown>, line: string): void {
    const { tokens, allowed } = this.#findings;
    if (!this.#isGreeted) this.#wrong(`a decision for a client that didn't greet: ${line}`);
    if (data.outcome === "allowed") {
      if (!String(data.id).startsWith(MAY_BE_ALLOWED)) this.#wrong(`allowed: ${line}`);
      allowed.add(String(data.decision_id));
    }
    const { pending } = data as { pending?: { token: string } };
    if (pending === undefined) return;
    tokens.push(pending.token);
    if (tokens.length > MAX_TOKENS) tokens.splice(0, MAX_TOKENS / 2);
  }

  #wrong(what: string): void {
    const { violations } = this.#findings;
    if (violations.length < 50) violations.push(`${this.#plan.behaviour}: ${what.slice(0, 500)}`);
  }
}
