import { createHash, timingSafeEqual } from "node:crypto";
import type { Env } from "../../../ipc/base/paths.ts";
import type { Clock } from "../../base/clocks/clock.ts";
import { localDay } from "../../base/clocks/local-time.ts";
import { readSecret, SecretError } from "../../base/files/secret-text.ts";
import type { PinTries } from "./pin-tries.ts";

/** The PIN that the chat is asked for once a day, before something is approved there. It is kept nowhere; its file is read each time. */

const LEAST_CHARACTERS = 4;
const MOST_TRIES = 5;

export type PinTry = { isRight: true } | { isRight: false; left: number };

export class DailyPin {
  readonly #file: string | undefined;
  readonly #env: Env;
  readonly #clock: Clock;
  readonly #tries: PinTries;
  #openedOn: string | null = null;

  /** @param file where the PIN is; undefined where none is wanted */
  constructor(file: string | undefined, tries: PinTries, env: Env, clock: Clock) {
    this.#file = file;
    this.#tries = tries;
    this.#env = env;
    this.#clock = clock;
  }

  /** Whether approving needs the PIN now. */
  get isAsked(): boolean {
    return this.#file !== undefined && this.#openedOn !== this.#today();
  }

  /** No PIN is taken any more today. */
  get isLocked(): boolean {
    return this.#tries.of(this.#today()) >= MOST_TRIES;
  }

  /** A PIN file that can't be read, or holds less than a PIN, is never right. @throws SQLite's error where a wrong one can't be noted */
  attempt(text: string): PinTry {
    const today = this.#today();
    const before = this.#tries.of(today);
    const isRight = before < MOST_TRIES && this.#isRight(text);
    const wrong = isRight ? 0 : Math.min(MOST_TRIES, before + 1);
    if (wrong !== before) this.#tries.put(today, wrong);
    if (!isRight) return { isRight, left: MOST_TRIES - wrong };
    this.#openedOn = today;
    return { isRight };
  }

  /** Another chat is linked: it begins anew, but for what was tried. */
  forget(): void {
    this.#openedOn = null;
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
