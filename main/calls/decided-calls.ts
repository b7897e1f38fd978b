import {
  type Capability,
  type Decision,
  type Outcome,
  STAGES,
  type Stage,
  type TraceStep,
} from "../../ipc/contract/decision.ts";
import type { ProposedCall } from "../../ipc/contract/wire.ts";
import { causeOf } from "../base/files/disk-reserve.ts";
import { Histogram } from "../base/histogram.ts";
import type { Confinement } from "../decide/confinement/confinement.ts";
import { callHash } from "../decide/executors/canonical.ts";
import type { ExecutorCatalog } from "../decide/executors/catalog.ts";
import type { GrantStore } from "../decide/grants/store.ts";
import type { McpTools } from "../decide/mcp/mcp-tools.ts";
import { readsOnly } from "../decide/policy/policy.ts";
import { withoutQuotes } from "../decide/reviews/review-steps.ts";
import { kindOf, type Reviewable, type StageSettings, type Subject } from "../decide/stages/examination.ts";
import type { Activity } from "../records/activity/activity.ts";
import type { OnFailure } from "../records/audit/alarms.ts";
import type { AuditLog } from "../records/audit/log.ts";
import { decisionRecord } from "../records/audit/record.ts";
import { attempt, type CallsEvent, type Listener } from "./approvals/listener.ts";
import { denyAt, denyUnprepared, type Made, type PreparedRun, RevisableDecision } from "./life.ts";
import type { RefusedCalls } from "./reviews/refused-calls.ts";
import type { SessionDecisions } from "./reviews/session-decisions.ts";

export interface DecidedCallsParts {
  audit: AuditLog;
  /** What becomes of calls that change something while the trail can't be written. */
  onAuditFailure: OnFailure;
  activity: Activity;
  catalog: ExecutorCatalog;
  grants: GrantStore;
  /** What judges get to know of a session's earlier calls: nothing is noted where there are none. */
  stages: Pick<StageSettings, "reviewers">;
  decisions: Pick<SessionDecisions, "note">;
  meter: DecisionMeter;
  refusedCalls: Pick<RefusedCalls, "note">;
  mcp?: Pick<McpTools, "hookAnswers">;
}

/** A decision that isn't published to the surfaces yet. `ms`: how long it took. */
type Unpublished = Omit<Made, "decision"> & { decision: RevisableDecision; ms: number };

/** What was decided, on its way: into the trail before the answers are sent, to all who only show or count it after that. */
export class DecidedCalls {
  readonly #parts: DecidedCallsParts;
  readonly #listener: Listener<CallsEvent>;
  #unpublished: Unpublished[] = [];
  /** How many of them have their cost counted. */
  #spent = 0;

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
    const unpublished: Unpublished = { ...made, decision, ms };
    if (made.how === "left") {
      this.#addLeft(unpublished);
      return decision;
    }
    const { trace, examined } = made;
    const { call, subject } = examined.x;
    this.#prepareRun(unpublished);
    this.#parts.audit.append(
      () => decisionRecord(call, decision.current, this.#logged(call, subject)),
      (error) => decision.revise((draft) => withhold(draft, trace, error, this.#parts.onAuditFailure)),
    );
    this.#unpublished.push(unpublished);
    return decision;
  }

  #addLeft(left: Unpublished): void {
    const { decision_id } = left.decision.current;
    // Asked and given up in one turn: the question isn't published yet.
    if (this.#unpublished.some(({ decision }) => decision.current.decision_id === decision_id))
      this.#unpublished.push(left);
    else this.#show(left);
  }

  /** A confined call that is allowed runs by words of its own, or not at all. */
  #prepareRun({ examined: { x, denial }, decision, trace }: Unpublished): void {
    if (denial !== null || x.confinement === null || decision.current.outcome !== "allowed") return;
    try {
      const run = preparedRun(x, x.confinement);
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
    const { audit, activity } = this.#parts;
    audit.flush();
    for (const { decision, examined } of this.#unpublished.slice(this.#spent))
      attempt(this.#listener, "counting what calls cost", () => activity.spend(decision.current, examined.x.subject));
    this.#spent = this.#unpublished.length;
  }

  /** Counts and shows what was decided: the answers are on their way. */
  publish(): void {
    if (this.#unpublished.length === 0) return;
    this.record();
    this.#prepareNext();
    const unpublished = this.#unpublished;
    this.#unpublished = [];
    this.#spent = 0;
    for (const made of unpublished) {
      this.#count(made);
      this.#noteAllowed(made);
      this.#show(made);
    }
  }

  /** Its answer was sent: what carries it out can only come after this. */
  #noteAllowed({ decision: { current }, examined: { x }, how }: Unpublished): void {
    const { agent } = x.subject;
    if (agent === null || how === "left" || current.outcome !== "allowed") return;
    attempt(this.#listener, "noting an allowed call", () =>
      this.#parts.mcp?.hookAnswers.note(agent.agent_id, x.call, x.executor.mcp),
    );
  }

  #count({ decision: { current }, examined: { x }, how, ms }: Unpublished): void {
    if (how !== "left") this.#parts.meter.decided(current, how === "final" ? undefined : ms);
    if (how === "first" && current.outcome !== "denied")
      for (const id of x.grants_used ?? []) this.#parts.grants.noteUse(id);
  }

  /** The answer has been sent: what only shows it must not take the gate with it. */
  #show({ decision: { current }, examined, trace, how }: Unpublished): void {
    const { activity, decisions, stages, refusedCalls } = this.#parts;
    const { call, subject } = examined.x;
    if ((stages.reviewers ?? []).length > 0)
      attempt(this.#listener, "noting a decision for the judges", () => decisions.note(current, call, subject));
    if (examined.denial !== null)
      attempt(this.#listener, "noting a refused call", () => refusedCalls.note(current, examined));
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
function preparedRun({ call, subject, settings }: Reviewable, { declaration, line }: Confinement): PreparedRun | null {
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
