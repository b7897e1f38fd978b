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
  /** The kind of call: an agent that reports one of it could report all of it. */
  kind: string;
  call_id: string | undefined;
  /** Of the call as it was allowed; undefined where what ran isn't compared with it. */
  call_hash: string | undefined;
  has_run_other: boolean;
  /** Its box holds less than its project: a program that tries more did something else than its line says. */
  is_narrow: boolean;
  session: string;
  has_tried_more: boolean;
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
  const is_command = COMMAND_ARGS.some((name) => args[name] !== undefined);
  return (capabilities.length > 0 || is_command) && confined === undefined;
}

const marksOf = ({ has_run_other, has_tried_more }: AllowedCall): Pick<Reported, "ran_other" | "tried_more"> => ({
  ...(has_run_other ? { ran_other: true as const } : {}),
  ...(has_tried_more ? { tried_more: true as const } : {}),
});

class AgentCalls {
  readonly calls = new Map<string, AllowedCall>();
  readonly by_call_id = new Map<string, AllowedCall>();
  readonly reporting = new Set<string>();
  refused = 0;
  refused_noted_at = Number.NEGATIVE_INFINITY;
  /** Of the minute that began at `unasked_since`, by the monotonic clock. */
  unasked = 0;
  unasked_since = Number.NEGATIVE_INFINITY;
  unasked_beyond = 0;

  add(call: AllowedCall): void {
    this.calls.set(call.decision_id, call);
    if (call.call_id !== undefined) this.by_call_id.set(call.call_id, call);
    if (this.calls.size <= KEPT_OF_AGENT) return;
    for (const oldest of this.calls.values()) return this.#forget(oldest);
  }

  find(named: ReportedCall): AllowedCall | undefined {
    return "call_id" in named ? this.by_call_id.get(named.call_id) : this.calls.get(named.decision_id);
  }

  reports(kind: string): void {
    if (this.reporting.size >= MAX_REPORTING) this.reporting.clear();
    this.reporting.add(kind);
  }

