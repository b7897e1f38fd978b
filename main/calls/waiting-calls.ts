import { randomUUID } from "node:crypto";
import { workingDirectoryOf } from "@metnos-gate/shell-reading/programs";
import { visible } from "../../ipc/base/visible-text.ts";
import type { Decided, PendingCall } from "../../ipc/contract/agent-port.ts";
import type { Decision, Level, Verdict } from "../../ipc/contract/decision.ts";
import type { ApprovalView, Principal } from "../../ipc/contract/operator-api.ts";
import type { Rule, WithdrawalRule } from "../../ipc/contract/rules.ts";
import { SlicedWork } from "../base/clocks/sliced-work.ts";
import { attempt } from "../base/errors.ts";
import { projectAsked } from "../decide/confinement/declaration.ts";
import { describe } from "../decide/description/describe.ts";
import { reversibilityOf } from "../decide/description/effect.ts";
import { withoutValues } from "../decide/guard/without-values.ts";
import { type PolicyTable, policyFor } from "../decide/policy/policy.ts";
import { type Examined, kindOf, PLAN_MODE, type Reviewable } from "../decide/stages/examination.ts";
import type { ResolvedRequirement } from "../targets/target.ts";
import { requestedTool } from "./approvals/asked-tool.ts";
import type { ApprovalBroker, BrokerSettings } from "./approvals/broker.ts";
import { askedPathsOf, choicesFor, choicesForBox, choicesKnowing, realsOfChoices } from "./approvals/choices.ts";
import { endedRequestOf } from "./approvals/ended-request.ts";
import { questionFor } from "./approvals/question.ts";
import type { ApprovalRegistry } from "./approvals/registry.ts";
import type { NewRequest, RequestExtra, StoredRequest } from "./approvals/stored-request.ts";
import { keysOf, quotaCharacters, WaitingQuota } from "./approvals/waiting-quota.ts";
import { PROPOSED_FROM, widerAnswer } from "./approvals/wider-answer.ts";
import type { Withdrawal } from "./approvals/withdrawals.ts";
import type { CallsInReview } from "./calls-in-review.ts";
import {
  type Advance,
  BY_AGENT,
  type Call,
  type CallEvent,
  deliver,
  RevisableDecision,
  withdrawnDecision,
} from "./life.ts";

export interface WaitingCallsParts {
  broker: ApprovalBroker;
  /** Those that judges look at, before anybody is asked about them. */
  reviews: CallsInReview;
  settings: Pick<BrokerSettings, "home" | "ttl_seconds">;
  advance: Advance;
  /** Examines a call again, later: its command lines are read already. */
  examineAgain(before: Reviewable): Examined;
  /** What can be taken back after a call: see `BeforeCalls`. */
  keeps(x: Reviewable): ((path: string) => boolean) | undefined;
  /** Something unexpected, to log. */
  failed(what: string, error: unknown): void;
}

interface WaitingCall {
  call: Call;
  x: Reviewable;
  /** Takes it off its agent's quota, once. */
  release(): void;
}

/** After a grant, a refusal or a change of the policy: what that answers of all that waits needs no answer of its own. */
class CoveredCalls {
  /** By the request that calls share. */
  readonly #waiting: ReadonlyMap<string, ReadonlySet<{ x: Reviewable }>>;
  readonly #parts: WaitingCallsParts;
  /** The requests whose calls may be covered by now, and by whose grant. */
  readonly #toExamine = new Map<string, Principal>();
  readonly #examining = new SlicedWork((endsAt) => this.#examineSome(endsAt));

  constructor(waiting: ReadonlyMap<string, ReadonlySet<{ x: Reviewable }>>, parts: WaitingCallsParts) {
    this.#waiting = waiting;
    this.#parts = parts;
  }

