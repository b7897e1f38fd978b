import type { ApprovalStatus } from "../../../ipc/contract/decision.ts";
import type { RepeatedCall } from "../../../ipc/contract/rate.ts";
import type { ProposedCall } from "../../../ipc/contract/wire.ts";
import type { Clock } from "../../base/clocks/clock.ts";
import { callHash, callText } from "../executors/canonical.ts";

/**
 * The same call again and again in a session, although each of them is allowed: an agent that runs in a circle. Kept in memory and
 * bounded: it informs the user and limits nobody who wants to get around it, which the budgets do.
 */

/** Seconds that count. */
const WINDOW = 60;

/** How often something happened in the last minute, in whole seconds: no more than sixty numbers, however often that was. */
class MinuteCount {
  #seconds: { second: number; count: number }[] = [];
  #total = 0;

  /** `second`: of any clock that doesn't go back. */
  add(second: number): void {
    const last = this.#seconds.at(-1);
    if (last?.second === second) last.count++;
    else this.#seconds.push({ second, count: 1 });
    this.#total++;
  }

  /** How often in the minute before, and in how many seconds of it that was. */
  until(second: number): { count: number; seconds: number } {
    while (this.#seconds[0] !== undefined && this.#seconds[0].second <= second - WINDOW)
      this.#total -= this.#seconds.shift()?.count ?? 0;
    const first = this.#seconds[0]?.second ?? second;
    return { count: this.#total, seconds: second - first + 1 };
  }
}

/** Of an agent so many calls are distinguished; the one that came least lately is forgotten. */
export const MAX_DISTINGUISHED = 512;

type Call = Pick<ProposedCall, "executor" | "args">;

interface Counted {
  session: string;
  count: MinuteCount;
}

interface OfAgent {
  /** All its allowed calls: while they are no more than one call may be, none is looked at. */
  all: MinuteCount;
  /** By `countedAs`, the latest last. */
  counts: Map<number, Counted>;
  /** Allowed, and not counted as the call that it is yet. */
  uncounted: { session: string; call: Call; second: number }[];
  /** What the user is asked about now, by hash and session. */
  asked: Map<string, RepeatedCall>;
  /** What the user lets come again and again, by hash and session. */
  approved: Set<string>;
}

export class RepeatedCalls {
  readonly #limit: number;
  readonly #clock: Clock;
  readonly #ofAgents = new Map<string, OfAgent>();
  #second = 0;

  /** `limit`: so often in a minute the same call is nobody's business. */
  constructor(limit: number, clock: Clock) {
    this.#limit = limit;
    this.#clock = clock;
  }

  /** How often an allowed call came, this time included, where the user is to be asked about that. */
  find(agentId: string, session: string, call: Call): RepeatedCall | undefined {
    const ofAgent = this.#ofAgents.get(agentId);
    if (ofAgent === undefined) return undefined;
    const second = this.#now();
    if (ofAgent.asked.size === 0 && ofAgent.all.until(second).count < this.#limit) return undefined;
    this.#count(ofAgent);
    if (ofAgent.approved.size + ofAgent.asked.size > 0) {
      const key = keyOf(session, callHash(call.executor, call.args));
      if (ofAgent.approved.has(key)) return undefined;
      const asked = ofAgent.asked.get(key);
      if (asked !== undefined) return asked;
    }
    const found = ofAgent.counts.get(countedAs(session, call))?.count.until(second);
    return found === undefined || found.count < this.#limit ? undefined : { ...found, count: found.count + 1 };
  }

  /** A call was allowed. It is counted when that is needed, or by `prepareNext`. */
  note(agentId: string, session: string, call: Call): void {
    const ofAgent = this.#agent(agentId);
    const second = this.#now();
    ofAgent.all.add(second);
    ofAgent.uncounted.push({ session, call, second });
  }

  /** Work that the next call would wait for, done while none does. */
  prepareNext(): void {
    for (const ofAgent of this.#ofAgents.values()) if (ofAgent.uncounted.length > 0) this.#count(ofAgent);
  }

  #count({ uncounted, counts }: OfAgent): void {
    for (const { session, call, second } of uncounted) {
      const key = countedAs(session, call);
      const counted = counts.get(key) ?? { session, count: new MinuteCount() };
      counted.count.add(second);
      counts.delete(key);
      counts.set(key, counted);
      if (counts.size > MAX_DISTINGUISHED) forgetFirst(counts);
    }
    uncounted.length = 0;
  }

  /** The user is asked about a call: others like it share the card until it ends. */
  asked(agentId: string, session: string, callHash: string, repeated: RepeatedCall): void {
    this.#agent(agentId).asked.set(keyOf(session, callHash), repeated);
  }

  /** The card has ended, or could not be stored. Approved: the call isn't asked about again in its session. */
  ended(agentId: string, session: string, callHash: string, status: ApprovalStatus): void {
    const ofAgent = this.#agent(agentId);
    const key = keyOf(session, callHash);
    ofAgent.asked.delete(key);
    if (status !== "approved") return;
    ofAgent.approved.add(key);
    if (ofAgent.approved.size > MAX_DISTINGUISHED) forgetFirst(ofAgent.approved);
  }

  /** A session that is over. */
  endSession(agentId: string, session: string): void {
    const ofAgent = this.#ofAgents.get(agentId);
    if (ofAgent === undefined) return;
    this.#count(ofAgent);
    for (const [key, counted] of ofAgent.counts) if (counted.session === session) ofAgent.counts.delete(key);
    for (const key of ofAgent.approved) if (key.slice(HASH_LENGTH) === session) ofAgent.approved.delete(key);
  }

  /** Forgets what was more than a minute ago. */
  flush(): void {
    this.prepareNext();
    const second = this.#now();
    for (const [agentId, { all, counts, asked, approved }] of this.#ofAgents) {
      for (const [key, { count }] of counts) if (count.until(second).count === 0) counts.delete(key);
      if (all.until(second).count + counts.size + asked.size + approved.size === 0) this.#ofAgents.delete(agentId);
    }
  }

  #agent(agentId: string): OfAgent {
    const known = this.#ofAgents.get(agentId);
    if (known !== undefined) return known;
    const made: OfAgent = {
      all: new MinuteCount(),
      counts: new Map(),
      uncounted: [],
      asked: new Map(),
      approved: new Set(),
    };
    this.#ofAgents.set(agentId, made);
    return made;
  }

  /** Whole seconds since boot; never fewer than before. */
  #now(): number {
    this.#second = Math.max(this.#second, Math.floor(this.#clock.boot().ms / 1000));
    return this.#second;
  }
}

function forgetFirst<Key>(keyed: { keys(): Iterator<Key>; delete(key: Key): boolean }): void {
  const first = keyed.keys().next();
  if (first.done !== true) keyed.delete(first.value);
}

/**
 * A call of a session, for counting: 53 bits of FNV-1a of both, which take a tenth of its hash. Whoever makes two calls that are one here
 * has their user asked sooner.
 */
function countedAs(session: string, { executor, args }: Call): number {
  const text = `${session}\n${callText(executor, args)}`;
  let [high, low] = [OFFSET, ~OFFSET];
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    high = Math.imul(high ^ code, PRIME);
    low = Math.imul(low ^ (code + index), PRIME);
  }
  return (high >>> 0) * 2 ** 21 + (low >>> 11);
}

const OFFSET = 0x811c9dc5;
const PRIME = 0x01000193;

const HASH_LENGTH = 64;

function keyOf(session: string, callHash: string): string {
  return `${callHash}${session}`;
}
