import type Database from "better-sqlite3";
import type {
  ActivityCounts,
  ActivityEntry,
  ActivityRange,
  OpenedDecision,
  Reported,
} from "../../../ipc/contract/activity.ts";
import type { Decision, Outcome, TraceStep } from "../../../ipc/contract/decision.ts";
import { GateError } from "../../../ipc/contract/gate-error.ts";
import type { ProposedCall } from "../../../ipc/contract/wire.ts";
import { localMidnight } from "../../base/clocks/local-time.ts";
import type { Schema } from "../../base/sqlite/database-schema.ts";
import { PreparedStatements } from "../../base/sqlite/prepared-statements.ts";
import type { Subject } from "../../decide/stages/examination.ts";
import type { KeptEntry } from "./list-calls.ts";
import { Reports } from "./reports.ts";
import { CallSpending, createCallSpending, createSpending } from "./spending.ts";

/** The latest decisions, for display: the decisions themselves in memory, their counts and costs on disk. Each call's line: `KeptCalls`. */

export class Activity {
  /** What agents said became of what they were allowed. */
  readonly reports: Reports;
  readonly #recent = new RecentDecisions();
  readonly #counts: DecisionCounts;
  /** Opened once a call has a price. */
  readonly #openSpending: () => CallSpending;
  #spending: CallSpending | undefined;
  readonly #now: () => number;
  readonly #failed: (what: string, error: unknown) => void;

  /**
   * `db` was opened with `ACTIVITY_SCHEMA`; `now` gives milliseconds; `failed` is called where counts or costs can't be read or
   * written; `steady`: milliseconds of a monotonic clock.
   */
  constructor(
    db: Database.Database,
    now: () => number = Date.now,
    failed: (what: string, error: unknown) => void = () => undefined,
    steady: () => number = () => performance.now(),
  ) {
    this.reports = new Reports(steady);
    this.#counts = new DecisionCounts(db, now);
    this.#openSpending = () => new CallSpending(db, now, failed);
    this.#now = now;
    this.#failed = failed;
  }

  /** True while there is room to keep the next decision with its trace. */
  get keepsNext(): boolean {
    return this.#recent.hasRoom(this.#now());
  }

