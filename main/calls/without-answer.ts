import { ownCommand } from "../../ipc/base/own-command.ts";
import type { Decision, TraceStep } from "../../ipc/contract/decision.ts";

/** Decisions on calls for which the user can't be asked, or whose answer can't be used. */

/** Denies, in place, a call whose decision depends on something that can't be stored. */
export function denyUnstored(decision: Decision): void {
  delete decision.status;
  delete decision.pending;
  Object.assign(decision, {
    outcome: "denied",
    stage: "approval",
    reason: "the request can't be stored, so the user can't be asked",
    explain: { rule: "approval.not-stored", instead: `ask the user to run: ${ownCommand("doctor")}` },
  } satisfies Partial<Decision>);
}

/** Denies, in place, a confined call that was allowed and can't be run as such. */
export function denyUnprepared(decision: Decision, trace: TraceStep[] | undefined): void {
  const reason = "it may only run confined, and that can't be prepared now";
  const rule = "policy.box-unavailable";
  Object.assign(decision, {
    outcome: "denied",
    stage: "policy",
    reason,
    explain: { rule, instead: `ask the user to run: ${ownCommand("box status")}` },
  } satisfies Partial<Decision>);
  const step = trace?.find(({ stage }) => stage === "policy");
  if (step !== undefined) Object.assign(step, { outcome: "denied", detail: reason, rule });
}

/** The denial of a call whose request has ended, where the gate failed to evaluate the call again. */
export function deniedByFailure({ pending: _, ...asked }: Decision, status: Decision["status"]): Decision {
  return {
    ...asked,
    ...(status === undefined ? {} : { status }),
    outcome: "denied",
    stage: "approval",
    reason: "it was answered, but the gate failed to evaluate the call again",
    explain: { rule: "approval.not-examined-again", instead: `ask the user to run: ${ownCommand("doctor")}` },
  };
}

/** What becomes of a call that was given up, or withdrawn, before it was decided on. `before`: the decision that it had. */
export function withdrawnDecision(
  { pending: _, ...before }: Decision,
  why: Pick<Decision, "reason" | "explain">,
): Decision {
  return { ...before, outcome: "denied", stage: "approval", status: "cancelled", ...why };
}

/** The denial of a call that its judges have looked at, where the gate failed to evaluate it again. */
export function deniedAfterReviews(before: Decision): Decision {
  return {
    ...before,
    outcome: "denied",
    stage: "judge",
    reason: "it was judged, but the gate failed to evaluate the call again",
    explain: { rule: "judge.failed", instead: `ask the user to run: ${ownCommand("doctor")}` },
  };
}

/** The trace of a call that the user was asked about, once the request has ended. */
export function answeredTrace(asked: readonly TraceStep[], final: Decision): TraceStep[] {
  const outcome = final.outcome === "allowed" ? "passed" : "denied";
  return asked.map((step) =>
    step.stage === "approval" ? { ...step, outcome, detail: final.reason, rule: final.explain.rule } : step,
  );
}
