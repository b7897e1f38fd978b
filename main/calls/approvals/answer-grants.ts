import { errorCode } from "../../base/errors.ts";
import type { GrantStore, ResolvedGrant } from "../../decide/grants/store.ts";
import { grantTarget } from "../../shell-reading/targets/pattern.ts";
import type { Granted } from "./choices.ts";
import type { PendingRequest } from "./pending-request.ts";
import type { ApprovalRegistry } from "./registry.ts";

/** The grants of answers that are remembered: written with the answer, or as soon as they can be (see `Answering`). */
export class AnswerGrants {
  readonly #registry: ApprovalRegistry;
  readonly #grants: GrantStore;
  readonly #home: string;
  /** Answers whose grants could not be written, and why not. */
  readonly #unwritten = new Map<string, unknown>();

  constructor(registry: ApprovalRegistry, grants: GrantStore, home: string) {
    this.#registry = registry;
    this.#grants = grants;
    this.#home = home;
  }

  get hasUnwritten(): boolean {
    return this.#unwritten.size > 0;
  }

  /** Why the grants of this answer could not be written yet; undefined where they were. */
  failure(token: string): unknown {
    return this.#unwritten.get(token);
  }

  /** The answer holds, also where its grants can't be written yet: `writeMissing` or the next start writes them. */
  writeLater(token: string, error: unknown): void {
    this.#unwritten.set(token, error);
  }

  /** Writes the grants of an answer, those excepted that are there already. @throws SQLite's error, or GateError */
  write(ended: PendingRequest, grants: readonly ResolvedGrant[]): void {
    try {
      this.#grants.recordOnce(grants, {
        channel: ended.channel,
        sender_id: ended.sender_id,
        expires_at: ended.grant_expires_at ?? undefined,
        granted_by: `approval:${ended.token}`,
        agent: ended.agent_id,
        session: ended.territory_concession === "session" ? ended.session : undefined,
      });
    } catch (error) {
      // One that is written late may have outlived its own expiry: then there is nothing left to grant.
      if (errorCode(error) !== "invalid_expiry") throw error;
    }
    this.#registry.markGrantsWritten(ended.token);
  }

  /** What an earlier gate, or a full disk, left unwritten. Returns the requests. @throws SQLite's error, or GateError */
  writeMissing(): PendingRequest[] {
    const unwritten = this.#registry.listUnwrittenGrants();
    for (const ended of unwritten) {
      if (ended.is_damaged === true) this.#registry.abandonGrants(ended.token);
      else this.write(ended, this.#stillValid(ended.granted));
      this.#unwritten.delete(ended.token);
    }
    this.#unwritten.clear();
    return unwritten;
  }

  /** Without those whose folder can't be granted on any more. */
  #stillValid(granted: readonly Granted[]): ResolvedGrant[] {
    return granted.flatMap(({ capability, target, target_real }) => {
      try {
        const found = grantTarget(capability, target, this.#home);
        return [{ ...found, capability, target_real: target_real ?? found.target_real }];
      } catch (error) {
        if (errorCode(error) !== "invalid_target") throw error;
        return [];
      }
    });
  }
}
