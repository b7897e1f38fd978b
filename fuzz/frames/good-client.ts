import { performance } from "node:perf_hooks";
import { setTimeout as delay } from "node:timers/promises";
import { Conversation } from "../../bench/conversation.ts";
import { within } from "../../bench/running-program.ts";
import type { Findings } from "./hostile-client.ts";

/** An agent that keeps to the protocol while others don't. Each of its answers is known beforehand. */

/** What others do while a request of the good client's waits under this token. */
export type Meanwhile = (token: string) => Promise<void>;

export const GOOD_AGENT = "good";
const ANSWER_MS = 60_000;
const PAUSE_MS = 2;

export class GoodClient {
  /** Milliseconds from a question to its answer. */
  readonly latencies: number[] = [];
  readonly #conversation: Conversation;
  readonly #findings: Findings;
  readonly #meanwhile: Meanwhile;
  #isStopped = false;
  #rounds: Promise<void> | undefined;

  private constructor(conversation: Conversation, findings: Findings, meanwhile: Meanwhile) {
    this.#conversation = conversation;
    this.#findings = findings;
    this.#meanwhile = meanwhile;
  }

  /** Greets, and keeps asking until it is stopped. What is answered wrongly is added to `findings.violations`. */
  static async start(path: string, token: string, findings: Findings, meanwhile: Meanwhile): Promise<GoodClient> {
    const conversation = await Conversation.begin(path, { name: GOOD_AGENT, token });
    if (conversation === undefined) throw new Error("the good client was not let in");
    const client = new GoodClient(conversation, findings, meanwhile);
    client.#rounds = client.#goOn();
    return client;
  }

  /** Ends after the round that it is in. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#rounds;
    this.#conversation.close();
  }

  async #goOn(): Promise<void> {
    try {
      for (let round = 0; !this.#isStopped; round++) {
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
    isRight: (data: Record<string, unknown>) => boolean,
  ): Promise<Record<string, unknown>> {
    const started = performance.now();
    const answered = await within(this.#conversation.ask(type, data), ANSWER_MS, undefined);
    if (answered === undefined) throw new Error(`no answer within ${ANSWER_MS} ms`);
    const { answer } = answered;
    this.latencies.push(performance.now() - started);
    if (answer.type !== wanted || !isRight(answer.data))
      throw new Error(`${JSON.stringify({ type, data })} was answered ${JSON.stringify(answer)}`);
    return answer.data;
  }
}
