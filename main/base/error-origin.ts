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
