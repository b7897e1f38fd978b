import { randomUUID } from "node:crypto";
import { decidingCall } from "@metnos-gate/shell-reading/files";
import { agentKindOf } from "../../ipc/contract/agent-kind.ts";
import type { Decided, Deliver, InTurn } from "../../ipc/contract/agent-port.ts";
import { type Decision, STAGES } from "../../ipc/contract/decision.ts";
import type { Answer, ApprovalView } from "../../ipc/contract/operator-api.ts";
import type { ProposedCall } from "../../ipc/contract/wire.ts";
import type { UserWords } from "../agents/index.ts";
import { attempt } from "../base/errors.ts";
import type { Confinement, NotConfined } from "../decide/confinement/confinement.ts";
import type { McpTools } from "../decide/mcp/mcp-tools.ts";
import { confinementOfCall, decisionOf, type ExamineOptions, examineCall } from "../decide/pipeline.ts";
import { reviewersFor, withUnrunReviews } from "../decide/reviews/review-steps.ts";
import type { Denial, Examined, Reviewable, StageSettings, Subject } from "../decide/stages/examination.ts";
import type { Ended } from "./approvals/answering.ts";
import { ApprovalBroker, type BrokerEvent, type BrokerSettings } from "./approvals/broker.ts";
import type { CallsEvent, Listener } from "./approvals/listener.ts";
import type { ApprovalRegistry } from "./approvals/registry.ts";
import type { Decider, StoredRequest } from "./approvals/stored-request.ts";
import { CallsInReview } from "./calls-in-review.ts";
import { DecidedCalls, type DecidedCallsParts, DecisionMeter } from "./decided-calls.ts";
import {
  type Advance,
  BY_AGENT,
  type Call,
  type CallEvent,
  type CallState,
  denyUnstored,
  type Effect,
  type EffectOf,
  type Made,
  next,
  type RevisableDecision,
  type Why,
  withdrawnDecision,
} from "./life.ts";
import { RefusedCalls } from "./reviews/refused-calls.ts";
import { scriptsOf, triedCall } from "./reviews/review-call.ts";
import type { SessionDecisions } from "./reviews/session-decisions.ts";
import { WaitingCalls } from "./waiting-calls.ts";

/** Keeps what calls could change, so that it can be taken back. */
export interface BeforeCalls {
  /** What a call that is allowed waits for; undefined where that is nothing. It comes to why the call must not run, or null. */
  keep(x: Reviewable, decisionId: string): Promise<Denial | null> | undefined;
  /** A call that may be allowed is asked about. */
  prepare(x: Reviewable): void;
  /** Whether all that lies at and below a path comes back after a call that is asked about; undefined where nothing is sure to. */
  keeps(x: Reviewable): ((path: string) => boolean) | undefined;
  /** One has ended, or doesn't run. */
  ended(decisionId: string): void;
}

export interface GateParts
  extends Pick<DecidedCallsParts, "audit" | "onAuditFailure" | "activity" | "lines" | "catalog" | "grants"> {
  /** Left out: no server's tool is known. */
  mcp?: McpTools;
  approvals: ApprovalRegistry;
  stages: StageSettings;
  /** Whether the user may allow a call once in spite of a judge. */
  canOverrideJudges(): boolean;
  /** What judges get to know of a session's earlier calls: nothing is noted where there are none. */
  decisions: Pick<SessionDecisions, "note" | "end">;
  /** What the user asked each agent for. */
  words: UserWords;
  /** Left out: nothing is kept, and no call waits for that. */
  before?: BeforeCalls | undefined;
  broker: BrokerSettings;
}

/** What would be asked about is allowed: its hook asked before. */
function allowForHook(x: Reviewable): void {
  if (x.outcome !== "approval_required" || x.repeated !== undefined) return;
  Object.assign(x, ALLOWED_FOR_HOOK);
  const step = x.trace?.find(({ stage }) => stage === "policy");
  if (step === undefined) return;
  const { reason, rule } = ALLOWED_FOR_HOOK;
  Object.assign(step, { outcome: "passed", detail: reason, rule });
}

