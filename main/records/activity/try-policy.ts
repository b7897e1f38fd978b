import { setImmediate as piece } from "node:timers/promises";
import { CALL_RESULTS } from "../../../ipc/contract/activity.ts";
import type { Outcome } from "../../../ipc/contract/decision.ts";
import {
  type PolicyTry,
  TRY_CHANGES,
  TRY_UNKNOWNS,
  type TriedCall,
  type TryChange,
  type TryUnknown,
} from "../../../ipc/contract/policy-try.ts";
import { isStricter, type PolicyOverrides } from "../../decide/policy/policy.ts";
import { dependsOnOthers, replayed } from "../../decide/policy/replay.ts";
import { type ReadFact, readFact } from "./call-facts.ts";
import type { KeptCalls } from "./kept-calls.ts";
import { entriesOf } from "./list-calls.ts";

/**
 * What another policy would have made of the calls that are kept, by their facts. Calls with the same facts are looked at as one, in pieces:
 * between two of them the gate serves its agents.
 */

/** Rows that are summed up in one piece, and how long what is found of them is looked at: some milliseconds each. */
const PIECE = 10_000;
const PIECE_MS = 4;
/** Facts that are remembered: some megabytes at the most. */
const MAX_KNOWN = 100_000;

export interface TryQuery {
  agent?: string | undefined;
  /** Unix milliseconds. */
  since?: number | undefined;
  /** Of which changes calls are listed, and how many at the most. */
  changes: readonly TryChange[];
  limit: number;
}

/** Calls with the same facts, of one agent. */
interface Group {
  fact: number;
  agent: number;
  /** Of calls without a fact: how they came out. Else 0. */
  result: number;
  calls: number;
}

/** What becomes of calls. */
interface Verdict {
  change: TryChange | "same";
  was: Outcome | null;
  would_be: Outcome | null;
  unknown?: TryUnknown | undefined;
  may_loosen: boolean;
  /** As it is, unless calls of its agent that came before would have ended otherwise. */
  depends: boolean;
}

const ALLOWED = CALL_RESULTS.indexOf("allowed");

/** @throws SQLite's error */
export async function tryPolicy(
  kept: KeptCalls,
  overrides: Pick<PolicyOverrides, "policyFor">,
  query: TryQuery,
): Promise<Omit<PolicyTry, "since" | "gaps">> {
  kept.flush();
  const tried = new TriedPolicy(kept, overrides);
  const among = amongOf(kept, query);
  const sums = new Sums();
  if (among !== null) await eachGroup(kept, among, (group) => sums.add(group, tried.verdictOn(group)));
  const counted = sums.counted();
  const isAny = query.changes.some((change) => counted[change] > 0);
  if (among === null || query.limit === 0 || !isAny) return { ...counted, entries: [] };
  return { ...counted, entries: await listed(kept, among, tried, sums, query) };
}

/** The rows that are looked at: by number, and by a condition without values that were given. Null where there are none. */
interface Among {
  first: number;
  last: number;
  where: string;
}

function amongOf({ db, statements }: KeptCalls, { agent, since }: TryQuery): Among | null {
  const { first, last } = statements.one<{ first: number | null; last: number | null }>(
    "SELECT (SELECT min(id) FROM calls) AS first, (SELECT max(id) FROM calls) AS last",
  );
  if (first === null || last === null) return null;
  const conditions: string[] = [];
  if (since !== undefined) conditions.push(` AND at >= ${Math.ceil(since)}`);
  if (agent !== undefined) {
    const id = db.prepare("SELECT id FROM names WHERE name = ? COLLATE NOCASE").pluck().get(agent) as
      | number
      | undefined;
    if (id === undefined) return null;
    conditions.push(` AND agent = ${id}`);
  }
  return { first, last, where: conditions.join("") };
}

