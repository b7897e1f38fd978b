import type { Decision, TraceStep } from "../../ipc/contract/decision.ts";
import type { ProposedCall } from "../../ipc/contract/wire.ts";
import { causeOf } from "../base/files/disk-reserve.ts";
import type { CalledTool } from "../decide/executors/called-tool.ts";
import type { ExecutorCatalog } from "../decide/executors/catalog.ts";
import type { GrantStore } from "../decide/grants/store.ts";
import { traceOf } from "../decide/pipeline.ts";
import { readsOnly } from "../decide/policy/policy.ts";
import { withoutQuotes } from "../decide/reviews/quotes.ts";
import { type Examined, kindOf, type Reviewable, type Subject } from "../decide/stages/examination.ts";
import type { Activity } from "../records/activity/activity.ts";
import type { OnFailure } from "../records/audit/alarms.ts";
import type { AuditLog } from "../records/audit/log.ts";
import { decisionRecord } from "../records/audit/record.ts";
import type { DecisionMeter } from "./meter.ts";
import type { SessionDecisions } from "./reviews/session-decisions.ts";
import { RevisableDecision } from "./revisable-decision.ts";
import { answeredTrace } from "./without-answer.ts";

export interface DecidedCallsParts {
  audit: AuditLog;
  /** What becomes of calls that change something while the trail can't be written. */
  on_audit_failure: OnFailure;
  activity: Activity;
  catalog: ExecutorCatalog;
  grants: GrantStore;
  /** Nothing is noted for judges where there are none. */
  hasJudges(): boolean;
  /** What judges get to know of a session's earlier calls. */
  decisions: Pick<SessionDecisions, "note">;
  meter: DecisionMeter;
  /** A judge or a stage refused this call. */
  refused(decision: Decision, examined: Examined): void;
  /** An agent was allowed a call. `tool`: the server's tool that it is of, where that is known. */
  allowed(agent_id: string, call: ProposedCall, tool: CalledTool | undefined): void;
  /** The surfaces are informed of a decision, without what its judges quote. */
  published(decision: Decision, call: ProposedCall, subject: Subject): void;
  /** Something unexpected, to log. */
  failed(what: string, error: unknown): void;
}

/** A decision that isn't published to the surfaces yet. */
export interface Unpublished {
  decision: RevisableDecision;
  call: ProposedCall;
  subject: Subject;
  trace: TraceStep[] | undefined;
  /** Its agent gave it up: it is only shown, neither answered nor counted. */
  is_left?: true;
  /** The call as a judge or a stage refused it. */
  refused?: Examined;
  /** The call got no other decision, although it was withdrawn. */
  is_only?: true;
  /** The server's tool that the call is of, where that is known. */
  tool?: CalledTool | undefined;
  /** Of a call's first decision: how long it took, and which grants it depends on. */
  first?: { ms: number; grants_used: readonly number[] };
}

/** What was decided, on its way: into the trail before the answers are sent, to all who only show or count it after that. */
export class DecidedCalls {
  readonly #parts: DecidedCallsParts;
  #unpublished: Unpublished[] = [];
  /** How many of them have their cost counted. */
  #spent = 0;

  constructor(parts: DecidedCallsParts) {
    this.#parts = parts;
  }

