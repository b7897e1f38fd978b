import type { Decision, Territory } from "../../../ipc/contract/decision.ts";
import type { Rule } from "../../../ipc/contract/rules.ts";
import type { StoredRequest } from "./stored-request.ts";

const INSTEAD = "do without it, or ask the user what they would accept";
const FOR_SESSION = "the same is denied from now on in this session";

/** Why a request that ended without an approval denies its call. `ttl_seconds`: how long it waited at the most. */
export function refusalOf(
  { status, message, extra, refuse }: Pick<StoredRequest, "status" | "message" | "extra" | "refuse">,
  ttlSeconds: number,
): Pick<Decision, "reason" | "explain"> {
  switch (status) {
    case "rejected":
      if (extra.repeated !== undefined)
        return {
          reason: message
            ? `the user stopped it: ${message}`
            : "the user stopped it: the same call came again and again",
          explain: { rule: "rate.same-call-stopped", instead: `${INSTEAD}; ${FOR_SESSION}` },
        };
      return {
        reason: message ? `the user said no: ${message}` : "the user said no",
        explain: { rule: "approval.rejected", instead: refuse === null ? INSTEAD : `${INSTEAD}; ${FOR_SESSION}` },
      };
    case "expired":
      return {
        reason: `nobody answered within ${ttlSeconds} s; this is not a refusal`,
        explain: { rule: "approval.expired", instead: "ask again when somebody is there" },
      };
    default:
      return {
        reason: `withdrawn: ${message ?? "no reason given"}`,
        explain: { rule: extra.withdrawn ?? "approval.withdrawn" },
      };
  }
}

const APPROVED: Readonly<Record<Territory, { reason: string; rule: Rule }>> = {
  none: { reason: "approved once by the user", rule: "approval.approved-once" },
  session: { reason: "approved by the user for this session", rule: "approval.approved-for-session" },
  permanent: { reason: "approved by the user, permanently", rule: "approval.approved-permanently" },
};

/** Why a request that was approved allows its call. A message says what answered it in the operator's place: a grant. */
export function approvalOf({
  message,
  territory_concession,
}: Pick<StoredRequest, "message" | "territory_concession">): Pick<Decision, "reason" | "explain"> {
  if (message !== null) return { reason: message, explain: { rule: "approval.covered-by-grant" } };
  const { reason, rule } = APPROVED[territory_concession];
  return { reason, explain: { rule } };
}
