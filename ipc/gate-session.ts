import { randomBytes } from "node:crypto";

/** Sessions that the gate named itself: each belongs to one connection and ends with it, its grants too. */

const PREFIX = "gate-session-";

export function newGateSession(): string {
  return `${PREFIX}${randomBytes(16).toString("hex")}`;
}

/** No agent can name its own session like this: it would reach the grants of a connection that is gone. */
export function isGateSession(session: string): boolean {
  return session.startsWith(PREFIX);
}

/** As a pattern of SQLite's GLOB. */
export const GATE_SESSIONS = `${PREFIX}*`;