  /** A decision is made: its line is appended to the trail, or it becomes a denial. `publish` tells of it. */
  add(made: Unpublished): void {
    const { call, decision, subject, trace } = made;
    this.#parts.audit.append(
      () => decisionRecord(call, decision.current, this.#logged(call, subject)),
      (error) => decision.revise((draft) => withhold(draft, trace, error, this.#parts.on_audit_failure)),
    );
    this.#unpublished.push(made);
  }

  /** A call of a plan: only the trail gets to know it. */
  addPlanned(call: ProposedCall, subject: Subject, decision: Decision): void {
    this.#parts.audit.append(() => decisionRecord(call, decision, this.#logged(call, subject), "plan"));
  }

  /** An agent gave up a call that waited, together with others or alone. Its request's end is in the trail. */
  addLeft(x: Reviewable, final: Decision): void {
    const { call, subject } = x;
    const trace = answeredTrace(traceOf({ x, denial: null }), final);
    const made: Unpublished = { decision: new RevisableDecision(final), call, subject, trace, is_left: true };
    // Asked and given up in one turn: the question isn't published yet.
    const is_asked_now = this.#unpublished.some(({ decision }) => decision.current.decision_id === final.decision_id);
    if (is_asked_now) this.#unpublished.push(made);
    else this.#show(made);
  }

  /** Writes the lines: what can't be written, and must not go unrecorded, becomes a denial. Then what the others cost. */
  record(): void {
    const { audit, activity } = this.#parts;
    audit.flush();
    for (const { decision, subject } of this.#unpublished.slice(this.#spent))
      this.#attempt("counting what calls cost", () => activity.spend(decision.current, subject));
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
  #noteAllowed({ decision: { current }, call, subject: { agent }, tool, is_left }: Unpublished): void {
    if (agent === null || is_left === true || current.outcome !== "allowed") return;
    this.#attempt("noting an allowed call", () => this.#parts.allowed(agent.agent_id, call, tool));
  }

  #count({ decision: { current }, first, is_left }: Unpublished): void {
    if (is_left !== true) this.#parts.meter.decided(current, first?.ms);
    if (current.outcome !== "denied") for (const id of first?.grants_used ?? []) this.#parts.grants.noteUse(id);
  }

  /** The answer has been sent: what only shows it must not take the gate with it. */
  #show({ decision: { current }, call, subject, trace, is_only, refused }: Unpublished): void {
    const { activity, decisions } = this.#parts;
    if (this.#parts.hasJudges())
      this.#attempt("noting a decision for the judges", () => decisions.note(current, call, subject));
    if (refused !== undefined) this.#attempt("noting a refused call", () => this.#parts.refused(current, refused));
    this.#attempt("publishing a decision", () => {
      const shown = withoutQuotes(current, call.args);
      activity.note(shown, call, subject, trace, is_only);
      this.#parts.published(shown, call, subject);
    });
  }

  /** Work that the next answer would wait for, done while none does. */
  #prepareNext(): void {
    this.#parts.audit.prepareNext();
    this.#attempt("reading the grants", () => this.#parts.grants.freshen());
  }

  /** How a call is logged. */
  #logged(call: ProposedCall, subject: Subject): { agent: string; executor: string; ts: number } {
    const executor = this.#parts.catalog.loggedName(call.executor, kindOf(subject));
    return { agent: subject.agent?.name ?? "none", executor, ts: this.#parts.audit.time() };
  }

  #attempt(what: string, act: () => void): void {
    try {
      act();
    } catch (error) {
      this.#parts.failed(what, error);
    }
  }
}

/**
 * Denies, in place, an allowed call that must not go unrecorded: every call that doesn't only read, unless configured otherwise.
 * `error`: why its line couldn't be written.
 */
export function withhold(
  decision: Decision,
  trace: TraceStep[] | undefined,
  error: unknown,
  on_failure: OnFailure,
): void {
  if (on_failure === "allow" || decision.outcome !== "allowed" || readsOnly(decision.capabilities)) return;
  decision.outcome = "denied";
  decision.stage = "safety";
  decision.reason = `the audit trail can't be written: ${causeOf(error)}`;
  decision.explain = {
    rule: "safety.trail-unwritable",
    matched: "a call that changes something while its line can't be written",
    instead: "stop, and inform the user: the gate continues by itself once the trail can be written",
  };
  const step = trace?.find(({ stage }) => stage === "safety");
  if (step !== undefined)
    Object.assign(step, { outcome: "denied", detail: decision.reason, rule: decision.explain.rule });
}