  #forget(call: AllowedCall): void {
    this.calls.delete(call.decision_id);
    if (call.call_id !== undefined && this.by_call_id.get(call.call_id) === call) this.by_call_id.delete(call.call_id);
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
    const call_id = context?.call_id;
    this.#of(agent.agent_id).add({
      decision_id: decision.decision_id,
      executor,
      kind: `${session}\n${executor}`,
      call_id,
      call_hash: call_id !== undefined && isCompared(decision, args) ? callHash(executor, args) : undefined,
      has_run_other: false,
      is_narrow: decision.confined?.kind !== undefined,
      session,
      has_tried_more: false,
      at: this.#steady(),
      reported: undefined,
    });
  }

  /**
   * What an agent says of a call. Undefined where it doesn't count: the call was none of this agent's, it wasn't allowed, it is too long
   * ago, or it was reported on before.
   */
  report(agent_id: string, named: ReportedCall, { ok, duration_ms }: Report): Accepted | undefined {
    const calls = this.#of(agent_id);
    const call = calls.find(named);
    if (call === undefined || call.reported !== undefined) {
      calls.refused++;
      return undefined;
    }
    call.reported = {
      state: ok ? "ok" : "failed",
      ms: Math.round(this.#steady() - call.at),
      ...(duration_ms === undefined ? {} : { duration_ms: Math.round(duration_ms) }),
      ...marksOf(call),
    };
    // By its own id of a call an agent may report only some: what a client's hook is called for.
    if ("decision_id" in named) calls.reports(call.kind);
    return { decision_id: call.decision_id, executor: call.executor, reported: call.reported };
  }

  /**
   * What an agent says that ran under its own id of a call. Undefined where that is what was allowed, where it isn't compared, and
   * where it was found before.
   */
  ran(agent_id: string, call_id: string, { executor, args }: RanCall): RanOther | undefined {
    const call = this.#agents.get(agent_id)?.find({ call_id });
    if (call?.call_hash === undefined || call.has_run_other || callHash(executor, args) === call.call_hash)
      return undefined;
    call.has_run_other = true;
    if (call.reported !== undefined) call.reported = { ...call.reported, ran_other: true };
    const { decision_id } = call;
    return {
      decision_id,
      executor: call.executor,
      reported: call.reported ?? { state: "unreported", ms: null, ...marksOf(call) },
    };
  }

  /**
   * What an agent says of a call that its box kept from something. Undefined where its box isn't a narrow one, and where it was said before.
   * `in_session`: how many of its session's calls that is now.
   */
  triedMore(agent_id: string, call_id: string): (RanOther & { in_session: number }) | undefined {
    const calls = this.#agents.get(agent_id);
    const call = calls?.find({ call_id });
    if (calls === undefined || call?.is_narrow !== true || call.has_tried_more) return undefined;
    call.has_tried_more = true;
    const { decision_id, executor, session } = call;
    call.reported = call.reported && { ...call.reported, tried_more: true };
    const others = [...calls.calls.values()].filter((one) => one.has_tried_more && one.session === session);
    const reported = call.reported ?? { state: "unreported", ms: null, ...marksOf(call) };
    return { decision_id, executor, reported, in_session: others.length };
  }

  /** Whether this agent was allowed a call under this id of its own. */
  isKnown(agent_id: string, call_id: string): boolean {
    return this.#agents.get(agent_id)?.find({ call_id }) !== undefined;
  }

  /** An agent has run a call that it didn't ask about. @returns whether the call has a line of its own in the trail */
  ranUnasked(agent_id: string): boolean {
    const calls = this.#of(agent_id);
    const now = this.#steady();
    if (now - calls.unasked_since >= UNASKED_MS) Object.assign(calls, { unasked: 0, unasked_since: now });
    calls.unasked++;
    const is_noted = calls.unasked <= UNASKED_NOTED;
    if (!is_noted) calls.unasked_beyond++;
    return is_noted;
  }

  /** How many calls that ran without asking have no line of their own, of each agent whose minute is over. */
  unaskedBeyond(): { agent_id: string; count: number }[] {
    const now = this.#steady();
    const due = [...this.#agents].filter(
      ([, { unasked_beyond, unasked_since }]) => unasked_beyond > 0 && now - unasked_since >= UNASKED_MS,
    );
    return due.map(([agent_id, calls]) => {
      const count = calls.unasked_beyond;
      calls.unasked_beyond = 0;
      return { agent_id, count };
    });
  }

  /**
   * What was reported on a call. `unreported` only where its agent has reported on another call of this executor in this session,
   * by its decision: of an agent that doesn't report them all it would mean nothing. Undefined then, and of a call that isn't known.
   */
  of(decision_id: string): Reported | undefined {
    for (const { calls, reporting } of this.#agents.values()) {
      const call = calls.get(decision_id);
      if (call === undefined) continue;
      if (call.reported !== undefined) return call.reported;
      if (call.has_run_other || call.has_tried_more) return { state: "unreported", ms: null, ...marksOf(call) };
      return reporting.has(call.kind) ? { state: "unreported", ms: null } : undefined;
    }
    return undefined;
  }

  /** How many reports of each agent didn't count, of those that weren't noted yet and are to be now. */
  refused(): { agent_id: string; count: number }[] {
    const now = this.#steady();
    const due = [...this.#agents].filter(
      ([, { refused, refused_noted_at }]) => refused > 0 && now - refused_noted_at >= REFUSED_NOTED_MS,
    );
    return due.map(([agent_id, calls]) => {
      const count = calls.refused;
      Object.assign(calls, { refused: 0, refused_noted_at: now });
      return { agent_id, count };
    });
  }

  #of(agent_id: string): AgentCalls {
    let calls = this.#agents.get(agent_id);
    if (calls === undefined) {
      const [oldest] = this.#agents.keys();
      if (oldest !== undefined && this.#agents.size >= MAX_AGENTS) this.#agents.delete(oldest);
      calls = new AgentCalls();
      this.#agents.set(agent_id, calls);
    }
    return calls;
  }
}
