/** What keeps a gate from starting, ends it, or a file of it from being used: failures, not refusals. */
export const FAILURE_CODES = [
  "already_running",
  "invalid_config",
  "invalid_executor",
  "executors_unreadable",
  "database_damaged",
  "database_foreign",
  "database_missing",
  "database_newer",
  "database_older",
  "database_read_only",
  "database_unusable",
  "gate_replaced",
  "lock_taken",
  "lock_unusable",
  "folder_not_private",
  "socket_unusable",
  "too_few_files",
  "page_not_built",
  "port_taken",
  "file_unusable",
  "not_a_file",
  "head_unusable",
  "service_failed",
  "restore_unfinished",
] as const;

/**
 * Every code that a `GateError` can have: what a caller may act on. A file of plain values: the page and the hook load it, without
 * the schemas.
 */
const ERROR_CODES = [
  // The operator's contract and its transports.
  "unknown_method",
  "invalid_params",
  "not_available",
  "not_authorised",
  "busy",
  "internal",
  "unexpected",
  "storage_failed",
  "disk_full",
  // Between a surface and the gate.
  "not_running",
  "not_answering",
  "connection_lost",
  "bad_frame",
  "unknown_type",
  "invalid_message",
  // Approvals and grants.
  "unknown_token",
  "unknown_receipt",
  "already_resolved",
  "expired",
  "request_damaged",
  "script_changed",
  "only_once",
  "cannot_look",
  "unknown_choice",
  "target_mismatch",
  "not_stricter",
  "too_many_cells",
  "target_moved",
  "scope_missing",
  "unknown_capability",
  "never_granted",
  "invalid_target",
  "invalid_expiry",
  "refuse_needs_no",
  "only_this_call",
  "too_late",
  "channel_failed",
  "grant_ended",
  // Agents, settings, safety, activity, alarms and the trail.
  "unknown_agent",
  "already_paired",
  "agent_unreadable",
  "invalid_setting",
  "fixed_setting",
  "rule_exists",
  "not_kept",
  "still_holds",
  "too_many_problems",
  "override_not_allowed",
  "unknown_refusal",
  "no_such_model",
  "box_unavailable",
  "not_confined",
  "trail_unwritable",
  "unknown_call",
  "undo_failed",
  "trail_not_whole",
  ...FAILURE_CODES,
  // The command line.
  "usage",
  "invalid_input",
  "not_a_terminal",
  "invalid_settings",
  "hook_unusable",
  "client_failed",
  "token_missing",
] as const;
export type ErrorCode = (typeof ERROR_CODES)[number];

/** An error in its wire form. */
export interface Failure {
  code: ErrorCode;
  message: string;
  hint: string;
}

/** A refusal that the other side can act on: a stable code, one plain sentence and a hint of what to do. */
export class GateError extends Error implements Failure {
  readonly code: ErrorCode;
  readonly hint: string;
  constructor(code: ErrorCode, message: string, hint = "", options?: ErrorOptions) {
    super(message, options);
    this.name = "GateError";
    this.code = code;
    this.hint = hint;
  }
}

/** The error that a gate sent. One of another version may send a code that this one doesn't know: that becomes `unexpected`. */
export function receivedError({ code, message, hint }: { code: string; message: string; hint: string }): GateError {
  return new GateError(ERROR_CODES.find((known) => known === code) ?? "unexpected", message, hint);
}

/** Any thrown value as a `GateError`: `unexpected` where it is none. */
export function asGateError(thrown: unknown): GateError {
  return thrown instanceof GateError ? thrown : new GateError("unexpected", String(thrown));
}

/** The failure that a transport sends for an error. */
export function failureOf({ code, message, hint }: GateError): Failure {
  return { code, message, hint };
}
