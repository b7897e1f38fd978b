/** What went wrong, without the values that an error message may carry: the system's code where there is one. */
export function errorCode(error: unknown): string {
  if (typeof error === "object" && error !== null && "code" in error && typeof error.code === "string")
    return error.code;
  return error instanceof Error ? error.name : "unknown";
}
