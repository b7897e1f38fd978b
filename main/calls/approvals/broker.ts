import type { Description, Destination } from "../../../ipc/contract/description.ts";
import { GateError } from "../../../ipc/contract/gate-error.ts";
import type { Language } from "../../../ipc/contract/language.ts";
import type { Answer, ApprovalView, Principal } from "../../../ipc/contract/operator-api.ts";
import type { WithdrawalRule } from "../../../ipc/contract/rules.ts";
import type { Surface } from "../../../ipc/contract/surface.ts";
import type { ProposedCall } from "../../../ipc/contract/wire.ts";
import { earlierEnd } from "../../base/clocks/two-clock-end.ts";
import { attempt, errorCode } from "../../base/errors.ts";
import { describedNames } from "../../decide/description/describe.ts";
import { changedSince, namesOfLines } from "../../decide/description/run-by-name.ts";
import { skillTexts } from "../../decide/description/skill-text.ts";
import type { CalledTool } from "../../decide/executors/called-tool.ts";
import { CommandLines } from "../../decide/executors/command-lines.ts";
import type { GrantStore } from "../../decide/grants/store.ts";
import { runsUnasked, worstFirst } from "../../decide/guard/hazards.ts";
import { placeOf } from "../../decide/places/call-place.ts";
import { Answering, type AnsweringSettings, type Ended } from "./answering.ts";
import { ApprovalError } from "./approval-error.ts";
import { DeadlineExtension, DeadlineTimer, deadlineOf, remainingOf } from "./deadline.ts";
import type { Listener, RequestShown } from "./listener.ts";
import type { ApprovalRegistry } from "./registry.ts";
import type { Decider, NewRequest, StoredRequest } from "./stored-request.ts";
import { approvalView } from "./view.ts";
import { OrphanedRequests, RETURN_WITHIN_MS, type Withdrawal, Withdrawals } from "./withdrawals.ts";

/**
 * The life of a request between the registry and those who ask, answer and watch: identical calls share one, and however it ends
 * (answered, covered by a grant, expired, withdrawn), it ends with one event.
 */

export interface BrokerSettings extends AnsweringSettings {
  /** The user has allowed a call of a server's tool, and seen what it is. */
  toolAllowed?(agentId: string, tool: CalledTool, said: { only_looks: boolean; surface: Surface | null }): void;
  language: Language;
  ttl_seconds: number;
  /** Whether a client that may lose its terminal has, and continues. Never rejects. */
  hasLostTerminal?(pid: number): Promise<boolean>;
}

export type BrokerEvent =
  | RequestShown
  /** Once for each request, whatever ended it. What its listener throws is reported, and keeps no other request from ending. */
  | ({ type: "ended" } & Ended)
  /** The grants of an answer that had ended before could be written now. */
  | { type: "grantsWritten"; request: StoredRequest }
  /** The time is over in which the agents that asked an earlier gate may come back. */
  | { type: "returnTimeOver"; left: Withdrawal[] };

/** More cards than a surface shows. */
const MAX_MOVED = 1000;

/** How often what waits is counted anew at the most, in milliseconds. */
const RECOUNT_MS = 1000;
/** So many of an agent's requests that are still to be withdrawn don't count as waiting. */
const MAX_UNCOUNTED = 1000;
/** Of what has expired so many are marked in one transaction, in one turn of the event loop. */
const EXPIRED_TOGETHER = 50;

/** What is known of a request while it waits, and stored nowhere. */
interface KeptWhileWaiting {
  /** What the user asked for, if that is known. */
  words: string | null;
  /** Its command lines as they were read. */
  lines?: CommandLines;
}

export class ApprovalBroker {
  readonly registry: ApprovalRegistry;
  readonly #answering: Answering;
  readonly #settings: BrokerSettings;
  readonly #listener: Listener<BrokerEvent>;
  readonly #extension = new DeadlineExtension();
  readonly #orphaned = new OrphanedRequests((left) => this.#listener.happened({ type: "returnTimeOver", left }));
  readonly #withdrawals: Withdrawals;
  readonly #deadlines: DeadlineTimer;
  /** What is asked in this turn of the event loop: on disk together, or not at all. `undo`: what to do where it can't be stored. */
  #together: { asked: StoredRequest[]; undo: (() => void)[] } | undefined;
  readonly #kept = new Map<string, KeptWhileWaiting>();
  readonly #unattended: Unattended;
  #recountedAt = 0;

