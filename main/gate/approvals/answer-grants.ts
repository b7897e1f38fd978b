import { GateError } from "../../../ipc/gate-error.ts";
import { type Clock, normaliseDate } from "../clock.ts";
import { errorCode } from "../errors.ts";
import type { GrantStore } from "../grants/store.ts";
import type { PendingRequest } from "./pending-request.ts";
import type { ApprovalRegistry } from "./registry.ts";

/** The grants of answers that are remembered: written with the answer, or as soon as they can be. */
export class AnswerGrants {
  readonly #registry: ApprovalRegistry;
  readonly #grants: GrantStore;
  /** Answers whose grants could not be written, and why not. */
  readonly #owed = new Map<string, unknown>();

  constructor(registry: ApprovalRegistry, grants: GrantStore) {
    this.#registry = registry;
    this.#grants = grants;
  }

  /** What an earlier gate, or a full disk, left unwritten. Returns the requests. @throws SQLite's error, or GateError */
  writeMissing(): PendingRequest[] {
    const owed = this.#registry.listUnwrittenGrants();
    for (const ended of owed) {
      if (ended.is_damaged === true) this.#registry.abandonGrants(ended.token);
      else this.write(ended);
      this.#owed.delete(ended.token);
    }
    this.#owed.clear();
    return owed;
  }

  /** The answer holds, also where its grants can't be written yet: `writeOwed` or the next start writes them. */
  writeLater(token: string, error: unknown): void {
    this.#owed.set(token, error);
  }

  get hasUnwritten(): boolean {
    return this.#owed.size > 0;
  }

  /** Why the grants of this answer could not be written yet; undefined where they were. */
  failure(token: string): unknown {
    return this.#owed.get(token);
  }

  /** Writes each grant that isn't there yet: after a crash in between, the next start calls this again. @throws as `record_grant` */
  write(ended: PendingRequest): void {
    const granted_by = `approval:${ended.token}`;
    for (const { capability, target, target_real } of ended.granted) {
      try {
        if (this.#grants.wasGrantedBy(granted_by, capability, target)) continue;
        this.#grants.recordGrant({
          channel: ended.channel,
          sender_id: ended.sender_id,
          capability,
          target,
          target_real,
          expires_at: ended.grant_expires_at ?? undefined,
          granted_by,
          agent: ended.agent_id,
          session: ended.territory_concession === "session" ? ended.session : undefined,
        });
      } catch (error) {
        // A repaired answer may have outlived its own expiry, or its folder: then there is nothing left to grant.
        const code = errorCode(error);
        if (code !== "invalid_expiry" && code !== "invalid_target") throw error;
      }
    }
    this.#registry.markGrantsWritten(ended.token);
  }
}

/**
 * When the grants of an answer end, ISO-8601; null: not by themselves.
 * @param session_seconds how long a grant for a session lasts at the most
 * @throws GateError `invalid_expiry`
 */
export function grantEnd(
  scope: "none" | "session" | "permanent",
  given: string | undefined,
  clock: Clock,
  session_seconds: number,
): string | null {
  const now = clock.now();
  if (given === undefined) {
    return scope === "session" ? normaliseDate(new Date(now + session_seconds * 1000).toISOString()) : null;
  }
  const expires_at = normaliseDate(given);
  if (expires_at <= normaliseDate(new Date(now).toISOString())) {
    throw new GateError("invalid_expiry", "the grant would have expired already", "give a date in the future");
  }
  return expires_at;
}
