import { randomUUID } from "node:crypto";
import type { Decision } from "../../ipc/decision.ts";
import type { Answer, ApprovalView, Principal } from "../../ipc/operator-api.ts";
import type { ProposedCall } from "../../ipc/wire.ts";
import type { Activity } from "./activity/activity.ts";
import { ApprovalBroker, type BrokerSettings } from "./approvals/broker.ts";
import { callHash, shareKey } from "./approvals/canonical.ts";
import { HeldCalls } from "./approvals/held-calls.ts";
import type { PendingRequest } from "./approvals/pending-request.ts";
import { approvalOf, refusalOf } from "./approvals/refusal.ts";
import type { ApprovalRegistry } from "./approvals/registry.ts";
import { requestOf } from "./approvals/request-of.ts";
import type { OnFailure } from "./audit/alarms.ts";
import type { AuditLog } from "./audit/log.ts";
import { decisionRecord, withoutValues } from "./audit/record.ts";
import { withhold } from "./audit/withhold.ts";
import { agentKindOf } from "./executors/agent-kind.ts";
import type { ExecutorCatalog } from "./executors/catalog.ts";
import type { GrantStore } from "./grants/store.ts";
import { DecisionMeter } from "./meter.ts";
import { Pieces } from "./pieces.ts";
import { decisionOf, examineCall, traceOf } from "./pipeline.ts";
import { type Examined, kindOf, type Reviewable, type StageSettings, type Subject } from "./stages/examination.ts";
import type { Unpublished } from "./unpublished.ts";
import { answeredTrace, deniedByFailure, denyUnstored } from "./without-answer.ts";

export interface GateParts {
  catalog: ExecutorCatalog;
  grants: GrantStore;
  approvals: ApprovalRegistry;
  audit: AuditLog;
  /** What becomes of calls that change something while the trail can't be written. */
  on_audit_failure: OnFailure;
  activity: Activity;
  stages: StageSettings;
  broker: BrokerSettings;
}

export interface GateEvents {
  decided(decision: Decision, call: ProposedCall, subject: Subject): void;
  waiting(approval: ApprovalView): void;
  closed(approval: ApprovalView): void;
  granted(): void;
  /** A request's deadline has another date. */
  moved(token: string, expires_at: string): void;
  /** Something unexpected, to log. */
  failed(what: string, error: unknown): void;
}

/** An agent's hold on a request that waits. `leave` stops waiting; the last one to leave withdraws it. */
export interface Hold {
  token: string;
  leave(reason: string): void;
  /** Leaves because the agent is gone: the request is withdrawn soon, and can't be answered meanwhile. */
  disconnect(reason: string): void;
}

export interface Decided {
  decision: Decision;
  hold?: Hold;
}

type Waiting = Pick<Reviewable, "call" | "subject" | "lines">;

/** The decision core: every tool call passes `decide`. */
export class Gate {
  readonly broker: ApprovalBroker;
  readonly meter = new DecisionMeter();
  readonly #parts: GateParts;
  readonly #events: GateEvents;
  /** What the waiting calls are, to look at them again once a grant was given. */
  readonly #waiting = new Map<string, Waiting>();
  readonly #held = new HeldCalls();
  /** The waiting calls that may be covered by now, and by whose grant. */
  readonly #to_look_at = new Map<string, Principal>();
  readonly #looking = new Pieces((ends_at) => this.#settleSome(ends_at));
  #unpublished: Unpublished[] = [];

  constructor(parts: GateParts, events: GateEvents) {
    this.#parts = parts;
    this.#events = events;
    this.broker = new ApprovalBroker(parts.approvals, parts.grants, parts.broker, {
      waiting: (pending) => events.waiting(this.broker.view(pending)),
      closed: (ended) => this.#closed(ended),
      granted: (ended) => this.#granted(ended),
      failed: (what, error) => events.failed(what, error),
      moved: (pending) => events.moved(pending.token, pending.expires_at),
    });
  }

