import { GateError } from "../../../ipc/contract/gate-error.ts";
import type { Answer, Refuse } from "../../../ipc/contract/operator-api.ts";
import type { Surface } from "../../../ipc/contract/surface.ts";
import { type Clock, normaliseDate } from "../../base/clocks/clock.ts";
import { errorCode } from "../../base/errors.ts";
import type { GrantStore, ResolvedGrant } from "../../decide/grants/store.ts";
import { grantTarget } from "../../targets/pattern.ts";
import { saidToLook } from "./asked-tool.ts";
import { type Granted, grantsFor } from "./choices.ts";
import type { ApprovalRegistry } from "./registry.ts";
import type { Resolution, StoredRequest } from "./stored-request.ts";

export interface AnsweringSettings {
  home: string;
  /** How long a grant for a session lasts at the most. */
  session_seconds: number;
  clock: Clock;
  /** Does what writes an answer, with the room that is kept aside for it where the disk is full. */
  withRoom?: <T>(act: () => T) => T;
}

/** A request that has ended. */
export interface Ended {
  request: StoredRequest;
  /** Its answer was remembered, and its grants count from now on. */
  granted: boolean;
}

/**
 * Writes the operator's answers with their grants.
 *
 * approvals.db and grants.db are two files, and no transaction of SQLite's is atomic across two files with a write-ahead log. So an
 * answer is three transactions, in this order:
 *
 * 1. approvals.db: the request ends, and its row says what is granted by it. From here on the answer holds.
 * 2. grants.db: all its grants, or none.
 * 3. approvals.db: the row says that its grants are written.
 *
 * Before 1 nothing has changed. What a crash or a full disk keeps from 2 or 3 is in the row: `writeMissing` does it again, later or at
 * the next start, and a grant that is there already isn't written twice. So there is never a grant without its answer, and never an
 * answer whose grants are lost.
 */
export class Answering {
  readonly #registry: ApprovalRegistry;
  readonly #grants: AnswerGrants;
  readonly #settings: AnsweringSettings;

  constructor(registry: ApprovalRegistry, grants: GrantStore, settings: AnsweringSettings) {
    this.#registry = registry;
    this.#grants = new AnswerGrants(registry, grants, settings.home);
    this.#settings = settings;
  }

  /**
   * Ends a request that `ApprovalRegistry.check` has returned.
   * @throws ApprovalError as `ApprovalRegistry.resolve`; GateError if the answer's target or expiry can't be stored; SQLite's error.
   * Nothing has changed then
   */
  answer(checked: StoredRequest, answer: Answer, surface?: Surface): Ended {
    if (answer.only_looks === true && answer.refuse !== undefined) saidToLook(undefined, answer, surface);
    const refuse = answer.refuse ?? impliedRefusal(checked, answer);
    if (refuse !== undefined) return { request: this.#refuse(checked, answer, refuse, surface), granted: false };
    const said = answer.only_looks === true ? saidToLook(checked.extra.mcp, answer, surface) : undefined;
    const scope = answer.decision === "approved" ? (answer.scope ?? "none") : "none";
    if (scope === "none")
      return {
        request: this.#resolve(checked, answer, { ...withoutGrants(answer), decision_surface: surface ?? null }),
        granted: false,
      };
    const { extra } = checked;
    const { choices, capabilities } = said ?? extra;
    const { target, reach } = answer;
    const grants = grantsFor({ choices, capabilities, paths: extra }, { scope, target, reach }, this.#settings.home);
    const { clock, session_seconds } = this.#settings;
    const request = this.#resolve(checked, answer, {
      territory_concession: scope,
      decision_surface: surface ?? null,
      granted: grants.map(storedGrant),
      grant_expires_at: grantEnd(scope, answer.expires_at, clock, session_seconds),
    });
    return { request, granted: this.#write(request, grants) };
  }

  /** The answer and what it refuses are one transaction. */
  #refuse(checked: StoredRequest, answer: Answer, refuse: Refuse, surface: Surface | undefined): StoredRequest {
    mustBeRefusable(checked, answer, refuse);
    const registry = this.#registry;
    const { request, count } = this.#withRoom(() =>
      registry.together(() => ({
        request: registry.resolve(checked, answer.decision, {
          ...withoutGrants(answer),
          refuse,
          decision_surface: surface ?? null,
        }),
        count: registry.refusals.write(checked, refuse, this.#settings.session_seconds),
      })),
    );
    count();
    return request;
  }

