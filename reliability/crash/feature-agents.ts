import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { ConnectionEnded, Conversation } from "../../bench/conversation.ts";
import type { Seeded } from "../../fuzz/seeded.ts";
import { type Decision, decisionSchema } from "../../ipc/contract/decision.ts";
import { GateError } from "../../ipc/contract/gate-error.ts";
import type { OperatorApi } from "../../ipc/contract/operator-api.ts";
import type { AgentEntry, Ledger } from "./ledger.ts";
import { JUDGED_EXECUTOR, REFUSED_WORD, type StandIns } from "./stand-ins.ts";

/** Agents that use what the others don't. Each does one thing after the other, so that what it knows is certain. */

export const SPENDER = "spender";
export const CALLER = "caller";
export const EDITOR = "editor";
export const FEATURE_AGENTS: readonly string[] = [SPENDER, CALLER, EDITOR];

const TOOLS = ["get_issue", "list_issues", "close_issue"];
const SERVER = "crash";
const SOURCE = createHash("sha256").update("a server").digest("hex");
/** So long for a message to reach the phone, in milliseconds; then the request is withdrawn. */
const PHONE_MS = 300;

interface FeatureParts {
  entry: AgentEntry;
  ledger: Ledger;
  random: Seeded;
  around: StandIns;
  operator: OperatorApi;
  received: () => void;
}

export abstract class FeatureAgent {
  protected readonly parts: FeatureParts;
  #conversation: Conversation | undefined;

  constructor(parts: FeatureParts) {
    this.parts = parts;
  }

  /** Acts until the connection ends. */
  async run(socket: string): Promise<void> {
    const conversation = await Conversation.begin(socket, this.parts.entry);
    if (conversation === undefined) return; // killed meanwhile; whether its pairing holds is checked with all others
    this.#conversation = conversation;
    try {
      await this.begin();
      for (;;) {
        await this.act();
        if (this.parts.ledger.pause.known !== "running") await sleep(3);
      }
    } catch (error) {
      if (!(error instanceof ConnectionEnded)) throw error;
    }
    await conversation.closed;
  }

  protected abstract begin(): Promise<void>;
  protected abstract act(): Promise<void>;

  protected get line(): Conversation {
    if (this.#conversation === undefined) throw new ConnectionEnded();
    return this.#conversation;
  }

  protected received(decision: Decision, token?: string): void {
    this.parts.ledger.tell(decision, token);
    this.parts.received();
  }

  /** A call that waits for nobody. @throws ConnectionEnded */
  protected async decided(executor: string, args: object, context?: object): Promise<Decision | undefined> {
    const called = await this.line.call(executor, args, context);
    if (called !== undefined) this.received(called.decision);
    return called?.decision;
  }

  /** False where the gate said no. @throws ConnectionEnded */
  protected async acknowledged(act: Promise<unknown>): Promise<boolean> {
    try {
      await act;
      return true;
    } catch (error) {
      if (!(error instanceof GateError)) throw error;
      if (error.code === "connection_lost") throw new ConnectionEnded();
      return false;
    }
  }

  protected nonce(): string {
    return `n${this.parts.random.below(2 ** 40)}`;
  }
}

/** At level Full: calls with a price, with a small budget, judged by a model; goals that violate a rule. */
export class Spender extends FeatureAgent {
  protected override async begin(): Promise<void> {
    this.parts.ledger.features.mails.since ||= performance.now();
  }

  protected override async act(): Promise<void> {
    const act = this.parts.random.pick(["pay", "pay", "mail", "goal", "goal", "post"] as const);
    await sleep(this.parts.random.real(4));
    if (act === "pay") return await this.#pay();
    if (act === "mail") return await this.#mail();
    if (act === "goal") await this.violate();
    else await this.#post();
  }

  async #pay(): Promise<void> {
    const { ledger } = this.parts;
    const { priced } = ledger.features;
    priced.unanswered++;
    const decision = await this.decided("llm_online", { prompt: this.nonce() });
    priced.unanswered--;
    if (decision?.outcome !== "allowed") return;
    priced.allowed++;
    ledger.acknowledge("priced calls");
  }

  async #mail(): Promise<void> {
    const { ledger } = this.parts;
    const decision = await this.decided("mail_read", { mailbox: this.nonce() });
    if (decision?.outcome === "allowed") ledger.features.mails.allowed++;
    if (decision?.stage === "rate") ledger.acknowledge("budgets used up");
  }

  /** A goal that is refused; with `pauses`, one that pauses the gate. Gives whether the gate said that it is paused. @throws ConnectionEnded */
  async violate(pauses = false): Promise<boolean> {
    const { ledger, around } = this.parts;
    const goalId = this.nonce();
    const kind = pauses
      ? { goal_type: "exfiltrate_data", priority: "normal" }
      : { goal_type: "task", priority: "critical" };
    const { isDiskFailing, diskFailures } = around;
    const { answer } = await this.line.ask("goal.check", { goal: { goal_id: goalId, description: "x", ...kind } });
    const { violations, is_paused } = answer.data as { violations?: unknown[]; is_paused?: boolean };
    const isStored = !isDiskFailing && around.diskFailures === diskFailures;
    if ((violations?.length ?? 0) > 0 && isStored) {
      ledger.features.violations.add(goalId);
      ledger.acknowledge("verdicts");
    }
    return is_paused === true;
  }

  async #post(): Promise<void> {
    const { ledger, around, random } = this.parts;
    const nonce = this.nonce();
    const isBad = random.chance(0.5);
    const body = isBad ? REFUSED_WORD : "the weather";
    const decision = await this.decided(JUDGED_EXECUTOR, { url: `https://example.org/${nonce}`, body });
    if (around.judged(nonce) === 0) return; // over its budget, paused, or refused before
    if (decision !== undefined) ledger.acknowledge("reviews");
    if (isBad && decision?.outcome === "allowed")
      ledger.violate("wrong_decision", `a judge refused ${nonce}, and it was allowed (${decision.reason})`);
  }
}

