import { randomUUID } from "node:crypto";
import { debugLog } from "../../ipc/base/debug-log.ts";
import { type Decision, STAGES, type Stage, type TraceStep } from "../../ipc/contract/decision.ts";
import type { ProposedCall } from "../../ipc/contract/wire.ts";
import { requirementOf } from "../targets/target.ts";
import type { Confinement, NotConfined } from "./confinement/confinement.ts";
import { confinedTo } from "./confinement/declaration.ts";
import type { Executor, ExecutorCatalog } from "./executors/catalog.ts";
import { CommandLines } from "./executors/command-lines.ts";
import { withReviews } from "./reviews/review-steps.ts";
import { approval } from "./stages/approval.ts";
import {
  type Denial,
  type Examined,
  isDenial,
  kindOf,
  type Proposed,
  type Ruling,
  type StageSettings,
  type Subject,
  type Unfinished,
} from "./stages/examination.ts";
import { flow } from "./stages/flow.ts";
import { guard } from "./stages/guard.ts";
import { judge } from "./stages/judge.ts";
import { pairing } from "./stages/pairing.ts";
import { confinementFor, policy } from "./stages/policy.ts";
import { rate } from "./stages/rate.ts";
import { safety } from "./stages/safety.ts";
import { scope } from "./stages/scope.ts";
import { validation } from "./stages/validation.ts";

/** Called for each stage that was reached. */
type Observe = (stage: Stage, isDenied: boolean) => void;

/** With all that the stages found, or up to the first denial, with what those before it found. */
type Result<In, Out> = { x: Out; denial: null } | { x: In; denial: Denial };

/** Stages one behind the other: what one of them finds is part of what those behind it are given. */
export class StageChain<In extends object, Out extends In> {
  readonly names: readonly Stage[];
  /** Examines `x`, which stays as it is. */
  readonly examine: (x: In) => Result<In, Out>;
  readonly #observe: Observe;

  private constructor(names: readonly Stage[], examine: (x: In) => Result<In, Out>, observe: Observe) {
    this.names = names;
    this.examine = examine;
    this.#observe = observe;
  }

  static of<In extends object>(observe: Observe = () => undefined): StageChain<In, In> {
    return new StageChain<In, In>([], (x) => ({ x, denial: null }), observe);
  }

  /** A stage that denies a call or lets it pass. */
  check(name: Stage, check: (x: Out) => Denial | null): StageChain<In, Out> {
    return this.#with(name, (x) => check(x) ?? x);
  }

  /** A stage that denies a call or finds something out about it. */
  find<Found extends object>(name: Stage, find: (x: Out) => Denial | Found): StageChain<In, Out & Found> {
    return this.#with(name, (x) => {
      const found = find(x);
      return isDenial(found) ? found : { ...x, ...found };
    });
  }

  #with<Next extends Out>(name: Stage, stage: (x: Out) => Denial | Next): StageChain<In, Next> {
    const examine = (x: In): Result<In, Next> => {
      const soFar = this.examine(x);
      if (soFar.denial !== null) return soFar;
      const next = stage(soFar.x);
      const isDenied = isDenial(next);
      this.#observe(name, isDenied);
      return isDenied ? { x: soFar.x, denial: next } : { x: next, denial: null };
    };
    return new StageChain([...this.names, name], examine, this.#observe);
  }
}

const debug = debugLog("stage");

/**
 * The first phase: the stages that answer at once, in their order (docs/decisions/0002-stages-in-one-order.md). The first that denies
 * ends it; what one of them finds (`find`), those behind it can rely on. The second phase are the judges that are asked about a call
 * that none of them denies (reviews/): what they find counts for the stages `judge` and `validators`.
 */
export const PIPELINE = StageChain.of<Proposed>((stage, isDenied) => {
  if (debug.isOn) debug.write(`${stage}: ${isDenied ? "denied" : "continues"}`);
})
  .check("pairing", pairing)
  .check("safety", safety)
  .find("validation", validation)
  .check("scope", scope)
  .find("policy", policy)
  .find("flow", flow)
  .find("rate", rate)
  .check("guard", guard)
  .find("judge", judge)
  .check("approval", approval);

/** `lines`: the call's command lines, where they were read before. */
export interface ExamineOptions {
  lines?: CommandLines;
  purpose?: Proposed["purpose"];
}

