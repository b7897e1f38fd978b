import type { Decision } from "../../ipc/contract/decision.ts";
import type { Confinement } from "../decide/confinement/confinement.ts";
import type { Examined, Reviewable } from "../decide/stages/examination.ts";
import type { PendingRequest } from "./approvals/pending-request.ts";
import { approvalOf, refusalOf } from "./approvals/refusal.ts";

/** Examines a call again, later: its command lines are read already. */
export type ExamineAgain = (before: Reviewable) => Examined;

/**
 * What an ended request means for a call that waited for it. An approved call is examined again: the world may have moved while it
 * waited. `before` and `asked`: the call's examination and decision when it was asked about; `ttl_seconds`: how long it could wait.
 */
export function finalDecision(
  before: Reviewable,
  asked: Decision,
  ended: PendingRequest,
  examineAgain: ExamineAgain,
  ttl_seconds: number,
): Decision {
  const base: Decision = { ...asked, stage: "approval", status: ended.status };
  if (ended.status !== "approved") return { ...base, outcome: "denied", ...refusalOf(ended, ttl_seconds) };
  const { x, denial } = examineAgain(before);
  if (denial !== null) {
    return { ...base, outcome: "denied", stage: denial.stage, reason: denial.reason, explain: denial.explain };
  }
  if (isOtherTool(x, before)) {
    return {
      ...base,
      outcome: "denied",
      reason: "what its server says of this tool changed while the user was asked",
      explain: { rule: "approval.changed-while-waiting", instead: "send the call again" },
    };
  }
  if (!isSame(x, before)) {
    const is_moved = (x.confinement === null) === (before.confinement === null);
    return {
      ...base,
      outcome: "denied",
      reason: is_moved
        ? "the path led elsewhere by the time it was approved"
        : "by the time it was approved it could not run as it was asked about",
      explain: { rule: "approval.changed-while-waiting", instead: "send the call again" },
    };
  }
  return { ...base, outcome: "allowed", ...approvalOf(ended) };
}

/** What is asked about as a confined call is allowed as one alone, with the same box; and what isn't, isn't. */
export function isSame(now: Reviewable, before: Reviewable): boolean {
  if (isOtherTool(now, before)) return false;
  // Asked about as what may run code, and said to only look: less than what was asked.
  if (now.executor.mcp?.state === "looks" && before.executor.mcp?.state !== "looks")
    return now.confinement === null && before.confinement === null;
  // What was granted makes a project of the folder: a clear line needs no more for that, and may run as it was asked about.
  const is_held_now = before.confinement === null && now.confinement?.declaration.kind === "needs";
  const compared = ({ needs, stated_needs, confinement }: Reviewable) =>
    JSON.stringify([needs, stated_needs, confinement === null || is_held_now ? null : boxCompared(confinement)]);
  return compared(now) === compared(before);
}

/** A clear line's box is what it needs, as far as that is there by now. */
function boxCompared({ declaration, line }: Confinement): unknown {
  return declaration.kind === "needs" ? [declaration.kind, line] : [declaration, line];
}

/** True if the call is of another tool than when it was asked about. Announced since, it is the one that was asked about unseen. */
function isOtherTool({ executor: now }: Reviewable, { executor: before }: Reviewable): boolean {
  if (before.mcp === undefined) return now.mcp?.state === "changed";
  return now.mcp?.source !== before.mcp.source || now.mcp.pin !== before.mcp.pin || now.mcp.tool !== before.mcp.tool;
}
