import { once } from "node:events";
import { createConnection, type Socket } from "node:net";
import { performance } from "node:perf_hooks";
import { setTimeout as delay } from "node:timers/promises";
import type { Findings } from "./hostile-client.ts";

/** An agent that keeps to the protocol while others don't. Each of its answers is known beforehand. */

interface Message {
  type: string;
  data: Record<string, unknown>;
}

/** What others do while a request of the good client's waits under this token. */
export type Meanwhile = (token: string) => Promise<void>;

export const GOOD_AGENT = "good";
const ANSWER_MS = 60_000;
const PAUSE_MS = 2;

export class GoodClient {
  /** Milliseconds from a question to its answer. */
  readonly latencies: number[] = [];
  readonly #socket: Socket;
  readonly #findings: Findings;
  readonly #meanwhile: Meanwhile;
  #rest = "";
  #unread: Message[] = [];
  #arrived: () => void = () => undefined;
  #is_stopped = false;
  #rounds: Promise<void> | undefined;
  #next_id = 0;

  private constructor(socket: Socket, findings: Findings, meanwhile: Meanwhile) {
    this.#socket = socket;
    this.#findings = findings;
    this.#meanwhile = meanwhile;
    socket.setEncoding("utf8");
    socket.on("error", () => socket.destroy()); // 'close' follows
    socket.on("close", () => this.#arrived());
    socket.on("data", (text: string) => {
      const lines = (this.#rest + text).split("\n");
      this.#rest = lines.pop() ?? "";
      this.#unread.push(...lines.map((line) => JSON.parse(line) as Message));
      this.#arrived();
    });
  }

  /** Greets, and keeps asking until it is stopped. What is answered wrongly is added to `findings.violations`. */
  static async start(path: string, token: string, findings: Findings, meanwhile: Meanwhile): Promise<GoodClient> {
    const socket = createConnection(path);
    await once(socket, "connect");
    const client = new GoodClient(socket, findings, meanwhile);
    await client.#expect("hello", { protocol: 1, agent: { name: GOOD_AGENT }, token }, "hello.ok", () => true);
    client.#rounds = client.#goOn();
    return client;
  }

  /** Ends after the round that it is in. */
  async stop(): Promise<void> {
    this.#is_stopped = true;
    await this.#rounds;
    this.#socket.destroy();
  }

  async #goOn(): Promise<void> {
    try {
      for (let round = 0; !this.#is_stopped; round++) {
        await this.#round(round);
        await delay(PAUSE_MS);
      }
    } catch (error) {
      this.#findings.violations.push(`the good client: ${String(error)}`);
    }
  }

  async #round(round: number): Promise<void> {
    const call = (executor: string, args: object, outcome: string) =>
      this.#expect("tool.call", { intent: "", executor, args }, "tool.decision", (data) => data.outcome === outcome);
    const { decision_id } = await call("time_now", {}, "allowed");
    this.#findings.allowed.add(String(decision_id));
    await call("fs_read", { path: "/srv/.ssh/id_rsa" }, "denied");
    await this.#expect("ping", {}, "pong", () => true);
    const goal = { goal_id: "g", description: "sort the photos", priority: "normal", goal_type: "task" };
    await this.#expect("goal.check", { goal }, "safety.verdict", (data) => data.allowed === true);
    if (round % 5 !== 0) return;
    const asked = await call("shell_exec", { command: `make good-${round}` }, "approval_required");
    const { token } = asked.pending as { token: string };
    // Now the other clients know the token, too: they may not withdraw it.
    this.#findings.tokens.push(token);
    await this.#meanwhile(token);
    await this.#expect("tool.cancel", { token, reason: "" }, "tool.decision", (data) => data.status === "cancelled");
  }

  async #expect(
    type: string,
    data: object,
    wanted: string,
    is_right: (data: Record<string, unknown>) => boolean,
  ): Promise<Record<string, unknown>> {
    const id = `good-${this.#next_id++}`;
    const started = performance.now();
    this.#socket.write(`${JSON.stringify({ type, data: { id, ...data } })}\n`);
    const message = await this.#answerTo(id);
    this.latencies.push(performance.now() - started);
    if (message.type !== wanted || !is_right(message.data))
      throw new Error(`${JSON.stringify({ type, data })} was answered ${JSON.stringify(message)}`);
    return message.data;
  }

  async #answerTo(id: string): Promise<Message> {
    const give_up_at = performance.now() + ANSWER_MS;
    for (;;) {
      const found = this.#unread.find(({ data }) => data.id === id);
      if (found !== undefined) {
        // A withdrawn call is answered under its own id, too.
        this.#unread = [];
        return found;
      }
      if (this.#socket.destroyed) throw new Error("its connection was closed");
      const left = give_up_at - performance.now();
      if (left <= 0) throw new Error(`no answer within ${ANSWER_MS} ms`);
      const timeout = new AbortController();
      const woken = new Promise<void>((resolve) => {
        this.#arrived = resolve;
      });
      await Promise.race([woken, delay(left, undefined, { signal: timeout.signal }).catch(() => undefined)]);
      timeout.abort();
    }
  }
}
