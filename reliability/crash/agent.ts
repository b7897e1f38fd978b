import { setTimeout as sleep } from "node:timers/promises";
import { ConnectionEnded } from "../../bench/conversation.ts";
import { LineClient, type LineMessage } from "../../bench/line-client.ts";
import type { Seeded } from "../../fuzz/seeded.ts";
import { type Decision, decisionSchema } from "../../ipc/contract/decision.ts";
import { checkDecision, type Expectation, expectationOf } from "./expectation.ts";
import {
  type AgentEntry,
  callKey,
  type DrivenCall,
  type GrantEntry,
  type Ledger,
  type RequestEntry,
} from "./ledger.ts";

/** Requests of one agent that wait at once, at the most. */
const MAX_WAITING = 8;
const PLAN_CALLS = 3;
/** Between two calls while the gate is paused, in milliseconds: most rounds should be about something else. */
const PAUSED_MS = 3;

const CLOCK: DrivenCall = { executor: "time_now", args: {}, about: "clock" };
const FORBIDDEN: DrivenCall = { executor: "shell_exec", args: { command: "rm -rf /" }, about: "forbidden" };

interface OpenCall {
  call: DrivenCall;
  expectation: Expectation | undefined;
  /** Of the pause and of the agent, when it was sent. */
  versions: string | undefined;
  request: RequestEntry | undefined;
  decided(decision: Decision | undefined): void;
}

/** What an agent does next. */
type Act = "clock" | "forbidden" | "ask" | "repeat" | "granted" | "withdraw" | "plan" | "outcome" | "leave";

/** An agent that keeps calling, and records everything that it receives. */
export class DrivenAgent {
  readonly entry: AgentEntry;
  readonly #ledger: Ledger;
  #random: Seeded;
  #onDecision: () => void = () => undefined;
  /** Calls without a final decision: sent again after the gate was restarted. */
  readonly #unanswered = new Map<string, DrivenCall>();
  readonly #open = new Map<string, OpenCall>();
  readonly #cancels = new Map<string, { request: RequestEntry; done: () => void }>();
  #client: LineClient | undefined;
  #isEnded = true;
  #nextId = 1;
  #lastAllowed: string | undefined;

  constructor(entry: AgentEntry, ledger: Ledger, random: Seeded) {
    this.entry = entry;
    this.#ledger = ledger;
    this.#random = random;
  }