  /**
   * Decides one call. If a human must be asked, the decision is `approval_required` with `pending`, and `deliver` is called once
   * with the final one.
   */
  decide(call: ProposedCall, subject: Subject, deliver: (final: Decision) => void): Decided {
    const began = performance.now();
    const examined = this.#examine(call, subject, this.#parts.activity.keepsNext);
    const { x, denial } = examined;
    const decision = decisionOf(examined);
    const is_asked = denial === null && x.outcome === "approval_required";
    const hold = is_asked ? this.#ask(x, decision, deliver) : undefined;
    this.#log({
      decision,
      call,
      subject,
      trace: x.trace === undefined ? undefined : traceOf(examined),
      first: { ms: performance.now() - began, grants_used: x.grants_used ?? [] },
    });
    return hold === undefined ? { decision } : { decision, hold };
  }

  /**
   * Writes down what was decided: called before the answers leave, so that no agent knows of a decision that the trail doesn't.
   * What was allowed and must not go unrecorded is denied, in place, where its line can't be written.
   */
  record(): void {
    this.broker.commit();
    this.#parts.audit.flush();
  }

  /** Tells the surfaces what was decided: called in the same turn of the event loop, once the answers are on their way. */
  publish(): void {
    if (this.#unpublished.length === 0) return;
    this.#prepareNext();
    const unpublished = this.#unpublished;
    this.#unpublished = [];
    for (const { decision, call, subject, trace, first } of unpublished) {
      this.meter.decided(decision, first?.ms);
      if (decision.outcome !== "denied") for (const id of first?.grants_used ?? []) this.#parts.grants.noteUse(id);
      try {
        this.#parts.activity.note(decision, call, subject, trace);
        this.#events.decided(decision, call, subject);
      } catch (error) {
        // The answer has left: what only shows it must not take the gate with it.
        this.#events.failed("telling a decision", error);
      }
    }
  }

  /** Work that the next answer would wait for, done while none does. */
  #prepareNext(): void {
    this.#parts.audit.prepareNext();
    try {
      this.#parts.grants.freshen();
    } catch (error) {
      this.#events.failed("reading the grants", error);
    }
  }

  /** What would happen to each call of a plan: nobody is asked, nothing is remembered, each call still has to come by itself. */
  preview(call: ProposedCall, subject: Subject): Decision {
    const decision = decisionOf(this.#examine(call, subject));
    this.#parts.audit.append(() => decisionRecord(call, decision, this.#logged(call, subject), "plan"));
    return decision;
  }

  #examine(call: ProposedCall, subject: Subject, with_trace = false): Examined {
    return examineCall(call, subject, this.#parts.catalog, this.#parts.stages, with_trace);
  }

  /** The same call once more, later: its command lines are read already. */
  #examineAgain({ call, subject, lines }: Waiting): Examined {
    return examineCall(call, subject, this.#parts.catalog, this.#parts.stages, false, lines);
  }

  /** The human's answer, from whatever surface. See `ApprovalBroker.answer` for what it throws. */
  answer(answer: Answer, by: Principal): ApprovalView {
    return this.broker.view(this.broker.answer(answer, by));
  }

  /** Looks at an agent's waiting calls again after a grant: what is covered now needs no answer of its own. */
  approveCovered(by: Principal): void {
    for (const token of this.#waiting.keys()) this.#to_look_at.set(token, by);
    this.#looking.go();
  }

  #settleSome(ends_at: number): boolean {
    for (const [token, by] of this.#to_look_at) {
      if (performance.now() >= ends_at) break;
      this.#to_look_at.delete(token);
      const waiting = this.#waiting.get(token);
      if (waiting === undefined) continue;
      try {
        const { x, denial } = this.#examineAgain(waiting);
        if (denial === null && x.outcome === "allowed") this.broker.approveCovered(token, by);
      } catch (error) {
        this.#events.failed("looking at a waiting call again", error);
      }
    }
    return this.#to_look_at.size > 0;
  }

  /** Withdraws everything that waits for an agent. None of it can be answered from now on; thousands end in pieces. */
  withdrawAgent(agent_id: string, reason: string): void {
    this.#withdraw(reason, agent_id);
  }

  /** Withdraws everything that waits, in the same way. */
  withdrawAll(reason: string): void {
    this.#withdraw(reason);
  }

  #withdraw(reason: string, agent_id?: string): void {
    this.broker.commit();
    const waiting = this.#waitingTokens(agent_id);
    this.broker.withdraw(waiting.map((request) => ({ ...request, reason })));
  }

  /** Where the database can't be read, those that connections wait for: what withdraws them (a pause, a revocation) goes on. */
  #waitingTokens(agent_id?: string): { token: string; agent_id: string }[] {
    try {
      return this.broker.registry.waitingTokens(agent_id);
    } catch (error) {
      this.#events.failed("reading what waits", error);
      return [...this.#waiting]
        .map(([token, { subject }]) => ({ token, agent_id: subject.agent?.agent_id ?? "" }))
        .filter((request) => agent_id === undefined || request.agent_id === agent_id);
    }
  }

  /**
   * Withdraws a request that this agent asked an earlier gate, and that no connection waits for now. Undefined if it isn't the
   * agent's, has ended, or somebody waits for it.
   */
  withdrawLeft(agent_id: string, token: string, reason: string): Decision | undefined {
    const request = this.broker.registry.getPending(token);
    if (request === undefined || request.agent_id !== agent_id || this.broker.isAwaited(token)) return undefined;
    const ended = this.broker.cancel(token, withoutValues(reason, request.extra.args ?? {}));
    if (ended === undefined) return undefined;
    return {
      decision_id: randomUUID(),
      outcome: "denied",
      stage: "approval",
      status: "cancelled",
      reason: "withdrawn by the agent",
      explain: { rule: "approval.withdrawn" },
      verdict: null,
      capabilities: request.extra.capabilities,
    };
  }

  #ask(x: Reviewable, decision: Decision, deliver: (final: Decision) => void): Hold | undefined {
    const { call, subject } = x;
    const agent = subject.agent;
    if (agent === null) throw new Error("only a paired agent can ask");
    const hash = callHash(call.executor, call.args);
    const share_key = shareKey(agent.agent_id, call.context?.cwd ?? "", hash, x.needs);
    try {
      this.broker.begin();
      const answered = this.broker.takeAnswer(share_key, subject.session ?? "");
      if (answered !== undefined) {
        Object.assign(decision, this.#final(decision, answered, x));
        this.broker.onUnstored(() => denyUnstored(decision));
        return undefined;
      }
      const characters = JSON.stringify(call.args).length;
      const refusal = this.#held.refusal(agent.agent_id, characters, this.broker);
      if (refusal !== undefined) {
        Object.assign(decision, refusal);
        return undefined;
      }
      const request = requestOf(x, agent, decision, this.#parts.broker, (capability_class) =>
        this.broker.registry.countApproved(capability_class, agent.agent_id),
      );
      const pending = this.broker.ask({ ...request, call_hash: hash, share_key });
      return this.#wait(x, agent.agent_id, decision, pending, characters, deliver);
    } catch (error) {
      // Nothing of this turn can be stored: each of its asks is a denial, this one an error.
      this.broker.abandon(error);
      throw error;
    }
  }

  #wait(
    x: Reviewable,
    agent_id: string,
    decision: Decision,
    pending: PendingRequest,
    characters: number,
    deliver: (final: Decision) => void,
  ): Hold {
    const { call, subject, lines } = x;
    this.#waiting.set(pending.token, { call, subject, lines });
    decision.pending = {
      token: pending.token,
      expires_at: pending.expires_at,
      card: this.broker.view(pending).card,
    };
    const letGo = this.#held.add(agent_id, characters);
    const leave = this.broker.wait(pending.token, (ended) => {
      letGo();
      const final = this.#finalOrDenial(decision, ended, x);
      this.#log({ decision: final, call, subject, trace: answeredTrace(traceOf({ x, denial: null }), final) });
      deliver(final);
    });
    this.broker.onUnstored(() => {
      letGo();
      this.#waiting.delete(pending.token);
      denyUnstored(decision);
    });
    return {
      token: pending.token,
      leave: (reason) => {
        letGo();
        leave(withoutValues(reason, call.args));
      },
      disconnect: (reason) => {
        letGo();
        leave(reason, agent_id);
      },
    };
  }

  /** For a call that waits, and has to hear of the end whatever happens. */
  #finalOrDenial(asked: Decision, ended: PendingRequest, before: Reviewable): Decision {
    try {
      return this.#final(asked, ended, before);
    } catch (error) {
      this.#events.failed("looking at an answered call again", error);
      return deniedByFailure(asked, ended.status);
    }
  }

  /** What an ended request means for the call. An approved one is looked at again: the world may have moved while it waited. */
  #final(asked: Decision, ended: PendingRequest, before: Reviewable): Decision {
    const { pending: _, ...rest } = asked;
    const base: Decision = { ...rest, stage: "approval", status: ended.status };
    if (ended.status === "approved") return this.#approved(base, ended, before);
    return { ...base, outcome: "denied", ...refusalOf(ended, this.#parts.broker.ttl_seconds) };
  }

  #approved(base: Decision, ended: PendingRequest, before: Reviewable): Decision {
    const { x, denial } = this.#examineAgain(before);
    if (denial !== null) {
      return { ...base, outcome: "denied", stage: denial.stage, reason: denial.reason, explain: denial.explain };
    }
    if (JSON.stringify(x.needs) !== JSON.stringify(before.needs)) {
      return {
        ...base,
        outcome: "denied",
        reason: "the path led elsewhere by the time it was approved",
        explain: { rule: "approval.changed-while-waiting", instead: "send the call again" },
      };
    }
    return { ...base, outcome: "allowed", ...approvalOf(ended) };
  }

  #closed(ended: PendingRequest): void {
    if (ended.decision_by_channel !== null && ended.decision_at !== null)
      this.meter.answered(ended.created_at, ended.decision_at);
    this.#waiting.delete(ended.token);
    this.#parts.audit.append({
      event: "answer",
      ts: this.#parts.broker.clock.now() / 1000,
      token: ended.token,
      status: ended.status,
      territory: ended.territory_concession,
      by_channel: ended.decision_by_channel,
      agent: ended.agent_name,
      executor: this.#parts.catalog.loggedName(ended.extra.executor, agentKindOf(ended.agent_name)),
    });
    this.record();
    this.#events.closed(this.broker.view(ended));
  }

  #granted(ended: PendingRequest): void {
    this.#events.granted();
    this.approveCovered({ channel: ended.channel, sender_id: ended.sender_id });
  }

  /** How a call is logged. */
  #logged(call: ProposedCall, subject: Subject): { agent: string; executor: string; ts: number } {
    const executor = this.#parts.catalog.loggedName(call.executor, kindOf(subject));
    return { agent: subject.agent?.name ?? "none", executor, ts: this.#parts.audit.time() };
  }

  #log(made: Unpublished): void {
    const { call, decision, subject } = made;
    this.#parts.audit.append(
      () => decisionRecord(call, decision, this.#logged(call, subject)),
      (error) => withhold(decision, made.trace, error, this.#parts.on_audit_failure),
    );
    this.#unpublished.push(made);
  }
}
