import { hash } from "node:crypto";
import type { Decision, Outcome, Requirement, Stage } from "../../../ipc/contract/decision.ts";
import type { Rule } from "../../../ipc/contract/rules.ts";
import type { ProposedCall } from "../../../ipc/contract/wire.ts";
import { keepLatest } from "../../base/keep-latest.ts";
import type { ExecutorCatalog } from "../../decide/executors/catalog.ts";
import { kindOf, type Subject } from "../../decide/stages/examination.ts";

/** The last decisions of each session, in memory: what a judge gets to know of what happened before, which is no value of any call. */

/** Decisions of one session. */
const KEPT = 20;
/** Its denials, beside them: what is allowed afterwards doesn't push them out. */
const KEPT_DENIALS = 32;
/** Sessions of one agent, which names them itself. */
const MAX_SESSIONS = 64;
const MAX_AGENTS = 256;
/** Targets of one call. */
const MAX_TARGETS = 8;
/** In characters. A hash of each costs more than to keep it. */
const LONG_TARGET = 256;
/** Without any turn named, what is this long ago doesn't count as the same one. Milliseconds. */
const TURN_MS = 600_000;

export interface SessionDecision {
  decision_id: string;
  /** Its name as the trail has it. */
  executor: string;
  outcome: Outcome;
  stage: Stage;
  rule: Rule | undefined;
  /** Unix seconds. */
  ts: number;
  /** As the agent names it; of a call that names none, the last one that the session named. */
  turn: string | undefined;
}

interface Noted extends SessionDecision {
  targets: readonly string[];
}

interface Session {
  decisions: Noted[];
  denials: SessionDecision[];
  turn: string | undefined;
}

export class SessionDecisions {
  /** By agent, then by session: whoever decided last is last. */
  readonly #agents = new Map<string, Map<string, Session>>();
  readonly #catalog: Pick<ExecutorCatalog, "loggedName">;
  readonly #now: () => number;

  /** `now` gives milliseconds. */
  constructor(catalog: Pick<ExecutorCatalog, "loggedName">, now: () => number = Date.now) {
    this.#catalog = catalog;
    this.#now = now;
  }

  /** A decision is published. The final one on a call that waited takes the place of the first. Nothing of a call without an agent is kept. */
  note(decision: Decision, call: ProposedCall, subject: Subject): void {
    if (subject.agent === null) return;
    const session = this.#session(subject.agent.agent_id, subject.session ?? "");
    session.turn = call.context?.turn ?? session.turn;
    const { decision_id, outcome, stage, explain } = decision;
    const noted: Noted = {
      decision_id,
      executor: this.#catalog.loggedName(call.executor, kindOf(subject)),
      outcome,
      stage,
      rule: explain.rule,
      ts: this.#now() / 1000,
      turn: session.turn,
      targets: targetsOf(decision.capabilities),
    };
    put(session.decisions, noted, KEPT);
    if (isRefusal(decision)) put(session.denials, noted, KEPT_DENIALS);
  }

  /** The last decisions of a session, the oldest first. */
  of(agentId: string, session: string): readonly SessionDecision[] {
    return this.#find(agentId, session)?.decisions.map(({ targets: _, ...decision }) => decision) ?? [];
  }

  /**
   * The names of the executors that were denied earlier in this turn, each once. Without a turn: in the last that the session named,
   * or, where it never named one, in the last ten minutes. A request that ended without an answer is no denial, nor is a pause.
   * @param now milliseconds
   * @param by only what this stage denied
   */
  deniedInTurn(agentId: string, session: string, turn: string | undefined, now: number, by?: Stage): string[] {
    const found = this.#find(agentId, session);
    if (found === undefined) return [];
    const named = turn ?? found.turn;
    const isInTurn = (denial: SessionDecision) =>
      (by === undefined || denial.stage === by) &&
      (named === undefined ? denial.ts * 1000 >= now - TURN_MS : denial.turn === named);
    return [...new Set(found.denials.filter(isInTurn).map(({ executor }) => executor))];
  }

  /** How many of a session's last calls that weren't denied touched one of these targets the same way. */
  touched(agentId: string, session: string, needs: readonly Requirement[]): number {
    const wanted = new Set(targetsOf(needs));
    const decisions = this.#find(agentId, session)?.decisions ?? [];
    return decisions.filter(({ outcome, targets }) => outcome === "allowed" && targets.some((one) => wanted.has(one)))
      .length;
  }

  /** A session that is over. */
  end(agentId: string, session: string): void {
    this.#agents.get(agentId)?.delete(session);
  }

  #find(agentId: string, session: string): Session | undefined {
    return this.#agents.get(agentId)?.get(session);
  }

  #session(agentId: string, name: string): Session {
    const sessions = movedLast(this.#agents, agentId, () => new Map<string, Session>(), MAX_AGENTS);
    return movedLast(sessions, name, () => ({ decisions: [], denials: [], turn: undefined }), MAX_SESSIONS);
  }
}

/** The entry of this key, made where there is none, as the last one; the first one gives way to it. */
function movedLast<T>(map: Map<string, T>, key: string, make: () => T, limit: number): T {
  const found = map.get(key);
  // It is the last one already.
  if (found !== undefined && map.size === 1) return found;
  const entry = found ?? make();
  keepLatest(map, key, entry, limit);
  return entry;
}

function put<T extends SessionDecision>(list: T[], decision: T, limit: number): void {
  const at = list.findIndex(({ decision_id }) => decision_id === decision.decision_id);
  if (at !== -1) list[at] = decision;
  else list.push(decision);
  if (list.length > limit) list.shift();
}

/** Somebody, or a rule, said no to this very call. */
function isRefusal({ outcome, stage, status }: Decision): boolean {
  return outcome === "denied" && status !== "cancelled" && status !== "expired" && stage !== "safety";
}

/** What of a call's needs is compared: the targets themselves are given to nobody, and of a long one only its hash is kept. */
function targetsOf(needs: readonly Requirement[]): string[] {
  const targets: string[] = [];
  for (const { capability, target } of needs) {
    if (targets.length === MAX_TARGETS) break;
    if (target === "*") continue;
    targets.push(`${capability}\0${target.length > LONG_TARGET ? hash("sha256", target, "base64") : target}`);
  }
  return targets;
}
