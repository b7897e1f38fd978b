import { type ErrorCode, GateError } from "../../../ipc/contract/gate-error.ts";

/** Why a request can't be answered. */
export class ApprovalError extends GateError {
  constructor(
    code: Extract<ErrorCode, "unknown_token" | "already_resolved" | "expired" | "not_authorised" | "request_damaged">,
    message: string,
    hint: string,
  ) {
    super(code, message, hint);
    this.name = "ApprovalError";
  }
}

export function alreadyResolved(): ApprovalError {
  return new ApprovalError("already_resolved", "token already resolved", "somebody answered it, or it was withdrawn");
}

export function damagedRequest(): ApprovalError {
  return new ApprovalError(
    "request_damaged",
    "this request can't be read any more, and can't be approved",
    "deny it; the agent can ask again",
  );
}
