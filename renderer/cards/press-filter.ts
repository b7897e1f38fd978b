import { PRESS_DELAY_MS } from "../../ipc/words/press-delay.ts";

/**
 * One card's filter. It gets the card's position and each press on it, and decides whether the press counts.
 * A press counts when the card had not moved for `PRESS_DELAY_MS` before it *began*, and it isn't a key that is being held.
 * Times in milliseconds of one clock.
 */
export class PressFilter {
  #stillSince: number;
  #keysSince: number;
  #position: string | null = null;
  /** When the press under way began; `held` for a key that repeats. */
  #press: number | "held" | null = null;

  constructor(now: number) {
    this.#stillSince = now;
    this.#keysSince = now;
  }

  /** The card appeared, changed or moved. */
  moved(now: number): void {
    this.#stillSince = now;
  }

  /** This window got the keyboard focus: what was typed for another one doesn't count here. */
  keysArrived(now: number): void {
    this.#keysSince = now;
  }

  /** The card's position, in any notation. Another one than before is a move. */
  setPosition(position: string, now: number): void {
    if (this.#position !== null && this.#position !== position) this.moved(now);
    this.#position = position;
  }

  pressed(now: number, isRepeated: boolean): void {
    this.#press = isRepeated ? "held" : now;
  }

  /** Whether the press that ends now counts. A press whose beginning was not seen begins now. Takes the press. */
  accepts(now: number, by: "pointer" | "keys"): boolean {
    const began = this.#press ?? now;
    this.#press = null;
    if (began === "held") return false;
    const since = by === "keys" ? Math.max(this.#stillSince, this.#keysSince) : this.#stillSince;
    return began - since >= PRESS_DELAY_MS;
  }
}
