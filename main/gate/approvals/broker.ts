import type { Answer, ApprovalView, Principal } from "../../../ipc/operator-api.ts";
import { normaliseDate } from "../clock.ts";
import { errorCode, GateError } from "../errors.ts";
import type { GrantStore } from "../grants/store.ts";
import { type Language, linkLines, renderApprovalCard } from "./card.ts";
import { coversAsked, grantsFor, shownChoice } from "./choices.ts";
import { LeftBehind, RETURN_WITHIN_MS } from "./left-behind.ts";
import { ApprovalError, type ApprovalRegistry, type NewPending, type PendingRequest } from "./registry.ts";
import { Stillness } from "./stillness.ts";

/** Between the registry and those who wait: shares cards, writes grants, tells every surface and every waiting agent. */

/** Somebody waiting for an answer. Called once, when the request has ended. */
export type Waiter = (ended: PendingRequest) => void;

export interface BrokerSettings {
  home: string;
  language: Language;
  ttl_seconds: number;
  /** How long a grant for a session lasts at the most. */
  session_seconds: number;
  /** Milliseconds. */
  now: () => number;
}

export interface BrokerEvents {
  waiting(pending: PendingRequest): void;
  closed(ended: PendingRequest): void;
  granted(ended: PendingRequest): void;
}

/** A target's reach is told against this many requests. */
const RECENT_REQUESTS = 100;

/** The clock is looked at this often while something waits, in milliseconds. */
const MAX_WATCH_MS = 30_000;

