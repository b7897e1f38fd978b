/** What went wrong, by the system's code (`ENOENT`) where there is one: nothing of what an error's message may say. */
export function errorCode(error: unknown): string {
  if (typeof error === "object" && error !== null && "code" in error && typeof error.code === "string")
    return error.code;
  return error instanceof Error ? error.name : "unknown";
}
