import { randomUUID } from "node:crypto";
import type { Decision, TraceStep } from "../../ipc/decision.ts";
import type { Answer, ApprovalView, Principal } from "../../ipc/operator-api.ts";
import { visible } from "../../ipc/visible-text.ts";
import type { ProposedCall } from "../../ipc/wire.ts";
import type { Activity } from "./activity/activity.ts";
import { ApprovalBroker, type BrokerSettings } from "./approvals/broker.ts";
import { callHash, shareKey } from "./approvals/canonical.ts";
import { askedPathsOf, choicesFor } from "./approvals/choices.ts";
import { keptOf } from "./approvals/kept.ts";
import { questionFor } from "./approvals/question.ts";
import type { ApprovalRegistry, PendingRequest } from "./approvals/registry.ts";
import type { AuditLog } from "./audit/log.ts";
import { decisionRecord, withoutValues } from "./audit/record.ts";
import { agentKindOf } from "./executors/agent-kind.ts";
import type { ExecutorCatalog } from "./executors/catalog.ts";
import type { GrantStore } from "./grants/store.ts";
import { DecisionMeter } from "./meter.ts";
import { decisionOf, examineCall, traceOf } from "./pipeline.ts";
import { POLICY_TABLE } from "./policy.ts";
import { type Examination, kindOf, type StageSettings, type Subject } from "./stages/examination.ts";
import type { Need } from "./targets/target.ts";

export interface GateParts {
  catalog: ExecutorCatalog;
  grants: GrantStore;
  approvals: ApprovalRegistry;
  audit: AuditLog;
  activity: Activity;
  stages: StageSettings;
  broker: BrokerSettings;
}

export interface GateEvents {
  decided(decision: Decision, call: ProposedCall, subject: Subject): void;
  waiting(approval: ApprovalView): void;
  closed(approval: ApprovalView): void;
  granted(): void;
  /** Something unexpected, to log. */
  failed(what: string, error: unknown): void;
}

/** An agent's hold on a request that waits. `leave` stops waiting; the last one to leave withdraws it. */
export interface Hold {
  token: string;
  leave(reason: string): void;
}

export interface Decided {
  decision: Decision;
  hold?: Hold;
}

interface Waiting {
  call: ProposedCall;
  subject: Subject;
}

/** A decision that was made, and that the surfaces don't know yet. */
interface Unpublished {
  decision: Decision;
  call: ProposedCall;
  subject: Subject;
  trace: TraceStep[] | undefined;
  /** Of a call's first decision: how long it took, and which grants it rests on. */
  first?: { ms: number; grants_used: readonly number[] };
}

const NO_GRANTS: readonly number[] = [];

/** More requests than this of one agent wait for nobody: the next one is refused. */
export const MAX_WAITING_PER_AGENT = 200;
/** And their arguments are no longer than this, all together, in characters of JSON. */
export const MAX_WAITING_CHARACTERS = 8 * 1024 * 1024;

/** The decision core: every tool call passes `decide`. */
export class Gate {
  readonly broker: ApprovalBroker;
  readonly meter = new DecisionMeter();
  readonly #parts: GateParts;
  readonly #events: GateEvents;
  /** What the waiting calls are, to look at them again once a grant was given. */
  readonly #waiting = new Map<string, Waiting>();
  /** What each agent's waiting calls hold, those that share a card too. */
  readonly #held = new Map<string, { calls: number; characters: number }>();
  #unpublished: Unpublished[] = [];

  constructor(parts: GateParts, events: GateEvents) {
    this.#parts = parts;
    this.#events = events;
    this.broker = new ApprovalBroker(parts.approvals, parts.grants, parts.broker, {
      waiting: (pending) => events.waiting(this.broker.view(pending)),
      closed: (ended) => this.#closed(ended),
      granted: (ended) => this.#granted(ended),
    });
  }

