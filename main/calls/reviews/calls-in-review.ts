import type { Decided, Deliver, PendingCall, UnsentDecision } from "../../../ipc/contract/agent-port.ts";
import type { Decision } from "../../../ipc/contract/decision.ts";
import { GateError } from "../../../ipc/contract/gate-error.ts";
import { isoSeconds } from "../../../ipc/contract/iso-seconds.ts";
import type { RunningReview } from "../../../ipc/contract/judges.ts";
import type { WithdrawalRule } from "../../../ipc/contract/rules.ts";
import { type Denial, type Reviewable, type Reviewer, TOO_MANY_AT_ONCE } from "../../decide/stages/examination.ts";
import { quotaCharacters, WaitingQuota } from "../approvals/waiting-quota.ts";
import { type Reviews, reviewCall } from "./review-call.ts";

/** The calls that judges look at. Each leaves once: with what the judges found, or because something withdrew it. */

/** One piece of work in each turn of the event loop, in their order: however many come at once, agents are served between two of them. */
class OwnTurns {
  readonly #waiting: (() => void)[] = [];

  /** Resolves in a later turn, in which nothing else of this resolves. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      if (this.#waiting.length === 1) this.#schedule();
    });
  }

  #schedule(): void {
    setImmediate(() => {
      this.#waiting.shift()?.();
      if (this.#waiting.length > 0) this.#schedule();
    });
  }
}

/** More calls than this of one agent aren't judged at once: the next one is denied. */
export const MAX_REVIEWS_PER_AGENT = 100;
/** And they are no longer than this, all together, in characters of JSON. */
export const MAX_REVIEWED_CHARACTERS = 8 * 1024 * 1024;
/** Within this time whatever a judge does for a withdrawn call has ended. Milliseconds. */
const ENDED_MS = 5000;

/** A call as its judges get it. */
export interface JudgedCall {
  x: Reviewable;
  decision_id: string;
  /** How long the stages took, in milliseconds. */
  examined_ms: number;
  deliver: Deliver;
}

export interface CallsInReviewParts {
  /** Milliseconds, Unix time. */
  now(): number;
  /** What a call is about, in a line. */
  summary(x: Reviewable): string;
  /** Decides on a call that its judges have looked at. */
  reviewed(call: JudgedCall, reviews: Reviews): Decided;
  /** The denial of one, where deciding on it failed. */
  undecided(call: JudgedCall): Decided;
  /** Records the end of a call that nobody judges any more. */
  withdrawn(call: JudgedCall, why: Withdrawn): UnsentDecision;
  /** What is being judged has changed. */
  changed(): void;
  /** Something unexpected, to log. */
  failed(what: string, error: unknown): void;
}

export type Withdrawn = Pick<Decision, "reason" | "explain">;

interface CallInReview extends JudgedCall {
  abort: AbortController;
  /** In Unix milliseconds. */
  since: number;
  /** Who looks at it now. */
  reviewer: Reviewer | undefined;
  /** Takes it off its agent's quota, once. */
  release(): void;
}

export class CallsInReview {
  readonly #parts: CallsInReviewParts;
  readonly #calls = new Set<CallInReview>();
  readonly #quota = new WaitingQuota();
  readonly #stopped = new AbortController();
  readonly #turns = new OwnTurns();

  constructor(parts: CallsInReviewParts) {
    this.#parts = parts;
  }

  /** Why this call can't be judged beside those that are; null if it can. */
  refusal({ call, subject }: Reviewable): Denial | null {
    const held = this.#quota.of(subject.agent?.agent_id ?? "");
    const has_too_many = held.calls >= MAX_REVIEWS_PER_AGENT;
    if (!has_too_many && held.characters + quotaCharacters(call) <= MAX_REVIEWED_CHARACTERS) return null;
    return {
      stage: "judge",
      reason: has_too_many
        ? `${MAX_REVIEWS_PER_AGENT} calls of this agent are being judged already`
        : "the calls of this agent that are being judged are too long to take another",
      explain: TOO_MANY_AT_ONCE,
    };
  }

