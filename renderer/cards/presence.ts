/** At which cards the user is: their deadlines are extended there, and no card moves meanwhile. */

/** A movement counts for this long, a card with an open question for as long as it is open. */
const STAYS_MS = 10_000;

/** A user who keeps typing after their card was removed needs this long to notice, in milliseconds since the last key. */
const NOTICES_MS = 3000;

class Presence {
  readonly #seen = new Map<string, number>();
  readonly #engaged = new Set<string>();
  #interruptedAt = Number.NEGATIVE_INFINITY;

  /** The user moved, typed or scrolled at this card. */
  touch(token: string, now: number): void {
    this.#seen.set(token, now);
  }

  /** An open question of the card that the user fills in; `false` once it is closed. */
  engage(token: string, isOpen: boolean): void {
    if (isOpen) this.#engaged.add(token);
    else this.#engaged.delete(token);
  }

  leave(token: string): void {
    this.#seen.delete(token);
    this.#engaged.delete(token);
  }

  /** A card was removed while the user was typing in it: the rest of the typing must reach no other. */
  interrupt(now: number): void {
    this.#interruptedAt = now;
  }

  typed(now: number): void {
    if (this.isInterrupted(now)) this.#interruptedAt = now;
  }

  isInterrupted(now: number): boolean {
    return now - this.#interruptedAt < NOTICES_MS;
  }

  isAt(token: string, now: number): boolean {
    return now - (this.#seen.get(token) ?? Number.NEGATIVE_INFINITY) < STAYS_MS;
  }

  isBusy(now: number): boolean {
    return this.#engaged.size > 0 || [...this.#seen.keys()].some((token) => this.isAt(token, now));
  }
}

export const presence = new Presence();