  /**
   * Decides one call. If a human must be asked, the decision is `approval_required` with `pending`, and `deliver` is called once
   * with the final one.
   */
  decide(call: ProposedCall, subject: Subject, deliver: (final: Decision) => void): Decided {
    const began = performance.now();
    const { x, denial } = examineCall(
      call,
      subject,
      this.#parts.catalog,
      this.#parts.stages,
      this.#parts.activity.keeps_next,
    );
    const decision = decisionOf(x, denial);
    const hold = decision.outcome === "approval_required" ? this.#ask(x, decision, deliver) : undefined;
    this.#log({
      decision,
      call,
      subject,
      trace: x.trace === undefined ? undefined : traceOf(x, denial),
      first: { ms: performance.now() - began, grants_used: denial === null ? x.grants_used : NO_GRANTS },
    });
    return hold === undefined ? { decision } : { decision, hold };
  }

  /** Writes down what was decided: called before the answers leave, so that no agent knows of a decision that the trail doesn't. */
  record(): void {
    this.#parts.audit.flush();
  }

  /** Tells the surfaces what was decided: called in the same turn of the event loop, once the answers are on their way. */
  publish(): void {
    if (this.#unpublished.length === 0) return;
    const unpublished = this.#unpublished;
    this.#unpublished = [];
    for (const { decision, call, subject, trace, first } of unpublished) {
      if (first !== undefined) this.meter.decided(decision, first.ms);
      for (const id of first?.grants_used ?? NO_GRANTS) this.#parts.grants.note_use(id);
      try {
        this.#parts.activity.note(decision, call, subject, trace);
        this.#events.decided(decision, call, subject);
      } catch (error) {
        // The answer has left: what only shows it must not take the gate with it.
        this.#events.failed("telling a decision", error);
      }
    }
  }

  /** What would happen to each call of a plan: nobody is asked, nothing is remembered, each call still has to come by itself. */
  preview(call: ProposedCall, subject: Subject): Decision {
    const { x, denial } = examineCall(call, subject, this.#parts.catalog, this.#parts.stages);
    const decision = decisionOf(x, denial);
    this.#parts.audit.append(() => decisionRecord(call, decision, this.#names(call, subject), "plan"));
    return decision;
  }

  /** The human's answer, from whatever surface. See `ApprovalBroker.answer` for what it throws. */
  answer(answer: Answer, by: Principal): ApprovalView {
    return this.broker.view(this.broker.answer(answer, by));
  }

  /** Looks at an agent's waiting calls again after a grant: what is covered now needs no answer of its own. */
  settle_covered(by: Principal): void {
    for (const [token, { call, subject }] of this.#waiting) {
      const { x, denial } = examineCall(call, subject, this.#parts.catalog, this.#parts.stages);
      if (denial === null && x.outcome === "allowed") this.broker.approve_covered(token, by);
    }
  }

  /** Withdraws everything that waits for an agent. */
  withdraw_agent(agent_id: string, reason: string): void {
    this.#withdraw(reason, (request) => request.agent_id === agent_id);
  }

  /** Withdraws everything that waits. */
  withdraw_all(reason: string): void {
    this.#withdraw(reason, () => true);
  }

  #withdraw(reason: string, isMeant: (request: PendingRequest) => boolean): void {
    for (const request of this.broker.registry.list_pending({ limit: 100_000 })) {
      if (isMeant(request)) this.broker.cancel(request.token, reason);
    }
  }

  /**
   * Withdraws a request that this agent asked an earlier gate, and that no connection waits for now. Undefined if it isn't the
   * agent's, has ended, or somebody waits for it.
   */
  withdraw_left(agent_id: string, token: string, reason: string): Decision | undefined {
    const request = this.broker.registry.get_pending(token);
    if (request === undefined || request.agent_id !== agent_id || this.broker.is_awaited(token)) return undefined;
    const ended = this.broker.cancel(token, withoutValues(reason, request.extra.args ?? {}));
    if (ended === undefined) return undefined;
    return {
      decision_id: randomUUID(),
      outcome: "denied",
      stage: "approval",
      status: "cancelled",
      reason: "withdrawn by the agent",
      explain: {},
      verdict: null,
      capabilities: request.extra.capabilities,
    };
  }

  #ask(x: Examination, decision: Decision, deliver: (final: Decision) => void): Hold | undefined {
    const { call, subject } = x;
    const agent = subject.agent;
    if (agent === null) throw new Error("only a paired agent can ask");
    const { home, language } = this.#parts.broker;
    const hash = callHash(call.executor, call.args);
    const session = subject.session ?? "";
    const share_key = shareKey(agent.agent_id, call.context?.cwd ?? "", hash, x.needs);

    const answered = this.broker.take_answer(share_key, session);
    if (answered !== undefined) {
      Object.assign(decision, this.#final(decision, answered, x));
      return undefined;
    }
    const size = JSON.stringify(call.args).length;
    const held = this.#held.get(agent.agent_id) ?? { calls: 0, characters: 0 };
    const waiting = Math.max(held.calls, this.broker.registry.count_waiting(agent.agent_id));
    if (waiting >= MAX_WAITING_PER_AGENT || held.characters + size > MAX_WAITING_CHARACTERS) {
      decision.outcome = "denied";
      decision.reason =
        waiting >= MAX_WAITING_PER_AGENT
          ? `${MAX_WAITING_PER_AGENT} requests of this agent wait already`
          : "the requests of this agent that wait already are too long to take another";
      decision.explain = { instead: "wait for their answers, or withdraw some" };
      return undefined;
    }
    const { links, ...question } = questionFor(call, x.executor, x.needs, home, language);
    const pending = this.broker.ask({
      ...subject.principal,
      ...question,
      agent_id: agent.agent_id,
      agent_name: agent.name,
      session,
      call_hash: hash,
      share_key,
      extra: {
        executor: call.executor,
        intent: call.intent,
        subagent: typeof call.context?.subagent === "string" ? visible(call.context.subagent.slice(0, 64)) : null,
        verb: x.executor.manifest.verb,
        cwd: call.context?.cwd ?? null,
        args: call.args,
        reversibility: x.executor.manifest.reversibility,
        recurrence_count: this.broker.registry.count_approved(question.capability_class, agent.agent_id),
        capabilities: decision.capabilities,
        choices: choicesFor(
          x.needs.filter((need) => this.#isAsked(x, need)),
          home,
        ),
        ...askedPathsOf(x.needs),
        links,
        judge: { score: x.verdict?.score ?? 0, reason: x.verdict?.reason ?? "" },
        kept: keptOf(call, x.executor, x.needs, question, home),
      },
    });
    this.#waiting.set(pending.token, { call, subject });
    decision.pending = {
      token: pending.token,
      expires_at: pending.expires_at,
      card: this.broker.view(pending).card,
    };
    const letGo = this.#hold(agent.agent_id, size);
    const leave = this.broker.wait(pending.token, (ended) => {
      letGo();
      const final = this.#final(decision, ended, x);
      this.#log({ decision: final, call, subject, trace: answeredTrace(traceOf(x, null), final) });
      deliver(final);
    });
    return {
      token: pending.token,
      leave: (reason) => {
        letGo();
        leave(withoutValues(reason, call.args));
      },
    };
  }

  /** Counts a waiting call. The function that is returned takes it off again, once. */
  #hold(agent_id: string, characters: number): () => void {
    const add = (calls: number, more: number) => {
      const held = this.#held.get(agent_id) ?? { calls: 0, characters: 0 };
      const sum = { calls: held.calls + calls, characters: held.characters + more };
      if (sum.calls > 0) this.#held.set(agent_id, sum);
      else this.#held.delete(agent_id);
    };
    add(1, characters);
    let is_held = true;
    return () => {
      if (is_held) add(-1, -characters);
      is_held = false;
    };
  }

  /** Of a call's needs, those that are asked about: only these can be granted, and one that no grant covers leaves only "once". */
  #isAsked(x: Examination, { capability, ask_each_time }: Need): boolean {
    return ask_each_time !== undefined || POLICY_TABLE[x.subject.level][capability] === "approval_required";
  }

  /** What an ended request means for the call. An approved one is looked at again: the world may have moved while it waited. */
  #final(asked: Decision, ended: PendingRequest, before: Examination): Decision {
    const { pending: _, ...rest } = asked;
    const base: Decision = { ...rest, stage: "approval", status: ended.status };
    switch (ended.status) {
      case "approved":
        return this.#approved(base, ended, before);
      case "rejected":
        return {
          ...base,
          outcome: "denied",
          reason: ended.message ? `the human said no: ${ended.message}` : "the human said no",
          explain: { instead: "do without it, or ask the human what they would accept" },
        };
      case "expired":
        return {
          ...base,
          outcome: "denied",
          reason: `nobody answered within ${this.#parts.broker.ttl_seconds} s; this is not a refusal`,
          explain: { instead: "ask again when somebody is there" },
        };
      default:
        return { ...base, outcome: "denied", reason: `withdrawn: ${ended.message ?? "no reason given"}`, explain: {} };
    }
  }

  #approved(base: Decision, ended: PendingRequest, before: Examination): Decision {
    const { x, denial } = examineCall(before.call, before.subject, this.#parts.catalog, this.#parts.stages);
    if (denial !== null) {
      return { ...base, outcome: "denied", stage: denial.stage, reason: denial.reason, explain: denial.explain };
    }
    if (JSON.stringify(x.needs) !== JSON.stringify(before.needs)) {
      return {
        ...base,
        outcome: "denied",
        reason: "the path led elsewhere by the time it was approved",
        explain: { instead: "send the call again" },
      };
    }
    const how = {
      none: "approved once by the human",
      session: "approved by the human for this session",
      permanent: "approved by the human, permanently",
    };
    const reason = ended.message ?? how[ended.territory_concession];
    return { ...base, outcome: "allowed", reason, explain: {} };
  }

  #closed(ended: PendingRequest): void {
    if (ended.decision_by_channel !== null && ended.decision_at !== null)
      this.meter.answered(ended.created_at, ended.decision_at);
    this.#waiting.delete(ended.token);
    this.#parts.audit.append({
      event: "answer",
      ts: this.#parts.broker.now() / 1000,
      token: ended.token,
      status: ended.status,
      territory: ended.territory_concession,
      by_channel: ended.decision_by_channel,
      agent: ended.agent_name,
      executor: this.#parts.catalog.loggedName(ended.extra.executor, agentKindOf(ended.agent_name)),
    });
    this.#parts.audit.flush();
    this.#events.closed(this.broker.view(ended));
  }

  #granted(ended: PendingRequest): void {
    this.#events.granted();
    this.settle_covered({ channel: ended.channel, sender_id: ended.sender_id });
  }

  #names(call: ProposedCall, subject: Subject): { agent: string; executor: string } {
    const executor = this.#parts.catalog.loggedName(call.executor, kindOf(subject));
    return { agent: subject.agent?.name ?? "none", executor };
  }

  #log(made: Unpublished): void {
    const { call, decision, subject } = made;
    this.#parts.audit.append(() => decisionRecord(call, decision, this.#names(call, subject)));
    this.#unpublished.push(made);
  }
}

/** The trace of a call that was asked about, once the question has ended. */
function answeredTrace(asked: readonly TraceStep[], final: Decision): TraceStep[] {
  const outcome = final.outcome === "allowed" ? "passed" : "denied";
  return asked.map((step) => (step.stage === "approval" ? { ...step, outcome, detail: final.reason } : step));
}
