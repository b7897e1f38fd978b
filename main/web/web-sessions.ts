import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

/**
 * Who may see the page: one-time links, and the sessions that they were exchanged for. All in memory, as hashes: a restart
 * needs a new link, and what is read from here can't be used.
 */

/** How long a link can be used, in seconds. */
export const LINK_SECONDS = 300;

/** More than a user has open. The oldest makes room. */
const MAX_LINKS = 8;
const MAX_SESSIONS = 16;

/** 32 random bytes, as in a link, a cookie or a page's store. */
const SECRET = /^[0-9a-f]{64}$/;

interface StoredSecret {
  hash: Buffer;
  /** Milliseconds. */
  expires_at: number;
}

interface StoredSession extends StoredSecret {
  page_hash: Buffer;
}

/** A browser that came with a link. */
export type Session = Readonly<StoredSession>;

/** What a browser is handed for a link. */
export interface Admission {
  /** Is sent to every port of this machine: lets see the page's files, no more. */
  cookie: string;
  /** Only the page's own origin has it: opens the WebSocket, together with the cookie. */
  page_secret: string;
}

export class WebSessions {
  readonly #session_ms: number;
  readonly #now: () => number;
  #links: StoredSecret[] = [];
  #sessions: StoredSession[] = [];

  constructor(session_seconds: number, now: () => number) {
    this.#session_ms = session_seconds * 1000;
    this.#now = now;
  }

  /** A new link's token. */
  createLink(): string {
    const token = randomBytes(32).toString("hex");
    this.#links = [...this.#current(this.#links), this.#stored(token, LINK_SECONDS * 1000)].slice(-MAX_LINKS);
    return token;
  }

  /** Uses a link up for a new session, or gives nothing where the token is wrong, used or too old. */
  redeemLink(token: string): Admission | undefined {
    this.#links = this.#current(this.#links);
    const link = find(this.#links, token);
    if (link === undefined) return undefined;
    this.#links = this.#links.filter((other) => other !== link);
    const cookie = randomBytes(32).toString("hex");
    const page_secret = randomBytes(32).toString("hex");
    const session = { ...this.#stored(cookie, this.#session_ms), page_hash: digest(page_secret) };
    this.#sessions = [...this.#current(this.#sessions), session].slice(-MAX_SESSIONS);
    return { cookie, page_secret };
  }

  /** The sessions that any of these cookies stand for. */
  sessions(cookies: readonly string[]): Session[] {
    this.#sessions = this.#current(this.#sessions);
    return cookies.flatMap((cookie) => find(this.#sessions, cookie) ?? []);
  }

  /** Of these sessions, the one that this page's secret belongs to. */
  pageSession(sessions: readonly Session[], page_secret: string | undefined): Session | undefined {
    if (page_secret === undefined || !SECRET.test(page_secret)) return undefined;
    const hash = digest(page_secret);
    return sessions.find((session) => timingSafeEqual(session.page_hash, hash));
  }

  isLive(session: Session): boolean {
    return this.#sessions.includes(session) && session.expires_at > this.#now();
  }

  #stored(secret: string, lifetime_ms: number): StoredSecret {
    return { hash: digest(secret), expires_at: this.#now() + lifetime_ms };
  }

  #current<T extends StoredSecret>(secrets: readonly T[]): T[] {
    const now = this.#now();
    return secrets.filter(({ expires_at }) => expires_at > now);
  }
}

/** Compares with each, in a time that says nothing about which was nearly right. */
function find<T extends StoredSecret>(secrets: readonly T[], secret: string): T | undefined {
  if (!SECRET.test(secret)) return undefined;
  const hash = digest(secret);
  let found: T | undefined;
  for (const one of secrets) if (timingSafeEqual(one.hash, hash)) found = one;
  return found;
}

function digest(secret: string): Buffer {
  return createHash("sha256").update(secret).digest();
}
