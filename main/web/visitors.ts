import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

/**
 * Who may see the page: one-time links, and the sessions that they were exchanged for. All in memory, as hashes: a restart
 * needs a new link, and what is read from here can't be used.
 */

/** How long a link can be used, in seconds. */
export const LINK_SECONDS = 300;

/** More than a human has open. The oldest makes room. */
const MAX_LINKS = 8;
const MAX_SESSIONS = 16;

/** 32 random bytes, as they stand in a link or a cookie. */
const SECRET = /^[0-9a-f]{64}$/;

interface Held {
  hash: Buffer;
  /** Milliseconds. */
  expires_at: number;
}

/** A browser that came with a link. */
export type Session = Readonly<Held>;

export class Visitors {
  readonly #session_ms: number;
  readonly #now: () => number;
  #links: Held[] = [];
  #sessions: Held[] = [];

  constructor(session_seconds: number, now: () => number) {
    this.#session_ms = session_seconds * 1000;
    this.#now = now;
  }

  /** A new link's token. */
  invite(): string {
    const token = randomBytes(32).toString("hex");
    this.#links = [...this.#current(this.#links), this.#held(token, LINK_SECONDS * 1000)].slice(-MAX_LINKS);
    return token;
  }

  /** Uses a link up: the cookie of a new session, or nothing where the token is wrong, used or too old. */
  enter(token: string): string | undefined {
    this.#links = this.#current(this.#links);
    const link = find(this.#links, token);
    if (link === undefined) return undefined;
    this.#links = this.#links.filter((other) => other !== link);
    const cookie = randomBytes(32).toString("hex");
    this.#sessions = [...this.#current(this.#sessions), this.#held(cookie, this.#session_ms)].slice(-MAX_SESSIONS);
    return cookie;
  }

  /** The session that a cookie stands for. */
  session(cookie: string): Session | undefined {
    this.#sessions = this.#current(this.#sessions);
    return find(this.#sessions, cookie);
  }

  isLive(session: Session): boolean {
    return this.#sessions.includes(session) && session.expires_at > this.#now();
  }

  #held(secret: string, lifetime_ms: number): Held {
    return { hash: digest(secret), expires_at: this.#now() + lifetime_ms };
  }

  #current(held: readonly Held[]): Held[] {
    const now = this.#now();
    return held.filter(({ expires_at }) => expires_at > now);
  }
}

/** Compares with each, in a time that says nothing about which was nearly right. */
function find(held: readonly Held[], secret: string): Held | undefined {
  if (!SECRET.test(secret)) return undefined;
  const hash = digest(secret);
  let found: Held | undefined;
  for (const one of held) if (timingSafeEqual(one.hash, hash)) found = one;
  return found;
}

function digest(secret: string): Buffer {
  return createHash("sha256").update(secret).digest();
}