async function eachGroup({ db }: KeptCalls, { first, last, where }: Among, act: (group: Group) => void): Promise<void> {
  const groups = db.prepare(
    `SELECT fact, agent, CASE fact WHEN 0 THEN result ELSE 0 END AS result, count(*) AS calls
     FROM calls WHERE id BETWEEN ? AND ?${where} GROUP BY 1, 2, 3`,
  );
  for (let from = first; from <= last; from += PIECE)
    await inPieces(groups.all(from, Math.min(last, from + PIECE - 1)) as Group[], act);
}

async function inPieces<T>(all: readonly T[], act: (one: T) => void): Promise<void> {
  let began = performance.now();
  for (const one of all) {
    act(one);
    if (performance.now() - began < PIECE_MS) continue;
    await piece();
    began = performance.now();
  }
  await piece();
}

/** Verdicts on facts. Which grant covers a need doesn't matter to them, nor what it is on: most facts are like a few others. */
class TriedPolicy {
  readonly #kept: KeptCalls;
  readonly #overrides: Pick<PolicyOverrides, "policyFor">;
  /** By fact; its number among those that differ. */
  readonly #known = new Map<number, number>();
  readonly #rulings: (ReadFact | undefined)[] = [undefined];
  readonly #numbers = new Map<string, number>();
  /** By agent, then by that number. */
  readonly #verdicts = new Map<number, Verdict[]>();

  constructor(kept: KeptCalls, overrides: Pick<PolicyOverrides, "policyFor">) {
    this.#kept = kept;
    this.#overrides = overrides;
  }

  verdictOn({ fact, agent, result }: Pick<Group, "fact" | "agent" | "result">): Verdict {
    // Nothing is looser than what was allowed unasked.
    if (fact === 0) return result === ALLOWED ? NO_FACTS : NO_FACTS_ASKED;
    const number = this.#known.get(fact) ?? this.#read(fact);
    const own = this.#verdicts.get(agent) ?? [];
    this.#verdicts.set(agent, own);
    own[number] ??= this.#verdictBy(this.#rulings[number], agent);
    return own[number];
  }

  #read(fact: number): number {
    const [row] = this.#kept.statements.prepare<{ fact: string }>("SELECT fact FROM facts WHERE id = ?").all(fact);
    const read = row === undefined ? undefined : readFact(row.fact);
    const number = read === undefined ? 0 : this.#numberOf(read);
    if (this.#known.size >= MAX_KNOWN) this.#known.clear();
    this.#known.set(fact, number);
    return number;
  }

  #numberOf(read: ReadFact): number {
    const ruled = read.ruled?.map((need) => ({ ...need, grant: need.grant == null ? need.grant : 1 })) ?? null;
    const alike = { ...read, ruled };
    const text = JSON.stringify(alike);
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    this.#numbers.set(text, this.#rulings.length);
    return this.#rulings.push(alike) - 1;
  }

  #verdictBy(read: ReadFact | undefined, agent: number): Verdict {
    if (read === undefined) return NO_FACTS_ASKED;
    const subject = { agent: { name: this.#kept.nameOf(agent) }, principal: read.principal };
    const cells = this.#overrides.policyFor(subject).table[read.level];
    const now = replayed(read, cells);
    if ("unknown" in now) return unknown(now.unknown, read.outcome, now.may_loosen);
    const depends = dependsOnOthers(read, cells);
    const change = changeOf(read.outcome, now.outcome);
    return { change, was: read.outcome, would_be: now.outcome, may_loosen: false, depends };
  }
}

const unknown = (why: TryUnknown, was: Outcome | null, mayLoosen: boolean): Verdict => ({
  change: "unknown",
  was,
  would_be: null,
  unknown: why,
  may_loosen: mayLoosen,
  depends: false,
});

function changeOf(was: Outcome, wouldBe: Outcome | null): Verdict["change"] {
  if (wouldBe === null || isStricter(was, wouldBe)) return "looser";
  if (was === wouldBe) return "same";
  return wouldBe === "denied" ? "denied" : "asked";
}

