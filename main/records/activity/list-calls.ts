import { setImmediate as piece } from "node:timers/promises";
import {
  type ActivityPage,
  type ActivityToday,
  CALL_RESULTS,
  type CallResult,
  type DayRow,
} from "../../../ipc/contract/activity.ts";
import { type ApprovalStatus, CAPABILITIES, type Capability, type Outcome } from "../../../ipc/contract/decision.ts";
import { RULES } from "../../../ipc/contract/rules.ts";
import { localMidnight } from "../../base/clocks/local-time.ts";
import { bytesOf, type KeptCalls, NUMBERS, OUTCOMES, STATUSES } from "./kept-calls.ts";

/**
 * Looks through the lines that are kept, in pieces: between two of them the gate serves its agents, however many lines there are and
 * whatever is looked for.
 */

/** Rows, and texts, that are looked at in one piece: some milliseconds. */
const PIECE = 20_000;
/** What more texts have is looked for in each row, rather than that they are all remembered. */
const MAX_FOUND = 150_000;
/** So few rows are looked up by their texts; of more, the newest are found sooner by going through all. */
const FEW = 20_000;
const MAX_WORDS = 8;
/** Files and hosts of a day's row that are named. */
const NAMED = 20;

export interface CallsQuery {
  agent?: string | undefined;
  project?: string | undefined;
  capability?: Capability | undefined;
  outcome?: Outcome | undefined;
  result?: CallResult | undefined;
  /** Words, each of which is in the line, the agent, the tool or the project. */
  text?: string | undefined;
  /** Unix milliseconds; `until` exclusive. */
  since?: number | undefined;
  until?: number | undefined;
  /** Only what the user answered. */
  answered?: boolean | undefined;
  confined?: boolean | undefined;
  before?: number | undefined;
  limit: number;
}

/** What is kept of a call. */
export type KeptEntry = Omit<ActivityPage["entries"][number], "stage" | "reason" | "reported">;

interface Found {
  id: number;
  at: number;
  decision: Buffer;
  agent: number;
  project: number;
  tool: number;
  line: string;
  outcome: number;
  status: number;
  result: number;
  rule: number;
  capabilities: number;
  confined: number;
}

const COLUMNS =
  "c.id, c.at, c.decision, c.agent, c.project, c.tool, t.line, c.outcome, c.status, c.result, c.rule, c.capabilities, c.confined";

/** Of several listings at once, each has its own words in the table of what was found. */
let searches = 0;

/** @throws SQLite's error */
export async function listCalls(kept: KeptCalls, query: CallsQuery): Promise<KeptEntry[]> {
  kept.flush();
  const conditions = conditionsOf(kept, query);
  if (conditions === null) return [];
  const search = new TextSearch(kept, query.text ?? "");
  try {
    if (!(await search.find())) return [];
    const rows = await rowsOf(kept, query, [...conditions, ...search.conditions()], search);
    return rows.map((row) => entryOf(kept, row));
  } finally {
    search.end();
  }
}

/** In SQL, without values that were given: numbers alone. Null where nothing can match. */
function conditionsOf(kept: KeptCalls, query: CallsQuery): string[] | null {
  const { agent, project, capability, outcome, result, since, until, answered, confined } = query;
  const conditions: string[] = [];
  for (const [column, name] of [["agent", agent] as const, ["project", project] as const]) {
    if (name === undefined) continue;
    const [id] = kept.statements.prepare<{ id: number }>("SELECT id FROM names WHERE name = ?").all(name);
    if (id === undefined) return null;
    conditions.push(`c.${column} = ${id.id}`);
  }
  if (outcome !== undefined) conditions.push(`c.outcome = ${OUTCOMES.indexOf(outcome)}`);
  if (result !== undefined) conditions.push(`c.result = ${CALL_RESULTS.indexOf(result)}`);
  if (capability !== undefined) conditions.push(`c.capabilities & ${1 << CAPABILITIES.indexOf(capability)}`);
  if (since !== undefined) conditions.push(`c.at >= ${whole(since)}`);
  if (until !== undefined) conditions.push(`c.at < ${whole(until)}`);
  if (answered === true) conditions.push(`c.result IN (${indexOf("approved")}, ${indexOf("rejected")})`);
  if (confined === true) conditions.push("c.confined = 1");
  return conditions;
}

const whole = (ms: number): number => Math.ceil(ms);
const indexOf = (result: CallResult): number => CALL_RESULTS.indexOf(result);