export class ApprovalBroker {
  readonly registry: ApprovalRegistry;
  readonly #grants: GrantStore;
  readonly #settings: BrokerSettings;
  readonly #events: BrokerEvents;
  readonly #waiters = new Map<string, Set<Waiter>>();
  readonly #stillness = new Stillness();
  readonly #left_behind = new LeftBehind((token) => {
    if (!this.is_awaited(token)) this.cancel(token, "the agent that asked did not come back");
  });
  #timer: NodeJS.Timeout | undefined;

  constructor(registry: ApprovalRegistry, grants: GrantStore, settings: BrokerSettings, events: BrokerEvents) {
    this.registry = registry;
    this.#grants = grants;
    this.#settings = settings;
    this.#events = events;
  }

  get language(): Language {
    return this.#settings.language;
  }

  /** Repairs what a crash left behind and picks up the requests that are still alive. */
  start(): void {
    for (const owed of this.registry.list_grants_owed()) this.#writeGrants(owed);
    this.registry.cleanup_expired();
    this.#left_behind.start(this.registry.list_pending({ limit: 100_000 }).map(({ token }) => token));
    this.#watchDeadlines();
  }

  /** Stops the clock. What waits stays in the registry for the next start. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#left_behind.stop();
    this.#waiters.clear();
  }

  /**
   * The answer that the human gave to this very call of this session while its agent looked for the gate, if there is one. Taken
   * once, and only while who asked an earlier gate may still come back. One that was remembered is no answer here: its grant
   * speaks for it, and must not be outlived by it.
   */
  take_answer(share_key: string, session: string): PendingRequest | undefined {
    while (this.#left_behind.is_expected) {
      const ended = this.registry.take_undelivered(share_key, session, RETURN_WITHIN_MS);
      if (ended === undefined || ended.territory_concession === "none") return ended;
    }
    return undefined;
  }

  /** Puts a request before the human, or joins the identical one that already waits. */
  ask(request: Omit<NewPending, "ttl_seconds">): PendingRequest {
    const waiting = this.registry.find_waiting(request.share_key);
    if (waiting !== undefined) return waiting;
    const pending = this.registry.create_pending({ ...request, ttl_seconds: this.#settings.ttl_seconds });
    this.#events.waiting(pending);
    this.#watchDeadlines();
    return pending;
  }

  /** Waits for a request's end. The function that is returned stops waiting; the last one to leave withdraws the request. */
  wait(token: string, waiter: Waiter): (reason: string) => void {
    const waiters = this.#waiters.get(token) ?? new Set();
    this.#waiters.set(token, waiters);
    waiters.add(waiter);
    return (reason) => {
      if (!waiters.delete(waiter) || waiters.size > 0) return;
      this.#waiters.delete(token);
      this.cancel(token, reason);
    };
  }

  /** True if a connection waits for this request's answer. */
  is_awaited(token: string): boolean {
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
            answer.choice,
          );
    if (scope === "none" && (answer.target ?? answer.expires_at ?? answer.choice) !== undefined) {
      throw new GateError(
        "scope_missing",
        "a target or an expiry needs an answer that is remembered",
        "add --session or --permanent",
      );
    }
    const expires_at = this.#expiry(scope, answer.expires_at);
    const ended = this.registry.resolve(answer.token, answer.decision, by, {
      territory: scope,
      granted,
      grant_expires_at: expires_at,
      message: answer.decision === "rejected" ? (answer.message ?? null) : null,
    });
    try {
      if (scope !== "none") this.#writeGrants(ended);
    } finally {
      // The answer stands and is told, also where its grant can't be written: the next start writes it.
      this.#close(ended);
    }
    if (scope !== "none") this.#events.granted(ended);
    return ended;
  }

  /** The registry's checks. A request that they find expired has ended: who waits for it is told. */
  #check(token: string, by: Principal): PendingRequest {
    try {
      return this.registry.check(token, by);
    } catch (error) {
      const expired = errorCode(error) === "expired" ? this.registry.get_pending(token) : undefined;
      if (expired !== undefined) this.#close(expired);
      throw error;
    }
  }

  /** Approves a request that a grant now covers, as the human who gave the grant. Not one that has ended, or is another human's. */
  approve_covered(token: string, by: Principal): void {
    try {
      this.#check(token, by);
    } catch (error) {
      if (error instanceof ApprovalError) return;
      throw error;
    }
    this.#close(this.registry.resolve(token, "approved", by, { message: "covered by a grant" }));
  }

  /** Withdraws a request. Returns it, or undefined if it had ended already. */
  cancel(token: string, reason: string): PendingRequest | undefined {
    const ended = this.registry.cancel_pending(token, reason);
    if (ended !== undefined) this.#close(ended);
    return ended;
  }

  /** Marks what nobody answered in time. Returns how many. */
  cleanup(): number {
    const ended = this.registry.cleanup_expired();
    for (const request of ended) this.#close(request);
    return ended.length;
  }

  /**
   * The human is at this card: its clock stands still since the last call, or for the first seconds, up to a bound.
   * @throws ApprovalError as `answer` does
   */
  hold(token: string, by: Principal): PendingRequest {
    const pending = this.#check(token, by);
    const expires_at = this.#stillness.deadline(pending, this.#settings.now(), this.#settings.ttl_seconds);
    this.registry.set_deadline(token, expires_at);
    return { ...pending, expires_at };
  }

  /** Of this agent's last requests for the same capability, how many a grant on `target` would have covered. @throws GateError */
  coverage(token: string, target: string): { covered: number; of: number } {
    const request = this.registry.get_pending(token);
    if (request === undefined)
      throw new ApprovalError("unknown_token", "unknown token", "see: metnos-gate approvals list");
    const capability = request.extra.capabilities[0]?.capability;
    const asked = this.registry
      .list_recent(request.agent_id, RECENT_REQUESTS)
      .flatMap(({ extra: { capabilities, written } }) =>
        capabilities
          .filter((need) => need.capability === capability)
          .slice(0, 1)
          .map((need) => ({ need, written })),
      );
    const covered = asked.filter(({ need, written }) => coversAsked(need, target, this.#settings.home, written));
    return { covered: covered.length, of: asked.length };
  }

  /** The request as every surface shows it. */
  view(request: PendingRequest): ApprovalView {
    return approvalView(request, this.#settings.language);
  }

  #close(ended: PendingRequest): void {
    const waiters = this.#waiters.get(ended.token);
    this.#waiters.delete(ended.token);
    this.#stillness.forget(ended.token);
    if (waiters !== undefined && waiters.size > 0) {
      this.registry.mark_delivered(ended.token);
      for (const waiter of waiters) waiter(ended);
    }
    this.#events.closed(ended);
  }

  /** Writes each grant that isn't there yet: after a crash in between, the next start calls this again. */
  #writeGrants(ended: PendingRequest): void {
    const granted_by = `approval:${ended.token}`;
    for (const { capability, target, target_real } of ended.granted) {
      try {
        if (this.#grants.was_granted_by(granted_by, capability, target)) continue;
        this.#grants.record_grant({
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
    this.registry.mark_grants_written(ended.token);
  }

  #expiry(scope: "none" | "session" | "permanent", given: string | undefined): string | null {
    const now = this.#settings.now();
    const session_end = new Date(now + this.#settings.session_seconds * 1000).toISOString();
    if (given === undefined) return scope === "session" ? normaliseDate(session_end) : null;
    const expires_at = normaliseDate(given);
    if (expires_at <= normaliseDate(new Date(now).toISOString())) {
      throw new GateError("invalid_expiry", "the grant would have expired already", "give a date in the future");
    }
    return expires_at;
  }

  /** One timer for all: the next deadline, and now and then before it, as a clock may jump (a laptop that slept). */
  #watchDeadlines(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const deadline = this.registry.next_deadline();
    if (deadline === undefined) return;
    const wait = Math.max(0, Date.parse(deadline) + 1000 - this.#settings.now());
    this.#timer = setTimeout(
      () => {
        this.cleanup();
        this.#watchDeadlines();
      },
      Math.min(wait, MAX_WATCH_MS),
    );
    this.#timer.unref();
  }
}

/** A request as every surface shows it. */
export function approvalView(request: PendingRequest, language: Language): ApprovalView {
  const { extra, share_key: _, granted: _granted, grant_expires_at: _expires, ...fields } = request;
  const action_verb = extra.verb?.[language] ?? fields.action_verb;
  return {
    token: fields.token,
    channel: fields.channel,
    sender_id: fields.sender_id,
    capability_class: fields.capability_class,
    action_verb,
    target_summary: fields.target_summary,
    created_at: fields.created_at,
    expires_at: fields.expires_at,
    status: fields.status,
    decision_at: fields.decision_at,
    decision_by_channel: fields.decision_by_channel,
    decision_by_sender: fields.decision_by_sender,
    agent_id: fields.agent_id,
    agent_name: fields.agent_name,
    session: fields.session,
    call_hash: fields.call_hash,
    executor: extra.executor,
    intent: extra.intent,
    subagent: extra.subagent ?? null,
    cwd: extra.cwd,
    reversibility: extra.reversibility,
    recurrence_count: extra.recurrence_count,
    territory_concession: fields.territory_concession,
    capabilities: extra.capabilities,
    links: linkLines(extra.links ?? [], language),
    choices: extra.choices.map((choice) => shownChoice(choice, language)),
    judge: extra.judge,
    args: extra.args,
    message: fields.message,
    card: renderApprovalCard(
      {
        token: fields.token,
        action_verb,
        target_summary: fields.target_summary,
        capability_class: fields.capability_class,
        reversibility: extra.reversibility,
        recurrence_count: extra.recurrence_count,
        territory_concession: fields.territory_concession,
        links: extra.links ?? [],
      },
      language,
    ),
  };
}
