import { randomUUID } from "node:crypto";
import type { Decided, Deliver, PendingCall, UnsentDecision } from "../../ipc/contract/agent-port.ts";
import type { Decision } from "../../ipc/contract/decision.ts";
import type { ApprovalView, Principal } from "../../ipc/contract/operator-api.ts";
import type { WithdrawalRule } from "../../ipc/contract/rules.ts";
import { withoutValues } from "../decide/guard/without-values.ts";
import type { Reviewable, Subject } from "../decide/stages/examination.ts";
import type { ApprovalBroker } from "./approvals/broker.ts";
import { newRequest } from "./approvals/new-request.ts";
import type { PendingRequest } from "./approvals/pending-request.ts";
import { refusalOf } from "./approvals/refusal.ts";
import { keysOf } from "./approvals/share-keys.ts";
import { quotaCharacters, WaitingQuota } from "./approvals/waiting-quota.ts";
import { PROPOSED_FROM } from "./approvals/wider-answer.ts";
import type { Withdrawal } from "./approvals/withdrawals.ts";
import { CoveredCalls } from "./covered-calls.ts";
import { type ExamineAgain, finalDecision } from "./final-decision.ts";
import type { CallsInReview } from "./reviews/calls-in-review.ts";
import { RevisableDecision } from "./revisable-decision.ts";
import { deniedByFailure, denyUnstored, withdrawnDecision } from "./without-answer.ts";

export interface WaitingCallsParts {
  broker: ApprovalBroker;
  /** Those that judges look at, before anybody is asked about them. */
  reviews: CallsInReview;
  home: string;
  /** How long a request waits, in seconds. */
  ttlSeconds(): number;
  examineAgain: ExamineAgain;
  /** Shows that the agent gave up a call that waited: no answer is sent for it. */
  left(x: Reviewable, final: Decision): void;
  /** Records the final decision on a call that has waited. */
  conclude(x: Reviewable, final: Decision): UnsentDecision;
  /** Something unexpected, to log. */
  failed(what: string, error: unknown): void;
}

export interface Asked extends Decided {
  decision: RevisableDecision;
}

interface WaitingCall {
  x: Reviewable;
  asked: Decision;
  deliver: Deliver;
  /** Takes it off its agent's quota, once. */
  release(): void;
}

/**
 * What waits, and for what: for judges (`reviews`), or for the user's answer, by the request that calls share and within a quota for each
 * agent.
 */
export class WaitingCalls {
  readonly reviews: CallsInReview;
  readonly #parts: WaitingCallsParts;
  readonly #broker: ApprovalBroker;
  readonly #calls = new Map<string, Set<WaitingCall>>();
  readonly #quota = new WaitingQuota();
  /** Those that were the last to leave a request that is to be withdrawn for it. */
  readonly #left = new Map<string, WaitingCall>();
  readonly #covered: CoveredCalls;

  constructor(parts: WaitingCallsParts) {
    this.#parts = parts;
    this.#broker = parts.broker;
    this.reviews = parts.reviews;
    this.#covered = new CoveredCalls({
      tokens: () => this.#calls.keys(),
      callsOf: (token) => [...(this.#calls.get(token) ?? [])].map(({ x }) => x),
      examineAgain: parts.examineAgain,
      answer: (token, answer, by) => this.#broker.answerCovered(token, answer, by),
      failed: parts.failed,
    });
  }

