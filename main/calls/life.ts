import { ownCommand } from "../../ipc/base/own-command.ts";
import type { Decided, Deliver, InTurn, UnsentDecision } from "../../ipc/contract/agent-port.ts";
import type { Decision, Stage, TraceStep } from "../../ipc/contract/decision.ts";
import type { StandsFor } from "../../ipc/contract/description.ts";
import type { Surface } from "../../ipc/contract/surface.ts";
import type { Confinement } from "../decide/confinement/confinement.ts";
import { changedSince } from "../decide/description/run-by-name.ts";
import { decisionOf, traceOf } from "../decide/pipeline.ts";
import type { Denial, Examined, Reviewable, Reviewer } from "../decide/stages/examination.ts";
import { approvalOf, refusalOf } from "./approvals/refusal.ts";
import type { StoredRequest } from "./approvals/stored-request.ts";
import { overridden, type Reviews } from "./reviews/review-call.ts";

/**
 * The life of a call: which states it has, what can happen in each of them, and what becomes of it then. Nothing is done here: `Gate`
 * carries out the effects, and what follows from them is the next event.
 *
 * That a decision is recorded, sent and shown are states of the decision (`DECISION`), not of its call: a call that waits has two of them,
 * and may have moved on, or be given up, while the first is still on its way. They move together, too: the lines of all that was decided in
 * one turn of the event loop are one write, and their answers are sent after it.
 */

/** `x`: the call as it was last examined before it waited. `asked`: its decision as far as that was known then. */
interface Waiting {
  x: Reviewable;
  asked: Decision;
}

export type CallState =
  /** Its agent sent it. */
  | { is: "proposed"; decision_id: string }
  /** No stage denies it: whether it was answered, is judged, is asked about or allowed comes next. */
  | ({ is: "examined"; reviewers: readonly Reviewer[] } & Waiting)
  /** Judges look at it. */
  | ({ is: "judged" } & Waiting)
  /** None of its judges denies it: it is examined again. */
  | ({ is: "passed"; reviews: Reviews } & Waiting)
  /** It waits for the user's answer. */
  | ({ is: "asked" } & Waiting)
  /** The user said yes: it is examined again. `how`: first, where the answer was there before the call. */
  | ({ is: "answered"; request: StoredRequest; how: "first" | "final" } & Waiting)
  /** It was the last to leave its request, which ends for that. */
  | ({ is: "leaving" } & Waiting)
  | { is: "decided" };

export type CallEvent =
  /** `scripts`: of a judged call, what its names would run by now. */
  | { type: "examined"; examined: Examined; reviewers?: readonly Reviewer[]; scripts?: readonly StandsFor[] }
  /** An earlier gate asked about it, and has no answer that it could take. */
  | { type: "notAnswered" }
  /** Whether the user allowed it in spite of its judges. */
  | { type: "overridden"; byUser: boolean }
  | { type: "inReview" }
  /** It can't be judged beside those that are. */
  | { type: "notReviewed"; denial: Denial }
  /** Its judges have ended. */
  | { type: "reviewed"; reviews: Reviews }
  | { type: "waits"; pending: Decision["pending"] }
  /** Its agent has too many that wait. */
  | { type: "cannotWait"; refusal: Pick<Decision, "outcome" | "reason" | "explain"> }
  /** Its request has ended: answered, covered by a grant or a refusal, expired or withdrawn. `ttl_seconds`: how long it could wait. */
  | { type: "ended"; request: StoredRequest; ttl_seconds: number }
  /** What had to be done for it threw; of a call that was asked about, once its request had ended like this. */
  | { type: "failed"; status?: Decision["status"] }
  /** Nothing of the turn in which it was asked about, or got its answer, can be stored. */
  | { type: "unstored" }
  /** It needs no answer any more, and gets this one. */
  | { type: "withdrawn"; why: Why }
  /** Its agent gave it up and needs no answer. */
  | { type: "left"; why: Why; isLast: boolean };

export type Why = Pick<Decision, "reason" | "explain">;

export type Effect =
  /** Looks for an answer that the user gave while its agent was away. */
  | { do: "lookForAnswer"; x: Reviewable }
  /** Looks whether the user allowed it in spite of its judges. */
  | { do: "usePass"; x: Reviewable }
  | { do: "review"; x: Reviewable; asked: Decision; reviewers: readonly Reviewer[] }
  | { do: "ask"; x: Reviewable; asked: Decision }
  | { do: "examineAgain"; x: Reviewable; isJudged?: true }
  /** It counts as one that was allowed unasked. */
  | { do: "noteAllowed"; x: Reviewable }
  | { do: "record"; made: Made }
  /** What was recorded of it last becomes a denial. */
  | { do: "denyUnstored" };

