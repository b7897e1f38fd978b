import { GateError } from "../../../ipc/gate-error.ts";
import type { Language } from "../../../ipc/language.ts";
import type { Answer, ApprovalView, Principal } from "../../../ipc/operator-api.ts";
import type { Clock } from "../clock.ts";
import { earlierEnd } from "../ends.ts";
import { errorCode } from "../errors.ts";
import type { GrantStore } from "../grants/store.ts";
import { AnswerGrants, grantEnd } from "./answer-grants.ts";
import { ApprovalError } from "./approval-error.ts";
import { AskedTogether } from "./asked-together.ts";
import { grantsFor } from "./choices.ts";
import { deadlineOf, remainingOf } from "./deadline.ts";
import { DeadlineExtension } from "./deadline-extension.ts";
import { DeadlineTimer } from "./deadline-timer.ts";
import { OrphanedRequests, RETURN_WITHIN_MS } from "./orphaned-requests.ts";
import type { NewPending, PendingRequest } from "./pending-request.ts";
import type { ApprovalRegistry } from "./registry.ts";
import { approvalView } from "./view.ts";
import { type Withdrawal, Withdrawals } from "./withdrawals.ts";

/** Between the registry and those who wait: shares cards, writes grants, tells every surface and every waiting agent. */

/** Somebody waiting for an answer. Called once, when the request has ended. */
export type Waiter = (ended: PendingRequest) => void;

export interface BrokerSettings {
  home: string;
  language: Language;
  ttl_seconds: number;
  /** How long a grant for a session lasts at the most. */
  session_seconds: number;
  clock: Clock;
  /** Does what writes an answer, with the room that is kept aside for it where the disk is full. */
  withRoom?: <T>(act: () => T) => T;
}

export interface BrokerEvents {
  waiting(pending: PendingRequest): void;
  closed(ended: PendingRequest): void;
  granted(ended: PendingRequest): void;
  /** Something that is gone on after, to log. */
  failed(what: string, error: unknown): void;
  /** The wall clock was set: the request ends when it would have, at another date. */
  moved(pending: PendingRequest): void;
}

/** More cards than a surface shows. */
const MAX_MOVED = 1000;

/** How often what waits is counted anew at the most, in milliseconds. */
const RECOUNT_MS = 1000;
/** So many of an agent's requests that are still to be withdrawn don't count as waiting. */
const MAX_UNCOUNTED = 1000;
/** Of what has expired so many are marked in one transaction, in one turn of the event loop. */
const EXPIRED_TOGETHER = 50;

