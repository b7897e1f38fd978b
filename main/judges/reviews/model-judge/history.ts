import {
  type ApprovalRegistry,
  endedRequestOf,
  questionFor,
  type SessionDecision,
  type SessionDecisions,
} from "../../../calls/index.ts";
import { projectAsked } from "../../../decide/confinement/declaration.ts";
import { callHash } from "../../../decide/executors/canonical.ts";
import type { Reviewable } from "../../../decide/stages/examination.ts";
import { requirementOf } from "../../../targets/target.ts";

/** What the gate's own databases say of earlier calls like this one: numbers and the gate's own words, no value of any call. */

/** Requests of either answer that are looked at. */
const LOOKED_AT = 100;
/** Of the session's last decisions. */
const LISTED = 10;

export interface History {
  /** In this session, the oldest first: `Bash: denied by guard (guard.protected-path)`. */
  last_calls: string[];
  denied_in_this_turn: string[];
  /** How the user answered this agent when it asked for the like: the same capabilities in the same folder or on the same host. */
  like_calls: { allowed: number; denied: number };
  /** For exactly this call. */
  same_call: { allowed: number; denied: number };
  /** How often its targets were touched the same way before, in this session or by what the user allowed. */
  target_touched_before: number;
}

export class CallHistory {
  readonly #approvals: Pick<ApprovalRegistry, "answeredBefore">;
  readonly #decisions: Pick<SessionDecisions, "of" | "deniedInTurn" | "touched">;
  readonly #now: () => number;

  /** `now` gives milliseconds. */
  constructor(
    approvals: Pick<ApprovalRegistry, "answeredBefore">,
    decisions: Pick<SessionDecisions, "of" | "deniedInTurn" | "touched">,
    now: () => number = Date.now,
  ) {
    this.#approvals = approvals;
    this.#decisions = decisions;
    this.#now = now;
  }

  /** Null where no agent is involved. @throws SQLite's error */
  of(x: Reviewable): History | null {
    const { call, subject } = x;
    if (subject.agent === null) return null;
    const { agent_id } = subject.agent;
    const session = subject.session ?? "";
    const stated = x.stated_needs.map(requirementOf);
    const answered = this.#answered(x, agent_id);
    const touchedInSession = this.#decisions.touched(agent_id, session, stated);
    return {
      last_calls: this.#decisions.of(agent_id, session).slice(-LISTED).map(inWords),
      denied_in_this_turn: this.#decisions.deniedInTurn(agent_id, session, call.context?.turn, this.#now()),
      like_calls: answered.like,
      same_call: answered.same,
      target_touched_before: touchedInSession + answered.touched,
    };
  }

  #answered(x: Reviewable, agentId: string) {
    const { call, executor, needs, confinement } = x;
    const { home } = x.settings;
    const project = projectAsked(confinement);
    const question = questionFor(call, executor, needs, { home, language: "en", project });
    const requests = this.#approvals.answeredBefore(question.capability_class, agentId, LOOKED_AT);
    const hash = requests.length === 0 ? "" : callHash(call.executor, call.args);
    const kept = endedRequestOf(call, executor, needs, question, { home, project }).capabilities;
    const own = kept.map((requirement) => JSON.stringify(requirement));
    const same = requests.filter((request) => request.call_hash === hash);
    const touched = requests.filter(
      ({ status, capabilities }) => status === "approved" && own.some((one) => capabilities?.includes(one) === true),
    );
    return { like: counted(requests), same: counted(same), touched: touched.length };
  }
}

function counted(requests: readonly { status: string }[]): { allowed: number; denied: number } {
  const allowed = requests.filter(({ status }) => status === "approved").length;
  return { allowed, denied: requests.length - allowed };
}

function inWords({ executor, outcome, stage, rule }: SessionDecision): string {
  if (outcome === "allowed") return `${executor}: allowed`;
  if (outcome === "approval_required") return `${executor}: the user is being asked`;
  return `${executor}: denied by ${stage}${rule === undefined ? "" : ` (${rule})`}`;
}