const ALLOWED_FOR_HOOK: Pick<Reviewable, "outcome" | "reason" | "rule"> = {
  outcome: "allowed",
  reason: "the agent's hook asked about this very call, and it was allowed",
  rule: "policy.allowed-for-hook",
};

/** The decision core: every tool call passes `decide`. */
export class Gate {
  readonly broker: ApprovalBroker;
  readonly waiting: WaitingCalls;
  /** What was refused, and which of it the user allowed in spite of judges. */
  readonly refusedCalls: RefusedCalls;
  readonly meter = new DecisionMeter();
  readonly #parts: GateParts;
  readonly #listener: Listener<CallsEvent>;
  readonly #decided: DecidedCalls;

  constructor(parts: GateParts, listener: Listener<CallsEvent>) {
    this.#parts = parts;
    this.#listener = listener;
    this.broker = new ApprovalBroker(parts.approvals, parts.grants, parts.broker, {
      ...listener,
      happened: (event) => this.#ofBroker(event),
    });
    const { broker } = this;
    const settings = parts.broker;
    this.refusedCalls = new RefusedCalls({ ...parts, ...listener, settings, passes: parts.approvals.passes });
    this.#decided = new DecidedCalls({ ...parts, meter: this.meter, refusedCalls: this.refusedCalls }, listener);
    const advance: Advance = (call, event) => this.#advance(call, event);
    const reviews = new CallsInReview({ ...listener, settings, advance });
    const examineAgain = (before: Reviewable) => this.#examineAgain(before);
    this.waiting = new WaitingCalls({
      ...listener,
      broker,
      reviews,
      settings,
      advance,
      examineAgain,
      keeps: (x) => parts.before?.keeps(x),
    });
  }

  /**
   * Decides one call. While judges look at it there is no decision yet, and `deliver` is called with it; if the operator must be asked,
   * the decision is `approval_required` with `pending`, and `deliver` is called once with the final one. Each is read once it is
   * recorded: see `record`. Left out `later`: what is done once the call's project was kept is done at once then.
   */
  decide(call: ProposedCall, subject: Subject, deliver: Deliver, later: InTurn = (act) => act()): Decided {
    return decidingCall(() => this.#decide(call, subject, deliver, later));
  }

  #decide(call: ProposedCall, subject: Subject, deliver: Deliver, later: InTurn): Decided {
    const began = performance.now();
    const { agent, session = "" } = subject;
    const returned = agent === null ? undefined : this.broker.awaited(agent.agent_id, session, call);
    const purpose = returned === undefined ? undefined : "again";
    const examined = this.#examine(call, subject, this.#parts.activity.keepsNext, { purpose });
    if (!this.#isCarriedOut(examined)) this.#count(examined, returned);
    const state: CallState = { is: "proposed", decision_id: randomUUID() };
    const reviewers = examined.denial === null ? reviewersFor(examined.x) : [];
    return this.#advance({ state, deliver, later, began, examinedMs: 0 }, { type: "examined", examined, reviewers });
  }

  #advance(call: Call, event: CallEvent): Decided {
    const before = call.state;
    const { state, effects } = next(before, event);
    call.state = state;
    try {
      return effects.reduce<Decided>((decided, effect) => this.#carryOut(call, effect) ?? decided, {});
    } catch (error) {
      call.state = before;
      throw error;
    }
  }

  /** Does what is to be done for a call, and what follows from it. */
  #carryOut(call: Call, effect: Effect): Decided | undefined {
    switch (effect.do) {
      case "lookForAnswer":
        return this.waiting.answeredBefore(call, effect.x) ?? this.#advance(call, { type: "notAnswered" });
      case "usePass":
        return this.#advance(call, { type: "overridden", byUser: this.#isOverridden(effect.x) });
      case "review":
        return this.#review(call, effect);
      case "ask":
        return this.#ask(call, effect);
      case "examineAgain":
        return this.#advance(call, this.#examinedAgain(effect));
      case "noteAllowed":
        return void this.#parts.stages.rate?.noteAllowed(effect.x);
      case "record":
        return this.#held(call, effect.made) ?? { decision: this.#recorded(call, effect.made) };
      case "denyUnstored":
        if (call.held !== undefined) call.held.isUnstored = true;
        return void call.decision?.revise(denyUnstored);
    }
  }

