import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { visible } from "../../../ipc/base/visible-text.ts";
import type { TelegramClaim } from "../../../ipc/contract/channels.ts";
import { isoSeconds } from "../../../ipc/contract/iso-seconds.ts";
import type { Clock } from "../../base/clocks/clock.ts";
import type { TelegramUser } from "./updates.ts";

/** The link for one use within ten minutes, and who has pressed it. In memory: a restart ends both. */

const SECONDS = 600;
const BYTES = 16;

export interface Claim extends TelegramClaim {
  chat_id: number;
}

interface Timed<T> {
  value: T;
  /** By the time since boot: nobody can set it. */
  endsAtMs: number;
}

export class LinkClaims {
  readonly #clock: Clock;
  /** SHA-256 of what the link carries. */
  #open: Timed<{ hash: Buffer; expires_at: string }> | null = null;
  #claimed: Timed<Claim> | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A new link's payload; the one before, and who had pressed it, don't count any more. */
  begin(): { payload: string; expires_at: string } {
    const payload = randomBytes(BYTES).toString("base64url");
    const expiresAt = isoSeconds(this.#clock.now() + SECONDS * 1000);
    this.#open = this.#timed({ hash: hashOf(payload), expires_at: expiresAt });
    this.#claimed = null;
    return { payload, expires_at: expiresAt };
  }

  /** Whether this payload was the link's, now and for the first time. */
  take(payload: string, user: TelegramUser, chatId: number): boolean {
    const open = this.#current(this.#open);
    if (open === null || !timingSafeEqual(open.hash, hashOf(payload))) return false;
    this.#open = null;
    this.#claimed = this.#claimOf(user, chatId, false);
    return true;
  }

  /** The linked user has another name now: the user confirms that one, too. Keeps a claim that waits. Returns whether there is a new one. */
  takeRenamed(user: TelegramUser, chatId: number): boolean {
    if (this.#current(this.#claimed) !== null) return false;
    this.#claimed = this.#claimOf(user, chatId, true);
    return true;
  }

  #claimOf(user: TelegramUser, chatId: number, isRenamed: boolean): Timed<Claim> {
    return this.#timed({
      id: randomBytes(8).toString("hex"),
      user_id: user.id,
      chat_id: chatId,
      name: shownName(user),
      username: user.username === undefined ? null : visible(user.username),
      claimed_at: isoSeconds(this.#clock.now()),
      is_renamed: isRenamed,
    });
  }

  get linkEnd(): string | null {
    return this.#current(this.#open)?.expires_at ?? null;
  }

  get claim(): Claim | null {
    return this.#current(this.#claimed);
  }

  /** The claim of this id, which it isn't any more; undefined where there is none. */
  end(id: string): Claim | undefined {
    const claim = this.#current(this.#claimed);
    if (claim === null || claim.id !== id) return undefined;
    this.#claimed = null;
    return claim;
  }

  #timed<T>(value: T): Timed<T> {
    return { value, endsAtMs: this.#clock.boot().ms + SECONDS * 1000 };
  }

  #current<T>(timed: Timed<T> | null): T | null {
    return timed !== null && this.#clock.boot().ms < timed.endsAtMs ? timed.value : null;
  }
}

/** As the user gets to see it, and confirms it. */
export function shownName({ first_name, last_name = "" }: TelegramUser): string {
  return visible([first_name, last_name].join(" ").trim());
}

function hashOf(payload: string): Buffer {
  return createHash("sha256").update(payload).digest();
}
