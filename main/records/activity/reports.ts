import type { Reported } from "../../../ipc/contract/activity.ts";
import type { Decision } from "../../../ipc/contract/decision.ts";
import type { ProposedCall, RanCall } from "../../../ipc/contract/wire.ts";
import { callHash } from "../../decide/executors/canonical.ts";
import { COMMAND_ARGS } from "../../decide/executors/command-lines.ts";
import type { Subject } from "../../decide/stages/examination.ts";

/**
 * What agents say became of the calls that they were allowed: their own words, which decide nothing. In memory only, and of each agent
 * for itself: no agent can report on another's calls, or have them forgotten.
 */

/** An agent can report on so many of its last allowed calls. More than are shown of all agents. */
export const KEPT_OF_AGENT = 2048;
/** Those whose pairing has ended are among them: what they did is still looked at. */
const MAX_AGENTS = 256;
/** So many kinds of calls are known to be reported, for each agent: sessions times executors. */
const MAX_REPORTING = 256;

/** A call as it is named by its report: by the gate's decision, or by the agent's own id of the call. */
export type ReportedCall = { decision_id: string } | { call_id: string };

/** What an agent says of it. */
export interface Report {
  ok: boolean;
  /** How long the call took. */
  duration_ms?: number | undefined;
}

/** A report that counts. */
export interface Accepted {
  decision_id: string;
  executor: string;
  reported: Reported & { ms: number };
}

/** A call that ran other than it was allowed. `reported`: as it is shown from now on. */
export interface RanOther {
  decision_id: string;
  executor: string;
  reported: Reported;
}

interface AllowedCall {
  decision_id: string;
  executor: string;
  call_id: string | undefined;
  /** Of the call as it was allowed; undefined where what ran isn't compared with it. */
  call_hash: string | undefined;
  /** What else is known of it. */
  marks: Pick<Reported, "ran_other" | "tried_more" | "changed_later">;
  /** Its box holds less than its project: a program that tries more did something else than its line says. */
  isNarrow: boolean;
  session: string;
  /** By the monotonic clock. */
  at: number;
  reported: Accepted["reported"] | undefined;
}

type AllowedDecision = Pick<Decision, "decision_id" | "capabilities" | "confined">;

/**
 * Whether what ran has to be the very call that was allowed. Not of a tool that touches nothing: a client puts the user's answers into its
 * own question. A command line that touches nothing (`echo`) could become any other. Nor where it is to run confined: its command is replaced then, and the box itself says whether it ran there.
 */
function isCompared({ capabilities, confined }: AllowedDecision, args: ProposedCall["args"]): boolean {
  const isCommand = COMMAND_ARGS.some((name) => args[name] !== undefined);
  return (capabilities.length > 0 || isCommand) && confined === undefined;
}

/** The kind of a call: an agent that reports one of it could report all of it. */
const kindOf = ({ session, executor }: AllowedCall): string => `${session}\n${executor}`;

/** Marks it. Undefined where it was before. */
function marked(call: AllowedCall, mark: keyof AllowedCall["marks"]): RanOther | undefined {
  const { decision_id, executor, marks } = call;
  if (marks[mark]) return undefined;
  marks[mark] = true;
  if (call.reported !== undefined) call.reported = { ...call.reported, ...marks };
  return { decision_id, executor, reported: call.reported ?? { state: "unreported", ms: null, ...marks } };
}

class AgentCalls {
  /** A ring. */
  readonly #kept: AllowedCall[] = [];
  #oldest = 0;
  /** By decision, from when one was first looked for: of an agent that reports nothing, and that nobody looks at, none is. */
  #byDecision: Map<string, AllowedCall> | undefined;
  readonly #byCallId = new Map<string, AllowedCall>();
  readonly reporting = new Set<string>();
  refused = 0;
  refusedNotedAt = Number.NEGATIVE_INFINITY;
  /** Of the minute that began at `unaskedSince`, by the monotonic clock. */
  unasked = 0;
  unaskedSince = Number.NEGATIVE_INFINITY;
  unaskedBeyond = 0;

