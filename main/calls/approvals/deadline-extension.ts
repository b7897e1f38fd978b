/** Extends a request's deadline while a user is at its card, up to a bound. */

/** What one sign of the user is worth at the most, in milliseconds: surfaces give one every few seconds. */
export const HOLD_MS = 10_000;
/** No card lives longer than this many times its first term, however long somebody looks at it. */
const MAX_TERMS = 4;

export class DeadlineExtension {
  /** When the user was last seen at each card, in milliseconds since boot. */
  readonly #seen = new Map<string, number>();

  /** By how many seconds the deadline of a request that the user was just seen at moves. `now`: milliseconds since boot. */
  extension(
    request: { token: string; created_at: string; expires_at: string },
    now: number,
    ttl_seconds: number,
  ): number {
    const last = this.#seen.get(request.token);
    this.#seen.set(request.token, now);
    const extension_ms = last === undefined ? HOLD_MS / 2 : Math.min(HOLD_MS, Math.max(0, now - last));
    const bound = Date.parse(request.created_at) + MAX_TERMS * ttl_seconds * 1000;
    const current = Date.parse(request.expires_at);
    return Math.max(0, Math.min((bound - current) / 1000, Math.ceil(extension_ms / 1000)));
  }

  forget(token: string): void {
    this.#seen.delete(token);
  }
}
