import { z } from "zod";
import { type ApprovalStatus, type Capability, capabilitySchema } from "../../../ipc/contract/decision.ts";
import type { RepeatedCall } from "../../../ipc/contract/rate.ts";
import type { ProposedCall } from "../../../ipc/contract/wire.ts";
import type { BootTime, Clock } from "../../base/clocks/clock.ts";
import { PreparedStatements, type SqliteDatabase } from "../../base/sqlite/prepared-statements.ts";
import { INTERNAL_EXECUTORS } from "../executors/internal.ts";
import { type Limit, limitsOf, type RateConfig } from "./config.ts";
import { RepeatedCalls } from "./repeated-calls.ts";

/**
 * What is left of each agent's calls of each capability. Decided in memory; the file has less than that, by a lease: what the next calls
 * take is written as taken before. So a call costs no write, and a gate that was killed loses the rest of its lease and never gives a
 * call twice.
 */

/** Of a bucket's capacity so much is leased at once. */
const LEASED = 1 / 8;
/** A new lease is written while nobody waits for it, once less than this is left of the last one. */
const RENEWED_BELOW = 1 / 4;
/** What can't be written is tried again after this time, in milliseconds: until then memory alone decides. */
const RETRY_MS = 2000;

const rowSchema = z.object({
  agent_id: z.string(),
  capability: capabilitySchema,
  tokens: z.number().finite(),
  wall_ms: z.number().finite(),
  boot_id: z.string(),
  boot_ms: z.number().finite(),
});

/** A capability of which nothing is left. */
export interface UsedUp {
  capability: Capability;
  limit: Limit;
  /** Milliseconds until there is room for the call. */
  retry_after_ms: number;
}

export interface BudgetLeft extends Limit {
  agent_id: string;
  capability: Capability;
  left: number;
}

interface Bucket {
  agent_id: string;
  capability: Capability;
  limit: Limit;
  level: Level;
  /** What the file says; null: nothing, which means a full bucket. */
  stored: Level | null;
}

type Buckets = Map<Capability, Bucket>;

export class Budgets {
  readonly #db: PreparedStatements;
  readonly #clock: Clock;
  readonly #limits: ReadonlyMap<Capability, Limit>;
  readonly #failed: (what: string, error: unknown) => void;
  readonly #ofAgents = new Map<string, Buckets>();
  /** Those that were taken from since they were last looked at for a lease. */
  readonly #touched = new Set<Bucket>();
  #writeFrom = Number.NEGATIVE_INFINITY;

  /** `db` was opened with `grantsSchema`. @throws SQLite's error */
  constructor(
    db: SqliteDatabase,
    limits: ReadonlyMap<Capability, Limit>,
    clock: Clock,
    failed: (what: string, error: unknown) => void,
  ) {
    this.#db = new PreparedStatements(db);
    this.#clock = clock;
    this.#limits = limits;
    this.#failed = failed;
    const now = momentOf(clock);
    for (const row of this.#db.prepare("SELECT * FROM rate_buckets").all()) this.#read(row, now);
  }

  /** A row that can't be read, or whose numbers can't be, counts as used up: time brings all of it back. */
  #read(row: unknown, now: Moment): void {
    const names = rowSchema.pick({ agent_id: true, capability: true }).safeParse(row);
    const limit = names.success ? this.#limits.get(names.data.capability) : undefined;
    if (!names.success || limit === undefined) return;
    const { agent_id, capability } = names.data;
    const parsed = rowSchema.safeParse(row);
    const stored = parsed.success ? parsed.data : levelAt(0, now);
    const tokens = Math.max(0, refilled(stored, limit, now));
    this.#add({ agent_id, capability, limit, level: levelAt(tokens, now), stored: levelAt(tokens, now) });
  }

