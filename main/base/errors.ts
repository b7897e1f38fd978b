/** What went wrong, without the values that an error message may carry: the system's code where there is one. */
export function errorCode(error: unknown): string {
  if (typeof error === "object" && error !== null && "code" in error && typeof error.code === "string")
    return error.code;
  return error instanceof Error ? error.name : "unknown";
}

/** An error's kind and origin, without its message, which may carry values. */
export function errorOrigin(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  const code = "code" in error && typeof error.code === "string" ? ` ${error.code}` : "";
  const origin =
    error.stack
      ?.split("\n")
      .find((line) => line.trim().startsWith("at "))
      ?.trim() ?? "";
  return `${error.name}${code} ${origin}`;
}

/** Whom something unexpected is reported to that the gate continues after. */
export interface FailureLog {
  /** Something failed while `what` was done: to be logged without values. */
  failed(what: string, error: unknown): void;
}

/** Does something that nothing else may fail for. What it throws is passed to `log`, with `what` was done. */
export function attempt(log: FailureLog, what: string, act: () => void): void {
  try {
    act();
  } catch (error) {
    log.failed(what, error);
  }
}
