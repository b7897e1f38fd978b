import { randomBytes } from "node:crypto";

/** Sessions named by the gate: each belongs to one connection and ends with it, as do its grants. */

const PREFIX = "gate-session-";

export function newGateSession(): string {
  return `${PREFIX}${randomBytes(16).toString("hex")}`;
}

/** No agent can name its own session like this: it would get the grants of a closed connection. */
export function isGateSession(session: string): boolean {
  return session.startsWith(PREFIX);
}

/** As a pattern of SQLite's GLOB. */
export const GATE_SESSIONS = `${PREFIX}*`;
