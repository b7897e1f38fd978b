import { randomUUID } from "node:crypto";
import type { Decided, Deliver, UnsentDecision } from "../../ipc/contract/agent-port.ts";
import { type Decision, STAGES, type TraceStep } from "../../ipc/contract/decision.ts";
import type { RefusedCall } from "../../ipc/contract/judges.ts";
import type { Answer, ApprovalView } from "../../ipc/contract/operator-api.ts";
import type { ProposedCall } from "../../ipc/contract/wire.ts";
import type { UserWords } from "../agents/sessions/user-words.ts";
import type { Confinement, NotConfined } from "../decide/confinement/confinement.ts";
import { agentKindOf } from "../decide/executors/agent-kind.ts";
import type { ExecutorCatalog } from "../decide/executors/catalog.ts";
import type { GrantStore } from "../decide/grants/store.ts";
import type { McpTools } from "../decide/mcp/mcp-tools.ts";
import { confinementOfCall, decisionOf, type ExamineOptions, examineCall, traceOf } from "../decide/pipeline.ts";
import { reviewersFor } from "../decide/reviews/concerns.ts";
import { withUnrunReviews } from "../decide/reviews/review-steps.ts";
import type { Examined, Reviewable, Reviewer, StageSettings, Subject } from "../decide/stages/examination.ts";
import type { Activity } from "../records/activity/activity.ts";
import type { OnFailure } from "../records/audit/alarms.ts";
import type { AuditLog } from "../records/audit/log.ts";
import { decidingCall } from "../shell-reading/targets/tree-scan.ts";
import { afterReviews } from "./after-reviews.ts";
import type { Ended } from "./approvals/answering.ts";
import { ApprovalBroker, type BrokerSettings } from "./approvals/broker.ts";
import type { Decider, PendingRequest } from "./approvals/pending-request.ts";
import { summaryOf } from "./approvals/question.ts";
import type { ApprovalRegistry } from "./approvals/registry.ts";
import { DecidedCalls } from "./decided-calls.ts";
import { DecisionMeter } from "./meter.ts";
import { prepareBoxedRun } from "./prepare-boxed-run.ts";
import { CallsInReview, type JudgedCall } from "./reviews/calls-in-review.ts";
import { RefusedCalls } from "./reviews/refused-calls.ts";
import { overridden } from "./reviews/review-call.ts";
import type { SessionDecisions } from "./reviews/session-decisions.ts";
import { triedCall } from "./reviews/tried-call.ts";
import { RevisableDecision } from "./revisable-decision.ts";
import { type Asked, WaitingCalls } from "./waiting-calls.ts";
import { answeredTrace, deniedAfterReviews, denyUnprepared, withdrawnDecision } from "./without-answer.ts";

export interface GateParts {
  catalog: ExecutorCatalog;
  grants: GrantStore;
  /** Left out: no server's tool is known. */
  mcp?: McpTools;
  approvals: ApprovalRegistry;
  audit: AuditLog;
  /** What becomes of calls that change something while the trail can't be written. */
  on_audit_failure: OnFailure;
  activity: Activity;
  stages: StageSettings;
  /** Whether the user may allow a call once in spite of a judge. */
  canOverrideJudges(): boolean;
  /** What judges get to know of a session's earlier calls: nothing is noted where there are none. */
  decisions: Pick<SessionDecisions, "note" | "end">;
  /** What the user asked each agent for. */
  words: UserWords;
  broker: BrokerSettings;
}

/** A call that is to be decided on now. `began`: when that began, by `performance.now()`, without the time that judges took. */
interface ToDecide {
  deliver: Deliver;
  began: number;
  decision_id?: string;
}

export interface GateEvents {
  decided(decision: Decision, call: ProposedCall, subject: Subject): void;
  waiting(approval: ApprovalView): void;
  closed(approval: ApprovalView): void;
  granted(): void;
  /** Something was refused for a session. */
  refused(): void;
  /** What is being judged, or what was refused, is another. */
  reviewsChanged(): void;
  /** A call was refused that a person can do something about, and that isn't listed yet. */
  callRefused(refused: RefusedCall): void;
  /** A request's deadline has another date. */
  moved(token: string, expires_at: string): void;
  /** Something unexpected, to log. */
  failed(what: string, error: unknown): void;
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
  readonly refused_calls: RefusedCalls;
  readonly meter = new DecisionMeter();
  readonly #parts: GateParts;
  readonly #events: GateEvents;
  readonly #decided: DecidedCalls;

