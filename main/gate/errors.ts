/** A refusal with a stable code, one plain sentence and a hint of what to do. */
export class GateError extends Error {
  readonly code: string;
  readonly hint: string;
  constructor(code: string, message: string, hint = "", options?: ErrorOptions) {
    super(message, options);
    this.name = "GateError";
    this.code = code;
    this.hint = hint;
  }
}

/** What went wrong, without the values that an error message may carry: the system's code where there is one. */
export function errorCode(error: unknown): string {
  if (typeof error === "object" && error !== null && "code" in error && typeof error.code === "string")
    return error.code;
  return error instanceof Error ? error.name : "unknown";
}
