import type Database from "better-sqlite3";
import type { ActivityCounts, ActivityEntry, ActivityRange, OpenedDecision } from "../../../ipc/activity.ts";
import type { Capability, Decision, Outcome, TraceStep } from "../../../ipc/decision.ts";
import { GateError } from "../../../ipc/gate-error.ts";
import type { ProposedCall } from "../../../ipc/wire.ts";
import type { Subject } from "../stages/examination.ts";
import { DecisionCounts } from "./counts.ts";
import { RecentDecisions } from "./recent.ts";

/** The latest decisions, for display: the decisions themselves in memory, their counts on disk. */

export interface ActivityQuery {
  agent?: string | undefined;
  capability?: Capability | undefined;
  outcome?: Outcome | undefined;
  /** Only those before this decision. */
  before?: string | undefined;
  limit: number;
}

export class Activity {
  readonly #recent = new RecentDecisions();
  readonly #counts: DecisionCounts;
  readonly #now: () => number;
  readonly #failed: (what: string, error: unknown) => void;

  /** `db` was opened with `ACTIVITY_SCHEMA`; `now` gives milliseconds; `failed` is called where counts can't be read. */
  constructor(
    db: Database.Database,
    now: () => number = Date.now,
    failed: (what: string, error: unknown) => void = () => undefined,
  ) {
    this.#counts = new DecisionCounts(db, now);
    this.#now = now;
    this.#failed = failed;
  }

  /** True while there is room to keep the next decision with its trace. */
  get keepsNext(): boolean {
    return this.#recent.hasRoom(this.#now());
  }

  note(decision: Decision, call: ProposedCall, subject: Subject, trace: TraceStep[] | undefined): void {
    // The final decision after an answer isn't another call.
    if (decision.status === undefined) this.#counts.add(subject.agent?.agent_id ?? "", decision.outcome);
    this.#recent.add(
      trace === undefined ? decision : { ...decision, trace },
      call,
      subject.agent?.name ?? "none",
      this.#now(),
    );
  }

  /** Newest first. */
  list(query: ActivityQuery): ActivityEntry[] {
    const found: ActivityEntry[] = [];
    let is_after = query.before !== undefined;
    for (const { decision, ts, agent_name, executor } of this.#recent.newestFirst()) {
      if (is_after) {
        is_after = decision.decision_id !== query.before;
        continue;
      }
      if (query.agent !== undefined && agent_name !== query.agent) continue;
      if (query.outcome !== undefined && decision.outcome !== query.outcome) continue;
      if (query.capability !== undefined && !decision.capabilities.some((need) => need.capability === query.capability))
        continue;
      const { decision_id, outcome, stage, reason, capabilities, status } = decision;
      found.push({
        decision_id,
        ts,
        agent_name,
        executor,
        outcome,
        stage,
        reason,
        capabilities,
        ...(status === undefined ? {} : { status }),
      });
      if (found.length === query.limit) break;
    }
    return found;
  }

  /** @throws GateError `not_kept` */
  open(decision_id: string): OpenedDecision {
    for (const kept of this.#recent.newestFirst()) if (kept.decision.decision_id === decision_id) return kept;
    throw new GateError(
      "not_kept",
      "this decision isn't kept any more",
      "only the last ones are kept with their trace; the audit trail has them all",
    );
  }

  counts(range: ActivityRange): ActivityCounts {
    return this.#counts.over(range);
  }

  /** Calls of each agent since midnight, local time. Empty where they can't be read, so that surfaces still get the rest. */
  callsToday(): ReadonlyMap<string, number> {
    try {
      return this.#counts.today();
    } catch (error) {
      this.#failed("counting calls", error);
      return new Map();
    }
  }

  flush(): void {
    this.#counts.flush();
  }
}