  /** Those that can be reported on, in no order. */
  get calls(): readonly AllowedCall[] {
    return this.#kept;
  }

  add(call: AllowedCall): void {
    const oldest = this.#kept[this.#oldest];
    if (oldest !== undefined) this.#forget(oldest);
    this.#kept[this.#oldest] = call;
    this.#oldest = (this.#oldest + 1) % KEPT_OF_AGENT;
    this.#byDecision?.set(call.decision_id, call);
    if (call.call_id !== undefined) this.#byCallId.set(call.call_id, call);
  }

  find(named: ReportedCall): AllowedCall | undefined {
    return "call_id" in named ? this.#byCallId.get(named.call_id) : this.decided(named.decision_id);
  }

  decided(decisionId: string): AllowedCall | undefined {
    this.#byDecision ??= new Map(this.#kept.map((call) => [call.decision_id, call]));
    return this.#byDecision.get(decisionId);
  }

  reports(kind: string): void {
    if (this.reporting.size >= MAX_REPORTING) this.reporting.clear();
    this.reporting.add(kind);
  }

  #forget(call: AllowedCall): void {
    if (this.#byDecision?.get(call.decision_id) === call) this.#byDecision.delete(call.decision_id);
    if (call.call_id !== undefined && this.#byCallId.get(call.call_id) === call) this.#byCallId.delete(call.call_id);
  }
}

/** So many calls of one agent that ran without asking have a line of their own in the trail, in `UNASKED_MS`; the others are counted. */
export const UNASKED_NOTED = 30;
export const UNASKED_MS = 60_000;

/** How often the reports of one agent that don't count are noted at the most, in milliseconds. */
export const REFUSED_NOTED_MS = 60_000;

export class Reports {
  readonly #steady: () => number;
  readonly #agents = new Map<string, AgentCalls>();

  /** `steady`: milliseconds of a monotonic clock. */
  constructor(steady: () => number) {
    this.#steady = steady;
  }

