import { isoSeconds } from "../clock.ts";

/** While the human is at a card its clock stands still: what a timeout must not take from them. */

/** What one sign of the human is worth at the most, in milliseconds: surfaces give one every few seconds. */
export const HOLD_MS = 10_000;
/** No card lives longer than this many times its first term, however long somebody looks at it. */
const MAX_TERMS = 4;

export class Stillness {
  /** When the human was last seen at each card, in milliseconds. */
  readonly #seen = new Map<string, number>();

  /** The deadline of a request that the human was just seen at, ISO-8601. Never an earlier one. */
  deadline(
    request: { token: string; created_at: string; expires_at: string },
    now: number,
    ttl_seconds: number,
  ): string {
    const last = this.#seen.get(request.token);
    this.#seen.set(request.token, now);
    const stood = last === undefined ? HOLD_MS / 2 : Math.min(HOLD_MS, Math.max(0, now - last));
    const bound = Date.parse(request.created_at) + MAX_TERMS * ttl_seconds * 1000;
    const current = Date.parse(request.expires_at);
    return isoSeconds(Math.max(current, Math.min(bound, current + Math.ceil(stood / 1000) * 1000)));
  }

  forget(token: string): void {
    this.#seen.delete(token);
  }
}
