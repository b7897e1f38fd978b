import type { Decision, TraceStep } from "../../../ipc/decision.ts";
import { readsOnly } from "../policy.ts";
import { causeOf, type OnFailure } from "./alarms.ts";

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