  /**
   * Asks the operator about a call, if its agent may have another one wait, and nobody has answered it while the agent was away.
   * `asked` says that it is asked about. @throws SQLite's error: nothing that was asked in this turn is stored then
   */
  ask(x: Reviewable, asked: Decision, deliver: Deliver): Asked {
    const { call, subject } = x;
    const { agent } = subject;
    if (agent === null) throw new Error("only a paired agent can ask");
    const { call_hash, share_key } = keysOf(x);
    try {
      this.#broker.begin();
      const answered = this.#broker.takeAnswer(share_key, subject.session ?? "");
      if (answered !== undefined) return this.#answeredBefore(x, asked, answered);
      const characters = quotaCharacters(call);
      const refusal = this.#quota.refusal(agent.agent_id, characters, this.#broker);
      if (refusal !== undefined) return { decision: new RevisableDecision({ ...asked, ...refusal }) };
      const settings = { home: this.#parts.home, language: this.#broker.language };
      const { registry } = this.#broker;
      const question = newRequest(x, agent, asked, settings, (capability_class) => ({
        times: registry.countApproved(capability_class, agent.agent_id),
        last: () =>
          registry
            .lastApproved(capability_class, agent.agent_id, PROPOSED_FROM)
            .map(({ extra: { capabilities } }) => capabilities),
      }));
      const words = x.settings.words?.of(call, subject) ?? null;
      const request = this.#broker.ask({ ...question, call_hash, share_key }, words);
      const { card } = this.#broker.view(request);
      const release = this.#quota.add(agent.agent_id, characters);
      return this.#wait(request, card, { x, asked, deliver, release });
    } catch (error) {
      // Nothing of this turn can be stored: each of its asks is a denial, this one an error.
      this.#broker.abandon(error);
      throw error;
    }
  }

  /**
   * The decision on a call that was judged and asked about by an earlier gate, and answered while its agent was away; undefined for any
   * other. @throws SQLite's error
   */
  answeredBefore(x: Reviewable, asked: Decision): Asked | undefined {
    if (!this.#broker.expectsReturn) return undefined;
    try {
      this.#broker.begin();
      const answered = this.#broker.takeAnswer(keysOf(x).share_key, x.subject.session ?? "");
      return answered === undefined ? undefined : this.#answeredBefore(x, asked, answered);
    } catch (error) {
      this.#broker.abandon(error);
      throw error;
    }
  }

  #answeredBefore(x: Reviewable, asked: Decision, answered: PendingRequest): Asked {
    const decision = new RevisableDecision(this.#final(x, asked, answered));
    this.#broker.onUnstored(() => decision.revise(denyUnstored));
    return { decision };
  }

  #wait({ token, expires_at }: PendingRequest, card: ApprovalView["card"], waiting: WaitingCall): Asked {
    const decision = new RevisableDecision({ ...waiting.asked, pending: { token, expires_at, card } });
    const calls = this.#calls.get(token) ?? new Set();
    this.#calls.set(token, calls);
    calls.add(waiting);
    this.#broker.onUnstored(() => {
      this.#leave(token, waiting);
      decision.revise(denyUnstored);
    });
    return { decision, pending: this.#pendingCall(token, waiting) };
  }

  #pendingCall(token: string, waiting: WaitingCall): PendingCall {
    const { call, subject } = waiting.x;
    return {
      token,
      cancel: (reason) => {
        if (this.#leaveShown(token, waiting, "approval.withdrawn"))
          this.#broker.cancel(token, withoutValues(reason, call.args));
        return new RevisableDecision(withdrawnDecision(waiting.asked, BY_AGENT));
      },
      disconnect: (reason) => {
        const agent_id = subject.agent?.agent_id ?? "";
        const rule = "approval.withdrawn-disconnect";
        if (this.#leaveShown(token, waiting, rule)) this.#broker.withdraw([{ token, reason, rule, agent_id }]);
      },
    };
  }

  /** `#leave`, and each surface is informed: of the last one once its request has ended. */
  #leaveShown(token: string, waiting: WaitingCall, rule: WithdrawalRule): boolean {
    const is_waiting = this.#calls.get(token)?.has(waiting) === true;
    const is_last = this.#leave(token, waiting);
    if (is_last) this.#left.set(token, waiting);
    else if (is_waiting) {
      const { x, asked } = waiting;
      this.#parts.left(x, withdrawnDecision(asked, { reason: "withdrawn by the agent", explain: { rule } }));
    }
    return is_last;
  }

