import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { GateError } from "../../../ipc/contract/gate-error.ts";
import { proofText, SECRET_PATTERN } from "../../../ipc/socket/page-secret.ts";
import type { Clock } from "../../base/clocks/clock.ts";
import { MAX_SESSIONS, type SessionFile, type StoredSession } from "./session-file.ts";

/**
 * Who may see the page: one-time links, in memory, and the sessions that they were exchanged for, which outlive the gate's end but not
 * the machine's. All are kept as hashes: what is read from here or from the file opens nothing.
 */

/** How long a link can be used, in seconds. */
export const LINK_SECONDS = 300;

/** More than a user has open. The oldest makes room. */
const MAX_LINKS = 8;

interface Link {
  hash: Buffer;
  /** Milliseconds since boot. */
  ends_ms: number;
}

/** A browser that came with a link. */
export type Session = Readonly<StoredSession>;

/** What a browser is handed for a link. */
export interface Admission {
  /** Is sent to every port of this machine: lets see the page's files, no more. */
  cookie: string;
  /** Only the page's own origin has it: opens the WebSocket, together with the cookie. */
  pageSecret: string;
}

export class WebSessions {
  readonly #sessionMs: number;
  readonly #clock: Clock;
  readonly #file: SessionFile | undefined;
  #links: Link[] = [];
  #sessions: StoredSession[] = [];
  #port = 0;

  /** @param file left out: the sessions end with the gate */
  constructor(sessionSeconds: number, clock: Clock, file?: SessionFile) {
    this.#sessionMs = sessionSeconds * 1000;
    this.#clock = clock;
    this.#file = file;
  }

  /** Continues the sessions that a gate had at this port, in this boot of the machine; all others are forgotten for good. */
  resume(port: number): void {
    this.#port = port;
    const { id, ms } = this.#clock.boot();
    // A session that would last longer than any that is made now was made under another setting.
    const most = ms + this.#sessionMs;
    this.#sessions = this.#current(this.#file?.read(port, id) ?? []).map((session) => ({
      ...session,
      ends_ms: Math.min(session.ends_ms, most),
    }));
    this.#keep();
  }

  /** A new link's token. */
  createLink(): string {
    const token = newSecret();
    const link = { hash: digest(token), ends_ms: this.#clock.boot().ms + LINK_SECONDS * 1000 };
    this.#links = [...this.#current(this.#links), link].slice(-MAX_LINKS);
    return token;
  }

  /** Uses a link up for a new session, or gives nothing where the token is wrong, used or too old. */
  redeemLink(token: string): Admission | undefined {
    this.#links = this.#current(this.#links);
    const link = find(this.#links, token, ({ hash }) => hash);
    if (link === undefined) return undefined;
    this.#links = this.#links.filter((other) => other !== link);
    const cookie = newSecret();
    const pageSecret = newSecret();
    const session: StoredSession = {
      cookie_hash: digest(cookie),
      page_hash: digest(pageSecret),
      ends_ms: this.#clock.boot().ms + this.#sessionMs,
    };
    this.#sessions = [...this.#current(this.#sessions), session].slice(-MAX_SESSIONS);
    this.#keep();
    return { cookie, pageSecret };
  }

  /**
   * Ends every session and every link. Gives how many sessions there were.
   * @throws GateError `storage_failed` where the file keeps them, so that they would be back after the next start
   */
  revokeAll(): number {
    const count = this.#current(this.#sessions).length;
    this.#links = [];
    this.#sessions = [];
    if (!this.#keep())
      throw new GateError(
        "storage_failed",
        "every session has ended now, but the file of them could be neither written nor removed",
        "remove web-sessions.json in the gate's state folder before the gate is started again",
      );
    return count;
  }

  /** The sessions that any of these cookies stand for. */
  sessions(cookies: readonly string[]): Session[] {
    this.#sessions = this.#current(this.#sessions);
    return cookies.flatMap((cookie) => find(this.#sessions, cookie, ({ cookie_hash }) => cookie_hash) ?? []);
  }

  /** Of these sessions, the one that this page's secret belongs to. */
  pageSession(sessions: readonly Session[], pageSecret: string): Session | undefined {
    return find(sessions, pageSecret, ({ page_hash }) => page_hash);
  }

  isLive(session: Session): boolean {
    return this.#sessions.includes(session) && session.ends_ms > this.#clock.boot().ms;
  }

  #keep(): boolean {
    const kept = { port: this.#port, boot: this.#clock.boot().id, sessions: this.#sessions };
    return this.#file?.write(kept) ?? true;
  }

  #current<T extends { ends_ms: number }>(all: readonly T[]): T[] {
    const { ms } = this.#clock.boot();
    return all.filter(({ ends_ms }) => ends_ms > ms);
  }
}

/** What proves to a page at `origin` that this gate knows the session (ipc/socket/page-secret.ts). Says nothing about its secret. */
export function proofOf({ page_hash }: Session, origin: string, nonce: string): string {
  return createHmac("sha256", page_hash).update(proofText(origin, nonce)).digest("hex");
}

/** Compares with each, in a time that says nothing about which was nearly right. */
function find<T>(all: readonly T[], secret: string, hashOf: (one: T) => Buffer): T | undefined {
  if (!SECRET_PATTERN.test(secret)) return undefined;
  const hash = digest(secret);
  let found: T | undefined;
  for (const one of all) if (timingSafeEqual(hashOf(one), hash)) found = one;
  return found;
}

function newSecret(): string {
  return randomBytes(32).toString("hex");
}

function digest(secret: string): Buffer {
  return createHash("sha256").update(secret).digest();
}