  constructor(parts: GateParts, events: GateEvents) {
    this.#parts = parts;
    this.#events = events;
    this.broker = new ApprovalBroker(parts.approvals, parts.grants, parts.broker, {
      waiting: (request) => events.waiting(this.broker.view(request)),
      ended: (ended) => this.#ended(ended),
      grantsWritten: (request) => this.#granted(request),
      returnTimeOver: (left) => this.waiting.withdrawUnawaited(left),
      moved: (request) => events.moved(request.token, request.expires_at),
      failed: (what, error) => events.failed(what, error),
    });
    this.refused_calls = new RefusedCalls({
      settings: parts.broker,
      passes: parts.approvals.passes,
      canOverride: parts.canOverrideJudges,
      changed: () => events.reviewsChanged(),
      added: (refused) => events.callRefused(refused),
    });
    this.#decided = new DecidedCalls({
      ...parts,
      hasJudges: () => (parts.stages.reviewers ?? []).length > 0,
      meter: this.meter,
      refused: (decision, examined) => this.refused_calls.note(decision, examined),
      allowed: (agent_id, call, tool) => parts.mcp?.hook_answers.note(agent_id, call, tool),
      published: (decision, call, subject) => events.decided(decision, call, subject),
      failed: (what, error) => events.failed(what, error),
    });
    this.waiting = new WaitingCalls({
      broker: this.broker,
      reviews: this.#callsInReview(),
      home: parts.broker.home,
      ttlSeconds: () => parts.broker.ttl_seconds,
      examineAgain: (before) => this.#examineAgain(before),
      left: (x, final) => this.#decided.addLeft(x, final),
      conclude: (x, final) => this.#finalDecision(x, final),
      failed: (what, error) => events.failed(what, error),
    });
  }

  #callsInReview(): CallsInReview {
    const { broker } = this.#parts;
    return new CallsInReview({
      now: broker.clock.now,
      summary: (x) => summaryOf(x, broker),
      reviewed: (judged, reviews) => {
        const began = performance.now() - judged.examined_ms;
        const examineAgain = (before: Reviewable) => this.#examineAgain(before, before.trace !== undefined);
        return this.#decideNow(afterReviews(judged.x, reviews, examineAgain), { ...judged, began });
      },
      undecided: (judged) => ({ decision: this.#onlyDecision(judged, deniedAfterReviews) }),
      withdrawn: (judged, why) => this.#onlyDecision(judged, (before) => withdrawnDecision(before, why)),
      changed: () => this.#events.reviewsChanged(),
      failed: (what, error) => this.#events.failed(what, error),
    });
  }

  /**
   * Decides one call. While judges look at it there is no decision yet, and `deliver` is called with it; if the operator must be asked,
   * the decision is `approval_required` with `pending`, and `deliver` is called once with the final one. Each is read once it is
   * recorded: see `record`.
   */
  decide(call: ProposedCall, subject: Subject, deliver: Deliver): Decided {
    return decidingCall(() => this.#decide(call, subject, deliver));
  }

  #decide(call: ProposedCall, subject: Subject, deliver: Deliver): Decided {
    const began = performance.now();
    const { agent, session = "" } = subject;
    const returned = agent === null ? undefined : this.broker.awaited(agent.agent_id, session, call);
    const purpose = returned === undefined ? undefined : "again";
    const examined = this.#examine(call, subject, this.#parts.activity.keepsNext, { purpose });
    if (!this.#isCarriedOut(examined)) this.#count(examined, returned);
    if (examined.denial === null) {
      const reviewers = reviewersFor(examined.x);
      if (reviewers.length > 0) return this.#review(examined.x, reviewers, began, deliver);
    }
    return this.#decideNow(examined, { deliver, began });
  }

  /**
   * Whether a proxy carries out what its client's hook was allowed: then it isn't asked about, nor counted, again. Everything else is
   * examined, and what is denied stays denied.
   */
  #isCarriedOut({ x, denial }: Examined): boolean {
    const { agent } = x.subject;
    const { mcp } = x.executor;
    if (denial !== null || agent === null || mcp === undefined || x.repeated !== undefined) return false;
    if (this.#parts.mcp?.hook_answers.take(agent.agent_id, x.call, mcp) !== true) return false;
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
  #review(x: Reviewable, reviewers: readonly Reviewer[], began: number, deliver: Deliver): Decided {
    const decision_id = randomUUID();
    const to: ToDecide = { deliver, began, decision_id };
    const passed: Examined = { x, denial: null };
    const answered =
      x.outcome === "approval_required" ? this.waiting.answeredBefore(x, decisionOf(passed, decision_id)) : undefined;
    if (answered !== undefined) return this.#firstDecision(passed, to, answered);
    if (this.#isOverridden(x)) {
      const noted = reviewers.map((reviewer) => overridden(reviewer));
      return this.#decideNow({ x: Object.assign(x, { noted }), denial: null }, to);
    }
    const { reviews } = this.waiting;
    const refused = reviews.refusal(x);
    if (refused !== null) return this.#decideNow({ x, denial: refused }, to);
    const examined_ms = performance.now() - began;
    return { pending: reviews.begin({ x, decision_id, deliver, examined_ms }, reviewers) };
  }

  /** Where that can't be looked up, judges look at it as at any other call. */
  #isOverridden(x: Reviewable): boolean {
    try {
      this.broker.commit();
      return this.refused_calls.takePass(x);
    } catch (error) {
      this.#events.failed("using a pass past the judges", error);
      return false;
    }
  }

  /** What an examination comes to: allowed, denied, or asked. */
  #decideNow(examined: Examined, to: ToDecide): Decided {
    const { x, denial } = examined;
    const first = decisionOf(examined, to.decision_id);
    const is_asked = denial === null && x.outcome === "approval_required";
    if (!is_asked) {
      if (denial === null) this.#parts.stages.rate?.noteAllowed(x);
      return this.#firstDecision(examined, to, { decision: new RevisableDecision(first) });
    }
    return this.#firstDecision(examined, to, this.#ask(x, first, to.deliver));
  }

  #ask(x: Reviewable, first: Decision, deliver: Deliver): Asked {
    const asked = this.waiting.ask(x, first, deliver);
    const { rate } = this.#parts.stages;
    const token = asked.pending?.token;
    if (x.repeated === undefined || rate === undefined || token == null) return asked;
    const request = this.broker.registry.getPending(token);
    if (request === undefined) return asked;
    rate.asked(request);
    this.broker.onUnstored(() => rate.ended({ ...request, status: "cancelled" }));
    return asked;
  }

  /** The first decision on a call is made. */
  #firstDecision(examined: Examined, { began }: ToDecide, decided: Asked): Decided {
    const { x, denial } = examined;
    const { decision } = decided;
    const trace = x.trace === undefined ? undefined : traceOf(examined);
    if (denial === null) this.#prepareRun(x, decision, trace);
    this.#decided.add({
      decision,
      call: x.call,
      subject: x.subject,
      trace,
      first: { ms: performance.now() - began, grants_used: x.grants_used ?? [] },
      tool: x.executor.mcp,
      ...(denial === null ? {} : { refused: examined }),
    });
    return decided;
  }

  /** The only decision on a call whose judges found nothing that counts. */
  #onlyDecision({ x, decision_id, examined_ms }: JudgedCall, decide: (before: Decision) => Decision): UnsentDecision {
    const examined: Examined = { x, denial: null };
    const final = decide(decisionOf(examined, decision_id));
    const decision = new RevisableDecision(final);
    const trace = x.trace === undefined ? undefined : answeredTrace(traceOf(examined), final);
    const first = { ms: examined_ms, grants_used: [] };
    this.#decided.add({ decision, call: x.call, subject: x.subject, trace, first, is_only: true });
    return decision;
  }

  /** The final decision on a call that the user was asked about. */
  #finalDecision(x: Reviewable, final: Decision): UnsentDecision {
    const { call, subject } = x;
    const decision = new RevisableDecision(final);
    const trace = answeredTrace(traceOf({ x, denial: null }), final);
    this.#prepareRun(x, decision, trace);
    this.#decided.add({ decision, call, subject, trace, tool: x.executor.mcp });
    return decision;
  }

  /** A confined call that is allowed runs by words of its own, or not at all. */
  #prepareRun(x: Reviewable, decision: RevisableDecision, trace: TraceStep[] | undefined): void {
    if (x.confinement === null || decision.current.outcome !== "allowed") return;
    try {
      const run = prepareBoxedRun(x, x.confinement);
      if (run !== null) decision.runBy(run);
    } catch (error) {
      this.#events.failed("preparing a confined run", error);
      decision.revise((draft) => denyUnprepared(draft, trace));
    }
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
    return triedCall(this.#examine(call, subject, true), this.waiting.reviews.stopped, {
      begins: () => undefined,
      failed: (what, error) => this.#events.failed(what, error),
    });
  }

  /** Whether a call would be decided on as a confined one, and with what; or why not. See `confinementOfCall`. */
  confinement(call: ProposedCall, subject: Subject, options: { even_clear?: boolean } = {}): Confinement | NotConfined {
    return confinementOfCall(call, subject, this.#parts.catalog, this.#parts.stages, options);
  }

  /** Whether a call would be allowed now, and nobody asked: nothing of it is recorded. */
  isCovered(call: ProposedCall, subject: Subject): boolean {
    const { x, denial } = this.#examine(call, subject, false, { purpose: "coverage" });
    return denial === null && x.outcome === "allowed";
  }

  /** An agent isn't the one any more that was paired: what it waits for ends, and what it was allowed in spite of judges. */
  endPairing(agent_id: string, reason: string): void {
    this.waiting.withdrawAgent(agent_id, reason, "approval.withdrawn-pairing");
    this.#attempt("ending an agent's passes past the judges", () => this.refused_calls.end(agent_id));
    this.#attempt("forgetting an agent's tools", () => this.#parts.mcp?.endPairing(agent_id));
    this.#parts.words.end(agent_id);
  }

  /** A session of an agent is over: what waits in it ends, and what was said and decided in it is forgotten. */
  endSession(agent_id: string, session: string): void {
    this.#parts.words.end(agent_id, session);
    this.#parts.decisions.end(agent_id, session);
    this.waiting.withdrawSession(agent_id, session, "the session ended");
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

  #examine(call: ProposedCall, subject: Subject, with_trace = false, options: ExamineOptions = {}): Examined {
    return examineCall(call, subject, this.#parts.catalog, this.#parts.stages, with_trace, options);
  }

  /** A call that was counted when it was decided on first. */
  #examineAgain({ call, subject, lines, rule }: Reviewable, with_trace = false): Examined {
    const examined = this.#examine(call, subject, with_trace, { lines: lines.again(), purpose: "again" });
    if (rule === ALLOWED_FOR_HOOK.rule && examined.denial === null) allowForHook(examined.x);
    return examined;
  }

  /** A request has ended: its waiting calls get a decision, then the trail, the surfaces and other calls are informed. */
  #ended({ request, granted }: Ended): void {
    this.#parts.stages.rate?.ended(request);
    this.waiting.end(request);
    this.#attempt("publishing a request's end", () => {
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
      this.#events.closed(this.broker.view(request));
    });
    if (granted) this.#granted(request);
    // Stopped, by whatever answer.
    if (request.extra.repeated !== undefined && request.refuse !== null) this.#refused(request);
  }

  /** Something is refused for a session from now on. */
  #refused({ channel, sender_id }: Decider): void {
    this.#events.refused();
    this.waiting.endCovered({ channel, sender_id });
  }

  /** The grants of this request's answer count from now on. */
  #granted({ channel, sender_id }: PendingRequest): void {
    this.#events.granted();
    this.waiting.endCovered({ channel, sender_id });
  }

  #attempt(what: string, act: () => void): void {
    try {
      act();
    } catch (error) {
      this.#events.failed(what, error);
    }
  }
}