async function rowsOf(
  kept: KeptCalls,
  { before, limit, since }: CallsQuery,
  conditions: readonly string[],
  search: TextSearch,
): Promise<Found[]> {
  const { db } = kept;
  const newest = db.prepare("SELECT max(id) FROM calls").pluck().get() as number | null;
  const top = Math.min(before === undefined ? Number.POSITIVE_INFINITY : before - 1, newest ?? 0);
  const where = conditions.map((condition) => ` AND ${condition}`).join("");
  const few = search.few();
  if (few !== undefined)
    return db
      .prepare(
        `SELECT ${COLUMNS} FROM temp.found f CROSS JOIN calls c ON c.text = f.id JOIN texts t ON t.id = c.text
         WHERE f.search = ${few} AND c.id <= ?${where} ORDER BY c.id DESC LIMIT ?`,
      )
      .all(top, limit) as Found[];
  const first = firstSince(kept, since);
  const page = db.prepare(
    `SELECT ${COLUMNS} FROM calls c JOIN texts t ON t.id = c.text
     WHERE c.id BETWEEN ? AND ?${where} ORDER BY c.id DESC LIMIT ?`,
  );
  const rows: Found[] = [];
  for (let end = top; end >= first && rows.length < limit; end -= PIECE) {
    rows.push(...(page.all(Math.max(first, end - PIECE + 1), end, limit - rows.length) as Found[]));
    if (rows.length < limit && end - PIECE >= first) await piece();
  }
  return rows;
}

/** The lowest number from this time on. */
function firstSince({ db }: KeptCalls, since: number | undefined): number {
  const first =
    since === undefined
      ? db.prepare("SELECT min(id) FROM calls").pluck().get()
      : db.prepare("SELECT id FROM calls WHERE at >= ? ORDER BY at LIMIT 1").pluck().get(whole(since));
  return (first as number | null | undefined) ?? Number.POSITIVE_INFINITY;
}

/** Those of these numbers that are kept, in the order in which they are given. @throws SQLite's error */
export function entriesOf(kept: KeptCalls, numbers: readonly number[]): KeptEntry[] {
  const one = kept.db.prepare(`SELECT ${COLUMNS} FROM calls c JOIN texts t ON t.id = c.text WHERE c.id = ?`);
  return numbers.flatMap((number) => (one.all(number) as Found[]).map((row) => entryOf(kept, row)));
}

function entryOf(kept: KeptCalls, row: Found): KeptEntry {
  const rule = RULES.find((one) => one === kept.nameOf(row.rule));
  const status = STATUSES[row.status - 1];
  const isEnded = status !== undefined && status !== "pending";
  return {
    number: row.id,
    decision_id: idOf(row.decision),
    ts: row.at / 1000,
    agent_name: kept.nameOf(row.agent),
    executor: kept.nameOf(row.tool),
    line: row.line,
    project: row.project === 0 ? null : kept.nameOf(row.project),
    outcome: OUTCOMES[row.outcome] ?? "denied",
    result: CALL_RESULTS[row.result] ?? "denied",
    capabilities: CAPABILITIES.filter((_, at) => (row.capabilities >> at) % 2 === 1).map((capability) => ({
      capability,
      target: "",
    })),
    rule,
    is_confined: row.confined === 1,
    ...(isEnded ? { status: status as ApprovalStatus } : {}),
  };
}