  #resolve(checked: StoredRequest, { decision }: Answer, resolution: Partial<Resolution>): StoredRequest {
    return this.#withRoom(() => this.#registry.resolve(checked, decision, resolution));
  }

  /** Returns whether they could be written: if not, that is tried again. */
  #write(request: StoredRequest, grants: readonly ResolvedGrant[]): boolean {
    try {
      this.#withRoom(() => this.#grants.write(request, grants));
      return true;
    } catch (error) {
      this.#grants.writeLater(request.token, error);
      return false;
    }
  }

  /** Why the grants of this answer could not be written yet; undefined where they were. */
  unwrittenGrantsError(token: string): unknown {
    return this.#grants.failure(token);
  }

  /** What a crash left unwritten. @throws SQLite's error, or GateError */
  repair(): void {
    this.#grants.writeMissing();
  }

  /** Writes the grants that could not be written with their answers. Returns those answers. @throws SQLite's error, or GateError */
  flush(): StoredRequest[] {
    return this.#grants.hasUnwritten ? this.#grants.writeMissing() : [];
  }

  #withRoom<T>(act: () => T): T {
    return this.#settings.withRoom === undefined ? act() : this.#settings.withRoom(act);
  }
}

/** Asked whether the same call may come again and again, a no stops it. */
function impliedRefusal({ extra }: StoredRequest, { decision }: Answer): Refuse | undefined {
  return extra.repeated !== undefined && decision === "rejected" ? "call" : undefined;
}

/** @throws GateError `refuse_needs_no`, `only_this_call` */
function mustBeRefusable({ extra }: StoredRequest, { decision }: Answer, refuse: Refuse): void {
  if (decision !== "rejected")
    throw new GateError("refuse_needs_no", "only a no can be refused for the session", "deny it, or leave refuse out");
  if (refuse === "target" && (extra.asked ?? []).length === 0)
    throw new GateError("only_this_call", "this request names no target", 'refuse "call"');
}

/** @throws GateError `scope_missing` */
function withoutGrants({ decision, target, expires_at, reach, message }: Answer): Partial<Resolution> {
  if ((target ?? expires_at ?? reach) !== undefined) {
    throw new GateError(
      "scope_missing",
      "a target or an expiry needs an answer that is remembered",
      "add --session or --permanent",
    );
  }
  return decision === "rejected" ? { message: message ?? null } : {};
}

function storedGrant({ capability, target, target_real }: ResolvedGrant): Granted {
  return { capability, target, target_real };
}

/**
 * When the grants of an answer end, ISO-8601; null: not by themselves.
 * @param sessionSeconds how long a grant for a session lasts at the most
 * @throws GateError `invalid_expiry`
 */
function grantEnd(
  scope: "session" | "permanent",
  given: string | undefined,
  clock: Clock,
  sessionSeconds: number,
): string | null {
  const now = clock.now();
  if (given === undefined) {
    return scope === "session" ? normaliseDate(new Date(now + sessionSeconds * 1000).toISOString()) : null;
  }
  const expiresAt = normaliseDate(given);
  if (expiresAt <= normaliseDate(new Date(now).toISOString())) {
    throw new GateError("invalid_expiry", "the grant would have expired already", "give a date in the future");
  }
  return expiresAt;
}

/** The grants of answers that are remembered: written with the answer, or as soon as they can be (see `Answering`). */
class AnswerGrants {
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
  write(ended: StoredRequest, grants: readonly ResolvedGrant[]): void {
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
  writeMissing(): StoredRequest[] {
    const unwritten = this.#registry.listUnwrittenGrants();
    for (const ended of unwritten) {
      if (ended.isDamaged === true) this.#registry.abandonGrants(ended.token);
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
