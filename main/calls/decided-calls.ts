import {
  type Capability,
  type Decision,
  type Outcome,
  STAGES,
  type Stage,
  type TraceStep,
} from "../../ipc/contract/decision.ts";
import type { ProposedCall } from "../../ipc/contract/wire.ts";
import { attempt } from "../base/errors.ts";
import { causeOf } from "../base/files/disk-reserve.ts";
import { Histogram } from "../base/histogram.ts";
import type { Confinement } from "../decide/confinement/confinement.ts";
import { noteDestinations } from "../decide/description/used.ts";
import { callHash } from "../decide/executors/canonical.ts";
import type { ExecutorCatalog } from "../decide/executors/catalog.ts";
import type { GrantStore } from "../decide/grants/store.ts";
import type { McpTools } from "../decide/mcp/mcp-tools.ts";
import { readsOnly } from "../decide/policy/policy.ts";
import { withoutQuotes } from "../decide/reviews/review-steps.ts";
import {
  type Examined,
  kindOf,
  type Reviewable,
  type StageSettings,
  type Subject,
} from "../decide/stages/examination.ts";
import type { Activity } from "../records/activity/activity.ts";
import type { KeptCalls } from "../records/activity/kept-calls.ts";
import type { OnFailure } from "../records/audit/alarms.ts";
import type { AuditLog } from "../records/audit/log.ts";
import { decisionRecord } from "../records/audit/record.ts";
import type { CallsEvent, Listener } from "./approvals/listener.ts";
import {
  begun,
  DECISION,
  type DecisionEffect,
  type DecisionState,
  denyAt,
  denyUnprepared,
  type Made,
  type PreparedRun,
  RevisableDecision,
} from "./life.ts";
import type { RefusedCalls } from "./reviews/refused-calls.ts";
import type { SessionDecisions } from "./reviews/session-decisions.ts";

export interface DecidedCallsParts {
  audit: AuditLog;
  /** What becomes of calls that change something while the trail can't be written. */
  onAuditFailure: OnFailure;
  activity: Activity;
  /** What is kept of each call; left out: nothing. */
  lines?: Pick<KeptCalls, "note">;
  catalog: ExecutorCatalog;
  grants: GrantStore;
  /** What judges get to know of a session's earlier calls: nothing is noted where there are none. */
  stages: Pick<StageSettings, "reviewers" | "destinations" | "flow">;
  decisions: Pick<SessionDecisions, "note">;
  meter: DecisionMeter;
  refusedCalls: Pick<RefusedCalls, "note">;
  mcp?: Pick<McpTools, "hookAnswers">;
}

/** A decision on its way (see `DECISION`). `ms`: how long it took. */
type OnItsWay = Omit<Made, "decision"> & { decision: RevisableDecision; ms: number; state: DecisionState };

/** Moves what was decided on its way: into the trail before the answers are sent, to all who only show or count it after that. */
export class DecidedCalls {
  readonly #parts: DecidedCallsParts;
  readonly #listener: Listener<CallsEvent>;
  /** What isn't shown yet. */
  #onTheirWay: OnItsWay[] = [];

  constructor(parts: DecidedCallsParts, listener: Listener<CallsEvent>) {
    this.#parts = parts;
    this.#listener = listener;
  }

  /**
   * A decision is made: its line is appended to the trail, or it becomes a denial. `publish` informs the surfaces of it. Of a call that
   * its agent gave up, the end of the request is in the trail. `ms`: how long it took.
   */
  add(made: Made, ms: number): RevisableDecision {
    const decision = new RevisableDecision(made.decision);
    const { state, effects } = begun(made);
    const one: OnItsWay = { ...made, decision, ms, state };
    for (const effect of effects) this.#carryOut(one, effect);
    // Nobody gets what was given up. Asked and given up in one turn, its question is shown first.
    if (made.how === "left" && !this.#isOnItsWay(decision)) this.#move(one, "sent");
    else this.#onTheirWay.push(one);
    return decision;
  }

  #isOnItsWay({ current: { decision_id } }: RevisableDecision): boolean {
    return this.#onTheirWay.some(({ decision }) => decision.current.decision_id === decision_id);
  }