/** One call on its way to its final decision. */
export interface Call {
  state: CallState;
  /** Sends a decision that its agent waits for. */
  readonly deliver: Deliver;
  readonly later: InTurn;
  /** When deciding on it began, by `performance.now()`, without the time that judges took. */
  began: number;
  /** How long its stages took before its judges began, in milliseconds. */
  examinedMs: number;
  /** What was decided on it last. */
  decision?: RevisableDecision;
  /** It is allowed, and waits until what it could change is kept. `isUnstored`: what allowed it can't be stored. */
  held?: { isUnstored: boolean };
}

/** Has this happen to a call, and carries out what follows. Returns what is decided then. Where it throws, the call is what it was. */
export type Advance = (call: Call, event: CallEvent) => Decided;

/** Sends what was decided, where anything was. */
export function deliver({ deliver }: Call, { decision, pending }: Decided): void {
  if (decision !== undefined) deliver(decision, pending);
}

/** A decision that was made on a call. */
export interface Made {
  /** `only`: it was judged and got no other. `final`: it was asked about before. `left`: its agent gave it up, and gets no answer. */
  how: "first" | "only" | "final" | "left";
  decision: Decision;
  /** As it was examined. */
  examined: Examined;
  trace: TraceStep[] | undefined;
  /** Where the user answered; null where that isn't known. Left out: nobody did. */
  surface?: Surface | null;
}

/** Where a decision is on its way: into the trail, then to its agent, then to all who show or count it. `DecidedCalls` moves it. */
export type DecisionState =
  /** Its line is appended, and may not be on disk. */
  | "made"
  /** Its line is on disk, or it has none, as the end of its request is in the trail. */
  | "recorded"
  | "shown";

/** What is to be done with a decision. */
export type DecisionEffect =
  | "prepareRun"
  | "append"
  /** Its cost counts. */
  | "spend"
  /** What it brings in counts for its session: where it is allowed, and at once, as the next call may be decided on before it is recorded. */
  | "mark"
  | "count"
  /** The grants that it was allowed by were used. */
  | "noteUse"
  /** What carries it out can only come now. */
  | "noteAllowed"
  | "show";

export interface DecisionStep {
  state: DecisionState;
  effects: readonly DecisionEffect[];
}

/** What begins the way of a decision. */
export const begun = ({ how }: Pick<Made, "how">): DecisionStep =>
  how === "left" ? { state: "recorded", effects: [] } : { state: "made", effects: ["prepareRun", "append", "mark"] };

/** What isn't here leaves it as it is. `sent`: it is what its agent gets. */
export const DECISION: Readonly<
  Record<DecisionState, { [E in "recorded" | "sent"]?: (how: Made["how"], sent: Decision) => DecisionStep }>
> = {
  made: {
    recorded: () => ({ state: "recorded", effects: ["spend"] }),
  },
  recorded: {
    sent: (how, { outcome }) => {
      if (how === "left") return { state: "shown", effects: ["show"] };
      const used = how === "first" && outcome !== "denied" ? (["noteUse"] as const) : [];
      const allowed = outcome === "allowed" ? (["noteAllowed"] as const) : [];
      return { state: "shown", effects: ["count", ...used, ...allowed, "show"] };
    },
  },
  shown: {},
};

export interface Step {
  state: CallState;
  effects: Effect[];
}

export type EffectOf<Name> = Extract<Effect, { do: Name }>;
type StateOf<Name> = Extract<CallState, { is: Name }>;
type EventOf<Name> = Extract<CallEvent, { type: Name }>;
type Life = {
  [S in CallState["is"]]: { [E in CallEvent["type"]]?: (state: StateOf<S>, event: EventOf<E>) => Step };
};

const CHANGED: Denial = {
  stage: "judge",
  reason: "what it would do had changed by the time it was judged",
  explain: { rule: "judge.changed-while-judged", instead: "send the call again" },
};

const unstored = (state: CallState): Step => ({ state, effects: [{ do: "denyUnstored" }] });

