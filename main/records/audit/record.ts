import type { Decision } from "../../../ipc/contract/decision.ts";
import type { Review } from "../../../ipc/contract/review.ts";
import type { Rule } from "../../../ipc/contract/rules.ts";
import type { ProposedCall } from "../../../ipc/contract/wire.ts";
import { withoutValues } from "../../decide/guard/without-values.ts";
import { JUDGE_KIND } from "../../decide/judge/verdicts.ts";
import { withoutQuotes } from "../../decide/reviews/review-steps.ts";

/** One line of the audit trail before it is chained. Key names, never values (docs/decisions/requirements-vaglio.md, "Log"). */
export type AuditRecord = { event: string; ts: number } & Record<string, unknown>;

const MAX_KEYS = 64;
const MAX_KEY_LENGTH = 64;

/** The required fields of a judged call, and what this gate decided. `executor`: its name as it is logged; `ts`: now, in Unix seconds. */
export function decisionRecord(
  call: ProposedCall,
  decision: Decision,
  { agent, executor, ts }: { agent: string; executor: string; ts: number },
  event = "decision",
): AuditRecord {
  const { verdict } = decision;
  // The verdict of a call that the user was asked about is from before the answer.
  const isJudgedNow = verdict !== null && decision.status === undefined;
  return {
    event,
    approved: verdict?.approved ?? false,
    reason: storedReason(call, decision),
    ts: isJudgedNow ? verdict.ts : ts,
    judge_kind: verdict?.judge_kind ?? JUDGE_KIND,
    score: verdict?.score ?? 0,
    blocked_by: verdict?.blocked_by ?? null,
    intent: withoutValues(call.intent, call.args),
    executor,
    args_keys: keyNames(call.args),
    context_keys: keyNames(call.context ?? {}),
    decision_id: decision.decision_id,
    agent,
    outcome: decision.outcome,
    stage: decision.stage,
    ...(decision.explain.rule === undefined ? {} : { rule: decision.explain.rule }),
    ...(verdict?.degraded === true ? { degraded: true } : {}),
    ...(decision.reviews === undefined ? {} : { reviews: decision.reviews.map(reviewRecord) }),
    ...(decision.confined === undefined ? {} : { confined: true }),
    ...(decision.price === undefined ? {} : { price: decision.price.amount, currency: decision.price.currency }),
    capabilities: [...new Set(decision.capabilities.map(({ capability }) => capability))],
  };
}

/** What a judge found, without its words. */
export function reviewRecord({ stage, name, outcome, score, confidence, ms, is_online }: Review): object {
  return { stage, name, outcome, score, confidence, ms, online: is_online };
}

/** The user's, the agent's and a judge's texts may quote a value; the gate's never do. Of a withdrawal only a rule says that the words are the gate's. */
function storedReason(call: ProposedCall, decision: Decision): string {
  const { verdict, reason, status, explain } = withoutQuotes(decision, call.args);
  const isWithdrawn = status === "cancelled" || explain.rule === "approval.withdrawn";
  if (status === "rejected" || (isWithdrawn && !isByTheGate(explain.rule))) return withoutValues(reason, call.args);
  return verdict === null || verdict.approved ? reason : verdict.reason;
}

/** Of a request that ended without an answer: the gate withdrew it, in its own words. */
function isByTheGate(rule: Rule | undefined): boolean {
  return rule !== undefined && /^approval\.withdrawn-/.test(rule);
}

function keyNames(object: Record<string, unknown>): string[] {
  const keys = Object.keys(object).slice(0, MAX_KEYS);
  return keys.map((key) => (key.length > MAX_KEY_LENGTH ? `${key.slice(0, MAX_KEY_LENGTH)}…` : key));
}
