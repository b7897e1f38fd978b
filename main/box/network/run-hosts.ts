import type { Decision } from "../../../ipc/contract/decision.ts";
import type { Destination } from "./destination.ts";
import { ALLOWED, type HostAccess, type HostAnswer, refused } from "./host-access.ts";
import type { HostGate, PendingHost } from "./host-gate.ts";
import type { NetworkLimits } from "./limits.ts";

/** What is known of one host within a run. */
interface HostState {
  to: Destination;
  question?: Question;
  /** The user has allowed it once: for as long as the run lasts. */
  isApproved?: true;
  /** Why it was denied: nobody is asked again within the run. */
  denied?: string;
  /** It counts as denied until then, without another look. */
  deniedUntil?: number;
  /** The command's terminal has said that it waits. */
  isTold?: true;
  /** It was allowed, and counts as allowed until then (`performance.now()`). */
  allowedUntil?: number;
}

interface Question {
  pending: PendingHost;
  joined: Set<(answer: HostAnswer) => void>;
  /** Runs while no connection waits for it. */
  retry?: NodeJS.Timeout;
  telling?: NodeJS.Timeout;
}

/** The hosts that one run asks for: one question for each at a time, and each answer remembered for the run as far as it reaches. */
export class RunHosts implements HostAccess {
  readonly asks = true;
  readonly #gate: Pick<HostGate, "decide" | "isCovered" | "isGranted">;
  readonly #limits: NetworkLimits;
  readonly #failed: (what: string, error: unknown) => void;
  readonly #tell: (host: string) => void;
  readonly #hosts = new Map<string, HostState>();
  #isClosed = false;

  /** @param tell a host waits for the user: called once for each */
  constructor(
    gate: Pick<HostGate, "decide" | "isCovered" | "isGranted">,
    limits: NetworkLimits,
    failed: (what: string, error: unknown) => void,
    tell: (host: string) => void,
  ) {
    this.#gate = gate;
    this.#limits = limits;
    this.#failed = failed;
    this.#tell = tell;
  }

  /** Whether the run may reach it. While the user is asked, the answer waits; `gone` says that nobody waits for it any more. */
  ask(to: Destination, gone: AbortSignal): Promise<HostAnswer> {
    if (this.#isClosed) return Promise.resolve(refused("the command has ended"));
    const state = this.#stateOf(to);
    if (state === undefined) return Promise.resolve(refused("this command has asked for too many hosts"));
    if (state.question !== undefined) return this.#join(state, state.question, gone);
    const known = this.#knownOf(state);
    if (known !== undefined) return Promise.resolve(known);
    try {
      return this.#decide(state, gone);
    } catch (error) {
      this.#failed("deciding on a host", error);
      return Promise.resolve(refused("the gate can't decide now"));
    }
  }

  /** Whether an open connection may stay, once something has changed that decisions rest on. */
  mayStay({ host }: Destination): boolean {
    const state = this.#hosts.get(host);
    return state !== undefined && (state.isApproved === true || this.#gate.isCovered(state.to));
  }

  /** Decisions may be others from now on: grants or refusals have changed. */
  forgetAllowed(): void {
    for (const state of this.#hosts.values()) {
      delete state.allowedUntil;
      delete state.deniedUntil;
    }
  }

  /** What the user has allowed once isn't allowed any more: the agent is paused, or another one than it was. */
  forgetApproved(): void {
    this.forgetAllowed();
    for (const state of this.#hosts.values()) delete state.isApproved;
  }

  /** The run has ended: its questions are withdrawn. */
  close(): void {
    this.#isClosed = true;
    for (const state of this.#hosts.values()) this.#withdraw(state, "the command has ended");
  }

  #stateOf(to: Destination): HostState | undefined {
    const known = this.#hosts.get(to.host);
    if (known !== undefined || this.#hosts.size >= this.#limits.hosts) return known;
    const state: HostState = { to };
    this.#hosts.set(to.host, state);
    return state;
  }

  #knownOf(state: HostState): HostAnswer | undefined {
    const { to, denied } = state;
    if (state.isApproved === true || performance.now() < (state.allowedUntil ?? 0)) return ALLOWED;
    if (to.address !== undefined && !this.#gate.isGranted(to))
      return refused("an address instead of a name is refused without a grant on it");
    if (denied !== undefined && this.#isStillDenied(state)) return refused(denied);
    if ([...this.#hosts.values()].filter(({ question }) => question !== undefined).length >= this.#limits.waiting)
      return refused("this command waits for the answers on too many hosts");
    return undefined;
  }

  /** The user may have granted it after all; a program that connects in a loop doesn't have that looked up each time. */
  #isStillDenied(state: HostState): boolean {
    if (performance.now() < (state.deniedUntil ?? 0)) return true;
    if (this.#gate.isCovered(state.to)) return false;
    state.deniedUntil = performance.now() + this.#limits.allowedMs;
    return true;
  }

  #decide(state: HostState, gone: AbortSignal): Promise<HostAnswer> {
    const decided = this.#gate.decide(state.to, (final) => this.#answered(state, final));
    if ("decision" in decided) return Promise.resolve(this.#noted(state, decided.decision));
    const question: Question = { pending: decided.pending, joined: new Set() };
    state.question = question;
    if (state.isTold !== true) this.#tellLater(state, question);
    return this.#join(state, question, gone);
  }

  #tellLater(state: HostState, question: Question): void {
    question.telling = setTimeout(() => {
      if (!question.pending.isAsked()) return this.#tellLater(state, question);
      state.isTold = true;
      this.#tell(state.to.host);
    }, this.#limits.tellMs);
    question.telling.unref();
  }

  #join(state: HostState, question: Question, gone: AbortSignal): Promise<HostAnswer> {
    clearTimeout(question.retry);
    return new Promise((resolve) => {
      const answer = (final: HostAnswer) => {
        gone.removeEventListener("abort", leave);
        resolve(final);
      };
      const leave = () => {
        question.joined.delete(answer);
        answer(refused("the connection was closed"));
        if (question.joined.size > 0 || state.question !== question) return;
        question.retry = setTimeout(() => this.#withdraw(state, "the command gave up waiting"), this.#limits.retryMs);
        question.retry.unref();
      };
      question.joined.add(answer);
      gone.addEventListener("abort", leave);
      if (gone.aborted) leave();
    });
  }

  #answered(state: HostState, final: Decision): void {
    const answer = this.#noted(state, final);
    const { question } = state;
    delete state.question;
    clearTimeout(question?.retry);
    clearTimeout(question?.telling);
    for (const join of question?.joined ?? []) join(answer);
  }

  #noted(state: HostState, { outcome, reason, explain, status, stage }: Decision): HostAnswer {
    if (outcome === "allowed") {
      delete state.denied;
      if (explain.rule === "approval.approved-once") state.isApproved = true;
      else state.allowedUntil = performance.now() + this.#limits.allowedMs;
      return ALLOWED;
    }
    // A pause ends, and what it withdrew wasn't answered.
    if (stage !== "safety" && status !== "cancelled") state.denied = reason;
    return refused(reason);
  }

  #withdraw(state: HostState, reason: string): void {
    const { question } = state;
    if (question === undefined) return;
    delete state.question;
    clearTimeout(question.retry);
    clearTimeout(question.telling);
    question.pending.disconnect(reason);
    for (const join of question.joined) join(refused(reason));
  }
}
