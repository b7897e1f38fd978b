import { createHash, timingSafeEqual } from "node:crypto";
import type { Env } from "../../ipc/paths.ts";
import type { Clock } from "../gate/clock.ts";
import { localDay } from "../gate/local-time.ts";
import { readSecret, SecretError } from "../secret-text.ts";

/** The PIN that the chat is asked for once a day, before something is approved there. Kept nowhere; its file is read each time. */

const LEAST_CHARACTERS = 4;
const MOST_TRIES = 5;

export type PinTry = { is_right: true } | { is_right: false; left: number };

export class DailyPin {
  readonly #file: string | undefined;
  readonly #env: Env;
  readonly #clock: Clock;
  #opened_on: string | null = null;
  #tried_on = "";
  #wrong = 0;

  /** @param file where the PIN is; undefined where none is wanted */
  constructor(file: string | undefined, env: Env, clock: Clock) {
    this.#file = file;
    this.#env = env;
    this.#clock = clock;
  }

  /** Whether approving needs the PIN now. */
  get isAsked(): boolean {
    return this.#file !== undefined && this.#opened_on !== this.#today();
  }

  /** No PIN is taken any more today. */
  get isLocked(): boolean {
    return this.#tried_on === this.#today() && this.#wrong >= MOST_TRIES;
  }

  /** A PIN file that can't be read, or holds less than a PIN, is never right. */
  attempt(text: string): PinTry {
    const today = this.#today();
    if (this.#tried_on !== today) this.#wrong = 0;
    this.#tried_on = today;
    if (this.#wrong < MOST_TRIES && this.#isRight(text)) {
      this.#opened_on = today;
      this.#wrong = 0;
      return { is_right: true };
    }
    this.#wrong = Math.min(MOST_TRIES, this.#wrong + 1);
    return { is_right: false, left: MOST_TRIES - this.#wrong };
  }

  /** Another chat is linked: it begins anew, but for what was tried. */
  forget(): void {
    this.#opened_on = null;
  }

  #isRight(text: string): boolean {
    let pin: string | undefined;
    try {
      pin = readSecret({ file: this.#file }, this.#env, "PIN");
    } catch (error) {
      if (error instanceof SecretError) return false;
      throw error;
    }
    return pin !== undefined && pin.length >= LEAST_CHARACTERS && timingSafeEqual(digest(pin), digest(text.trim()));
  }

  /** The user's own day. */
  #today(): string {
    return localDay(this.#clock.now());
  }
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
