import type { ApprovalStatus, Capability } from "../../../ipc/contract/decision.ts";
import type { RepeatedCall } from "../../../ipc/contract/rate.ts";
import type { ProposedCall } from "../../../ipc/contract/wire.ts";
import type { Clock } from "../../base/clocks/clock.ts";
import type { SqliteDatabase } from "../../base/sqlite/prepared-statements.ts";
import { INTERNAL_EXECUTORS } from "../executors/internal.ts";
import { type BudgetLeft, Budgets, type UsedUp } from "./budgets.ts";
import { type Limit, limitsOf, type RateConfig } from "./config.ts";
import { RepeatedCalls } from "./repeated-calls.ts";

/** What of a call is counted. */
export interface CountedCall {
  call: ProposedCall;
  subject: { agent: { agent_id: string } | null; session?: string | undefined };
  /** As the policy rules on them. */
  needs: readonly { capability: Capability }[];
}

/** How many calls an agent may make: of each capability, and of the same call. */
export class RateLimits {
  readonly #limits: ReadonlyMap<Capability, Limit>;
  readonly #budgets: Budgets;
  readonly #repeated: RepeatedCalls;

  /** `db` was opened with `grantsSchema`. `failed`: something unexpected, to log. @throws SQLite's error */
  constructor(db: SqliteDatabase, config: RateConfig, clock: Clock, failed: (what: string, error: unknown) => void) {
    this.#limits = config.enabled ? limitsOf(config) : new Map();
    this.#budgets = new Budgets(db, this.#limits, clock, failed);
    this.#repeated = new RepeatedCalls(config.same_call_per_minute, clock);
  }

  /**
   * Whether it counts at all. What needs nothing that has a limit doesn't, nor what the gate itself asks in an agent's name: each run of
   * a box has limits of its own.
   */
  counts({ call, subject, needs }: CountedCall): boolean {
    return (
      subject.agent !== null &&
      needs.some(({ capability }) => this.#limits.has(capability)) &&
      !Object.hasOwn(INTERNAL_EXECUTORS, call.executor)
    );
  }

  /** The capability that keeps this call from being made now. Takes nothing. */
  usedUp(x: CountedCall): UsedUp | undefined {
    const agent_id = x.subject.agent?.agent_id;
    return agent_id === undefined || !this.counts(x) ? undefined : this.#budgets.usedUp(agent_id, capabilitiesOf(x));
  }

  /** A call came past the stage: it takes one of each capability that it needs. Once for each call, in the same turn as `usedUp`. */
  take(x: CountedCall): void {
    const agent_id = x.subject.agent?.agent_id;
    if (agent_id !== undefined && this.counts(x)) this.#budgets.take(agent_id, capabilitiesOf(x));
  }

  /** Where an allowed call came so often lately that the user is to be asked about it. */
  repeated(x: CountedCall): RepeatedCall | undefined {
    const { agent, session = "" } = x.subject;
    return agent === null || !this.counts(x) ? undefined : this.#repeated.find(agent.agent_id, session, x.call);
  }

  /** A call was allowed without a question. */
  noteAllowed(x: CountedCall): void {
    const { agent, session = "" } = x.subject;
    if (agent !== null && this.counts(x)) this.#repeated.note(agent.agent_id, session, x.call);
  }

  /** The user is asked whether a call may continue: those like it share the card. */
  asked({ agent_id, session, call_hash, extra }: RepeatedRequest): void {
    if (extra.repeated !== undefined) this.#repeated.asked(agent_id, session, call_hash, extra.repeated);
  }

  /** That card has ended, or could not be stored. */
  ended({ agent_id, session, call_hash, status, extra }: RepeatedRequest): void {
    if (extra.repeated !== undefined) this.#repeated.ended(agent_id, session, call_hash, status);
  }

  endSession(agent_id: string, session: string): void {
    this.#repeated.endSession(agent_id, session);
  }

  /** Before any answer is sent. Never throws. */
  record(): void {
    this.#budgets.record();
  }

  /** Work that the next answer would wait for, done while none does. Never throws. */
  prepareNext(): void {
    this.#budgets.prepareNext();
    this.#repeated.prepareNext();
  }

  /** Forgets what is over. Never throws. */
  flush(): void {
    this.#budgets.flush();
    this.#repeated.flush();
  }

  /** The gate stops. Never throws. */
  close(): void {
    this.#budgets.close();
  }

  /** The budgets that aren't full. */
  list(): BudgetLeft[] {
    return this.#budgets.list();
  }
}

/** A request, as far as the same call again and again matters. */
interface RepeatedRequest {
  agent_id: string;
  session: string;
  call_hash: string;
  status: ApprovalStatus;
  extra: { repeated?: RepeatedCall | undefined };
}

function capabilitiesOf({ needs }: Pick<CountedCall, "needs">): Set<Capability> {
  return new Set(needs.map(({ capability }) => capability));
}

/** In grants.db: what is left in each bucket that isn't full, less what its gate may give before it writes again. */
export function rateBuckets(db: SqliteDatabase): void {
  db.exec(`CREATE TABLE rate_buckets (
    agent_id   TEXT NOT NULL,
    capability TEXT NOT NULL,
    tokens     REAL NOT NULL,
    wall_ms    REAL NOT NULL,
    boot_id    TEXT NOT NULL,
    boot_ms    REAL NOT NULL,
    PRIMARY KEY (agent_id, capability)
  ) WITHOUT ROWID`);
}
