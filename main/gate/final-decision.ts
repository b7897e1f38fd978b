import type { Decision } from "../../ipc/decision.ts";
import type { ProposedCall } from "../../ipc/wire.ts";
import type { PendingRequest } from "./approvals/pending-request.ts";
import { approvalOf, refusalOf } from "./approvals/refusal.ts";
import type { examineCall } from "./pipeline.ts";
import type { Examination, Subject } from "./stages/examination.ts";

export type Examine = (call: ProposedCall, subject: Subject) => ReturnType<typeof examineCall>;

/**
 * What an ended request means for a call that waited for it. An approved call is examined again: the world may have moved while it
 * waited. `before` and `asked`: the call's examination and decision when it was asked about; `ttl_seconds`: how long it could wait.
 */
export function finalDecision(
  before: Examination,
  asked: Decision,
  ended: PendingRequest,
  examine: Examine,
  ttl_seconds: number,
): Decision {
  const base: Decision = { ...asked, stage: "approval", status: ended.status };
  if (ended.status !== "approved") return { ...base, outcome: "denied", ...refusalOf(ended, ttl_seconds) };
  const { x, denial } = examine(before.call, before.subject);
  if (denial !== null) {
    return { ...base, outcome: "denied", stage: denial.stage, reason: denial.reason, explain: denial.explain };
  }
  if (JSON.stringify(x.needs) !== JSON.stringify(before.needs)) {
    return {
      ...base,
      outcome: "denied",
      reason: "the path led elsewhere by the time it was approved",
      explain: { rule: "approval.changed-while-waiting", instead: "send the call again" },
    };
  }
  return { ...base, outcome: "allowed", ...approvalOf(ended) };
}