/** What isn't here can't happen. */
export const LIFE: Life = {
  proposed: {
    examined: ({ decision_id }, { examined, reviewers = [] }) => {
      if (examined.denial !== null || reviewers.length === 0) return settled(examined, decision_id);
      const { x } = examined;
      const state = { is: "examined" as const, x, reviewers, asked: decisionOf(examined, decision_id) };
      return { state, effects: [{ do: x.outcome === "approval_required" ? "lookForAnswer" : "usePass", x }] };
    },
  },
  examined: {
    notAnswered: (state) => ({ state, effects: [{ do: "usePass", x: state.x }] }),
    overridden: (state, { byUser }) => {
      const { x, asked, reviewers } = state;
      if (!byUser) return { state, effects: [{ do: "review", x, asked, reviewers }] };
      return settled({ x: { ...x, noted: reviewers.map(overridden) }, denial: null }, asked.decision_id);
    },
    notReviewed: ({ x, asked }, { denial }) => settled({ x, denial }, asked.decision_id),
    inReview: ({ x, asked }) => ({ state: { is: "judged", x, asked }, effects: [] }),
    waits: ({ x, asked }, { pending }) => {
      const { effects } = decided("first", { x, denial: null }, pending === undefined ? asked : { ...asked, pending });
      return { state: { is: "asked", x, asked }, effects };
    },
    cannotWait: ({ x, asked }, { refusal }) => decided("first", { x, denial: null }, { ...asked, ...refusal }),
    ended: (state, event) => ended(state, event, "first"),
  },
  judged: {
    reviewed: ({ x, asked }, { reviews }) => {
      const { denial, noted, verdict = x.verdict } = reviews;
      if (denial !== null) return settled({ x: { ...x, verdict, noted }, denial }, asked.decision_id);
      return { state: { is: "passed", x, asked, reviews }, effects: [{ do: "examineAgain", x, isJudged: true }] };
    },
    failed: ({ x, asked }) => decided("only", { x, denial: null }, deniedByFailure(asked, { was: "judged" })),
    withdrawn: ({ x, asked }, { why }) => decided("only", { x, denial: null }, withdrawnDecision(asked, why)),
  },
  passed: {
    // The world may have moved since it was examined, and no judge has seen that.
    examined: ({ x: before, asked, reviews }, { examined: { x, denial }, scripts = [] }) => {
      const { noted, verdict = before.verdict } = reviews;
      if (denial !== null) return settled({ x: { ...x, noted }, denial }, asked.decision_id);
      const isChanged = !isSame(x, before) || changedSince(reviews.scripts, scripts) !== null;
      return settled({ x: { ...x, verdict, noted }, denial: isChanged ? CHANGED : null }, asked.decision_id);
    },
  },
  asked: {
    ended: (state, event) => ended(state, event, "final"),
    failed: ({ x, asked }, { status }) =>
      decided("final", { x, denial: null }, deniedByFailure(asked, { was: "answered", status })),
    withdrawn: ({ x, asked }, { why }) => decided("final", { x, denial: null }, withdrawnDecision(asked, why)),
    left: ({ x, asked }, { why, isLast }) =>
      isLast ? { state: { is: "leaving", x, asked }, effects: [] } : left({ x, asked }, why),
    unstored: () => unstored({ is: "decided" }),
  },
  answered: {
    examined: ({ x, asked, request, how }, { examined }) => {
      const answered: Decision = { ...asked, stage: "approval", status: request.status };
      const decision = { ...answered, ...approved(x, examined, request) };
      return decided(how, { x, denial: null }, decision, answeredOn(request));
    },
  },
  leaving: {
    ended: (state, { request, ttl_seconds }) => left(state, refusalOf(request, ttl_seconds)),
    unstored,
  },
  decided: { unstored },
};

/** @throws where that can't happen to a call in this state */
export function next(state: CallState, event: CallEvent): Step {
  const step = LIFE[state.is][event.type] as ((state: CallState, event: CallEvent) => Step) | undefined;
  if (step === undefined) throw new Error(`a call that is ${state.is} can't be ${event.type}`);
  return step(state, event);
}

