import type { OperatorResult } from "../../../ipc/contract/operator-api.ts";
import { ApprovalError } from "./approval-error.ts";
import type { ApprovalBroker } from "./broker.ts";
import { confirmation } from "./card.ts";
import type { Decider } from "./stored-request.ts";

/**
 * An answer as a channel's button says it: `approve:<token>` or `reject:<token>` (docs/decisions/requirements-approvals.md,
 * "Callback"). Needs no pairing check: the registry only takes it from who the request was made for.
 */
export function dispatchCallback(
  broker: ApprovalBroker,
  data: string,
  by: Decider,
): OperatorResult<"approvals.callback"> {
  const match = /^(approve|reject):(.*)$/s.exec(data.trim());
  if (match === null) return { ok: false, reason: "unknown_callback", data };
  const token = match[2] ?? "";
  if (token === "") return { ok: false, reason: "missing_token" };
  const decision = match[1] === "approve" ? "approved" : "rejected";
  try {
    const ended = broker.answer({ token, decision }, by);
    return {
      ok: true,
      decision,
      token,
      capability_class: ended.capability_class,
      confirmation: confirmation(decision, ended, broker.language),
    };
  } catch (error) {
    if (!(error instanceof ApprovalError)) throw error;
    return { ok: false, reason: "approval_failed", error: error.message };
  }
}
