import type { Decision } from "../../../ipc/decision.ts";
import type { PendingRequest } from "./pending-request.ts";

/** Why a request that ended without an approval denies its call. `ttl_seconds`: how long it waited at the most. */
export function refusalOf(
  { status, message }: Pick<PendingRequest, "status" | "message">,
  ttl_seconds: number,
): Pick<Decision, "reason" | "explain"> {
  switch (status) {
    case "rejected":
      return {
        reason: message ? `the human said no: ${message}` : "the human said no",
        explain: { instead: "do without it, or ask the human what they would accept" },
      };
    case "expired":
      return {
        reason: `nobody answered within ${ttl_seconds} s; this is not a refusal`,
        explain: { instead: "ask again when somebody is there" },
      };
    default:
      return { reason: `withdrawn: ${message ?? "no reason given"}`, explain: {} };
  }
}