/** What an examination comes to where no judge is to be asked, or none any more: allowed, denied, or asked about. */
function settled(examined: Examined, decisionId: string): Step {
  const decision = decisionOf(examined, decisionId);
  const { x, denial } = examined;
  if (denial !== null) return decided("first", examined, decision);
  if (x.outcome === "approval_required")
    return {
      state: { is: "examined", x, reviewers: [], asked: decision },
      effects: [{ do: "ask", x, asked: decision }],
    };
  const { state, effects } = decided("first", examined, decision);
  return { state, effects: [{ do: "noteAllowed", x }, ...effects] };
}

/** A request that wasn't approved denies its call. One that was has it examined again: the world may have moved while it waited. */
function ended({ x, asked }: Waiting, { request, ttl_seconds }: EventOf<"ended">, how: "first" | "final"): Step {
  if (request.status === "approved")
    return { state: { is: "answered", x, asked, request, how }, effects: [{ do: "examineAgain", x }] };
  const denied = { outcome: "denied", stage: "approval", status: request.status } as const;
  const decision = { ...asked, ...denied, ...refusalOf(request, ttl_seconds) };
  return decided(how, { x, denial: null }, decision, answeredOn(request));
}

function answeredOn({ status, isCovered, decision_surface }: StoredRequest): Pick<Made, "surface"> {
  const isAnswered = (status === "approved" || status === "rejected") && isCovered !== true;
  return isAnswered ? { surface: decision_surface } : {};
}

/** What an approval means for a call that was examined again. `before`: as it was asked about. */
function approved(before: Reviewable, { x, denial }: Examined, request: StoredRequest): Partial<Decision> {
  if (denial !== null)
    return { outcome: "denied", stage: denial.stage, reason: denial.reason, explain: denial.explain };
  const hasSeenMore = flowCompared(x) !== undefined && flowCompared(x) !== flowCompared(before);
  if (isSame(x, before) && !hasSeenMore) return { outcome: "allowed", ...approvalOf(request) };
  const isMoved = (x.confinement === null) === (before.confinement === null);
  const reason = hasSeenMore
    ? "its session read or took in more than the user was asked about"
    : isOtherTool(x, before)
      ? "what its server says of this tool changed while the user was asked"
      : isMoved
        ? "the path led elsewhere by the time it was approved"
        : "by the time it was approved it could not run as it was asked about";
  return {
    outcome: "denied",
    reason,
    explain: { rule: "approval.changed-while-waiting", instead: "send the call again" },
  };
}

const left = ({ x, asked }: Waiting, why: Why): Step =>
  decided("left", { x, denial: null }, withdrawnDecision(asked, why));

function decided(how: Made["how"], examined: Examined, decision: Decision, answered: Pick<Made, "surface"> = {}): Step {
  const isTraced = how === "final" || how === "left" || examined.x.trace !== undefined;
  const steps = isTraced ? traceOf(examined) : undefined;
  const trace = how === "first" || steps === undefined ? steps : answeredTrace(steps, decision);
  return {
    state: { is: "decided" },
    effects: [{ do: "record", made: { how, decision, examined, trace, ...answered } }],
  };
}

/** What is asked about as a confined call is allowed as one alone, with the same box; and what isn't, isn't. */
function isSame(now: Reviewable, before: Reviewable): boolean {
  if (isOtherTool(now, before)) return false;
  // Asked about as what may run code, and said to only look: less than what was asked.
  if (now.executor.mcp?.state === "looks" && before.executor.mcp?.state !== "looks")
    return now.confinement === null && before.confinement === null;
  // What was granted makes a project of the folder: a clear line needs no more for that, and may run as it was asked about.
  const isHeldNow = before.confinement === null && now.confinement?.declaration.kind === "needs";
  const compared = ({ needs, stated_needs, confinement, runsIn }: Reviewable) =>
    JSON.stringify([needs, stated_needs, runsIn, confinement === null || isHeldNow ? null : boxCompared(confinement)]);
  return compared(now) === compared(before);
}

/** What its session has seen: something else from the same places is no other question, something private is. */
const flowCompared = ({ flow }: Reviewable): string | undefined =>
  flow === undefined ? undefined : JSON.stringify([flow.rule, flow.to, flow.reads]);

/** A clear line's box is what it needs, as far as that is there by now. */
function boxCompared({ declaration, line }: Confinement): unknown {
  return declaration.kind === "needs" ? [declaration.kind, line] : [declaration, line];
}

