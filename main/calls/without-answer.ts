import { ownCommand } from "../../ipc/base/own-command.ts";
import type { Decision, Stage, TraceStep } from "../../ipc/contract/decision.ts";

/** Decisions on calls for which the user can't be asked, or whose answer can't be used. */

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
export function deniedByFailure(
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
export function answeredTrace(asked: readonly TraceStep[], final: Decision): TraceStep[] {
  const outcome = final.outcome === "allowed" ? "passed" : "denied";
  return asked.map((step) =>
    step.stage === "approval" ? { ...step, outcome, detail: final.reason, rule: final.explain.rule } : step,
  );
}