  /** `isOnly`: it was withdrawn before it was decided on. */
  note(decision: Decision, call: ProposedCall, subject: Subject, trace: TraceStep[] | undefined, isOnly = false): void {
    // The final decision after an answer isn't another call.
    if (decision.status === undefined || isOnly) this.#counts.add(subject.agent?.agent_id ?? "", decision.outcome);
    if (decision.outcome === "allowed") this.reports.allowed(decision, call, subject);
    this.#recent.add(
      trace === undefined ? decision : { ...decision, trace },
      call,
      subject.agent?.name ?? "none",
      this.#now(),
    );
  }

  /** What an allowed call costs, before its agent is answered. A call is allowed once: at once, or by the answer. */
  spend({ outcome, price }: Decision, { agent }: Subject): void {
    if (outcome === "allowed" && price !== undefined && agent !== null) this.#spent().add(agent.agent_id, price);
  }

  /** Lines as they are listed: of those of the last decisions with why, and what was touched. */
  completed(entries: readonly KeptEntry[]): ActivityEntry[] {
    const latest = new Map<string, OpenedDecision>();
    for (const kept of this.#recent.newestFirst())
      if (!latest.has(kept.decision.decision_id)) latest.set(kept.decision.decision_id, kept);
    return entries.map((entry) => {
      const kept = latest.get(entry.decision_id);
      if (kept === undefined) return { ...entry, stage: null, reason: "" };
      const { stage, reason, capabilities } = kept.decision;
      return { ...entry, stage, reason, capabilities, ...reportedOf(kept, this.reports.of(entry.decision_id)) };
    });
  }

  /** The decisions of which it is true aren't kept any more. */
  forget(isForgotten: (kept: Pick<OpenedDecision, "agent_name" | "cwd" | "ts">) => boolean): void {
    this.#recent.forget(isForgotten);
  }

  /** @throws GateError `not_kept` */
  open({ decision_id, token }: { decision_id?: string | undefined; token?: string | undefined }): OpenedDecision {
    const wanted = decision_id ?? (token === undefined ? undefined : this.#decisionOn(token));
    for (const kept of this.#recent.newestFirst())
      if (kept.decision.decision_id === wanted) return { ...kept, ...reportedOf(kept, this.reports.of(wanted)) };
    throw new GateError(
      "not_kept",
      "this decision isn't kept any more",
      "only the last ones are kept with their trace; the audit trail has them all",
    );
  }

  /** The last call that waited for this request. */
  #decisionOn(token: string): string | undefined {
    for (const { decision } of this.#recent.newestFirst())
      if (decision.pending?.token === token) return decision.decision_id;
    return undefined;
  }

  counts(range: ActivityRange): ActivityCounts {
    return this.#counts.over(range);
  }

  /** Calls of each agent since midnight, local time. Empty where they can't be read, so that surfaces still get the rest. */
  callsToday(): ReadonlyMap<string, number> {
    try {
      const calls = [...this.#counts.today()];
      return new Map(calls.map(([id, own]) => [id, own.allowed + own.denied + own.approval_required]));
    } catch (error) {
      this.#failed("counting calls", error);
      return new Map();
    }
  }

  /** What the calls that were allowed cost since midnight, local time: of each agent, by currency. */
  spentToday(): ReturnType<CallSpending["today"]> {
    return this.#spent().today();
  }

  #spent(): CallSpending {
    this.#spending ??= this.#openSpending();
    return this.#spending;
  }

  flush(): void {
    this.#counts.flush();
  }
}

/** The question before an answer isn't what was reported on. */
function reportedOf({ decision }: OpenedDecision, reported: Reported | undefined): Pick<ActivityEntry, "reported"> {
  return reported === undefined || decision.outcome !== "allowed" ? {} : { reported };
}

// The last decisions, in memory only: their reasons and targets are for display, not for a file.

export const KEPT = 1000;
/** Of a burst of allowed calls this many a second are kept: more are never read, and keeping them would slow a fast agent down. */
export const KEPT_PER_SECOND = 100;
const MAX_INTENT = 500;

class RecentDecisions {
  readonly #ring: (OpenedDecision | undefined)[] = new Array(KEPT).fill(undefined);
  #next = 0;
  #second = 0;
  #inSecond = 0;

  hasRoom(now: number): boolean {
    return Math.floor(now / 1000) !== this.#second || this.#inSecond < KEPT_PER_SECOND;
  }

  /** Keeps a decision; allowed ones only up to the rate above. */
  add(decision: Decision, call: ProposedCall, agentName: string, now: number): void {
    const hasRoom = this.hasRoom(now);
    if (!hasRoom && decision.outcome === "allowed" && decision.status === undefined) return;
    const second = Math.floor(now / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#inSecond = 0;
    }
    this.#inSecond++;
    this.#ring[this.#next++ % KEPT] = {
      ts: now / 1000,
      agent_name: agentName,
      executor: call.executor,
      intent: call.intent.slice(0, MAX_INTENT),
      cwd: call.context?.cwd ?? null,
      decision,
    };
  }

  forget(isForgotten: (kept: OpenedDecision) => boolean): void {
    for (const [index, kept] of this.#ring.entries())
      if (kept !== undefined && isForgotten(kept)) this.#ring[index] = undefined;
  }

  *newestFirst(): Generator<OpenedDecision> {
    for (let index = this.#next - 1; index >= 0 && index >= this.#next - KEPT; index--) {
      const kept = this.#ring[index % KEPT];
      if (kept !== undefined) yield kept;
    }
  }
}

// How many calls were allowed, asked and denied, for each minute and agent: numbers only.

export const ACTIVITY_SCHEMA: Schema = {
  title: "activity database",
  table: "minutes",
  migrations: [
    (db) =>
      db.exec(`CREATE TABLE minutes (
        minute   INTEGER NOT NULL,
        agent_id TEXT NOT NULL,
        allowed  INTEGER NOT NULL,
        asked    INTEGER NOT NULL,
        denied   INTEGER NOT NULL,
        PRIMARY KEY (minute, agent_id)
      ) WITHOUT ROWID`),
    createSpending,
    createCallSpending,
  ],
};

interface Counts {
  allowed: number;
  asked: number;
  denied: number;
}

const BUCKETS: Readonly<Record<ActivityRange, { seconds: number; count: number }>> = {
  hour: { seconds: 60, count: 60 },
  day: { seconds: 1800, count: 48 },
  week: { seconds: 4 * 3600, count: 42 },
};
/** A little more than the longest range. */
const KEPT_MINUTES = 8 * 24 * 60;

export class DecisionCounts {
  readonly #db: PreparedStatements;
  readonly #now: () => number;
  /** Counted, not yet written: by minute, then by agent. */
  readonly #waiting = new Map<number, Map<string, Counts>>();

  constructor(db: Database.Database, now: () => number) {
    this.#db = new PreparedStatements(db);
    this.#now = now;
  }

  add(agentId: string, outcome: Outcome): void {
    const minute = minuteOf(this.#now());
    let agents = this.#waiting.get(minute);
    if (agents === undefined) {
      agents = new Map();
      this.#waiting.set(minute, agents);
    }
    let counts = agents.get(agentId);
    if (counts === undefined) {
      counts = { allowed: 0, asked: 0, denied: 0 };
      agents.set(agentId, counts);
    }
    counts[outcome === "approval_required" ? "asked" : outcome]++;
  }

  /** Writes the counts, and deletes those beyond the longest range. @throws SQLite's error; the counts are kept for the next time */
  flush(): void {
    if (this.#waiting.size === 0) return;
    const oldest = minuteOf(this.#now()) - KEPT_MINUTES;
    for (const minute of this.#waiting.keys()) if (minute < oldest) this.#waiting.delete(minute);
    const add = this.#db.prepare(
      `INSERT INTO minutes VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET
         allowed = allowed + excluded.allowed, asked = asked + excluded.asked, denied = denied + excluded.denied`,
    );
    this.#db.together(() => {
      for (const [minute, agents] of this.#waiting)
        for (const [agentId, { allowed, asked, denied }] of agents) add.run(minute, agentId, allowed, asked, denied);
      this.#db.prepare("DELETE FROM minutes WHERE minute < ?").run(oldest);
    });
    this.#waiting.clear();
  }

  over(range: ActivityRange): ActivityCounts {
    this.flush();
    const { seconds, count } = BUCKETS[range];
    const last = Math.floor(this.#now() / 1000 / seconds);
    const first = last - count + 1;
    // The driver binds numbers as reals: without the cast a bucket would be a fraction that is never found.
    const rows = this.#db
      .prepare<Counts & { bucket: number }>(
        `SELECT minute * 60 / CAST($seconds AS INTEGER) AS bucket, sum(allowed) AS allowed, sum(asked) AS asked, sum(denied) AS denied
         FROM minutes WHERE minute >= $from GROUP BY bucket`,
      )
      .all({ seconds, from: Math.floor((first * seconds) / 60) });
    const found = new Map(rows.map(({ bucket, ...counts }) => [bucket, counts]));
    return {
      range,
      bucket_seconds: seconds,
      buckets: Array.from({ length: count }, (_, index) => ({
        start: (first + index) * seconds,
        ...(found.get(first + index) ?? { allowed: 0, asked: 0, denied: 0 }),
      })),
    };
  }

  /** Calls of each agent since midnight, local time, by what the gate decided. */
  today(): Map<string, Record<Outcome, number>> {
    this.flush();
    const rows = this.#db
      .prepare<Counts & { agent_id: string }>(
        "SELECT agent_id, sum(allowed) AS allowed, sum(asked) AS asked, sum(denied) AS denied FROM minutes WHERE minute >= ? GROUP BY agent_id",
      )
      .all(minuteOf(localMidnight(this.#now())));
    return new Map(
      rows.map(({ agent_id, allowed, asked, denied }) => [agent_id, { allowed, denied, approval_required: asked }]),
    );
  }
}

function minuteOf(ms: number): number {
  return Math.floor(ms / 60_000);
}