  #recorded(call: Call, made: Made): RevisableDecision {
    const { how } = made;
    const ms = how === "only" ? call.examinedMs : performance.now() - call.began;
    const decision = this.#decided.add(made, ms);
    if (how !== "left") call.decision = decision;
    return decision;
  }

  /** An allowed call that waits until what it could change is kept; undefined where it waits for nothing. */
  #held(call: Call, made: Made): Decided | undefined {
    const { decision, examined, how } = made;
    if (how === "left" || decision.outcome !== "allowed" || examined.denial !== null) return undefined;
    const { x } = examined;
    const kept = this.#parts.before?.keep(x, decision.decision_id);
    if (kept === undefined) return undefined;
    const held = { isUnstored: false };
    call.held = held;
    const end = (changed: Partial<Made> = {}) => {
      delete call.held;
      // It doesn't run after all.
      if (changed.decision !== undefined) this.#parts.before?.ended(decision.decision_id);
      const ended = this.#recorded(call, { ...made, ...changed });
      if (held.isUnstored) ended.revise(denyUnstored);
      return ended;
    };
    const answer = (notKept: Denial | null) => {
      if (call.held !== held) return;
      // What a pause or another policy says by now counts.
      const denial = notKept ?? this.#examineAgain(x).denial;
      const denied = { ...decision, ...denial, outcome: "denied" as const };
      call.deliver(end(denial === null ? {} : { decision: denied, examined: { x, denial } }));
    };
    void kept.then((notKept) =>
      call.later(() => attempt(this.#listener, "answering a call whose project was kept", () => answer(notKept))),
    );
    const withdraw = (why: Why) => (call.held === held ? end({ decision: withdrawnDecision(decision, why) }) : null);
    return {
      pending: {
        token: null,
        cancel: () => withdraw(BY_AGENT),
        disconnect: (reason) =>
          void withdraw({ reason: `withdrawn: ${reason}`, explain: { rule: "approval.withdrawn-disconnect" } }),
      },
    };
  }

  /**
   * Whether a proxy carries out what its client's hook was allowed: then it isn't asked about, nor counted, again. Everything else is
   * examined, and what is denied stays denied.
   */
  #isCarriedOut({ x, denial }: Examined): boolean {
    const { agent } = x.subject;
    const { mcp } = x.executor;
    if (denial !== null || agent === null || mcp === undefined || x.repeated !== undefined) return false;
    if (this.#parts.mcp?.hookAnswers.take(agent.agent_id, x.call, mcp) !== true) return false;
    allowForHook(x);
    return true;
  }

  /**
   * Whatever comes past the stage `rate` takes its share of the budgets, also where a later stage denies it. `returned`: an earlier gate
   * has counted it.
   */
  #count({ x, denial }: Examined, returned: (() => void) | undefined): void {
    const { needs } = x;
    if (needs === undefined || (denial !== null && STAGES.indexOf(denial.stage) <= STAGES.indexOf("rate"))) return;
    if (returned !== undefined) return returned();
    this.#parts.stages.rate?.take({ call: x.call, subject: x.subject, needs });
  }

  /** The second phase: judges look at what every stage lets pass. */
  #review(call: Call, { x, asked, reviewers }: EffectOf<"review">): Decided {
    const { reviews } = this.waiting;
    const denial = reviews.refusal(x);
    if (denial !== null) return this.#advance(call, { type: "notReviewed", denial });
    call.examinedMs = performance.now() - call.began;
    this.#advance(call, { type: "inReview" });
    return { pending: reviews.begin(call, x, asked.decision_id, reviewers) };
  }

  /** Where that can't be looked up, judges look at it as at any other call. */
  #isOverridden(x: Reviewable): boolean {
    try {
      this.broker.commit();
      return this.refusedCalls.takePass(x);
    } catch (error) {
      this.#listener.failed("using a pass past the judges", error);
      return false;
    }
  }

  #ask(call: Call, { x, asked }: EffectOf<"ask">): Decided {
    const decided = this.waiting.ask(call, x, asked);
    if (decided.pending !== undefined) this.#parts.before?.prepare(x);
    const { rate } = this.#parts.stages;
    const token = decided.pending?.token;
    if (x.repeated === undefined || rate === undefined || token == null) return decided;
    const request = this.broker.registry.getPending(token);
    if (request === undefined) return decided;
    rate.asked(request);
    this.broker.onUnstored(() => rate.ended({ ...request, status: "cancelled" }));
    return decided;
  }

  /** What would happen to each call of a plan: nobody is asked, nothing is remembered, and each call still has to be decided. */
  preview(call: ProposedCall, subject: Subject): Decision {
    const examined = this.#examine(call, subject);
    const decision = withUnrunReviews(decisionOf(examined), examined);
    this.#decided.addPlanned(call, subject, decision);
    return decision;
  }

  /**
   * What stages and judges would say to a call that nobody makes: nobody else is asked, and nothing of it is recorded.
   * @throws GateError `not_available` where the gate stops meanwhile
   */
  tryCall(call: ProposedCall, subject: Subject): Promise<Decision> {
    return triedCall(this.#examine(call, subject, true), this.waiting.reviews.stopped, this.#listener);
  }

  /** Whether a call would be decided on as a confined one, and with what; or why not. See `confinementOfCall`. */
  confinement(call: ProposedCall, subject: Subject, options: { evenClear?: boolean } = {}): Confinement | NotConfined {
    return confinementOfCall(call, subject, this.#parts.catalog, this.#parts.stages, options);
  }

  /** Whether a call would be allowed now, and nobody asked: nothing of it is recorded. */
  isCovered(call: ProposedCall, subject: Subject): boolean {
    const { x, denial } = this.#examine(call, subject, false, { purpose: "coverage" });
    return denial === null && x.outcome === "allowed";
  }

  /** An agent isn't the one any more that was paired: what it waits for ends, and what it was allowed in spite of judges. */
  endPairing(agentId: string, reason: string): void {
    this.waiting.withdrawAgent(agentId, reason, "approval.withdrawn-pairing");
    attempt(this.#listener, "ending an agent's passes past the judges", () => this.refusedCalls.end(agentId));
    attempt(this.#listener, "forgetting an agent's tools", () => this.#parts.mcp?.endPairing(agentId));
    this.#parts.words.end(agentId);
  }

  /** A session of an agent is over: what waits in it ends, and what was said and decided in it is forgotten. */
  endSession(agentId: string, session: string): void {
    this.#parts.words.end(agentId, session);
    this.#parts.decisions.end(agentId, session);
    this.waiting.withdrawSession(agentId, session, "the session ended");
  }

  /** The operator's answer, from whatever surface. See `ApprovalBroker.answer` for what it throws. */
  answer(answer: Answer, by: Decider): ApprovalView {
    const ended = this.broker.answer(answer, by);
    if (answer.only_looks === true) this.waiting.endCovered(by);
    if (ended.refuse !== null && ended.extra.repeated === undefined) this.#refused(by);
    return this.broker.view(ended);
  }

  /**
   * Writes down what was decided: called before the answers are encoded, so that no agent knows of a decision that the trail doesn't.
   * A request that can't be stored, and what must not go unrecorded where its line can't be written, becomes a denial.
   */
  record(): void {
    this.#parts.stages.rate?.record();
    this.broker.commit();
    this.#decided.record();
  }

  /** Tells the surfaces what was decided: called in the same turn of the event loop, once the answers are on their way. */
  publish(): void {
    this.#parts.stages.rate?.prepareNext();
    this.#decided.publish();
  }

  #examine(call: ProposedCall, subject: Subject, withTrace = false, options: ExamineOptions = {}): Examined {
    return decidingCall(() => examineCall(call, subject, this.#parts.catalog, this.#parts.stages, withTrace, options));
  }

  /** A call that was counted when it was decided on first. */
  #examineAgain({ call, subject, lines, rule }: Reviewable, withTrace = false): Examined {
    const examined = this.#examine(call, subject, withTrace, { lines: lines.again(), purpose: "again" });
    if (rule === ALLOWED_FOR_HOOK.rule && examined.denial === null) allowForHook(examined.x);
    return examined;
  }

  #examinedAgain({ x: before, isJudged }: EffectOf<"examineAgain">): CallEvent {
    const examined = this.#examineAgain(before, isJudged === true && before.trace !== undefined);
    const scripts = isJudged === true && examined.denial === null ? scriptsOf(examined.x) : [];
    return { type: "examined", examined, scripts };
  }

  #ofBroker(event: BrokerEvent): void {
    switch (event.type) {
      case "ended":
        return this.#ended(event);
      case "grantsWritten":
        return this.#granted(event.request);
      case "returnTimeOver":
        return this.waiting.withdrawUnawaited(event.left);
      default:
        this.#listener.happened(event);
    }
  }

  /** The user said yes for the session, knowing what it has seen. */
  #agreed({ status, territory_concession, agent_id, agent_name, session, extra: { flow } }: StoredRequest): void {
    if (flow === undefined || status !== "approved" || territory_concession !== "session") return;
    const agent = { agent_id, name: agent_name };
    attempt(this.#listener, "noting what the user agreed to", () =>
      this.#parts.stages.flow?.agree({ agent, session }, flow),
    );
  }

  /** A request has ended: its waiting calls get a decision, then the trail, the surfaces and other calls are informed. */
  #ended({ request, granted }: Ended): void {
    this.#parts.stages.rate?.ended(request);
    this.#agreed(request);
    this.waiting.end(request);
    attempt(this.#listener, "publishing a request's end", () => {
      const { decision_by_channel, decision_at, created_at } = request;
      if (decision_by_channel !== null && decision_at !== null) this.meter.answered(created_at, decision_at);
      this.#parts.audit.append({
        event: "answer",
        ts: this.#parts.broker.clock.now() / 1000,
        token: request.token,
        status: request.status,
        territory: request.territory_concession,
        ...(request.refuse === null ? {} : { refuse: request.refuse }),
        by_channel: decision_by_channel,
        ...(request.decision_surface === null ? {} : { surface: request.decision_surface }),
        agent: request.agent_name,
        executor: this.#parts.catalog.loggedName(request.extra.executor, agentKindOf(request.agent_name)),
      });
      this.record();
      this.#listener.happened({ type: "closed", approval: this.broker.view(request) });
    });
    if (granted) this.#granted(request);
    // Stopped, by whatever answer.
    if (request.extra.repeated !== undefined && request.refuse !== null) this.#refused(request);
  }

  /** Something is refused for a session from now on. */
  #refused({ channel, sender_id }: Decider): void {
    this.#listener.happened({ type: "refused" });
    this.waiting.endCovered({ channel, sender_id });
  }

  /** The grants of this request's answer count from now on. */
  #granted({ channel, sender_id }: StoredRequest): void {
    this.#listener.happened({ type: "granted" });
    this.waiting.endCovered({ channel, sender_id });
  }
}