  #move(one: OnItsWay, event: "recorded" | "sent"): void {
    const step = DECISION[one.state][event]?.(one.how, one.decision.current);
    if (step === undefined) return;
    one.state = step.state;
    for (const effect of step.effects) this.#carryOut(one, effect);
  }

  #carryOut(one: OnItsWay, effect: DecisionEffect): void {
    const { decision, how, ms, examined } = one;
    const { current } = decision;
    const { x } = examined;
    switch (effect) {
      case "prepareRun":
        return this.#prepareRun(one);
      case "append":
        return this.#append(one);
      case "spend":
        return attempt(this.#listener, "counting what calls cost", () =>
          this.#parts.activity.spend(current, x.subject),
        );
      case "mark":
        return attempt(this.#listener, "noting what a session has seen", () => this.#mark(examined, current));
      case "count":
        return this.#parts.meter.decided(current, how === "final" ? undefined : ms);
      case "noteUse":
        for (const id of x.grants_used ?? []) this.#parts.grants.noteUse(id);
        return;
      case "noteAllowed":
        return this.#noteAllowed(x);
      case "show":
        return this.#show(one);
    }
  }

  /** Of a call that no stage denied. */
  #mark({ x, denial }: Examined, { decision_id, outcome }: Decision): void {
    if (denial === null && outcome === "allowed") this.#parts.stages.flow?.note(x, decision_id);
  }

  #append({ decision, trace, examined: { x } }: OnItsWay): void {
    this.#parts.audit.append(
      () => decisionRecord(x.call, decision.current, this.#logged(x.call, x.subject)),
      (error) => decision.revise((draft) => withhold(draft, trace, error, this.#parts.onAuditFailure)),
    );
  }

  /** A confined call that is allowed runs by words of its own, or not at all. */
  #prepareRun({ examined: { x, denial }, decision, trace }: OnItsWay): void {
    if (denial !== null || x.confinement === null || decision.current.outcome !== "allowed") return;
    try {
      const run = preparedRun(x, x.confinement, decision.current.decision_id);
      if (run !== null) decision.runBy(run);
    } catch (error) {
      this.#listener.failed("preparing a confined run", error);
      decision.revise((draft) => denyUnprepared(draft, trace));
    }
  }

  /** A call of a plan: only the trail gets to know it. */
  addPlanned(call: ProposedCall, subject: Subject, decision: Decision): void {
    this.#parts.audit.append(() => decisionRecord(call, decision, this.#logged(call, subject), "plan"));
  }

  /** Writes the lines: what can't be written, and must not go unrecorded, becomes a denial. Then what the others cost. */
  record(): void {
    this.#parts.audit.flush();
    for (const one of this.#onTheirWay) this.#move(one, "recorded");
  }

  /** Counts and shows what was decided: the answers are on their way. */
  publish(): void {
    if (this.#onTheirWay.length === 0) return;
    this.record();
    this.#prepareNext();
    const sent = this.#onTheirWay;
    this.#onTheirWay = [];
    for (const one of sent) this.#move(one, "sent");
  }

  #noteAllowed(x: Examined["x"]): void {
    const { call, subject, executor } = x;
    const { agent } = subject;
    if (agent === null) return;
    const { destinations } = this.#parts.stages;
    if (destinations !== undefined)
      attempt(this.#listener, "noting where calls go", () => noteDestinations(x, destinations));
    attempt(this.#listener, "noting an allowed call", () =>
      this.#parts.mcp?.hookAnswers.note(agent.agent_id, call, executor.mcp),
    );
  }

  /** The answer has been sent: what only shows it must not take the gate with it. */
  #show({ decision: { current }, examined, trace, how, surface }: OnItsWay): void {
    const { activity, decisions, lines, stages, refusedCalls } = this.#parts;
    const { call, subject } = examined.x;
    if ((stages.reviewers ?? []).length > 0)
      attempt(this.#listener, "noting a decision for the judges", () => decisions.note(current, call, subject));
    if (examined.denial !== null)
      attempt(this.#listener, "noting a refused call", () => refusedCalls.note(current, examined));
    attempt(this.#listener, "keeping a call's line", () =>
      lines?.note(current, examined.x, { denial: examined.denial, surface }),
    );
    attempt(this.#listener, "publishing a decision", () => {
      const shown = withoutQuotes(current, call.args);
      activity.note(shown, call, subject, trace, how === "only" ? true : undefined);
      this.#listener.happened({ type: "decided", decision: shown, call, subject });
    });
  }

  /** Work that the next answer would wait for, done while none does. */
  #prepareNext(): void {
    this.#parts.audit.prepareNext();
    attempt(this.#listener, "reading the grants", () => this.#parts.grants.freshen());
  }

  /** How a call is logged. */
  #logged(call: ProposedCall, subject: Subject): { agent: string; executor: string; ts: number } {
    const executor = this.#parts.catalog.loggedName(call.executor, kindOf(subject));
    return { agent: subject.agent?.name ?? "none", executor, ts: this.#parts.audit.time() };
  }
}

/**
 * Has the box prepare the run of a call that is allowed as a confined one; null where its whole agent is confined, and runs it as it is.
 * @throws GateError where it can't
 */
function preparedRun(
  { call, subject, settings }: Reviewable,
  { declaration, line }: Confinement,
  decisionId: string,
): PreparedRun | null {
  if (line === null) return null;
  const { box } = settings;
  const { agent, session = "" } = subject;
  if (box === undefined || agent === null)
    throw new Error("only an agent's call is confined, and only where there is a box");
  const { argv } = box.prepare({
    declaration,
    line,
    agent_id: agent.agent_id,
    agent_name: agent.name,
    session,
    call_hash: callHash(call.executor, call.args),
    call_id: call.context?.call_id,
    decision_id: decisionId,
    ...(call.args.run_in_background === true ? { in_background: true } : {}),
  });
  return { argv, discard: () => box.discard(argv) };
}

/**
 * Denies, in place, an allowed call that must not go unrecorded: every call that doesn't only read, unless configured otherwise.
 * `error`: why its line couldn't be written.
 */
export function withhold(
  decision: Decision,
  trace: TraceStep[] | undefined,
  error: unknown,
  onFailure: OnFailure,
): void {
  if (onFailure === "allow" || decision.outcome !== "allowed" || readsOnly(decision.capabilities)) return;
  denyAt(decision, trace, "safety", {
    reason: `the audit trail can't be written: ${causeOf(error)}`,
    explain: {
      rule: "safety.trail-unwritable",
      matched: "a call that changes something while its line can't be written",
      instead: "stop, and inform the user: the gate continues by itself once the trail can be written",
    },
  });
}

// The gate's decisions and their durations, as plain numbers: they are read when the metrics are requested.

type MeteredCapability = Capability | "none";

/** Seconds. */
const DECISION_BOUNDS = [0.00001, 0.000025, 0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.005, 0.025, 0.1, 1];
const ANSWER_BOUNDS = [1, 2, 5, 10, 30, 60, 120, 300, 600, 3600];

interface DecisionCount {
  outcome: Outcome;
  stage: Stage;
  capability: MeteredCapability;
  count: number;
}

export class DecisionMeter {
  readonly decisions = new Map<string, DecisionCount>();
  readonly durations = Object.fromEntries(STAGES.map((stage) => [stage, new Histogram(DECISION_BOUNDS)])) as Readonly<
    Record<Stage, Histogram>
  >;
  /** From the question to the user's answer. */
  readonly answers = new Histogram(ANSWER_BOUNDS);
  #last: DecisionCount | undefined;

  /** Every decision that was made, by how it came out. */
  readonly outcomes: Record<Outcome, number> = { allowed: 0, approval_required: 0, denied: 0 };

  /**
   * Counted under the first of several capabilities.
   * @param ms from the call's arrival at the gate; undefined where it was asked about, and counted, before
   */
  decided({ outcome, stage, capabilities }: Decision, ms: number | undefined): void {
    this.outcomes[outcome]++;
    if (ms === undefined) return;
    const capability = capabilities[0]?.capability ?? "none";
    this.#countOf(outcome, stage, capability).count++;
    this.durations[stage].add(ms / 1000);
  }

  /** Cached, as most decisions are like the one before. */
  #countOf(outcome: Outcome, stage: Stage, capability: MeteredCapability): DecisionCount {
    const last = this.#last;
    if (last?.outcome === outcome && last.stage === stage && last.capability === capability) return last;
    const key = `${outcome} ${stage} ${capability}`;
    const found = this.decisions.get(key) ?? { outcome, stage, capability, count: 0 };
    this.decisions.set(key, found);
    this.#last = found;
    return found;
  }

  answered(createdAt: string, decisionAt: string): void {
    this.answers.add(Math.max(0, Date.parse(decisionAt) - Date.parse(createdAt)) / 1000);
  }
}