const NO_FACTS = unknown("no_facts", null, false);
const NO_FACTS_ASKED = unknown("no_facts", null, true);
/** What counts of calls that depend on others, as soon as one of their agent would have ended otherwise. */
const UNSURE = unknown("earlier_calls", null, true);

/** Adds up, by agent. */
class Sums {
  readonly #counts = new Map<Verdict["change"] | TryUnknown, number>();
  #mayBeLooser = 0;
  /** Agents of which a call would have been asked about or denied, or may have been. */
  readonly #changed = new Set<number>();
  /** Calls that are the same unless their agent is one of those. */
  readonly #depending = new Map<number, number>();

  add({ agent, calls }: Group, verdict: Verdict): void {
    if (verdict.change === "same" && verdict.depends)
      return void this.#depending.set(agent, (this.#depending.get(agent) ?? 0) + calls);
    // What was kept before there were facts came before the sessions of those that have some.
    if (!["same", "looser"].includes(verdict.change) && verdict.unknown !== "no_facts") this.#changed.add(agent);
    this.#count(verdict, calls);
  }

  #count({ change, unknown: why, may_loosen }: Verdict, calls: number): void {
    this.#counts.set(change, (this.#counts.get(change) ?? 0) + calls);
    if (why !== undefined) this.#counts.set(why, (this.#counts.get(why) ?? 0) + calls);
    if (may_loosen) this.#mayBeLooser += calls;
  }

  /** As it counts once all were added. */
  finalOf(agent: number, verdict: Verdict): Verdict {
    return verdict.change === "same" && verdict.depends && this.#changed.has(agent)
      ? { ...UNSURE, was: verdict.was }
      : verdict;
  }

  counted(): Omit<PolicyTry, "since" | "gaps" | "entries"> {
    const same: Verdict = { ...UNSURE, change: "same", unknown: undefined, may_loosen: false };
    for (const [agent, calls] of this.#depending) this.#count(this.#changed.has(agent) ? UNSURE : same, calls);
    this.#depending.clear();
    const of = (what: Verdict["change"] | TryUnknown) => this.#counts.get(what) ?? 0;
    const changes = { same: of("same"), asked: of("asked"), denied: of("denied"), looser: of("looser") };
    const why = TRY_UNKNOWNS.filter((one) => of(one) > 0).map((one) => [one, of(one)] as const);
    return {
      calls: changes.same + changes.asked + changes.denied + changes.looser + of("unknown"),
      ...changes,
      unknown: of("unknown"),
      may_be_looser: this.#mayBeLooser,
      why_unknown: Object.fromEntries(why),
    };
  }
}

/** The newest calls of these changes. */
async function listed(
  kept: KeptCalls,
  { first, last, where }: Among,
  tried: TriedPolicy,
  sums: Sums,
  { changes, limit }: TryQuery,
): Promise<TriedCall[]> {
  const rows = kept.db.prepare(
    `SELECT id, fact, agent, CASE fact WHEN 0 THEN result ELSE 0 END AS result
     FROM calls WHERE id BETWEEN ? AND ?${where} ORDER BY id DESC`,
  );
  const found = new Map<number, Verdict>();
  const look = (row: Group & { id: number }) => {
    const verdict = sums.finalOf(row.agent, tried.verdictOn(row));
    if (found.size < limit && changes.some((change) => change === verdict.change)) found.set(row.id, verdict);
  };
  for (let end = last; end >= first && found.size < limit; end -= PIECE)
    await inPieces(rows.all(Math.max(first, end - PIECE + 1), end) as (Group & { id: number })[], look);
  return entriesOf(kept, [...found.keys()]).flatMap((entry) => {
    const verdict = found.get(entry.number);
    const change = TRY_CHANGES.find((one) => one === verdict?.change);
    if (verdict === undefined || change === undefined) return [];
    const { was, would_be, unknown: why } = verdict;
    return [
      { ...entry, stage: null, reason: "", change, was, would_be, ...(why === undefined ? {} : { unknown: why }) },
    ];
  });
}