  /** Has these judges look at a call. What is returned withdraws it; else its `deliver` is called once. */
  begin(judged: JudgedCall, reviewers: readonly Reviewer[]): PendingCall {
    const { subject, call } = judged.x;
    const reviewed: CallInReview = {
      ...judged,
      abort: new AbortController(),
      since: this.#parts.now(),
      reviewer: undefined,
      release: this.#quota.add(subject.agent?.agent_id ?? "", quotaCharacters(call)),
    };
    this.#calls.add(reviewed);
    void this.#review(reviewed, reviewers);
    return {
      token: null,
      cancel: () =>
        this.#withdraw(reviewed, { reason: "withdrawn by the agent", explain: { rule: "approval.withdrawn" } }),
      disconnect: (reason) => {
        this.#withdraw(reviewed, withdrawn(reason, "approval.withdrawn-disconnect"));
      },
    };
  }

  async #review(call: CallInReview, reviewers: readonly Reviewer[]): Promise<void> {
    // Once this turn's answers are sent: what a judge does at once makes no other call wait, nor do a hundred of them.
    await this.#turns.next();
    let reviews: Reviews | undefined;
    try {
      reviews = await reviewCall(call.x, reviewers, call.abort.signal, {
        begins: (reviewer) => {
          call.reviewer = reviewer;
          this.#parts.changed();
        },
        failed: (what, error) => this.#parts.failed(what, error),
      });
    } catch (error) {
      // Of one that was withdrawn, its agent knows.
      if (!call.abort.signal.aborted) this.#parts.failed("a review", error);
    }
    call.release();
    this.#attempt("ending a review", () => {
      if (this.#take(call)) this.#answer(call, reviews);
    });
  }

  /** A call that was judged has to get an answer, whatever happens. */
  #answer(call: CallInReview, reviews: Reviews | undefined): void {
    const { decision, pending } = this.#decided(call, reviews);
    if (decision !== undefined) this.#attempt("answering a judged call", () => call.deliver(decision, pending));
  }

  #decided(call: CallInReview, reviews: Reviews | undefined): Decided {
    if (reviews === undefined) return this.#parts.undecided(call);
    try {
      return this.#parts.reviewed(call, reviews);
    } catch (error) {
      this.#parts.failed("deciding on a judged call", error);
      return this.#parts.undecided(call);
    }
  }

  /** Ends the reviews of one agent's calls, of one session's, or of all: each is denied at once, whatever its judges still do. */
  withdraw(reason: string, rule: WithdrawalRule, agent_id?: string, session?: string): void {
    for (const call of [...this.#calls]) {
      const { subject } = call.x;
      if (agent_id !== undefined && subject.agent?.agent_id !== agent_id) continue;
      if (session !== undefined && subject.session !== session) continue;
      this.#attempt("withdrawing a call that is being judged", () => {
        const decision = this.#withdraw(call, withdrawn(reason, rule));
        if (decision !== null) call.deliver(decision);
      });
    }
  }

  /** Nobody judges anything from now on: the gate stops. */
  stop(): void {
    this.withdraw("the gate is stopping; send the call again once it runs", "approval.withdrawn");
    this.#stopped.abort(new GateError("not_available", "the gate is stopping"));
  }

  /** Aborted by `stop`. */
  get stopped(): AbortSignal {
    return this.#stopped.signal;
  }

  /** The decision; null where it has one already. */
  #withdraw(call: CallInReview, why: Withdrawn): UnsentDecision | null {
    if (!this.#take(call)) return null;
    call.abort.abort(new Error(why.reason));
    // Until its judges have ended it counts as one: who withdraws and sends again has no more work done at once.
    setTimeout(call.release, ENDED_MS).unref();
    return this.#parts.withdrawn(call, why);
  }

  /** True once for each call: whoever gets it decides on it. */
  #take(call: CallInReview): boolean {
    if (!this.#calls.delete(call)) return false;
    this.#parts.changed();
    return true;
  }

  /** What is being judged now, the longest first. */
  running(): RunningReview[] {
    return [...this.#calls].flatMap((call) => {
      const { x, decision_id, since, reviewer } = call;
      if (reviewer === undefined) return [];
      return {
        id: decision_id,
        agent_name: x.subject.agent?.name ?? "none",
        executor: x.call.executor,
        summary: this.#parts.summary(x),
        stage: reviewer.stage,
        name: reviewer.name,
        since: isoSeconds(since),
      };
    });
  }

  #attempt(what: string, act: () => void): void {
    try {
      act();
    } catch (error) {
      this.#parts.failed(what, error);
    }
  }
}

function withdrawn(reason: string, rule: WithdrawalRule): Withdrawn {
  return { reason: `withdrawn: ${reason}`, explain: { rule } };
}