  /** Examines what waits again, in pieces. */
  end(by: Principal): void {
    for (const token of this.#waiting.keys()) this.#toExamine.set(token, by);
    this.#examining.go();
  }

  #examineSome(endsAt: number): boolean {
    for (const [token, by] of this.#toExamine) {
      if (performance.now() >= endsAt) break;
      this.#toExamine.delete(token);
      try {
        const answer = this.#answerCovering(token);
        if (answer !== undefined) this.#parts.broker.answerCovered(token, answer, by);
      } catch (error) {
        this.#parts.failed("examining a waiting call again", error);
      }
    }
    return this.#toExamine.size > 0;
  }

  /**
   * What the user's grants or refusals answer for all that share a request. They differ in their sessions at the most: a grant for one
   * session covers no other's, and neither does a refusal.
   */
  #answerCovering(token: string): "approved" | "rejected" | undefined {
    const ofEachSession = new Map([...(this.#waiting.get(token) ?? [])].map(({ x }) => [x.subject.session, x]));
    const answers = new Set([...ofEachSession.values()].map((before) => this.#answerNow(before)));
    const [answer] = answers;
    return answers.size === 1 ? answer : undefined;
  }

  #answerNow(before: Reviewable): "approved" | "rejected" | undefined {
    const { x, denial } = this.#parts.examineAgain(before);
    if (denial === null) return x.outcome === "allowed" ? "approved" : undefined;
    return BY_REFUSAL.has(denial.explain.rule) ? "rejected" : undefined;
  }
}

/** Denials that are the user's own word on calls like this one. */
const BY_REFUSAL: ReadonlySet<Rule> = new Set<Rule>([
  "approval.refused-for-session",
  "rate.same-call-stopped",
  "policy.override-denies",
]);

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
  readonly #left = new Map<string, Call>();
  readonly #covered: CoveredCalls;

  constructor(parts: WaitingCallsParts) {
    this.#parts = parts;
    this.#broker = parts.broker;
    this.reviews = parts.reviews;
    this.#covered = new CoveredCalls(this.#calls, parts);
  }

  /**
   * Asks the operator about a call, if its agent may have another one wait, and nobody has answered it while the agent was away.
   * `asked` says that it is asked about. @throws SQLite's error: nothing that was asked in this turn is stored then
   */
  ask(call: Call, x: Reviewable, asked: Decision): Decided {
    const { subject } = x;
    const { agent } = subject;
    if (agent === null) throw new Error("only a paired agent can ask");
    const { call_hash, share_key } = keysOf(x);
    return this.#stored(() => {
      const answered = this.#broker.takeAnswer(share_key, subject.session ?? "");
      if (answered !== undefined) return this.#answeredBefore(call, answered);
      const characters = quotaCharacters(x.call);
      const refusal = this.#quota.refusal(agent.agent_id, characters, this.#broker);
      if (refusal !== undefined) return this.#parts.advance(call, { type: "cannotWait", refusal });
      const settings = { home: this.#parts.settings.home, language: this.#broker.language };
      const kept = { ...x, keeps: this.#parts.keeps(x) };
      const question = newRequest(kept, agent, asked, settings, this.#broker.registry);
      const words = x.settings.words?.of(x.call, subject) ?? null;
      const request = this.#broker.ask({ ...question, call_hash, share_key }, { words, lines: x.lines });
      const { card } = this.#broker.view(request);
      const release = this.#quota.add(agent.agent_id, characters);
      return this.#wait(request, card, asked, { call, x, release });
    });
  }

  /**
   * Decides on a call that was judged and asked about by an earlier gate, and answered while its agent was away; undefined for any
   * other. @throws SQLite's error
   */
  answeredBefore(call: Call, x: Reviewable): Decided | undefined {
    if (!this.#broker.expectsReturn) return undefined;
    return this.#stored(() => {
      const answered = this.#broker.takeAnswer(keysOf(x).share_key, x.subject.session ?? "");
      return answered === undefined ? undefined : this.#answeredBefore(call, answered);
    });
  }

  /** Nothing of this turn can be stored where that fails: each of its asks is a denial, this one an error. */
  #stored<T>(act: () => T): T {
    try {
      this.#broker.begin();
      return act();
    } catch (error) {
      this.#broker.abandon(error);
      throw error;
    }
  }

  #answeredBefore(call: Call, request: StoredRequest): Decided {
    const decided = this.#parts.advance(call, this.#ended(request));
    this.#broker.onUnstored(() => this.#parts.advance(call, { type: "unstored" }));
    return decided;
  }