export class ApprovalBroker {
  readonly registry: ApprovalRegistry;
  readonly #answer_grants: AnswerGrants;
  readonly #settings: BrokerSettings;
  readonly #events: BrokerEvents;
  readonly #waiters = new Map<string, Set<Waiter>>();
  readonly #extension = new DeadlineExtension();
  readonly #orphaned = new OrphanedRequests((left) =>
    this.withdraw(left.filter(({ token }) => !this.isAwaited(token))),
  );
  readonly #withdrawals: Withdrawals;
  readonly #deadlines: DeadlineTimer;
  #together: AskedTogether | undefined;
  #recounted_at = 0;

  constructor(registry: ApprovalRegistry, grants: GrantStore, settings: BrokerSettings, events: BrokerEvents) {
    this.registry = registry;
    this.#answer_grants = new AnswerGrants(registry, grants);
    this.#settings = settings;
    this.#events = events;
    this.#withdrawals = new Withdrawals({
      withdraw: (next) => this.#withdrawTogether(next),
      failed: (error) => events.failed("withdrawing requests", error),
    });
    this.#deadlines = new DeadlineTimer({
      clock: settings.clock,
      next: () => registry.nextDeadline(),
      expireSome: () => this.#expireSome(),
      jumped: () => this.#clockWasSet(),
      failed: (error) => events.failed("marking what expired", error),
    });
  }

  get language(): Language {
    return this.#settings.language;
  }

  /** Repairs what a crash left behind and picks up the requests that are still alive. */
  start(): void {
    this.#answer_grants.writeMissing();
    this.registry.cleanupExpired();
    this.#orphaned.start(this.registry.listPending({ limit: 100_000 }));
    this.#deadlines.start();
  }

  /** No connection is there to be told any more: what is answered from now on is for the agent that comes back. */
  forgetWaiters(): void {
    this.#waiters.clear();
  }

  /** Stops the clock. What waits stays in the registry for the next start. */
  stop(): void {
    this.commit();
    this.#withdrawals.finish();
    this.#deadlines.stop();
    this.#orphaned.stop();
    this.#waiters.clear();
  }

  /**
   * What is asked from now on is stored together, once `commit` is called, which is at the end of this turn of the event loop.
   * Nothing may be sent before. @throws SQLite's error
   */
  begin(): void {
    if (this.#together !== undefined) return;
    this.registry.begin();
    this.#together = new AskedTogether(this.registry, (error) => this.#events.failed("storing requests", error));
    queueMicrotask(() => this.commit());
  }

  /** `undo` is called if what was asked since `begin` can't be stored. Does nothing where it is stored already. */
  onUnstored(undo: () => void): void {
    this.#together?.undo.push(undo);
  }

  /** Stores what was asked since `begin` and tells the surfaces. Never throws: what can't be stored is undone. */
  commit(): void {
    const together = this.#together;
    this.#together = undefined;
    for (const pending of together?.commit() ?? []) this.#events.waiting(pending);
  }

  /** Nothing that was asked since `begin` can be stored. */
  abandon(error: unknown): void {
    const together = this.#together;
    this.#together = undefined;
    together?.abandon(error);
  }

  /** How many requests of this agent wait: those that are to be withdrawn count no more, up to a bound. */
  waitingOf(agent_id: string): number {
    return this.registry.waitingOf(agent_id) - Math.min(MAX_UNCOUNTED, this.#withdrawals.count(agent_id));
  }

  /** The same, counted anew, without what has expired. */
  recounted(agent_id: string): number {
    if (this.#deadlines.hasPassed) this.cleanup();
    else if (performance.now() - this.#recounted_at > RECOUNT_MS) {
      this.#recounted_at = performance.now();
      this.registry.recount();
    }
    return this.waitingOf(agent_id);
  }

  /**
   * The answer that the human gave to this very call of this session while its agent looked for the gate, if there is one. Taken
   * once, and only while who asked an earlier gate may still come back. One that was remembered is no answer here: its grant
   * speaks for it, and must not be outlived by it.
   */
  takeAnswer(share_key: string, session: string): PendingRequest | undefined {
    while (this.#orphaned.isExpected) {
      const ended = this.registry.takeUndelivered(share_key, session, RETURN_WITHIN_MS);
      if (ended === undefined || (ended.territory_concession === "none" && ended.is_damaged !== true)) return ended;
    }
    return undefined;
  }

  /** Puts a request before the human, or joins the identical one that already waits. */
  ask(request: Omit<NewPending, "ttl_seconds">): PendingRequest {
    const waiting = this.registry.findWaiting(request.share_key);
    if (waiting !== undefined && !this.#hasten(waiting.token)) return waiting;
    const pending = this.registry.createPending({ ...request, ttl_seconds: this.#settings.ttl_seconds });
    if (this.#together === undefined) this.#events.waiting(pending);
    else
      this.#together.add(pending, () => {
        this.#waiters.get(pending.token)?.clear();
        this.#waiters.delete(pending.token);
      });
    this.#deadlines.watch(remainingOf(pending, this.#settings.clock));
    return pending;
  }

  /**
   * Waits for a request's end. The function that is returned stops waiting; the last one to leave withdraws the request: at once, or
   * (`agent_id`: whose it is) soon, with others.
   */
  wait(token: string, waiter: Waiter): (reason: string, agent_id?: string) => void {
    const waiters = this.#waiters.get(token) ?? new Set();
    this.#waiters.set(token, waiters);
    waiters.add(waiter);
    return (reason, agent_id) => {
      if (!waiters.delete(waiter) || waiters.size > 0) return;
      this.#waiters.delete(token);
      if (agent_id === undefined) this.cancel(token, reason);
      else this.withdraw([{ token, reason, agent_id }]);
    };
  }

  /** Withdraws requests, thousands of them in pieces. From now on none of them can be answered. */
  withdraw(withdrawals: Iterable<Withdrawal>): void {
    this.commit();
    this.#withdrawals.add(withdrawals);
  }

  /** True if a connection waits for this request's answer. */
  isAwaited(token: string): boolean {
    return this.#waiters.has(token);
  }

  /**
   * The human's answer: resolves, and writes the grants of an answer with a territory in the same step.
   * @throws ApprovalError in the registry's order; GateError if the answer's target or expiry can't be stored (nothing changes then)
   */
  answer(answer: Answer, by: Principal): PendingRequest {
    const pending = this.#check(answer.token, by);
    const scope = answer.decision === "approved" ? (answer.scope ?? "none") : "none";
    const granted =
      scope === "none"
        ? []
        : grantsFor(
            pending.extra.choices,
            scope,
            answer.target,
            pending.extra.capabilities,
            this.#settings.home,
            pending.extra,
            answer.reach,
          );
    if (scope === "none" && (answer.target ?? answer.expires_at ?? answer.reach) !== undefined) {
      throw new GateError(
        "scope_missing",
        "a target or an expiry needs an answer that is remembered",
        "add --session or --permanent",
      );
    }
    const expires_at = grantEnd(scope, answer.expires_at, this.#settings.clock, this.#settings.session_seconds);
    const ended = this.#withRoom(() =>
      this.registry.resolve(answer.token, answer.decision, by, {
        territory: scope,
        granted,
        grant_expires_at: expires_at,
        message: answer.decision === "rejected" ? (answer.message ?? null) : null,
      }),
    );
    if (scope !== "none") {
      try {
        this.#withRoom(() => this.#answer_grants.write(ended));
      } catch (error) {
        this.#answer_grants.writeLater(ended.token, error);
      }
    }
    this.#close(ended);
    if (scope !== "none" && this.unwrittenGrantsError(ended.token) === undefined) this.#events.granted(ended);
    return ended;
  }

  /** Why the grants of this answer could not be written yet; undefined where they were. */
  unwrittenGrantsError(token: string): unknown {
    return this.#answer_grants.failure(token);
  }

  /** Writes the grants that could not be written with their answers. @throws SQLite's error, or GateError */
  flush(): void {
    if (!this.#answer_grants.hasUnwritten) return;
    for (const ended of this.#answer_grants.writeMissing()) this.#events.granted(ended);
  }

  #withRoom<T>(act: () => T): T {
    return this.#settings.withRoom === undefined ? act() : this.#settings.withRoom(act);
  }

  /** The registry's checks. A request that they find expired has ended: who waits for it is told. */
  #check(token: string, by: Principal): PendingRequest {
    this.commit();
    this.#hasten(token);
    try {
      return this.registry.check(token, by);
    } catch (error) {
      const expired = errorCode(error) === "expired" ? this.registry.getPending(token) : undefined;
      if (expired !== undefined) this.#close(expired);
      throw error;
    }
  }

  /** Approves a request that a grant now covers, as the human who gave the grant. Not one that has ended, or is another human's. */
  approveCovered(token: string, by: Principal): void {
    let ended: PendingRequest;
    try {
      this.#check(token, by);
      ended = this.registry.resolve(token, "approved", by, { message: "covered by a grant" });
    } catch (error) {
      if (error instanceof ApprovalError) return;
      throw error;
    }
    this.#close(ended);
  }

  /** Withdraws a request. Returns it, or undefined if it had ended already. */
  cancel(token: string, reason: string): PendingRequest | undefined {
    this.commit();
    const ended = this.#withdrawals.carryOut(token, () => this.registry.cancelPending(token, reason));
    if (ended !== undefined) this.#close(ended);
    return ended;
  }

  /** Marks what nobody answered in time. Returns how many. */
  cleanup(): number {
    let count = 0;
    for (let ended = this.#expireSome(); ended > 0; ended = this.#expireSome()) count += ended;
    return count;
  }

  #expireSome(): number {
    this.commit();
    let ended: PendingRequest[] = [];
    this.registry.together(() => {
      ended = this.registry.cleanupExpired(EXPIRED_TOGETHER);
    });
    for (const request of ended) {
      this.#withdrawals.take(request.token);
      this.#close(request);
    }
    return ended.length;
  }

  #withdrawTogether(next: () => Withdrawal | undefined): void {
    this.commit();
    const ended: PendingRequest[] = [];
    this.registry.together(() => {
      for (let withdrawal = next(); withdrawal !== undefined; withdrawal = next()) {
        const request = this.registry.cancelPending(withdrawal.token, withdrawal.reason);
        if (request !== undefined) ended.push(request);
      }
    });
    for (const request of ended) this.#close(request);
  }

  /** Withdraws at once what was to be withdrawn: an answer, or a call like it, has come before. True if it was. */
  #hasten(token: string): boolean {
    const withdrawal = this.#withdrawals.get(token);
    if (withdrawal === undefined) return false;
    this.cancel(token, withdrawal.reason);
    return true;
  }

  /**
   * The human is at this card: its clock stands still since the last call, or for the first seconds, up to a bound.
   * @throws ApprovalError as `answer` does
   */
  hold(token: string, by: Principal): PendingRequest {
    const pending = this.#check(token, by);
    const { clock, ttl_seconds } = this.#settings;
    const held = this.registry.postpone(pending, this.#extension.extension(pending, clock.boot().ms, ttl_seconds));
    return { ...held, expires_at: this.#shownDeadline(held) };
  }

  /** The request as every surface shows it. */
  view(request: PendingRequest): ApprovalView {
    const expires_at = this.#shownDeadline(request);
    return approvalView({ ...request, expires_at }, this.#settings.language);
  }

  /** Where the clock was set back while it waits, a request ends earlier than its date says. */
  #shownDeadline(request: PendingRequest): string {
    return request.status === "pending" ? earlierEnd(this.#settings.clock, deadlineOf(request)) : request.expires_at;
  }

  /** Its end stands: what fails here keeps it from nobody else. */
  #close(ended: PendingRequest): void {
    const waiters = this.#waiters.get(ended.token);
    this.#waiters.delete(ended.token);
    this.#extension.forget(ended.token);
    if (waiters !== undefined && waiters.size > 0) {
      if (ended.status === "approved" || ended.status === "rejected")
        this.#attempt("noting an answer as delivered", () => this.registry.markDelivered(ended.token));
      for (const waiter of waiters) this.#attempt("telling who waits", () => waiter(ended));
    }
    this.#attempt("telling the surfaces", () => this.#events.closed(ended));
  }

  #attempt(what: string, act: () => void): void {
    try {
      act();
    } catch (error) {
      this.#events.failed(what, error);
    }
  }

  /** Every waiting request has another date now, which the surfaces show. */
  #clockWasSet(): void {
    for (const pending of this.registry.listPending({ limit: MAX_MOVED }))
      this.#events.moved({ ...pending, expires_at: this.#shownDeadline(pending) });
  }
}
