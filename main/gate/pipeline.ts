import { randomUUID } from "node:crypto";
import { debugLog } from "../../ipc/debug-log.ts";
import { type Decision, STAGES, type Stage, type TraceStep } from "../../ipc/decision.ts";
import type { ProposedCall } from "../../ipc/wire.ts";
import type { ExecutorCatalog } from "./executors/catalog.ts";
import { type Denial, type Examination, kindOf, type StageSettings, type Subject } from "./stages/examination.ts";
import { guard } from "./stages/guard.ts";
import { judge } from "./stages/judge.ts";
import { pairing } from "./stages/pairing.ts";
import { policy } from "./stages/policy.ts";
import { rate } from "./stages/rate.ts";
import { safety } from "./stages/safety.ts";
import { scope } from "./stages/scope.ts";
import { validation } from "./stages/validation.ts";
import { validators } from "./stages/validators.ts";
import { requirementOf } from "./targets/target.ts";

const debug = debugLog("stage");

/** A stage's check: it may add to the examination, and denies the call or lets it continue. */
export type Check = (x: Examination) => Denial | null;

/** The stages in their order (docs/decisions/0002-stages-in-one-order.md). The first that denies ends it. */
export const CHECKS: readonly (readonly [Exclude<Stage, "approval">, Check])[] = [
  ["pairing", pairing],
  ["safety", safety],
  ["validation", validation],
  ["scope", scope],
  ["policy", policy],
  ["rate", rate],
  ["guard", guard],
  ["judge", judge],
  ["validators", validators],
];

/** Runs a call through the stages. Reads the grants, writes nothing. */
export function examineCall(
  call: ProposedCall,
  subject: Subject,
  catalog: ExecutorCatalog,
  settings: StageSettings,
  with_trace = false,
): { x: Examination; denial: Denial | null } {
  const x: Examination = {
    call,
    subject,
    executor: catalog.find(call.executor, kindOf(subject)),
    settings,
    needs: [],
    outcome: "denied",
    reason: "",
    rule: undefined,
    grants_used: [],
    verdict: null,
    trace: with_trace ? [] : undefined,
  };
  for (const [stage, check] of CHECKS) {
    const denial = check(x);
    if (debug.is_on) debug.write(`${stage}: ${denial === null ? "continues" : "denied"}`);
    if (denial !== null) return { x, denial };
  }
  return { x, denial: null };
}

/** The decision that an examination comes to, before any human is asked. */
export function decisionOf(x: Examination, denial: Denial | null): Decision {
  const decision: Decision = {
    decision_id: randomUUID(),
    outcome: denial === null ? x.outcome : "denied",
    stage: denial?.stage ?? (x.outcome === "approval_required" ? "approval" : "policy"),
    reason: denial?.reason ?? x.reason,
    explain: denial?.explain ?? (x.rule === undefined ? {} : { rule: x.rule }),
    verdict: x.verdict,
    capabilities: x.needs.map(requirementOf),
  };
  if (debug.is_on) debug.write(`decision ${decision.decision_id}: ${decision.outcome} by ${decision.stage}`);
  return decision;
}

/** Every stage in the pipeline's order; those after a denial were not reached. For the user: an agent never gets it. */
export function traceOf(x: Examination, denial: Denial | null): TraceStep[] {
  return STAGES.map((stage) => {
    const step = x.trace?.find((entry) => entry.stage === stage);
    if (step !== undefined) return step;
    if (denial !== null) return { stage, outcome: "skipped", detail: `not reached: ${denial.stage} denied` };
    return x.outcome === "approval_required"
      ? { stage, outcome: "ask", detail: "a user is asked" }
      : { stage, outcome: "skipped", detail: "nobody has to be asked" };
  });
}