function idOf(bytes: Buffer): string {
  if (bytes.length !== 16) return bytes.toString();
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

/** The words of a search. Those that no name has are looked for in the texts, once; the others in each row. */
class TextSearch {
  readonly #kept: KeptCalls;
  readonly #patterns: readonly string[];
  readonly #number = searches++;
  /** Of agents, projects and tools that have the word. */
  readonly #names = new Map<string, readonly number[]>();
  /** Of the words that no name has: how many texts have all of them. Undefined where there is no such word. */
  #found: number | "many" | undefined;

  constructor(kept: KeptCalls, text: string) {
    this.#kept = kept;
    const words = [...new Set(text.trim().split(/\s+/))].filter((word) => word !== "");
    this.#patterns = words.slice(0, MAX_WORDS).map(patternOf);
  }

  get #inTexts(): string[] {
    return this.#patterns.filter((pattern) => !this.#names.has(pattern));
  }

  /** False where nothing can match. */
  async find(): Promise<boolean> {
    const names = this.#kept.db.prepare("SELECT id FROM names WHERE name LIKE ? ESCAPE '\\' LIMIT 1000").pluck();
    for (const pattern of this.#patterns) {
      const ids = names.all(pattern) as number[];
      if (ids.length > 0) this.#names.set(pattern, ids);
    }
    if (this.#inTexts.length > 0) this.#found = await this.#findTexts(this.#inTexts);
    return this.#found !== 0;
  }

  /** Texts are found by numbers that are spread evenly, so that each piece of these has about as many. */
  async #findTexts(patterns: readonly string[]): Promise<number | "many"> {
    const { db, size } = this.#kept;
    db.exec(
      "CREATE TEMP TABLE IF NOT EXISTS found (search INTEGER, id INTEGER, PRIMARY KEY (search, id)) WITHOUT ROWID",
    );
    const like = patterns.map(() => "line LIKE ? ESCAPE '\\'").join(" AND ");
    const find = db.prepare(
      `INSERT OR IGNORE INTO temp.found SELECT ${this.#number}, id FROM texts WHERE id BETWEEN ? AND ? AND ${like}`,
    );
    const pieces = Math.ceil((size + 1) / PIECE);
    const width = Math.ceil(NUMBERS / pieces);
    let found = 0;
    for (let from = 0; from < NUMBERS; from += width) {
      found += find.run(from, from + width - 1, ...patterns).changes;
      if (found > MAX_FOUND) {
        db.prepare("DELETE FROM temp.found WHERE search = ?").run(this.#number);
        return "many";
      }
      if (from + width < NUMBERS) await piece();
    }
    return found;
  }

  conditions(): string[] {
    const like = (pattern: string) => `t.line LIKE ${quoted(pattern)} ESCAPE '\\'`;
    const named = [...this.#names].map(([pattern, ids]) => {
      const list = ids.join(", ");
      return `(${like(pattern)} OR c.agent IN (${list}) OR c.project IN (${list}) OR c.tool IN (${list}))`;
    });
    if (this.#found === undefined) return named;
    if (this.#found === "many") return [...named, ...this.#inTexts.map(like)];
    return [...named, `EXISTS (SELECT 1 FROM temp.found w WHERE w.search = ${this.#number} AND w.id = c.text)`];
  }

  /** Its number in the table of what was found, where few rows have that. */
  few(): number | undefined {
    if (this.#found === undefined || this.#found === "many") return undefined;
    const rows = this.#kept.db
      .prepare(
        `SELECT count(*) FROM (SELECT 1 FROM temp.found f CROSS JOIN calls c ON c.text = f.id WHERE f.search = ? LIMIT ${FEW + 1})`,
      )
      .pluck()
      .get(this.#number) as number;
    return rows <= FEW ? this.#number : undefined;
  }

  end(): void {
    if (this.#found !== undefined && this.#kept.db.open)
      this.#kept.db.prepare("DELETE FROM temp.found WHERE search = ?").run(this.#number);
  }
}

function patternOf(word: string): string {
  return `%${word.replace(/[\\%_]/g, "\\$&")}%`;
}

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** Between when a call is decided on and when its request is made, in milliseconds, with what a date in seconds leaves out. */
const SAME_TIME_MS = 3000;

/** The line of a call that was asked about at this time (Unix milliseconds); null where none is kept. @throws SQLite's error */
export function lineAskedAt(kept: KeptCalls, decisionId: string, at: number): string | null {
  kept.flush();
  const found = kept.db
    .prepare<[number, number, Buffer], { line: string }>(
      "SELECT t.line FROM calls c JOIN texts t ON t.id = c.text WHERE c.at BETWEEN ? AND ? AND c.decision = ?",
    )
    .get(at - SAME_TIME_MS, at + SAME_TIME_MS, bytesOf(decisionId));
  return found?.line ?? null;
}

/** The lines of decisions that were made between these times (Unix milliseconds), a day before among them. @throws SQLite's error */
export async function linesOf(
  kept: KeptCalls,
  decisionIds: readonly string[],
  from: number,
  until: number,
): Promise<Record<string, string>> {
  kept.flush();
  const wanted = new Map(decisionIds.map((id) => [bytesOf(id).toString("hex"), id]));
  const page = kept.db.prepare(
    `SELECT c.id, c.decision, t.line FROM calls c JOIN texts t ON t.id = c.text
     WHERE c.id <= ? AND c.at BETWEEN ? AND ? ORDER BY c.id DESC LIMIT ${PIECE}`,
  );
  const lines: Record<string, string> = {};
  for (let end = Number.MAX_SAFE_INTEGER; wanted.size > 0; ) {
    const rows = page.all(end, whole(from), whole(until)) as { id: number; decision: Buffer; line: string }[];
    for (const { decision, line } of rows) {
      const key = decision.toString("hex");
      const id = wanted.get(key);
      if (id === undefined) continue;
      lines[id] = line;
      wanted.delete(key);
    }
    if (rows.length < PIECE) break;
    end = (rows.at(-1)?.id ?? 0) - 1;
    await piece();
  }
  return lines;
}

interface DaySum {
  agent: number;
  project: number;
  result: number;
  asked: number;
  currency: number;
  calls: number;
  amount: number;
}

/** Named by some call, a line each. */
interface DayPlaces {
  agent: number;
  project: number;
  files: string;
  hosts: string;
}

interface Day {
  agent: number;
  project: number;
  sums: DaySum[];
  files: Set<string>;
  hosts: Set<string>;
}

/** What was done since midnight, local time. @throws SQLite's error */
export async function callsToday(kept: KeptCalls): Promise<ActivityToday> {
  kept.flush();
  const { db, settings } = kept;
  const now = settings.now();
  const midnight = localMidnight(now);
  const first = firstSince(kept, midnight);
  const last = (db.prepare("SELECT max(id) FROM calls").pluck().get() as number | null) ?? 0;
  const among = "FROM calls WHERE id BETWEEN ? AND ? AND at >= ?";
  const sums = db.prepare(
    `SELECT agent, project, result, status <> 0 AS asked, currency, count(*) AS calls, sum(amount) AS amount ${among} GROUP BY 1, 2, 3, 4, 5`,
  );
  const texts = db.prepare(
    `SELECT DISTINCT c.agent, c.project, t.files, t.hosts FROM calls c JOIN texts t ON t.id = c.text
     WHERE c.id BETWEEN ? AND ? AND c.at >= ? AND c.result IN (${indexOf("allowed")}, ${indexOf("approved")})
     AND (t.files <> '' OR t.hosts <> '')`,
  );
  const days = new Map<string, Day>();
  const dayOf = ({ agent, project }: Pick<Day, "agent" | "project">): Day => {
    const key = `${agent} ${project}`;
    const day = days.get(key) ?? { agent, project, sums: [], files: new Set(), hosts: new Set() };
    days.set(key, day);
    return day;
  };
  for (let from = first; from <= last; from += PIECE) {
    const bounds = [from, Math.min(last, from + PIECE - 1), midnight];
    for (const sum of sums.all(...bounds) as DaySum[]) dayOf(sum).sums.push(sum);
    for (const one of texts.iterate(...bounds) as IterableIterator<DayPlaces>) {
      const day = dayOf(one);
      for (const file of one.files.split("\n")) if (file !== "") day.files.add(file);
      for (const host of one.hosts.split("\n")) if (host !== "") day.hosts.add(host);
    }
    await piece();
  }
  const rows = [...days.values()].map((day) => dayRow(kept, day));
  const gaps = kept.gaps(midnight, now);
  return {
    since: midnight / 1000,
    rows: rows.sort((a, b) => b.total - a.total),
    gaps,
    keep: settings.keep,
  };
}

function dayRow(kept: KeptCalls, { agent, project, sums, files, hosts }: Day): DayRow {
  const calls = Object.fromEntries(CALL_RESULTS.map((result) => [result, 0])) as DayRow["calls"];
  const costs = new Map<string, number>();
  let [total, asked] = [0, 0];
  for (const sum of sums) {
    const result = CALL_RESULTS[sum.result];
    if (result !== undefined) calls[result] += sum.calls;
    total += sum.calls;
    if (sum.asked === 1) asked += sum.calls;
    const currency = kept.nameOf(sum.currency);
    if (currency !== "") costs.set(currency, (costs.get(currency) ?? 0) + sum.amount);
  }
  const some = (all: ReadonlySet<string>) => ({ count: all.size, some: [...all].sort().slice(0, NAMED) });
  return {
    agent_name: kept.nameOf(agent),
    project: project === 0 ? null : kept.nameOf(project),
    calls,
    total,
    asked,
    files: some(files),
    hosts: some(hosts),
    costs: [...costs].map(([currency, amount]) => ({ currency, amount })),
  };
}