  /**
   * Greets with the agent's token. Gives the answer's type, or its error's code, or `ended` where no gate answered.
   * `received` is called as each decision arrives.
   */
  async connect(socket: string, random: Seeded, received: () => void): Promise<string> {
    this.#random = random;
    this.#onDecision = received;
    const client = await LineClient.connect(socket).catch(() => undefined);
    const { name, session, token } = this.entry;
    const hello = { id: "hello", protocol: 1, agent: { name }, token, session };
    const greeted = await client?.ask({ type: "hello", data: hello }).catch(() => undefined);
    if (client === undefined || greeted === undefined) return "ended";
    if (greeted.type !== "hello.ok") {
      client.close();
      return String(greeted.data.code);
    }
    if (greeted.data.agent_id !== this.entry.agent_id)
      this.#ledger.violate("invented", `${name} is another agent now: ${String(greeted.data.agent_id)}`);
    this.#client = client;
    this.#isEnded = false;
    client.listen((message) => this.#received(message));
    // `closed` never rejects.
    void client.closed.then(() => this.#ended(client));
    return greeted.type;
  }

  /** Sends the calls again that had no final decision when the gate ended, then calls until the connection ends. */
  async run(grants: () => readonly GrantEntry[], socket: string): Promise<void> {
    try {
      for (const [key, call] of [...this.#unanswered]) {
        this.#unanswered.delete(key);
        await this.send(call);
      }
      for (;;) {
        await this.#act(grants(), socket);
        if (this.#ledger.pause.known === "paused" || this.entry.paused.known === true) await sleep(PAUSED_MS);
      }
    } catch (error) {
      if (!(error instanceof ConnectionEnded)) throw error;
    }
    // Everything is read that the gate had sent.
    await this.#client?.closed;
  }

  /** Disconnects, as an agent that is done: its waiting requests are withdrawn. */
  async #leave(): Promise<void> {
    this.#ledger.mayWithdraw(this.entry);
    for (const request of this.#waiting()) request.wasLeft = true;
    this.#unanswered.clear();
    const client = this.#client;
    client?.close();
    await client?.closed;
    this.#unanswered.clear();
  }

  /** One call and its first decision; undefined where the gate refused the message. @throws ConnectionEnded */
  send(call: DrivenCall): Promise<Decision | undefined> {
    if (this.#isEnded) return Promise.reject(new ConnectionEnded());
    const id = `c${this.#nextId++}`;
    const expectation = expectationOf(this.#ledger, this.entry, call);
    return new Promise<Decision | undefined>((resolve) => {
      this.#open.set(id, { call, expectation, versions: this.#versions(), request: undefined, decided: resolve });
      this.#write("tool.call", { id, intent: "", executor: call.executor, args: call.args });
    }).then((decision) => {
      if (decision === undefined && this.#isEnded) throw new ConnectionEnded();
      return decision;
    });
  }

  async #act(grants: readonly GrantEntry[], socket: string): Promise<void> {
    const waiting = this.#waiting();
    const act = this.#random.weighted<Act>([
      [6, "clock"],
      [2, "forbidden"],
      [waiting.length < MAX_WAITING ? 8 : 0, "ask"],
      [this.#ledger.requests.size > 0 ? 4 : 0, "repeat"],
      [grants.length > 0 ? 6 : 0, "granted"],
      [waiting.length > 0 ? 2 : 0, "withdraw"],
      [2, "plan"],
      [this.#lastAllowed === undefined ? 0 : 1, "outcome"],
      [0.4, "leave"],
    ]);
    switch (act) {
      case "clock":
        return void (await this.send(CLOCK));
      case "forbidden":
        return void (await this.send(FORBIDDEN));
      case "ask":
        return void (await this.send(writeTo(`/srv/${this.entry.name}/${this.#random.below(2 ** 40)}/notes.txt`)));
      case "repeat":
        return await this.#repeat();
      case "granted":
        return await this.#writeGranted(this.#random.pick(grants));
      case "withdraw":
        return await this.#withdraw(this.#random.pick(waiting));
      case "plan":
        return await this.#plan();
      case "outcome":
        this.#write("tool.outcome", { decision_id: this.#lastAllowed, ok: true });
        return;
      case "leave":
        await this.#leave();
        if ((await this.connect(socket, this.#random, this.#onDecision)) !== "hello.ok") throw new ConnectionEnded();
    }
  }

  /** A call that was asked about before. Not one that waits: two such calls would share an answer. */
  async #repeat(): Promise<void> {
    const own = [...this.#ledger.requests.values()].filter(({ agent }) => agent === this.entry);
    const request = own.length === 0 ? undefined : this.#random.pick(own);
    if (request !== undefined && !this.#isWaitingFor(request.call)) await this.send(request.call);
  }

  async #writeGranted(grant: GrantEntry): Promise<void> {
    if (grant.agent !== undefined && grant.agent !== this.entry) return;
    const call = { ...writeTo(`${grant.key.slice(0, -"**".length)}${this.entry.name}.txt`), grant };
    if (!this.#isWaitingFor(call)) await this.send(call);
  }

  async #withdraw(request: RequestEntry): Promise<void> {
    const id = `w${this.#nextId++}`;
    request.fact.begin("cancelled");
    await new Promise<void>((done) => {
      this.#cancels.set(id, { request, done });
      this.#write("tool.cancel", { id, token: request.token, reason: "no longer needed" });
    });
  }

  async #plan(): Promise<void> {
    const id = `p${this.#nextId++}`;
    const calls = Array.from({ length: PLAN_CALLS }, (_, index) =>
      index === 0 ? { executor: "time_now", args: {} } : writeTo(`/srv/plan/${this.#random.below(1000)}.txt`),
    ).map(({ executor, args }) => ({ executor, args }));
    await new Promise((resolve) => {
      this.#open.set(id, {
        call: CLOCK,
        expectation: undefined,
        versions: undefined,
        request: undefined,
        decided: resolve,
      });
      this.#write("tool.plan", { id, intent: "", calls });
    });
  }

  #write(type: string, data: Record<string, unknown>): void {
    if (this.#isEnded) throw new ConnectionEnded();
    this.#client?.send({ type, data });
  }

  #waiting(): RequestEntry[] {
    return [...this.#open.values()].map(({ request }) => request).filter((request) => request !== undefined);
  }

  #isWaitingFor(call: DrivenCall): boolean {
    const key = callKey(this.entry, call);
    return [...this.#open.values()].some(
      (open) => callKey(this.entry, open.call) === key && open.call.about === "write",
    );
  }

  /** Undefined while an act is on its way that withdraws waiting requests. */
  #versions(): string | undefined {
    const facts = [this.#ledger.pause, this.entry.fact, this.entry.paused];
    if (facts.some(({ known }) => known === undefined)) return undefined;
    return facts.map(({ version }) => version).join(" ");
  }

  #received({ type, data }: LineMessage): void {
    const id = String(data.id);
    if (type === "tool.plan.decisions") {
      for (const decision of data.decisions as unknown[]) this.#ledger.tell(decisionSchema.parse(decision), undefined);
      this.#onDecision();
      this.#open.get(id)?.decided(undefined);
      this.#open.delete(id);
    } else if (type === "tool.decision") this.#decided(id, decisionSchema.parse(data));
    else if (type === "error") {
      this.#cancels.get(id)?.done();
      this.#cancels.delete(id);
      const refused = this.#open.get(id);
      this.#open.delete(id);
      refused?.decided(undefined);
    }
  }

  #decided(id: string, decision: Decision): void {
    const cancel = this.#cancels.get(id);
    if (cancel !== undefined) {
      this.#cancels.delete(id);
      this.#ledger.tell(decision, cancel.request.token);
      // Otherwise it waits until the gate has noticed that the previous connection has ended.
      if (!cancel.request.wasLeft) cancel.request.fact.done("cancelled");
      this.#onDecision();
      cancel.done();
      return;
    }
    const open = this.#open.get(id);
    this.#ledger.tell(decision, open?.request?.token);
    if (open !== undefined) {
      if (open.request === undefined) this.#first(id, open, decision);
      else this.#final(id, open.request, decision);
    }
    this.#onDecision();
    if (decision.outcome === "allowed") this.#lastAllowed = decision.decision_id;
    open?.decided(decision);
  }

  #first(id: string, open: OpenCall, decision: Decision): void {
    if (open.expectation !== undefined) checkDecision(this.#ledger, this.entry, open.expectation, decision);
    const { pending } = decision;
    if (pending !== undefined) {
      const isResolved = open.versions !== undefined && open.versions === this.#versions();
      open.request = this.#ledger.waits(pending.token, this.entry, open.call, isResolved);
      open.request.isHeld = true;
      return;
    }
    this.#open.delete(id);
    if (decision.stage !== "approval" || decision.status === undefined) return;
    // The answer to an earlier request of the same call.
    for (const request of this.#ledger.requestsOf(callKey(this.entry, open.call)))
      if (request.undelivered.possible.includes(true)) request.undelivered.done(false);
    if (decision.outcome === "allowed") this.#ledger.spend(this.entry, open.call);
  }

  #final(id: string, request: RequestEntry, decision: Decision): void {
    this.#open.delete(id);
    request.isHeld = false;
    request.undelivered.done(false);
    if (decision.status !== undefined && !request.fact.possible.includes(decision.status))
      this.#ledger.violate("invented", `request ${request.token} ended as ${decision.status}, without any act`);
    if (decision.status !== undefined) request.fact.done(decision.status);
    if (decision.outcome === "allowed") this.#ledger.spend(this.entry, request.call);
  }

  #ended(client: LineClient): void {
    if (this.#client !== client) return;
    this.#isEnded = true;
    for (const { call, request, decided } of this.#open.values()) {
      if (call.about === "write") this.#unanswered.set(callKey(this.entry, call), call);
      if (request !== undefined) request.isHeld = false;
      decided(undefined);
    }
    this.#open.clear();
    for (const { done } of this.#cancels.values()) done();
    this.#cancels.clear();
  }
}

function writeTo(path: string): DrivenCall {
  return { executor: "fs_write", args: { path, content: "hello" }, about: "write" };
}
