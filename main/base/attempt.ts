/** Does something that nothing else may fail for. What it throws is passed to `log`, with `what` was done. */
export function attempt(log: { failed(what: string, error: unknown): void }, what: string, act: () => void): void {
  try {
    act();
  } catch (error) {
    log.failed(what, error);
  }
}