/**
 * What the stages make of a call. Reads the grants, writes nothing.
 */
export function examineCall(
  call: ProposedCall,
  subject: Subject,
  catalog: ExecutorCatalog,
  settings: StageSettings,
  withTrace = false,
  { lines = new CommandLines(call, settings.home), purpose }: ExamineOptions = {},
): Examined {
  const proposed: Unfinished = {
    call,
    subject,
    executor: executorOf(call, subject, catalog, settings),
    settings,
    lines,
    trace: withTrace ? [] : undefined,
    purpose,
  };
  const examined = PIPELINE.examine(proposed);
  if (examined.denial === null) return examined;
  const { x, denial } = examined;
  return { x: { ...x, ...denial.found }, denial };
}

/** What the call's executor means. Of what nothing describes, a server's tool is what the user said of its definition. */
function executorOf(
  call: ProposedCall,
  subject: Subject,
  catalog: ExecutorCatalog,
  { mcp }: Pick<StageSettings, "mcp">,
): Executor {
  const executor = catalog.find(call.executor, kindOf(subject));
  const tool = executor.is_described ? undefined : mcp?.toolOf(call, subject);
  return tool === undefined ? executor : { ...executor, mcp: tool };
}

/** Whether a call would be decided on as a confined one, and with what; or why not. `evenClear`: though it is clear what it needs. */
export function confinementOfCall(
  call: ProposedCall,
  subject: Subject,
  catalog: ExecutorCatalog,
  settings: StageSettings,
  options: { evenClear?: boolean } = {},
): Confinement | NotConfined {
  const executor = executorOf(call, subject, catalog, settings);
  const x = { call, subject, executor, settings, lines: new CommandLines(call, settings.home), trace: undefined };
  const found = validation(x);
  if (isDenial(found)) return { reason: "no-command", about: "" };
  const holder = { ...subject.principal, agent: subject.agent?.agent_id, session: subject.session };
  return confinementFor({ ...x, ...found }, holder, options);
}

/** The decision that an examination comes to, before anybody is asked. */
export function decisionOf({ x, denial }: Examined, decisionId: string = randomUUID()): Decision {
  const made =
    denial === null
      ? { outcome: x.outcome, stage: stageDeciding(x.outcome), reason: x.reason, explain: { rule: x.rule } }
      : { outcome: "denied" as const, stage: denial.stage, reason: denial.reason, explain: denial.explain };
  const { confinement } = x;
  // Whatever was denied before anybody was to be asked was denied as the call states it.
  const isConfined = confinement != null && (denial === null || denial.stage === "approval");
  const needs = isConfined ? confinement.needs : (x.stated_needs ?? x.needs);
  const decision: Decision = {
    decision_id: decisionId,
    ...made,
    verdict: x.verdict ?? null,
    ...(denial?.retry_after_ms === undefined ? {} : { retry_after_ms: denial.retry_after_ms }),
    ...(x.noted === undefined ? {} : { reviews: x.noted.map(({ review }) => review) }),
    capabilities: needs?.map(requirementOf) ?? [],
    ...(isConfined ? { confined: confinedTo(confinement.declaration, confinement.line === null) } : {}),
    ...(x.price === undefined ? {} : { price: x.price }),
  };
  if (debug.isOn) debug.write(`decision ${decision.decision_id}: ${decision.outcome} by ${decision.stage}`);
  return decision;
}

const stageDeciding = (outcome: Ruling["outcome"]): Stage => (outcome === "approval_required" ? "approval" : "policy");

/** Every stage in the pipeline's order; those after a denial were not reached. For the operator: an agent never gets it. */
export function traceOf(examined: Examined): TraceStep[] {
  const { x, denial } = examined;
  return STAGES.map((stage) => {
    const found = x.trace?.find((entry) => entry.stage === stage);
    const step = stage === "judge" || stage === "validators" ? withReviews(stage, found, examined) : found;
    if (step !== undefined) return step;
    if (denial !== null) return { stage, outcome: "skipped", detail: `not reached: ${denial.stage} denied` };
    return x.outcome === "approval_required"
      ? { stage, outcome: "ask", detail: "a user is asked" }
      : { stage, outcome: "skipped", detail: "nobody has to be asked" };
  });
}