/** True if the call is of another tool than when it was asked about. Announced since, it is the one that was asked about unseen. */
function isOtherTool({ executor: now }: Reviewable, { executor: before }: Reviewable): boolean {
  if (before.mcp === undefined) return now.mcp?.state === "changed";
  return now.mcp?.source !== before.mcp.source || now.mcp.pin !== before.mcp.pin || now.mcp.tool !== before.mcp.tool;
}

/** A run that is prepared for an allowed call. */
export interface PreparedRun {
  argv: readonly string[];
  /** Takes it back. Never throws. */
  discard(): void;
}

/**
 * A decision until its answer is sent: what can't be stored, or must not go unrecorded and can't be recorded, turns it into a denial.
 * Whoever encodes or shows it reads `current` or `sent` then, and keeps no copy from before.
 */
export class RevisableDecision implements UnsentDecision {
  #current: Decision;
  #run: PreparedRun | undefined;

  constructor(decision: Decision) {
    this.#current = decision;
  }

  get current(): Decision {
    return this.#current;
  }

  get sent(): Decision {
    if (this.#run === undefined) return this.#current;
    return { ...this.#current, confine: { argv: [...this.#run.argv] } };
  }

  /** What runs the call, for its agent alone: it counts only while the decision allows it. */
  runBy(run: PreparedRun): void {
    this.#run = run;
  }

  /** `change` gets a copy to change. */
  revise(change: (draft: Decision) => void): void {
    const draft = { ...this.#current };
    change(draft);
    this.#current = draft;
    if (draft.outcome === "allowed") return;
    this.#run?.discard();
    this.#run = undefined;
  }
}

// Decisions on calls for which the user can't be asked, or whose answer can't be used.

/** Denies, in place, a call whose decision depends on something that can't be stored. */
export function denyUnstored(decision: Decision): void {
  delete decision.status;
  delete decision.pending;
  denyAt(decision, undefined, "approval", {
    reason: "the request can't be stored, so the user can't be asked",
    explain: { rule: "approval.not-stored", instead: `ask the user to run: ${ownCommand("doctor")}` },
  });
}

/** Denies, in place, a confined call that was allowed and can't be run as such. */
export function denyUnprepared(decision: Decision, trace: TraceStep[] | undefined): void {
  denyAt(decision, trace, "policy", {
    reason: "it may only run confined, and that can't be prepared now",
    explain: { rule: "policy.box-unavailable", instead: `ask the user to run: ${ownCommand("box status")}` },
  });
}

/** Denies, in place, in this stage: the trace's step says so, too. */
export function denyAt(
  decision: Decision,
  trace: TraceStep[] | undefined,
  stage: Stage,
  why: Pick<Decision, "reason" | "explain">,
): void {
  Object.assign(decision, { outcome: "denied", stage, ...why } satisfies Partial<Decision>);
  const step = trace?.find((one) => one.stage === stage);
  if (step !== undefined) Object.assign(step, { outcome: "denied", detail: why.reason, rule: why.explain.rule });
}

export const BY_AGENT = { reason: "withdrawn by the agent", explain: { rule: "approval.withdrawn" } } as const;

/** What becomes of a call that was given up, or withdrawn, before it was decided on. `before`: the decision that it had. */
export function withdrawnDecision(
  { pending: _, ...before }: Decision,
  why: Pick<Decision, "reason" | "explain">,
): Decision {
  return { ...before, outcome: "denied", stage: "approval", status: "cancelled", ...why };
}

/** The denial of a call that was answered or judged, where the gate failed to evaluate it again. */
function deniedByFailure(
  { pending: _, ...before }: Decision,
  by: { was: "answered"; status: Decision["status"] } | { was: "judged" },
): Decision {
  return {
    ...before,
    ...(by.was === "judged" || by.status === undefined ? {} : { status: by.status }),
    outcome: "denied",
    stage: by.was === "judged" ? "judge" : "approval",
    reason: `it was ${by.was}, but the gate failed to evaluate the call again`,
    explain: {
      rule: by.was === "judged" ? "judge.failed" : "approval.not-examined-again",
      instead: `ask the user to run: ${ownCommand("doctor")}`,
    },
  };
}

/** The trace of a call that the user was asked about, once the request has ended. */
function answeredTrace(asked: readonly TraceStep[], final: Decision): TraceStep[] {
  const outcome = final.outcome === "allowed" ? "passed" : "denied";
  return asked.map((step) =>
    step.stage === "approval" ? { ...step, outcome, detail: final.reason, rule: final.explain.rule } : step,
  );
}
