import type { ApprovalStatus, Decision, Territory } from "../../ipc/contract/decision.ts";
import type { SettingKey } from "../../ipc/contract/settings.ts";
import { callHash } from "../../main/decide/executors/canonical.ts";
import { Fact } from "./fact.ts";
import { Features } from "./features.ts";

/** What a gate acknowledged to the operator and sent to its agents: what must still be true after it was killed. */

export type ViolationKind =
  | "lost"
  | "invented"
  | "not_in_trail"
  | "wrong_decision"
  | "answer_worth_more"
  | "half_done"
  | "trail_broken"
  | "receipt_missing"
  | "receipt_twice"
  | "receipt_wrong"
  | "checkpoint_broken"
  | "database_broken"
  | "budget_given_back"
  | "no_start";

export interface Violation {
  kind: ViolationKind;
  what: string;
}

export interface DrivenCall {
  executor: string;
  args: Record<string, unknown>;
  /** What it is about: `clock` is always allowed, `forbidden` never, `write` needs a grant or an answer. */
  about: "clock" | "forbidden" | "write";
  /** The grant that was given for it by itself, if one was: such a call is never answered for longer than once. */
  grant?: GrantEntry;
}

export interface AgentEntry {
  name: string;
  session: string;
  fact: Fact<"unpaired" | "paired">;
  /** By itself, whether the gate is or not. */
  paused: Fact<boolean>;
  agent_id: string;
  token: string;
}

export interface GrantEntry {
  /** Its target, or `approval:<token>` for one that an answer gave. */
  key: string;
  fact: Fact<"absent" | "active" | "revoked">;
  /** Undefined until the gate reported it. */
  id: number | undefined;
  /** Undefined: for every agent. */
  agent: AgentEntry | undefined;
}

export interface RequestEntry {
  token: string;
  key: string;
  agent: AgentEntry;
  call: DrivenCall;
  fact: Fact<ApprovalStatus>;
  territory: Fact<Territory>;
  /** Acknowledged while no agent waited for it: its next call gets it, once. */
  undelivered: Fact<boolean>;
  /** An agent waits for it on its connection. */
  isHeld: boolean;
  /** An agent closed a connection that waited for it: whether this gate has noticed that yet is unknown. */
  wasLeft: boolean;
  /** How it was answered; undefined if no answer was tried. */
  answered: "approved" | "rejected" | undefined;
  /** When the answer was sent, in milliseconds (`performance.now()`). */
  answeredAt: number;
  /** A grant was on its way when it was asked: that approves it, too. */
  mayBeCovered: boolean;
}

/** A decision that an agent received. */
export interface ReceivedDecision {
  decision_id: string;
  outcome: Decision["outcome"];
  /** Of a withdrawn request: its line may be the answer's. */
  cancelledToken: string | undefined;
}

export class Ledger {
  readonly violations: Violation[] = [];
  /** What is wrong with a file stays so: it is reported once. */
  readonly #reported = new Set<string>();
  readonly pause = new Fact<"running" | "paused">("running");
  readonly settings = new Map<SettingKey, Fact<string | number | boolean>>();
  readonly features = new Features();
  readonly agents = new Map<string, AgentEntry>();
  readonly grants = new Map<string, GrantEntry>();
  readonly requests = new Map<string, RequestEntry>();
  /** Received since the trail was read last. */
  received: ReceivedDecision[] = [];
  /** Lines that the trail must have at least so often, by what they are about. */
  readonly expectedLines = new Map<string, number>();
  /** How often each act was acknowledged. */
  readonly acknowledged = new Map<string, number>();
  receivedCount = 0;
  /** Receipts that were there at the last check, and how often the trail was compared with a kept checkpoint. */
  receipts = 0;
  checkpointsCompared = 0;
  /** Calls that were checked against what their decision had to be, by the rule. */
  readonly checked = new Map<string, number>();
  /** How often a call was sent, and how often it was allowed by an answer, by its key. */
  readonly sent = new Map<string, number>();
  readonly allowedByAnswer = new Map<string, number>();

  violate(kind: ViolationKind, what: string): void {
    this.violations.push({ kind, what });
  }