  #add(bucket: Bucket): Bucket {
    const { agent_id, capability } = bucket;
    const buckets: Buckets = this.#ofAgents.get(agent_id) ?? new Map();
    this.#ofAgents.set(agent_id, buckets.set(capability, bucket));
    return bucket;
  }

  /** What keeps a call with these capabilities from being made now: of several the one that takes longest. Takes nothing. */
  usedUp(agentId: string, capabilities: Iterable<Capability>): UsedUp | undefined {
    const buckets = this.#ofAgents.get(agentId);
    if (buckets === undefined) return undefined;
    const now = momentOf(this.#clock);
    let longest: UsedUp | undefined;
    for (const capability of capabilities) {
      const bucket = buckets.get(capability);
      if (bucket === undefined) continue;
      const tokens = refilled(bucket.level, bucket.limit, now);
      if (hasOne(tokens)) continue;
      const retryAfterMs = waitFor(tokens, bucket.limit);
      if (longest === undefined || retryAfterMs > longest.retry_after_ms)
        longest = { capability, limit: bucket.limit, retry_after_ms: retryAfterMs };
    }
    return longest;
  }

  /** Takes one of each of these capabilities. `usedUp` has said in the same turn of the event loop that there is one of each. */
  take(agentId: string, capabilities: ReadonlySet<Capability>): void {
    const now = momentOf(this.#clock);
    for (const capability of capabilities) {
      const limit = this.#limits.get(capability);
      if (limit === undefined) continue;
      const bucket =
        this.#ofAgents.get(agentId)?.get(capability) ??
        this.#add({ agent_id: agentId, capability, limit, level: levelAt(limit.capacity, now), stored: null });
      bucket.level = levelAt(refilled(bucket.level, limit, now) - 1, now);
      this.#touched.add(bucket);
    }
  }

  /** Before any answer is sent: what was taken beyond the leases is on disk. Never throws: what can't be written, memory decides. */
  record(): void {
    if (this.#touched.size > 0)
      this.#renew(({ level, limit, stored }, now) => isLess(level.tokens, inFile(stored, limit, now)));
  }

  /** Renews what will soon be needed, while nobody waits for it. Never throws. */
  prepareNext(): void {
    if (this.#touched.size === 0) return;
    const isDone = this.#renew(({ level, limit, stored }, now) => {
      const left = inFile(stored, limit, now);
      return left > 0 && level.tokens - left < leaseOf(limit) * RENEWED_BELOW;
    });
    if (isDone) this.#touched.clear();
  }

  /** Writes a new lease of each bucket that was taken from and needs one. Returns whether what had to be written is. */
  #renew(needsLease: (bucket: Bucket, now: Moment) => boolean): boolean {
    const now = momentOf(this.#clock);
    const due = [...this.#touched].filter((bucket) => needsLease(bucket, now));
    return due.length === 0 || this.#write(due, now, leaseOf);
  }

  /** Writes what is left of these, less what `leased` says. */
  #write(buckets: readonly Bucket[], now: Moment, leased: (limit: Limit) => number): boolean {
    if (performance.now() < this.#writeFrom) return false;
    const levels = buckets.map(({ level, limit }) =>
      levelAt(Math.max(0, refilled(level, limit, now) - leased(limit)), now),
    );
    const isWritten = this.#attempt(() =>
      buckets.forEach(({ agent_id, capability }, index) => {
        this.#db.prepare(UPSERT).run({ agent_id, capability, ...levels[index] });
      }),
    );
    if (isWritten)
      buckets.forEach((bucket, index) => {
        bucket.stored = levels[index] ?? null;
      });
    return isWritten;
  }

  #attempt(act: () => void): boolean {
    try {
      this.#db.together(act);
      return true;
    } catch (error) {
      this.#writeFrom = performance.now() + RETRY_MS;
      this.#failed("writing what is left of the agents' calls", error);
      return false;
    }
  }

  /** Removes the buckets that are full again: those that aren't there are. Never throws. */
  flush(): void {
    this.prepareNext();
    if (performance.now() < this.#writeFrom) return;
    const now = momentOf(this.#clock);
    const full = this.#all().filter(({ level, limit }) => !isLess(refilled(level, limit, now), limit.capacity));
    const stored = full.filter(({ stored }) => stored !== null);
    const remove = () => {
      for (const { agent_id, capability } of stored) this.#db.prepare(DELETE).run(agent_id, capability);
    };
    if (stored.length > 0 && !this.#attempt(remove)) return;
    for (const bucket of full) this.#forget(bucket);
  }

  /** The gate stops: what it leased and didn't give is given back. Never throws. */
  close(): void {
    this.#writeFrom = Number.NEGATIVE_INFINITY;
    this.#write(this.#all(), momentOf(this.#clock), () => 0);
  }

  #forget(bucket: Bucket): void {
    this.#touched.delete(bucket);
    const buckets = this.#ofAgents.get(bucket.agent_id);
    buckets?.delete(bucket.capability);
    if (buckets?.size === 0) this.#ofAgents.delete(bucket.agent_id);
  }

  #all(): Bucket[] {
    return [...this.#ofAgents.values()].flatMap((buckets) => [...buckets.values()]);
  }

  /** Those that aren't full. `left`: whole calls. */
  list(): BudgetLeft[] {
    const now = momentOf(this.#clock);
    return this.#all().map(({ agent_id, capability, limit, level }) => {
      return { agent_id, capability, ...limit, left: wholeCalls(refilled(level, limit, now)) };
    });
  }
}

const UPSERT = `INSERT INTO rate_buckets (agent_id, capability, tokens, wall_ms, boot_id, boot_ms)
  VALUES ($agent_id, $capability, $tokens, $wall_ms, $boot_id, $boot_ms)
  ON CONFLICT (agent_id, capability) DO UPDATE
  SET tokens = $tokens, wall_ms = $wall_ms, boot_id = $boot_id, boot_ms = $boot_ms`;
const DELETE = "DELETE FROM rate_buckets WHERE agent_id = ? AND capability = ?";

function leaseOf({ capacity }: Limit): number {
  return Math.max(1, capacity * LEASED);
}

/** What a gate that starts now would find. */
function inFile(stored: Level | null, limit: Limit, now: Moment): number {
  return stored === null ? limit.capacity : refilled(stored, limit, now);
}

// A token bucket, as numbers: a call takes one, time brings them back.

/** What was in a bucket at a moment. */
interface Level {
  tokens: number;
  /** Unix milliseconds. */
  wall_ms: number;
  boot_id: string;
  /** Milliseconds since that boot began. */
  boot_ms: number;
}

/** This moment by both clocks. */
interface Moment {
  wall_ms: number;
  boot: BootTime;
}

function momentOf(clock: Clock): Moment {
  return { wall_ms: clock.now(), boot: clock.boot() };
}

/** For sums of fractions. */
const ROUNDING = 1e-6;

const MINUTE_MS = 60_000;

/** Beyond what is missing: the time since boot is read five times a second, so that it may be that old at both ends. */
const CLOCK_MS = 250;

/**
 * What is in a bucket by now. Within a boot the time since it counts alone: nobody can set that. Across boots the wall clock, whose jump
 * ahead fills the bucket once and no more, and whose jump back takes nothing: this boot's own time has passed in any case.
 */
function refilled(level: Level, { per_minute, capacity }: Limit, { wall_ms, boot }: Moment): number {
  const passed = level.boot_id === boot.id ? boot.ms - level.boot_ms : Math.max(wall_ms - level.wall_ms, boot.ms);
  return Math.min(capacity, level.tokens + (Math.max(0, passed) * per_minute) / MINUTE_MS);
}

function levelAt(tokens: number, { wall_ms, boot }: Moment): Level {
  return { tokens, wall_ms, boot_id: boot.id, boot_ms: boot.ms };
}

function hasOne(tokens: number): boolean {
  return tokens >= 1 - ROUNDING;
}

function wholeCalls(tokens: number): number {
  return Math.max(0, Math.floor(tokens + ROUNDING));
}

/** True if `tokens` are less than `others`, and not by rounding alone. */
function isLess(tokens: number, others: number): boolean {
  return tokens < others - ROUNDING;
}

/** Milliseconds until there is one again, from `tokens`. */
function waitFor(tokens: number, { per_minute }: Limit): number {
  return Math.ceil((Math.max(0, 1 - tokens) * MINUTE_MS) / per_minute) + CLOCK_MS;
}

/** What of a call is counted. */
interface CountedCall {
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
    const agentId = x.subject.agent?.agent_id;
    return agentId === undefined || !this.counts(x) ? undefined : this.#budgets.usedUp(agentId, capabilitiesOf(x));
  }

  /** A call came past the stage: it takes one of each capability that it needs. Once for each call, in the same turn as `usedUp`. */
  take(x: CountedCall): void {
    const agentId = x.subject.agent?.agent_id;
    if (agentId !== undefined && this.counts(x)) this.#budgets.take(agentId, capabilitiesOf(x));
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

  endSession(agentId: string, session: string): void {
    this.#repeated.endSession(agentId, session);
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