/** At level Supervised: tools of an MCP server, and requests that are denied on the phone. */
export class Caller extends FeatureAgent {
  /** One for each connection: a tool that changes while it is open has changed, whatever was allowed. */
  readonly #versions = new Map<string, number>();

  protected override async begin(): Promise<void> {
    const { ledger, entry, random } = this.parts;
    ledger.features.agentIds.add(entry.agent_id);
    for (const name of TOOLS) this.#versions.set(name, 1 + random.below(2));
  }

  protected override async act(): Promise<void> {
    await sleep(this.parts.random.real(4));
    if (this.parts.random.chance(0.4)) await this.#denyByPhone();
    else await this.#callTool();
  }

  async #callTool(): Promise<void> {
    const { ledger, random, operator } = this.parts;
    const name = random.pick(TOOLS);
    const version = this.#versions.get(name) ?? 1;
    const fact = ledger.features.tool(name);
    const tool = { name, description: `version ${version}`, input_schema: { type: "object" } };
    const { answer } = await this.line.ask("mcp.tools", { server: SERVER, source: SOURCE, tools: [tool] });
    if (answer.type !== "mcp.tools.ok") return;
    this.#checkState(name, version, (answer.data.tools as { state: string }[])[0]?.state);
    if (random.chance(0.2)) return await this.#forget(name);
    const context = { mcp: { server: SERVER, tool: name } };
    const called = await this.line.call(`mcp__${SERVER}__${name}`, { number: this.nonce() }, context);
    if (called === undefined) return;
    const { id, decision } = called;
    this.received(decision);
    const token = decision.pending?.token;
    if (token === undefined) return;
    const request = ledger.features.request(token);
    const mayBeAllowed = fact.possible.includes(version);
    request.begin("approved");
    fact.begin(version);
    const answered = operator.call("approvals.resolve", { token, decision: "approved", scope: "none" });
    if (await this.acknowledged(answered)) {
      fact.done(version);
      request.done("approved");
      ledger.acknowledge("pins", `answer ${token} approved`);
    } else {
      // A pause has withdrawn it.
      if (!mayBeAllowed) fact.exclude(version);
      request.exclude("approved");
    }
    this.#ended(token, await this.line.next(id));
  }

  /** What the gate says of a tool must be what the user last said of it. */
  #checkState(name: string, version: number, state: string | undefined): void {
    const { ledger } = this.parts;
    const fact = ledger.features.tool(name);
    const stateOf = (allowed: number) => (allowed === 0 ? "new" : allowed === version ? "known" : "changed");
    const fitting = fact.possible.filter((allowed) => stateOf(allowed) === state);
    if (fitting.length === 0)
      ledger.violate(
        "lost",
        `the tool ${name} is ${state} in version ${version}; allowed: ${fact.possible.join(" or ")}`,
      );
    else if (fitting.length === 1 && fitting[0] !== undefined) fact.done(fitting[0]);
  }

  async #forget(name: string): Promise<void> {
    const { ledger, operator } = this.parts;
    const fact = ledger.features.tool(name);
    if (fact.known === undefined || fact.known === 0) return;
    const kept = await operator.call("mcp.tools", {}).catch(() => {
      throw new ConnectionEnded();
    });
    const id = kept.find(({ tool }) => tool === name)?.id;
    if (id === undefined) return ledger.violate("lost", `the tool ${name} was allowed, and isn't listed`);
    fact.begin(0);
    if (!(await this.acknowledged(operator.call("mcp.forget", { id })))) return;
    fact.done(0);
    ledger.acknowledge("pins forgotten");
  }

  /** Asks, waits for the message, and presses Deny; what doesn't come in time is withdrawn. */
  async #denyByPhone(): Promise<void> {
    const { ledger, around } = this.parts;
    const before = around.ntfy.published.length;
    const called = await this.line.call("fs_write", { path: `/srv/${CALLER}/${this.nonce()}`, content: "x" });
    if (called === undefined) return;
    const { id, decision } = called;
    this.received(decision);
    const token = decision.pending?.token;
    if (token === undefined) return;
    const request = ledger.features.request(token);
    const message = await this.#message(before);
    const button = message?.actions?.find(({ action }) => action === "http");
    if (message !== undefined && button !== undefined) {
      request.begin("rejected");
      ledger.features.deniedByPhone.add(token);
      await around.ntfy.press(message, button.label);
      ledger.acknowledge("denials by phone");
    } else await this.line.ask("tool.cancel", { token, reason: "no longer needed" });
    this.#ended(token, await this.line.next(id));
  }

  /** This agent has one request that waits: the newest message with its name is about it. */
  async #message(before: number) {
    const { ntfy } = this.parts.around;
    const giveUpAt = performance.now() + PHONE_MS;
    while (performance.now() < giveUpAt) {
      const found = ntfy.published.slice(before).find(({ title }) => title?.startsWith(CALLER));
      if (found !== undefined) return found;
      await sleep(5);
    }
    return undefined;
  }

  #ended(token: string, { type, data }: { type: string; data: object }): void {
    if (type !== "tool.decision") return;
    const decision = decisionSchema.parse(data);
    this.received(decision, token);
    const { status } = decision;
    if (status === undefined) return;
    const request = this.parts.ledger.features.request(token);
    if (!request.adopt(status))
      this.parts.ledger.violate("invented", `request ${token} ended as ${status}, without any act`);
  }
}