  /** Returns whether it was the last that waited for the request. */
  #leave(token: string, waiting: WaitingCall): boolean {
    waiting.release();
    const calls = this.#calls.get(token);
    if (calls?.delete(waiting) !== true || calls.size > 0) return false;
    this.#calls.delete(token);
    return true;
  }

  /** The request has ended: each call that waits for it gets its final decision. */
  end(ended: PendingRequest): void {
    const left = this.#left.get(ended.token);
    if (left !== undefined) {
      this.#left.delete(ended.token);
      this.#parts.left(left.x, withdrawnDecision(left.asked, refusalOf(ended, this.#parts.ttlSeconds())));
    }
    const calls = this.#calls.get(ended.token);
    if (calls === undefined) return;
    this.#calls.delete(ended.token);
    if (ended.status === "approved" || ended.status === "rejected") {
      this.#attempt("noting an answer as delivered", () => this.#broker.registry.markDelivered(ended.token));
    }
    for (const { x, asked, release, deliver } of calls) {
      release();
      this.#attempt("answering a call that waited", () =>
        deliver(this.#parts.conclude(x, this.#finalOrDenial(x, asked, ended))),
      );
    }
  }

  #final(x: Reviewable, asked: Decision, ended: PendingRequest): Decision {
    return finalDecision(x, asked, ended, this.#parts.examineAgain, this.#parts.ttlSeconds());
  }

  /** A call that waits has to get an answer, whatever happens. */
  #finalOrDenial(x: Reviewable, asked: Decision, ended: PendingRequest): Decision {
    try {
      return this.#final(x, asked, ended);
    } catch (error) {
      this.#parts.failed("examining an answered call again", error);
      return deniedByFailure(asked, ended.status);
    }
  }

  /** Examines what waits again after a grant or a refusal, in pieces: what that covers needs no answer of its own. */
  endCovered(by: Principal): void {
    this.#covered.end(by);
  }

  /** Withdraws what waits of an agent, which is no more than its quota: it is written before the call returns. */
  withdrawAgent(agent_id: string, reason: string, rule: WithdrawalRule): void {
    this.reviews.withdraw(reason, rule, agent_id);
    this.#withdraw(reason, rule, agent_id);
    this.#broker.completeWithdrawals();
  }

  /** Withdraws what waits of one session of an agent: it is written before the call returns. What another session waits for, too, stays. */
  withdrawSession(agent_id: string, session: string, reason: string): void {
    const rule = "approval.withdrawn-session";
    this.reviews.withdraw(reason, rule, agent_id, session);
    this.#broker.commit();
    const alone = new Set(this.#waitingRequests(agent_id, session).map(({ token }) => token));
    for (const [token, calls] of [...this.#calls]) {
      const ending = [...calls].filter(({ x }) => isOfSession(x.subject, agent_id, session));
      const other = [...calls].find((waiting) => !ending.includes(waiting));
      if (other === undefined) alone.add(token);
      else if (alone.delete(token) || ending.length > 0) this.#endShared(token, ending, other, reason);
    }
    this.#broker.withdraw([...alone].map((token) => ({ token, agent_id, reason, rule })));
    this.#broker.completeWithdrawals();
  }

  /** These calls get their denial; the request they shared is from now on the other call's. */
  #endShared(token: string, ending: readonly WaitingCall[], other: WaitingCall, reason: string): void {
    const why = { reason: `withdrawn: ${reason}`, explain: { rule: "approval.withdrawn-session" } } as const;
    for (const waiting of ending) {
      this.#leave(token, waiting);
      const { x, asked, deliver } = waiting;
      this.#attempt("answering a call that waited", () =>
        deliver(this.#parts.conclude(x, withdrawnDecision(asked, why))),
      );
    }
    // A grant for the session is one for a session that is there.
    this.#attempt("moving a request to its other session", () =>
      this.#broker.registry.moveTo(token, other.x.subject.session ?? ""),
    );
  }

  /** Withdraws all that waits, for a pause. No request can be answered from now on; thousands end in pieces. */
  withdrawAll(reason: string): void {
    this.reviews.withdraw(reason, "approval.withdrawn-pause");
    this.#withdraw(reason, "approval.withdrawn-pause");
  }

  #withdraw(reason: string, rule: WithdrawalRule, agent_id?: string, session?: string): void {
    this.#broker.commit();
    this.#broker.withdraw(this.#waitingRequests(agent_id, session).map((request) => ({ ...request, reason, rule })));
  }

  /** Where the database can't be read, those that connections wait for: what withdraws them (a pause, a revocation) continues. */
  #waitingRequests(agent_id?: string, session?: string): { token: string; agent_id: string }[] {
    try {
      return this.#broker.registry.waitingTokens(agent_id, session);
    } catch (error) {
      this.#parts.failed("reading what waits", error);
      return [...this.#calls]
        .map(([token, [waiting]]) => ({ token, subject: waiting?.x.subject }))
        .filter(({ subject }) => session === undefined || subject?.session === session)
        .map(({ token, subject }) => ({ token, agent_id: subject?.agent?.agent_id ?? "" }))
        .filter((request) => agent_id === undefined || request.agent_id === agent_id);
    }
  }

  /** Withdraws those of these requests that no connection waits for. */
  withdrawUnawaited(withdrawals: readonly Withdrawal[]): void {
    this.#broker.withdraw(withdrawals.filter(({ token }) => !this.#calls.has(token)));
  }

  /**
   * Withdraws a request that this agent asked an earlier gate, and that no connection waits for now. Undefined if it isn't the
   * agent's, has ended, or somebody waits for it.
   */
  withdrawLeft(agent_id: string, token: string, reason: string): Decision | undefined {
    const request = this.#broker.registry.getPending(token);
    if (request === undefined || request.agent_id !== agent_id || this.#calls.has(token)) return undefined;
    const ended = this.#broker.cancel(token, withoutValues(reason, request.extra.args ?? {}));
    if (ended === undefined) return undefined;
    return {
      decision_id: randomUUID(),
      outcome: "denied",
      stage: "approval",
      status: "cancelled",
      reason: "withdrawn by the agent",
      explain: { rule: "approval.withdrawn" },
      verdict: null,
      capabilities: request.extra.capabilities,
    };
  }

  /** No connection is there any more: what is answered from now on is for the agent that comes back. */
  forget(): void {
    this.#calls.clear();
    this.#left.clear();
  }

  #attempt(what: string, act: () => void): void {
    try {
      act();
    } catch (error) {
      this.#parts.failed(what, error);
    }
  }
}

function isOfSession({ agent, session }: Subject, agent_id: string, ended: string): boolean {
  return agent?.agent_id === agent_id && session === ended;
}

const BY_AGENT = { reason: "withdrawn by the agent", explain: { rule: "approval.withdrawn" } } as const;