  violateOnce(kind: ViolationKind, what: string): void {
    const key = `${kind} ${what}`;
    if (!this.#reported.has(key)) this.violate(kind, what);
    this.#reported.add(key);
  }

  acknowledge(act: string, line?: string): void {
    count(this.acknowledged, act);
    if (line !== undefined) count(this.expectedLines, line);
  }

  agent(name: string): AgentEntry {
    const known = this.agents.get(name);
    if (known !== undefined) return known;
    // Not `session-...`: such a name is made by the gate, and ends with it.
    const entry = { name, session: `work-${name}`, fact: new Fact<"unpaired" | "paired">("unpaired") };
    const agent: AgentEntry = { ...entry, paused: new Fact(false), agent_id: "", token: "" };
    this.agents.set(name, agent);
    return agent;
  }

  grant(key: string, agent: AgentEntry | undefined): GrantEntry {
    const known = this.grants.get(key);
    if (known !== undefined) return known;
    const entry: GrantEntry = { key, fact: new Fact<"absent" | "active" | "revoked">("absent"), id: undefined, agent };
    this.grants.set(key, entry);
    return entry;
  }

  /** An agent was informed that its call waits under this token. Not certain: it may be withdrawn since. */
  waits(token: string, agent: AgentEntry, call: DrivenCall, isResolved: boolean): RequestEntry {
    const request = this.requests.get(token) ?? this.#newRequest(token, agent, call);
    if (!isResolved && request.fact.possible.includes("pending")) request.fact.begin("cancelled");
    if (call.grant?.fact.possible.includes("active")) {
      request.mayBeCovered = true;
      request.fact.begin("approved");
      request.undelivered.begin(true);
    }
    return request;
  }

  #newRequest(token: string, agent: AgentEntry, call: DrivenCall): RequestEntry {
    const request: RequestEntry = {
      token,
      key: callKey(agent, call),
      agent,
      call,
      fact: new Fact<ApprovalStatus>("pending"),
      territory: new Fact<Territory>("none"),
      undelivered: new Fact(false),
      isHeld: false,
      wasLeft: false,
      answered: undefined,
      answeredAt: 0,
      mayBeCovered: false,
    };
    this.requests.set(token, request);
    return request;
  }

  /** Everything of this agent, or of all of them, that still waits may be withdrawn from now on. */
  mayWithdraw(agent?: AgentEntry): void {
    for (const request of this.#waiting(agent)) request.fact.begin("cancelled");
  }

  /** It was: unanswered requests are withdrawn. */
  hasWithdrawn(agent?: AgentEntry): void {
    for (const request of this.#waiting(agent)) request.fact.exclude("pending");
  }

  *#waiting(agent?: AgentEntry): Generator<RequestEntry> {
    for (const request of this.requests.values())
      if ((agent === undefined || request.agent === agent) && request.fact.possible.includes("pending")) yield request;
  }

  /** An agent received a decision. `token`: of the request that it ends, if it ends one. */
  tell({ decision_id, outcome, status }: Decision, token: string | undefined): void {
    this.receivedCount++;
    const cancelledToken = status === "cancelled" ? token : undefined;
    this.received.push({ decision_id, outcome, cancelledToken });
  }

  /** A call was allowed by an answer: that may not happen more often than one was given. */
  spend(agent: AgentEntry, call: DrivenCall): void {
    const key = callKey(agent, call);
    const spent = count(this.allowedByAnswer, key);
    const given = this.requestsOf(key).filter(
      ({ answered, mayBeCovered }) => answered === "approved" || mayBeCovered,
    ).length;
    if (spent > given)
      this.violate(
        "answer_worth_more",
        `${agent.name} was allowed ${spent} calls by ${given} answers to the same call`,
      );
  }

  requestsOf(key: string): RequestEntry[] {
    return [...this.requests.values()].filter((request) => request.key === key);
  }
}

/** What identical calls of an agent share. */
export function callKey(agent: AgentEntry, { executor, args }: DrivenCall): string {
  return `${agent.agent_id} ${callHash(executor, args)}`;
}

export function count(counts: Map<string, number>, key: string): number {
  const sum = (counts.get(key) ?? 0) + 1;
  counts.set(key, sum);
  return sum;
}