  /** A call was allowed, and its agent has the answer. */
  allowed(
    decision: AllowedDecision,
    { executor, args, context }: ProposedCall,
    { agent, session = "" }: Subject,
  ): void {
    if (agent === null) return;
    const callId = context?.call_id;
    this.#of(agent.agent_id).add({
      decision_id: decision.decision_id,
      executor,
      call_id: callId,
      call_hash: callId !== undefined && isCompared(decision, args) ? callHash(executor, args) : undefined,
      marks: {},
      isNarrow: decision.confined?.kind !== undefined,
      session,
      at: this.#steady(),
      reported: undefined,
    });
  }

  /**
   * What an agent says of a call. Undefined where it doesn't count: the call was none of this agent's, it wasn't allowed, it is too long
   * ago, or it was reported on before.
   */
  report(agentId: string, named: ReportedCall, { ok, duration_ms }: Report): Accepted | undefined {
    const calls = this.#of(agentId);
    const call = calls.find(named);
    if (call === undefined || call.reported !== undefined) {
      calls.refused++;
      return undefined;
    }
    call.reported = {
      state: ok ? "ok" : "failed",
      ms: Math.round(this.#steady() - call.at),
      ...(duration_ms === undefined ? {} : { duration_ms: Math.round(duration_ms) }),
      ...call.marks,
    };
    // By its own id of a call an agent may report only some: what a client's hook is called for.
    if ("decision_id" in named) calls.reports(kindOf(call));
    return { decision_id: call.decision_id, executor: call.executor, reported: call.reported };
  }

  /**
   * What an agent says that ran under its own id of a call. Undefined where that is what was allowed, where it isn't compared, and
   * where it was found before.
   */
  ran(agentId: string, callId: string, { executor, args }: RanCall): RanOther | undefined {
    const call = this.#agents.get(agentId)?.find({ call_id: callId });
    if (call?.call_hash === undefined || callHash(executor, args) === call.call_hash) return undefined;
    return marked(call, "ran_other");
  }

  /**
   * What an agent says of a call that its box kept from something. Undefined where its box isn't a narrow one, and where it was said before.
   * `inSession`: how many of its session's calls that is now.
   */
  triedMore(agentId: string, callId: string): (RanOther & { inSession: number }) | undefined {
    const calls = this.#agents.get(agentId);
    const call = calls?.find({ call_id: callId });
    const tried = call?.isNarrow === true ? marked(call, "tried_more") : undefined;
    if (calls === undefined || tried === undefined) return undefined;
    const others = calls.calls.filter(({ marks, session }) => marks.tried_more && session === call?.session);
    return { ...tried, inSession: others.length };
  }

  /** What the gate found of a call: it changed files that run later, which it doesn't name. Undefined where it was found before. */
  changedLater(agentId: string, decisionId: string): RanOther | undefined {
    const call = this.#agents.get(agentId)?.decided(decisionId);
    return call && marked(call, "changed_later");
  }

  /** Of the call that this agent was allowed under this id of its own; undefined where it was none. */
  decisionOf(agentId: string, callId: string): string | undefined {
    return this.#agents.get(agentId)?.find({ call_id: callId })?.decision_id;
  }

  /** An agent has run a call that it didn't ask about. @returns whether the call has a line of its own in the trail */
  ranUnasked(agentId: string): boolean {
    const calls = this.#of(agentId);
    const now = this.#steady();
    if (now - calls.unaskedSince >= UNASKED_MS) Object.assign(calls, { unasked: 0, unaskedSince: now });
    calls.unasked++;
    const isNoted = calls.unasked <= UNASKED_NOTED;
    if (!isNoted) calls.unaskedBeyond++;
    return isNoted;
  }

  /** How many calls that ran without asking have no line of their own, of each agent whose minute is over. */
  unaskedBeyond(): { agent_id: string; count: number }[] {
    const now = this.#steady();
    const due = [...this.#agents].filter(
      ([, { unaskedBeyond, unaskedSince }]) => unaskedBeyond > 0 && now - unaskedSince >= UNASKED_MS,
    );
    return due.map(([agentId, calls]) => {
      const count = calls.unaskedBeyond;
      calls.unaskedBeyond = 0;
      return { agent_id: agentId, count };
    });
  }

  /**
   * What was reported on a call. `unreported` only where its agent has reported on another call of this executor in this session,
   * by its decision: of an agent that doesn't report them all it would mean nothing. Undefined then, and of a call that isn't known.
   */
  of(decisionId: string): Reported | undefined {
    for (const calls of this.#agents.values()) {
      const call = calls.decided(decisionId);
      if (call === undefined) continue;
      if (call.reported !== undefined) return call.reported;
      if (Object.keys(call.marks).length > 0) return { state: "unreported", ms: null, ...call.marks };
      return calls.reporting.has(kindOf(call)) ? { state: "unreported", ms: null } : undefined;
    }
    return undefined;
  }

  /** How many reports of each agent didn't count, of those that weren't noted yet and are to be now. */
  refused(): { agent_id: string; count: number }[] {
    const now = this.#steady();
    const due = [...this.#agents].filter(
      ([, { refused, refusedNotedAt }]) => refused > 0 && now - refusedNotedAt >= REFUSED_NOTED_MS,
    );
    return due.map(([agentId, calls]) => {
      const count = calls.refused;
      Object.assign(calls, { refused: 0, refusedNotedAt: now });
      return { agent_id: agentId, count };
    });
  }

  #of(agentId: string): AgentCalls {
    let calls = this.#agents.get(agentId);
    if (calls === undefined) {
      const [oldest] = this.#agents.keys();
      if (oldest !== undefined && this.#agents.size >= MAX_AGENTS) this.#agents.delete(oldest);
      calls = new AgentCalls();
      this.#agents.set(agentId, calls);
    }
    return calls;
  }
}