  #ended(request: StoredRequest): CallEvent {
    return { type: "ended", request, ttl_seconds: this.#parts.settings.ttl_seconds };
  }

  #wait(
    { token, expires_at }: StoredRequest,
    card: ApprovalView["card"],
    asked: Decision,
    waiting: WaitingCall,
  ): Decided {
    const { call } = waiting;
    const calls = this.#calls.get(token) ?? new Set();
    this.#calls.set(token, calls);
    calls.add(waiting);
    this.#broker.onUnstored(() => {
      this.#leave(token, waiting);
      this.#parts.advance(call, { type: "unstored" });
    });
    const decided = this.#parts.advance(call, { type: "waits", pending: { token, expires_at, card } });
    return { ...decided, pending: this.#pendingCall(token, waiting, asked) };
  }

  #pendingCall(token: string, waiting: WaitingCall, asked: Decision): PendingCall {
    const { call, subject } = waiting.x;
    return {
      token,
      cancel: (reason) => {
        if (this.#leaveShown(token, waiting, "approval.withdrawn"))
          this.#broker.cancel(token, withoutValues(reason, call.args));
        return new RevisableDecision(withdrawnDecision(asked, BY_AGENT));
      },
      disconnect: (reason) => {
        const agentId = subject.agent?.agent_id ?? "";
        const rule = "approval.withdrawn-disconnect";
        if (this.#leaveShown(token, waiting, rule)) this.#broker.withdraw([{ token, reason, rule, agent_id: agentId }]);
      },
    };
  }

  /** `#leave`, and each surface is informed: of the last one once its request has ended. */
  #leaveShown(token: string, waiting: WaitingCall, rule: WithdrawalRule): boolean {
    const isWaiting = this.#calls.get(token)?.has(waiting) === true;
    const isLast = this.#leave(token, waiting);
    if (isLast) this.#left.set(token, waiting.call);
    const why = { ...BY_AGENT, explain: { rule } };
    if (isWaiting) this.#parts.advance(waiting.call, { type: "left", why, isLast });
    return isLast;
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
  end(request: StoredRequest): void {
    const { token, status } = request;
    const left = this.#left.get(token);
    this.#left.delete(token);
    if (left !== undefined) this.#parts.advance(left, this.#ended(request));
    const calls = this.#calls.get(token);
    if (calls === undefined) return;
    this.#calls.delete(token);
    if (status === "approved" || status === "rejected") {
      attempt(this.#parts, "noting an answer as delivered", () => this.#broker.registry.markDelivered(token));
    }
    for (const { call, release } of calls) {
      release();
      attempt(this.#parts, "answering a call that waited", () => deliver(call, this.#finalOrDenial(call, request)));
    }
  }

  /** A call that waits has to get an answer, whatever happens. */
  #finalOrDenial(call: Call, request: StoredRequest): Decided {
    try {
      return this.#parts.advance(call, this.#ended(request));
    } catch (error) {
      this.#parts.failed("examining an answered call again", error);
      return this.#parts.advance(call, { type: "failed", status: request.status });
    }
  }

  /** Examines what waits again after a grant or a refusal, in pieces: what that covers needs no answer of its own. */
  endCovered(by: Principal): void {
    this.#covered.end(by);
  }

  /** Withdraws what waits of an agent, which is no more than its quota: it is written before the call returns. */
  withdrawAgent(agentId: string, reason: string, rule: WithdrawalRule): void {
    this.reviews.withdraw(reason, rule, agentId);
    this.#withdraw(reason, rule, agentId);
    this.#broker.completeWithdrawals();
  }

  /** Withdraws what waits of one session of an agent: it is written before the call returns. What another session waits for, too, stays. */
  withdrawSession(agentId: string, session: string, reason: string): void {
    const rule = "approval.withdrawn-session";
    this.reviews.withdraw(reason, rule, agentId, session);
    this.#broker.commit();
    const alone = new Set(this.#waitingRequests(agentId, session).map(({ token }) => token));
    for (const [token, calls] of [...this.#calls]) {
      const ending = [...calls].filter(
        ({ x: { subject } }) => subject.agent?.agent_id === agentId && subject.session === session,
      );
      const other = [...calls].find((waiting) => !ending.includes(waiting));
      if (other === undefined) alone.add(token);
      else if (alone.delete(token) || ending.length > 0) this.#endShared(token, ending, other, reason);
    }
    this.#broker.withdraw([...alone].map((token) => ({ token, agent_id: agentId, reason, rule })));
    this.#broker.completeWithdrawals();
  }

  /** These calls get their denial; the request they shared is from now on the other call's. */
  #endShared(token: string, ending: readonly WaitingCall[], other: WaitingCall, reason: string): void {
    const why = { reason: `withdrawn: ${reason}`, explain: { rule: "approval.withdrawn-session" } } as const;
    for (const waiting of ending) {
      this.#leave(token, waiting);
      const { call } = waiting;
      attempt(this.#parts, "answering a call that waited", () =>
        deliver(call, this.#parts.advance(call, { type: "withdrawn", why })),
      );
    }
    // A grant for the session is one for a session that is there.
    attempt(this.#parts, "moving a request to its other session", () =>
      this.#broker.registry.moveTo(token, other.x.subject.session ?? ""),
    );
  }

  /** Withdraws all that waits, for a pause. No request can be answered from now on; thousands end in pieces. */
  withdrawAll(reason: string): void {
    this.reviews.withdraw(reason, "approval.withdrawn-pause");
    this.#withdraw(reason, "approval.withdrawn-pause");
  }

  #withdraw(reason: string, rule: WithdrawalRule, agentId?: string, session?: string): void {
    this.#broker.commit();
    this.#broker.withdraw(this.#waitingRequests(agentId, session).map((request) => ({ ...request, reason, rule })));
  }

  /** Where the database can't be read, those that connections wait for: what withdraws them (a pause, a revocation) continues. */
  #waitingRequests(agentId?: string, session?: string): { token: string; agent_id: string }[] {
    try {
      return this.#broker.registry.waitingTokens(agentId, session);
    } catch (error) {
      this.#parts.failed("reading what waits", error);
      return [...this.#calls]
        .map(([token, [waiting]]) => ({ token, subject: waiting?.x.subject }))
        .filter(({ subject }) => session === undefined || subject?.session === session)
        .map(({ token, subject }) => ({ token, agent_id: subject?.agent?.agent_id ?? "" }))
        .filter((request) => agentId === undefined || request.agent_id === agentId);
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
  withdrawLeft(agentId: string, token: string, reason: string): Decision | undefined {
    const request = this.#broker.registry.getPending(token);
    if (request === undefined || request.agent_id !== agentId || this.#calls.has(token)) return undefined;
    const ended = this.#broker.cancel(token, withoutValues(reason, request.extra.args ?? {}));
    if (ended === undefined) return undefined;
    return {
      decision_id: randomUUID(),
      outcome: "denied",
      stage: "approval",
      status: "cancelled",
      ...BY_AGENT,
      verdict: null,
      capabilities: request.extra.capabilities,
    };
  }

  /** No connection is there any more: what is answered from now on is for the agent that comes back. */
  forget(): void {
    this.#calls.clear();
    this.#left.clear();
  }
}

/** A call as a user is asked about it. `registry`: what its agent was approved for before. */
export function newRequest(
  x: Reviewable & { keeps?: ((path: string) => boolean) | undefined },
  agent: { agent_id: string; name: string },
  decision: Decision,
  { home, language }: Pick<BrokerSettings, "home" | "language">,
  registry: Pick<ApprovalRegistry, "countApproved" | "lastApproved">,
): Omit<NewRequest, "ttl_seconds" | "call_hash" | "share_key"> {
  const { call, subject, executor, needs, verdict, confinement } = x;
  const project = projectAsked(confinement);
  const { links, ...question } = questionFor(call, executor, needs, { home, language, project });
  const { capability_class } = question;
  const times = registry.countApproved(capability_class, agent.agent_id);
  const last = () => registry.lastApproved(capability_class, agent.agent_id, PROPOSED_FROM);
  const description = describe({ ...x, needs: x.stated_needs });
  const { table } = policyFor(x.settings.overrides, subject);
  // Asked whether the same call may come again and again, it is allowed already: there is nothing to grant, and the call itself to stop.
  const asked = x.repeated === undefined ? needs.filter((need) => isAsked(table, subject.level, need)) : [];
  const settings = { home, cwd: workingDirectoryOf(call, home) };
  const usual =
    project === undefined || x.repeated !== undefined
      ? choicesFor(asked, settings)
      : choicesForBox(asked, settings, project);
  const choices = x.flow === undefined ? usual : choicesKnowing(asked, usual, x.flow);
  // What is refused of a confined call is its command line: the project is nothing that anybody would refuse for it.
  const refusable =
    project === undefined || x.repeated !== undefined
      ? asked
      : x.stated_needs.filter(({ capability }) => capability === "code:exec");
  return {
    ...subject.principal,
    ...question,
    agent_id: agent.agent_id,
    agent_name: agent.name,
    session: subject.session ?? "",
    extra: {
      executor: call.executor,
      decision_id: decision.decision_id,
      intent: call.intent,
      subagent: typeof call.context?.subagent === "string" ? visible(call.context.subagent.slice(0, 64)) : null,
      verb: executor.manifest.verb,
      cwd: call.context?.cwd ?? null,
      args: call.args,
      reversibility: reversibilityOf(description, executor),
      recurrence_count: times,
      proposal: widerAnswer(choices, times, last, home),
      capabilities: decision.capabilities,
      needed: [...new Set(decision.capabilities.map(({ capability }) => capability))],
      choices,
      asked: refusable.map(({ capability, target }) => ({ capability, target })),
      ...askedPathsOf(needs),
      choice_reals: realsOfChoices(choices, home),
      links,
      hints: asksToo(x) ? ["asks_too"] : undefined,
      client_pid: kindOf(subject) === "codex" ? call.context?.client_pid : undefined,
      repeated: x.repeated,
      ...(x.flow === undefined ? {} : { flow: x.flow }),
      ...(decision.price === undefined ? {} : { price: decision.price }),
      confined: project === undefined ? undefined : decision.confined,
      ...(executor.mcp === undefined ? {} : { mcp: requestedTool(x, table) }),
      description,
      judge: judgedAs(verdict),
      ...(decision.reviews === undefined ? {} : { reviews: decision.reviews }),
      kept: endedRequestOf(call, executor, needs, question, { home, project }),
    },
  };
}

/** Claude Code 2.1.330 asks itself about what it may run in plan mode, whatever its hook has allowed. 2.1.197 doesn't. */
function asksToo({ subject, call }: Reviewable): boolean {
  return kindOf(subject) === "claude-code" && call.context?.mode === PLAN_MODE;
}

function judgedAs({ score, reason, notes = [], degraded }: Verdict): RequestExtra["judge"] {
  return { score, reason, notes, ...(degraded === undefined ? {} : { degraded }) };
}

/** Of a call's needs, those that are asked about: only these can be granted, and one that no grant covers leaves only "once". */
function isAsked(table: PolicyTable, level: Level, { capability, ask_each_time }: ResolvedRequirement): boolean {
  return ask_each_time !== undefined || table[level][capability] === "approval_required";
}
