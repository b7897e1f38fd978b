import type { Decided, PendingCall } from "../../ipc/contract/agent-port.ts";
import { GateError } from "../../ipc/contract/gate-error.ts";
import { isoSeconds } from "../../ipc/contract/iso-seconds.ts";
import type { RunningReview } from "../../ipc/contract/judges.ts";
import type { WithdrawalRule } from "../../ipc/contract/rules.ts";
import { attempt } from "../base/errors.ts";
import { type Denial, type Reviewable, type Reviewer, TOO_MANY_AT_ONCE } from "../decide/stages/examination.ts";
import type { BrokerSettings } from "./approvals/broker.ts";
import type { Listener, ReviewEvent } from "./approvals/listener.ts";
import { summaryOf } from "./approvals/question.ts";
import { quotaCharacters, WaitingQuota } from "./approvals/waiting-quota.ts";
import { type Advance, BY_AGENT, type Call, deliver, type Why } from "./life.ts";
import { type Reviews, reviewCall } from "./reviews/review-call.ts";

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

export interface CallsInReviewParts extends Listener<ReviewEvent> {
  settings: Pick<BrokerSettings, "home" | "language" | "clock">;
  advance: Advance;
}

interface CallInReview {
  call: Call;
  x: Reviewable;
  decision_id: string;
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
    const hasTooMany = held.calls >= MAX_REVIEWS_PER_AGENT;
    if (!hasTooMany && held.characters + quotaCharacters(call) <= MAX_REVIEWED_CHARACTERS) return null;
    return {
      stage: "judge",
      reason: hasTooMany
        ? `${MAX_REVIEWS_PER_AGENT} calls of this agent are being judged already`
        : "the calls of this agent that are being judged are too long to take another",
      explain: TOO_MANY_AT_ONCE,
    };
  }

  /** Has these judges look at a call. What is returned withdraws it; else its `deliver` is called once. */
  begin(call: Call, x: Reviewable, decisionId: string, reviewers: readonly Reviewer[]): PendingCall {
    const reviewed: CallInReview = {
      call,
      x,
      decision_id: decisionId,
      abort: new AbortController(),
      since: this.#parts.settings.clock.now(),
      reviewer: undefined,
      release: this.#quota.add(x.subject.agent?.agent_id ?? "", quotaCharacters(x.call)),
    };
    this.#calls.add(reviewed);
    void this.#review(reviewed, reviewers);
    return {
      token: null,
      cancel: () => this.#withdraw(reviewed, BY_AGENT).decision ?? null,
      disconnect: (reason) => {
        this.#withdraw(reviewed, withdrawn(reason, "approval.withdrawn-disconnect"));
      },
    };
  }

  async #review(reviewed: CallInReview, reviewers: readonly Reviewer[]): Promise<void> {
    // Once this turn's answers are sent: what a judge does at once makes no other call wait, nor do a hundred of them.
    await this.#turns.next();
    let reviews: Reviews | undefined;
    try {
      reviews = await reviewCall(reviewed.x, reviewers, reviewed.abort.signal, {
        ...this.#parts,
        begins: (reviewer) => {
          reviewed.reviewer = reviewer;
          this.#parts.happened({ type: "reviewsChanged" });
        },
      });
    } catch (error) {
      // Of one that was withdrawn, its agent knows.
      if (!reviewed.abort.signal.aborted) this.#parts.failed("a review", error);
    }
    reviewed.release();
    attempt(this.#parts, "ending a review", () => {
      if (this.#take(reviewed)) this.#answer(reviewed.call, reviews);
    });
  }

  /** A call that was judged has to get an answer, whatever happens. */
  #answer(call: Call, reviews: Reviews | undefined): void {
    const decided = this.#decided(call, reviews);
    attempt(this.#parts, "answering a judged call", () => deliver(call, decided));
  }

  #decided(call: Call, reviews: Reviews | undefined): Decided {
    if (reviews === undefined) return this.#parts.advance(call, { type: "failed" });
    call.began = performance.now() - call.examinedMs;
    try {
      return this.#parts.advance(call, { type: "reviewed", reviews });
    } catch (error) {
      this.#parts.failed("deciding on a judged call", error);
      return this.#parts.advance(call, { type: "failed" });
    }
  }

  /** Ends the reviews of one agent's calls, of one session's, or of all: each is denied at once, whatever its judges still do. */
  withdraw(reason: string, rule: WithdrawalRule, agentId?: string, session?: string): void {
    for (const reviewed of [...this.#calls]) {
      const { subject } = reviewed.x;
      if (agentId !== undefined && subject.agent?.agent_id !== agentId) continue;
      if (session !== undefined && subject.session !== session) continue;
      attempt(this.#parts, "withdrawing a call that is being judged", () => {
        deliver(reviewed.call, this.#withdraw(reviewed, withdrawn(reason, rule)));
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

  /** Without a decision where it has one already. */
  #withdraw(reviewed: CallInReview, why: Why): Decided {
    if (!this.#take(reviewed)) return {};
    reviewed.abort.abort(new Error(why.reason));
    // Until its judges have ended it counts as one: who withdraws and sends again has no more work done at once.
    setTimeout(reviewed.release, ENDED_MS).unref();
    return this.#parts.advance(reviewed.call, { type: "withdrawn", why });
  }

  /** True once for each call: whoever gets it decides on it. */
  #take(reviewed: CallInReview): boolean {
    if (!this.#calls.delete(reviewed)) return false;
    this.#parts.happened({ type: "reviewsChanged" });
    return true;
  }

  /** What is being judged now, the longest first. */
  running(): RunningReview[] {
    return [...this.#calls].flatMap(({ x, decision_id, since, reviewer }) => {
      if (reviewer === undefined) return [];
      return {
        id: decision_id,
        agent_name: x.subject.agent?.name ?? "none",
        executor: x.call.executor,
        summary: summaryOf(x, this.#parts.settings),
        stage: reviewer.stage,
        name: reviewer.name,
        since: isoSeconds(since),
      };
    });
  }
}

function withdrawn(reason: string, rule: WithdrawalRule): Why {
  return { reason: `withdrawn: ${reason}`, explain: { rule } };
}