  constructor(
    registry: ApprovalRegistry,
    grants: GrantStore,
    settings: BrokerSettings,
    listener: Listener<BrokerEvent>,
  ) {
    this.registry = registry;
    this.#answering = new Answering(registry, grants, settings);
    this.#settings = settings;
    this.#listener = listener;
    this.#withdrawals = new Withdrawals({
      withdraw: (next) => this.#withdrawTogether(next),
      failed: (error) => listener.failed("withdrawing requests", error),
    });
    this.#unattended = new Unattended({
      hasLostTerminal: async (pid) => (await settings.hasLostTerminal?.(pid)) === true,
      changed: (token) => this.#shownAnew(token),
    });
    this.#deadlines = new DeadlineTimer({
      clock: settings.clock,
      registry,
      expireSome: () => this.#expireSome(),
      jumped: () => this.#clockWasSet(),
      failed: (error) => listener.failed("marking what expired", error),
    });
  }

  get language(): Language {
    return this.#settings.language;
  }

  /** Repairs what a crash left behind and picks up the requests that are still alive. */
  start(): void {
    this.#answering.repair();
    this.registry.cleanupExpired();
    const { registry } = this;
    this.#orphaned.start(registry.listPending({ limit: 100_000 }), registry.listUndelivered(RETURN_WITHIN_MS));
    this.#deadlines.start();
  }

  /** Stops the clock. What waits stays in the registry for the next start. */
  stop(): void {
    this.commit();
    this.#withdrawals.finish();
    this.#deadlines.stop();
    this.#unattended.stop();
    this.#orphaned.stop();
  }

  /**
   * What is asked from now on is stored together, once `commit` is called, which is at the end of this turn of the event loop.
   * Nothing may be sent before. @throws SQLite's error
   */
  begin(): void {
    if (this.#together !== undefined) return;
    this.registry.begin();
    this.#together = { asked: [], undo: [] };
    queueMicrotask(() => this.commit());
  }

  /** `undo` is called if what was asked since `begin` can't be stored. Does nothing where it is stored already. */
  onUnstored(undo: () => void): void {
    this.#together?.undo.push(undo);
  }

  /** Stores what was asked since `begin` and tells the surfaces. Never throws: what can't be stored is undone. */
  commit(): void {
    if (this.#together === undefined) return;
    const { asked } = this.#together;
    try {
      this.registry.commit();
    } catch (error) {
      return this.abandon(error);
    }
    this.#together = undefined;
    for (const pending of asked) this.#listener.happened({ type: "waiting", approval: this.view(pending) });
  }

  /** Nothing that was asked since `begin` can be stored. */
  abandon(error: unknown): void {
    const together = this.#together;
    this.#together = undefined;
    if (together === undefined) return;
    this.#listener.failed("storing requests", error);
    attempt(this.#listener, "storing requests", () => this.registry.rollback());
    for (const undo of together.undo) undo();
  }

  /** How many requests of this agent wait: those that are to be withdrawn count no more, up to a bound. */
  waitingOf(agentId: string): number {
    return this.registry.waitingOf(agentId) - Math.min(MAX_UNCOUNTED, this.#withdrawals.count(agentId));
  }

  /** The same, counted anew, without what has expired. */
  recounted(agentId: string): number {
    if (this.#deadlines.hasPassed) this.cleanup();
    else if (performance.now() - this.#recountedAt > RECOUNT_MS) {
      this.#recountedAt = performance.now();
      this.registry.recount();
    }
    return this.waitingOf(agentId);
  }

  /** True while those who asked an earlier gate may still come back. */
  get expectsReturn(): boolean {
    return this.#orphaned.isExpected;
  }

  /** Where an earlier gate asked about this very call, and counted it: what notes that it has come back. See `OrphanedRequests`. */
  awaited(agentId: string, session: string, call: ProposedCall): (() => void) | undefined {
    return this.#orphaned.awaited(agentId, session, call);
  }

  /**
   * The answer that the user gave to this very call of this session while its agent looked for the gate, if there is one. Taken
   * once, and only while who asked an earlier gate may still come back. One that was remembered is no answer here: its grant
   * speaks for it, and must not be outlived by it.
   */
  takeAnswer(shareKey: string, session: string): StoredRequest | undefined {
    while (this.#orphaned.isExpected) {
      const ended = this.registry.takeUndelivered(shareKey, session, RETURN_WITHIN_MS);
      if (ended === undefined || (ended.territory_concession === "none" && ended.isDamaged !== true)) return ended;
    }
    return undefined;
  }

  /** Puts a request before the user, or joins the identical one that already waits. */
  ask(request: Omit<NewRequest, "ttl_seconds">, kept: KeptWhileWaiting = { words: null }): StoredRequest {
    const waiting = this.registry.findWaiting(request.share_key);
    const { client_pid } = request.extra;
    if (waiting !== undefined && !this.#hasten(waiting.token)) {
      if (client_pid !== undefined) this.#unattended.watch(waiting.token, client_pid);
      return waiting;
    }
    const pending = this.registry.createPending({ ...request, ttl_seconds: this.#settings.ttl_seconds });
    if (client_pid !== undefined) {
      this.#unattended.watch(pending.token, client_pid);
      this.onUnstored(() => this.#unattended.forget(pending.token));
    }
    this.#kept.set(pending.token, kept);
    this.onUnstored(() => this.#kept.delete(pending.token));
    if (this.#together === undefined) this.#listener.happened({ type: "waiting", approval: this.view(pending) });
    else this.#together.asked.push(pending);
    this.#deadlines.watch(remainingOf(pending, this.#settings.clock));
    return pending;
  }

  /** Withdraws requests, thousands of them in pieces. From now on none of them can be answered. */
  withdraw(withdrawals: Iterable<Withdrawal>): void {
    this.commit();
    this.#withdrawals.add(withdrawals);
  }

  /** Writes the withdrawals that are still to be written: what is acknowledged next must not outlive them. */
  completeWithdrawals(): void {
    this.#withdrawals.complete();
  }

  /**
   * The operator's answer: ends the request and writes the grants of an answer that is remembered (see `Answering`).
   * @throws ApprovalError in the registry's order; GateError if the answer's target or expiry can't be stored, or `script_changed`
   * (nothing changes then, but for what the card says)
   */
  answer(answer: Answer, by: Decider): StoredRequest {
    const checked = this.#check(answer.token, by);
    if (answer.decision === "approved") this.#checkScripts(checked);
    const ended = this.#answering.answer(checked, answer, by.surface);
    if (answer.decision === "approved") this.#noteTool(checked, answer, by);
    this.#ended(ended.request, ended.granted);
    return ended.request;
  }

  /** The answer holds, also where this can't be written: the tool is asked about again then. */
  #noteTool({ agent_id, extra: { mcp } }: StoredRequest, { only_looks }: Answer, { surface }: Decider): void {
    if (mcp === undefined) return;
    attempt(this.#listener, "keeping what a tool is", () =>
      this.#settings.toolAllowed?.(agent_id, mcp.tool, { only_looks: only_looks === true, surface: surface ?? null }),
    );
  }

  /**
   * Ends a request that a grant, or a refusal for its session, now answers, as the operator who gave that. Not one that has ended, or is
   * another principal's.
   */
  answerCovered(token: string, answer: "approved" | "rejected", by: Decider): void {
    let request: StoredRequest;
    try {
      const resolution = answer === "approved" ? { message: "covered by a grant" } : { refuse: "target" as const };
      request = this.registry.resolve(this.#check(token, by), answer, {
        ...resolution,
        decision_surface: by.surface ?? null,
      });
    } catch (error) {
      if (error instanceof ApprovalError) return;
      throw error;
    }
    this.#ended({ ...request, isCovered: true });
  }

  /** The registry's checks. A request that they find expired has ended. */
  #check(token: string, by: Principal): StoredRequest {
    this.commit();
    this.#hasten(token);
    try {
      return this.registry.check(token, by);
    } catch (error) {
      const expired = errorCode(error) === "expired" ? this.registry.getPending(token) : undefined;
      if (expired !== undefined) this.#ended(expired);
      throw error;
    }
  }

  /** What would run must be what the card says; else the card says what it is now. @throws GateError `script_changed` */
  #checkScripts(checked: StoredRequest): void {
    const changed = withScriptsOfNow(checked, this.#settings.home, this.#kept.get(checked.token)?.lines?.again());
    if (changed === undefined) return;
    this.registry.describeAnew(changed);
    this.#listener.happened({ type: "waiting", approval: this.view(changed) });
    throw scriptChanged();
  }

  /** Why the grants of this answer could not be written yet; undefined where they were. */
  unwrittenGrantsError(token: string): unknown {
    return this.#answering.unwrittenGrantsError(token);
  }

  /** Writes the grants that could not be written with their answers. @throws SQLite's error, or GateError */
  flush(): void {
    for (const request of this.#answering.flush()) this.#listener.happened({ type: "grantsWritten", request });
  }

  /** Withdraws a request. Returns it, or undefined if it had ended already. */
  cancel(token: string, reason: string, rule: WithdrawalRule = "approval.withdrawn"): StoredRequest | undefined {
    this.commit();
    const ended = this.#withdrawals.carryOut(token, () => this.registry.cancelPending(token, reason, rule));
    if (ended !== undefined) this.#ended(ended);
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
    const ended = this.registry.together(() => this.registry.cleanupExpired(EXPIRED_TOGETHER));
    for (const request of ended) {
      this.#withdrawals.take(request.token);
      this.#ended(request);
    }
    return ended.length;
  }

  #withdrawTogether(next: () => Withdrawal | undefined): void {
    this.commit();
    const ended: StoredRequest[] = [];
    this.registry.together(() => {
      for (let withdrawal = next(); withdrawal !== undefined; withdrawal = next()) {
        const request = this.registry.cancelPending(withdrawal.token, withdrawal.reason, withdrawal.rule);
        if (request !== undefined) ended.push(request);
      }
    });
    for (const request of ended) this.#ended(request);
  }

  /** Withdraws at once what was to be withdrawn: an answer, or a call like it, has come before. True if it was. */
  #hasten(token: string): boolean {
    const withdrawal = this.#withdrawals.get(token);
    if (withdrawal === undefined) return false;
    this.cancel(token, withdrawal.reason, withdrawal.rule);
    return true;
  }

  /**
   * The user is at this card: its deadline moves by the time since the last call, or for the first seconds, up to a bound.
   * @throws ApprovalError as `answer` does
   */
  hold(token: string, by: Principal): StoredRequest {
    const pending = this.#check(token, by);
    const { clock, ttl_seconds } = this.#settings;
    const held = this.registry.postpone(pending, this.#extension.extension(pending, clock.boot().ms, ttl_seconds));
    return { ...held, expires_at: this.#shownDeadline(held) };
  }

  /** The request as every surface shows it. */
  view(request: StoredRequest): ApprovalView {
    const expiresAt = this.#shownDeadline(request);
    const { language, clock } = this.#settings;
    const words = this.#kept.get(request.token)?.words ?? null;
    const isAlone = this.#unattended.has(request.token);
    return approvalView({ ...request, expires_at: expiresAt }, { language, now: clock.now(), words, isAlone });
  }

  /** Where the clock was set back while it waits, a request ends earlier than its date says. */
  #shownDeadline(request: StoredRequest): string {
    return request.status === "pending" ? earlierEnd(this.#settings.clock, deadlineOf(request)) : request.expires_at;
  }

  /** Its card says something else than before. */
  #shownAnew(token: string): void {
    attempt(this.#listener, "showing a request anew", () => {
      const request = this.registry.getPending(token);
      if (request?.status === "pending") this.#listener.happened({ type: "waiting", approval: this.view(request) });
    });
  }

  /** It has ended, whatever fails in a listener. */
  #ended(request: StoredRequest, granted = false): void {
    this.#extension.forget(request.token);
    this.#kept.delete(request.token);
    this.#unattended.forget(request.token);
    attempt(this.#listener, "a request's end", () => this.#listener.happened({ type: "ended", request, granted }));
  }

  /** Every waiting request has another date now, which the surfaces show. */
  #clockWasSet(): void {
    for (const pending of this.registry.listPending({ limit: MAX_MOVED }))
      this.#listener.happened({ type: "moved", token: pending.token, expiresAt: this.#shownDeadline(pending) });
  }
}

// An approval is for what the card said: where a file that the call would run is another one by now, nothing is allowed, and the user
// is asked anew. Identical calls share a request, and so what it was described by.

/** The request with what its names stand for now; undefined where that is what its card says. `read`: its lines, where they were read. */
function withScriptsOfNow(request: StoredRequest, home: string, read?: CommandLines): StoredRequest | undefined {
  const { extra } = request;
  const { description, args } = extra;
  const isSkill = description !== undefined && runsUnasked(description.hazards);
  if (description === undefined || args === null) return undefined;
  if (description.commands.length === 0 && !isSkill) return undefined;
  const call: ProposedCall = { intent: "", executor: extra.executor, args };
  if (extra.cwd !== null) call.context = { cwd: extra.cwd };
  const described = new Set(description.commands.map(({ arg }) => arg));
  const lines = (read ?? new CommandLines(call, home)).all.filter(({ arg }) => described.has(arg));
  const place = placeOf(call, home, undefined);
  const named = describedNames(
    namesOfLines(lines, () => place),
    place,
  );
  const now = [...named.stands_for, ...(isSkill ? skillTexts(args, place) : [])];
  const standsFor = changedSince(description.stands_for, now);
  if (standsFor === null) return undefined;
  const own = description.hazards.filter(({ file }) => file === undefined);
  const hazards = worstFirst([...own, ...named.hazards]);
  const to = [...(description.to ?? []).filter(({ file }) => file === undefined), ...toOfNow(named.to, description.to)];
  const newest: Description = { ...description, stands_for: standsFor, hazards };
  return { ...request, extra: { ...extra, description: to.length === 0 ? newest : { ...newest, to } } };
}

/** What wasn't on the card before is new. */
function toOfNow(now: readonly Destination[], before: readonly Destination[] = []): Destination[] {
  const keyOf = ({ kind, name, host, path }: Destination) => JSON.stringify([kind, name, host, path]);
  const known = new Map(before.map((one) => [keyOf(one), one]));
  return now.map((one) =>
    known.get(keyOf(one))?.is_first === undefined && known.has(keyOf(one)) ? one : { ...one, is_first: true },
  );
}

/** The answer to a request whose script changed while its card was shown. */
function scriptChanged(): GateError {
  return new GateError(
    "script_changed",
    "what would run has changed since you were asked: nothing was allowed",
    "look at the request again, then answer it",
  );
}

// Which requests wait for a client that continues without its terminal: looked at for as long as they wait.

/** How often, in milliseconds. */
const LOOK_MS = 2000;
/** Each look takes some 50 ms for each of them, and an agent may name any process: more clients than anybody has aren't looked at. */
const MAX_CLIENTS = 8;

interface UnattendedParts {
  /** Whether the client with this process id has lost its terminal. Never rejects. */
  hasLostTerminal(pid: number): Promise<boolean>;
  /** Of this request it is another than before. */
  changed(token: string): void;
}

export class Unattended {
  readonly #parts: UnattendedParts;
  readonly #requests = new Map<string, { pid: number; isAlone: boolean }>();
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: UnattendedParts) {
    this.#parts = parts;
  }

  /** True if its client was without a terminal when it was last looked at. */
  has(token: string): boolean {
    return this.#requests.get(token)?.isAlone === true;
  }

  /** @param pid the client's process */
  watch(token: string, pid: number): void {
    const clients = this.#clients();
    if (!clients.has(pid) && clients.size >= MAX_CLIENTS) return;
    this.#requests.set(token, { pid, isAlone: this.has(token) });
    this.#timer ??= this.#later();
  }

  forget(token: string): void {
    this.#requests.delete(token);
  }

  stop(): void {
    this.#requests.clear();
    clearTimeout(this.#timer);
  }

  #later(): NodeJS.Timeout {
    return setTimeout(() => void this.#look(), LOOK_MS).unref();
  }

  #clients(): Set<number> {
    return new Set([...this.#requests.values()].map(({ pid }) => pid));
  }

  async #look(): Promise<void> {
    for (const pid of this.#clients()) {
      const isAlone = await this.#parts.hasLostTerminal(pid);
      for (const [token, request] of this.#requests) {
        if (request.pid !== pid || request.isAlone === isAlone) continue;
        request.isAlone = isAlone;
        this.#parts.changed(token);
      }
    }
    this.#timer = this.#requests.size === 0 ? undefined : this.#later();
  }
}
