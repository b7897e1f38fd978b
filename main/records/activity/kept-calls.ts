import { hash } from "node:crypto";
import type Database from "better-sqlite3";
import { type ActivityGap, CALL_RESULTS, resultOf } from "../../../ipc/contract/activity.ts";
import { approvalStatusSchema, CAPABILITIES, type Decision, outcomeSchema } from "../../../ipc/contract/decision.ts";
import type { Rule } from "../../../ipc/contract/rules.ts";
import { type Surface, surfaceSchema } from "../../../ipc/contract/surface.ts";
import { PreparedStatements } from "../../base/sqlite/prepared-statements.ts";
import type { Denial, Unfinished } from "../../decide/stages/examination.ts";
import { type CallFact, type CallFacts, storedFact } from "./call-facts.ts";
import type { CallLine, CallLines, Keep } from "./call-line.ts";

/** The lines of calls, for some days and over restarts: in batches, and never on a call's way. The newest are the first to be asked for. */

/** How much is kept at the most: beyond it the oldest go. */
export interface Bounds {
  calls: number;
  bytes: number;
}
export const BOUNDS: Bounds = { calls: 1_000_000, bytes: 300_000_000 };
/** Where nothing is kept on the disk. */
export const BOUNDS_IN_MEMORY: Bounds = { calls: 1000, bytes: 4_000_000 };

/** Lines are written so long after the first of them at the latest, in milliseconds. */
export const WRITTEN_MS = 900;
/** Lines that wait to be written: where the database can't be, the oldest of more are lost. */
export const MAX_PENDING = 10_000;
/** So many at once are a batch. */
const BATCH = 1000;
/** Rows that are removed at once. */
const REMOVED_AT_ONCE = 1000;
const DAY_MS = 86_400_000;
const MAX_WAITING = 10_000;
const MAX_GAPS = 1000;
const MAX_CACHED = 4096;
/** Of the database's pages in memory, in KiB. */
const CACHE_KIB = 2048;
const FREE =
  "SELECT page_count - freelist_count AS pages, page_size FROM pragma_page_count, pragma_freelist_count, pragma_page_size";

export const OUTCOMES = outcomeSchema.options;
/** By number from 1; 0: nobody was asked. */
export const STATUSES = approvalStatusSchema.options;

/**
 * Who answered for a call that was asked about, by number. `grant`, `refusal`: one of the user's covered it meanwhile. A surface: the user, there;
 * `user`: on one that isn't known. What judges said is the stage of its fact.
 */
export const ANSWERED_BY = ["nobody", "grant", "refusal", "user", ...surfaceSchema.options] as const;

/** What isn't in a call's decision. */
export interface DecidedBy {
  /** Of the stage that denied it. */
  denial?: Denial | null;
  /** Where the user answered; null where that isn't known. Left out: nobody did. */
  surface?: Surface | null | undefined;
}

interface Row {
  number: number;
  at: number;
  decision_id: string;
  agent: string;
  rule: string;
  line: CallLine;
  fact: CallFact | null;
  answered_by: number;
  outcome: number;
  status: number;
  result: number;
  capabilities: number;
  confined: number;
  amount: number;
  currency: string;
  isWritten: boolean;
}

export interface KeptCallsSettings {
  keep: Keep;
  /** For how many days. */
  days: number;
  /** Milliseconds. */
  now(): number;
  lines: Pick<CallLines, "lineOf">;
  /** Left out: none are kept. */
  facts?: Pick<CallFacts, "factOf">;
  /** The text without what looks like a secret. */
  withoutSecrets(text: string): string;
  /** False: the file may be another gate's by now. Left out: it never is. */
  isIntact?(): boolean;
  failed(what: string, error: unknown): void;
  bounds?: Bounds;
}

type Gap = { from: number; until: number; why: ActivityGap["why"]; calls: number | null };

export class KeptCalls {
  readonly db: Database.Database;
  readonly statements: PreparedStatements;
  readonly settings: KeptCallsSettings;
  readonly #bounds: Bounds;
  /** Not yet written, and changes of what is. */
  #pending: Row[] = [];
  #changed = new Map<number, Row>();
  /** What is asked about, by its decision. */
  readonly #waiting = new Map<string, Row>();
  readonly #texts = new Map<string, number>();
  readonly #names = new Map<string, number>();
  readonly #facts = new Map<string, number>();
  /** Calls that a batch adds to each. */
  readonly #newOfFacts = new Map<number, number>();
  readonly #nameOf = new Map<number, string>();
  #next = 1;
  #count = 0;
  /** Since the bounds were looked at. */
  #added = BATCH;
  #lost: Gap | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  /** `db` was opened with `KEPT_CALLS_SCHEMA`. @throws SQLite's error */
  constructor(db: Database.Database, settings: KeptCallsSettings) {
    this.db = db;
    this.statements = new PreparedStatements(db);
    this.settings = settings;
    this.#bounds = settings.bounds ?? BOUNDS;
    // What a killed gate wrote is there; only a power failure may lose the last seconds.
    db.pragma("synchronous = NORMAL");
    db.pragma(`cache_size = -${CACHE_KIB}`);
    this.#begin();
  }

  /** What an earlier gate left: a question that nobody answers any more, and whether it could write its last lines. */
  #begin(): void {
    const { statements } = this;
    const now = this.settings.now();
    statements.together(() => {
      const last = statements.one<{ id: number | null; at: number | null }>(
        "SELECT max(id) AS id, (SELECT at FROM calls ORDER BY id DESC LIMIT 1) AS at FROM calls",
      );
      this.#next = (last.id ?? 0) + 1;
      this.#count = statements.count("SELECT count(*) AS count FROM calls");
      const running = statements.prepare<{ since_ms: number }>("SELECT since_ms FROM running").all()[0];
      if (running !== undefined)
        this.#addGap({ from: Math.max(running.since_ms, last.at ?? 0), until: now, why: "killed", calls: null });
      statements.prepare("INSERT OR REPLACE INTO running VALUES (1, ?)").run(now);
      statements
        .prepare("UPDATE calls SET result = ?, status = ?, outcome = ? WHERE result = 5")
        .run(CALL_RESULTS.indexOf("unanswered"), STATUSES.indexOf("cancelled") + 1, OUTCOMES.indexOf("denied"));
    });
  }

  /** How many are kept, those that aren't written yet among them. */
  get size(): number {
    return this.#count + this.#pending.length;
  }

  /** A call was decided on, or asked about: its agent has the answer. The last word on one that was asked about changes its line. */
  note(decision: Decision, x: Unfinished, by: DecidedBy = {}): void {
    const asked = this.#waiting.get(decision.decision_id);
    if (asked === undefined) return this.#add(decision, x, by);
    Object.assign(asked, endOf(decision, by));
    if (asked.result !== WAITING) this.#waiting.delete(decision.decision_id);
    if (asked.isWritten) this.#changed.set(asked.number, asked);
    this.#writeSoon();
  }

  #add(decision: Decision, x: Unfinished, by: DecidedBy): void {
    const line = this.settings.lines.lineOf(x);
    const row: Row = {
      number: this.#next++,
      at: this.settings.now(),
      decision_id: decision.decision_id,
      agent: x.subject.agent?.name ?? "none",
      line,
      fact: this.#factOf(x, by, line),
      ...endOf(decision, by),
      isWritten: false,
    };
    this.#pending.push(row);
    if (row.result === WAITING) {
      const [oldest] = this.#waiting.keys();
      if (this.#waiting.size >= MAX_WAITING && oldest !== undefined) this.#waiting.delete(oldest);
      this.#waiting.set(row.decision_id, row);
    }
    if (this.#pending.length > MAX_PENDING) this.#lose();
    this.#writeSoon();
  }

  /** A line is kept without it rather than not at all. */
  #factOf(x: Unfinished, { denial = null }: DecidedBy, { project }: CallLine): CallFact | null {
    try {
      return this.settings.facts?.factOf(x, denial, project) ?? null;
    } catch (error) {
      this.settings.failed("keeping a call's facts", error);
      return null;
    }
  }

  #lose(): void {
    const row = this.#pending.shift();
    if (row === undefined) return;
    this.#waiting.delete(row.decision_id);
    const from = Math.min(this.#lost?.from ?? row.at, row.at);
    this.#lost = { from, until: row.at, why: "unwritten", calls: (this.#lost?.calls ?? 0) + 1 };
  }

  #writeSoon(): void {
    if (this.#isClosed) return;
    if (this.#pending.length >= BATCH && this.#pending.length % BATCH === 0) return this.#tryFlush();
    this.#timer ??= setTimeout(() => this.#tryFlush(), WRITTEN_MS).unref();
  }

  #tryFlush(): void {
    try {
      this.flush();
    } catch (error) {
      this.settings.failed("writing lines of calls", error);
    }
  }

  /** Writes what waits, and removes what is too old or too much. @throws SQLite's error: what waits is kept for the next time */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#isClosed || this.settings.isIntact?.() === false) return;
    if (this.#pending.length > 0 || this.#changed.size > 0 || this.#lost !== undefined) this.#write();
    if (this.#added >= BATCH || this.#isAged()) this.#removeOldest();
  }

  #write(): void {
    const { statements } = this;
    const [pending, changed, lost] = [this.#pending, this.#changed, this.#lost];
    try {
      statements.together(() => {
        const insert = statements.prepare(`INSERT INTO calls VALUES (?${", ?".repeat(16)})`);
        for (const row of pending) insert.run(...this.#valuesOf(row));
        this.#countFacts();
        for (const row of changed.values()) this.#change(row);
        if (lost !== undefined) this.#addGap(lost);
      });
    } catch (error) {
      // Numbers that were given in it aren't there.
      this.#texts.clear();
      this.#names.clear();
      this.#nameOf.clear();
      this.#facts.clear();
      this.#newOfFacts.clear();
      throw error;
    }
    for (const row of pending) row.isWritten = true;
    this.#count += pending.length;
    this.#added += pending.length;
    this.#pending = [];
    this.#changed = new Map();
    this.#lost = undefined;
  }

  #valuesOf({ number, at, decision_id, agent, rule, line, outcome, status, result, ...row }: Row): unknown[] {
    const { withoutSecrets } = this.settings;
    const project = line.project === null ? 0 : this.#nameId(line.project, withoutSecrets);
    const [tool, text] = [this.#nameId(line.tool, withoutSecrets), this.#textId(line)];
    const currency = row.currency === "" ? 0 : this.#nameId(row.currency);
    const called = [this.#nameId(agent), project, tool, text];
    const ended = [outcome, status, result, rule === "" ? 0 : this.#nameId(rule)];
    return [
      number,
      at,
      bytesOf(decision_id),
      ...called,
      ...ended,
      row.capabilities,
      row.confined,
      row.amount,
      currency,
      row.fact === null ? 0 : this.#factId(row.fact),
      row.answered_by,
    ];
  }

  #change({ number, decision_id, outcome, status, result, rule, amount, currency, confined, answered_by }: Row): void {
    this.statements
      .prepare(
        `UPDATE calls SET outcome = ?, status = ?, result = ?, rule = ?, amount = ?, currency = ?, confined = ?, answered_by = ?
         WHERE id = ? AND decision = ?`,
      )
      .run(
        outcome,
        status,
        result,
        rule === "" ? 0 : this.#nameId(rule),
        amount,
        currency === "" ? 0 : this.#nameId(currency),
        confined,
        answered_by,
        number,
        bytesOf(decision_id),
      );
  }

  #textId({ text, files, hosts }: CallLine): number {
    const said = [text, files.join("\n"), hosts.join("\n")] as const;
    const key = said.join("\0");
    const known = this.#texts.get(key);
    if (known !== undefined) return known;
    const { withoutSecrets } = this.settings;
    const kept = said.map((one) => (one === "" ? "" : withoutSecrets(one)));
    let id = numberOf(kept.join("\0"));
    const find = this.statements.prepare<{ line: string; files: string; hosts: string }>(
      "SELECT line, files, hosts FROM texts WHERE id = ?",
    );
    for (let found = find.get(id); found !== undefined; found = find.get(id)) {
      if (found.line === kept[0] && found.files === kept[1] && found.hosts === kept[2]) break;
      id++; // another one of the same number
    }
    this.statements.prepare("INSERT OR IGNORE INTO texts VALUES (?, ?, ?, ?)").run(id, ...kept);
    if (this.#texts.size >= MAX_CACHED) this.#texts.clear();
    this.#texts.set(key, id);
    return id;
  }

  #factId(fact: CallFact): number {
    const id = this.#facts.get(fact.key) ?? this.#writtenFact(fact);
    this.#newOfFacts.set(id, (this.#newOfFacts.get(id) ?? 0) + 1);
    return id;
  }

  #countFacts(): void {
    const count = this.statements.prepare("UPDATE facts SET calls = calls + ? WHERE id = ?");
    for (const [id, calls] of this.#newOfFacts) count.run(calls, id);
    this.#newOfFacts.clear();
  }

  #writtenFact(fact: CallFact): number {
    const { withoutSecrets } = this.settings;
    const text = storedFact(fact, (name, change) => this.#nameId(name, change), withoutSecrets);
    this.statements.prepare("INSERT OR IGNORE INTO facts (fact, calls) VALUES (?, 0)").run(text);
    const { id } = this.statements.one<{ id: number }>("SELECT id FROM facts WHERE fact = ?", text);
    if (this.#facts.size >= MAX_CACHED) this.#facts.clear();
    this.#facts.set(fact.key, id);
    return id;
  }

  #nameId(name: string, change = (text: string) => text): number {
    const known = this.#names.get(name);
    if (known !== undefined) return known;
    const kept = change(name);
    this.statements.prepare("INSERT OR IGNORE INTO names (name) VALUES (?)").run(kept);
    const { id } = this.statements.one<{ id: number }>("SELECT id FROM names WHERE name = ?", kept);
    if (this.#names.size >= MAX_CACHED) this.#names.clear();
    this.#names.set(name, id);
    return id;
  }

  /** "" of none. */
  nameOf(id: number): string {
    if (id === 0) return "";
    const known = this.#nameOf.get(id);
    if (known !== undefined) return known;
    const [found] = this.statements.prepare<{ name: string }>("SELECT name FROM names WHERE id = ?").all(id);
    if (this.#nameOf.size >= MAX_CACHED) this.#nameOf.clear();
    this.#nameOf.set(id, found?.name ?? "");
    return found?.name ?? "";
  }

  // Bounds.

  #cutoff(): number {
    return this.settings.now() - this.settings.days * DAY_MS;
  }

  #isAged(): boolean {
    const [oldest] = this.statements.prepare<{ at: number }>("SELECT at FROM calls ORDER BY at LIMIT 1").all();
    return oldest !== undefined && oldest.at < this.#cutoff();
  }

  /** Some of the oldest, as many as came at least. */
  #removeOldest(): void {
    const { statements } = this;
    const most = Math.max(REMOVED_AT_ONCE, 2 * this.#added);
    const aged = this.removeSome("at < ?", [this.#cutoff()], most);
    statements.prepare("DELETE FROM gaps WHERE until_ms < ?").run(this.#cutoff());
    const tooMany = this.#count - this.#bounds.calls;
    const tooLarge = this.usedBytes() > this.#bounds.bytes ? most : 0;
    const more = Math.min(Math.max(tooMany, tooLarge), most);
    if (more > 0) this.#removeFirst(more);
    if (aged < most && this.#count <= this.#bounds.calls && tooLarge === 0) this.#added = 0;
  }

  #removeFirst(count: number): void {
    const { statements } = this;
    statements.together(() => {
      const [end] = statements
        .prepare<{ id: number; at: number }>("SELECT id, at FROM calls ORDER BY id LIMIT 1 OFFSET ?")
        .all(Math.min(count, this.#count) - 1);
      const [first] = statements.prepare<{ at: number }>("SELECT at FROM calls ORDER BY id LIMIT 1").all();
      if (end === undefined || first === undefined) return;
      const removed = this.#remove("id <= ?", [end.id]);
      const [known] = statements
        .prepare<{ from_ms: number; calls: number }>("SELECT from_ms, calls FROM gaps WHERE why = 'bounded'")
        .all();
      statements.prepare("DELETE FROM gaps WHERE why = 'bounded'").run();
      const from = Math.min(known?.from_ms ?? first.at, first.at);
      this.#addGap({ from, until: end.at, why: "bounded", calls: (known?.calls ?? 0) + removed });
    });
  }

  /** Bytes of the pages that hold something. @throws SQLite's error */
  usedBytes(): number {
    const { pages, page_size } = this.statements.one<{ pages: number; page_size: number }>(FREE);
    return pages * page_size;
  }

  /** Removes some of which `where` is true, in one transaction. @returns how many. @throws SQLite's error */
  removeSome(where: string, values: readonly unknown[], most: number): number {
    return this.statements.together(() =>
      this.#remove(`id IN (SELECT id FROM calls WHERE ${where} LIMIT ${Math.floor(most)})`, values),
    );
  }

  /** With the texts and the facts that no other call has. */
  #remove(where: string, values: readonly unknown[]): number {
    const { db } = this;
    const texts = db
      .prepare(`SELECT DISTINCT text FROM calls WHERE ${where}`)
      .pluck()
      .all(...values) as number[];
    const facts = db
      .prepare(`SELECT fact, count(*) AS calls FROM calls WHERE ${where} GROUP BY fact`)
      .all(...values) as { fact: number; calls: number }[];
    const { changes } = db.prepare(`DELETE FROM calls WHERE ${where}`).run(...values);
    const unused = this.statements.prepare(
      "DELETE FROM texts WHERE id = ? AND NOT EXISTS (SELECT 1 FROM calls WHERE text = ?)",
    );
    for (const text of texts) unused.run(text, text);
    const fewer = this.statements.prepare("UPDATE facts SET calls = calls - ? WHERE id = ?");
    for (const { fact, calls } of facts) fewer.run(calls, fact);
    const unusedFact = this.statements.prepare("DELETE FROM facts WHERE id = ? AND calls <= 0");
    for (const { fact } of facts) unusedFact.run(fact);
    if (changes > 0) this.#texts.clear();
    if (changes > 0) this.#facts.clear();
    this.#count -= changes;
    return changes;
  }

  /** Removes names. @throws SQLite's error */
  removeNames(isUnused: (id: number) => boolean): void {
    const { statements } = this;
    statements.together(() => {
      const ids = statements.prepare<{ id: number }>("SELECT id FROM names").all();
      for (const { id } of ids) if (isUnused(id)) statements.prepare("DELETE FROM names WHERE id = ?").run(id);
    });
    this.#names.clear();
    this.#nameOf.clear();
  }

  // Gaps.

  #addGap({ from, until, why, calls }: Gap): void {
    this.statements
      .prepare("INSERT INTO gaps (from_ms, until_ms, why, calls) VALUES (?, ?, ?, ?)")
      .run(from, until, why, calls);
    this.statements
      .prepare("DELETE FROM gaps WHERE id NOT IN (SELECT id FROM gaps ORDER BY id DESC LIMIT ?)")
      .run(MAX_GAPS);
  }

  /** @throws SQLite's error */
  noteGap(gap: Gap): void {
    this.statements.together(() => this.#addGap(gap));
  }

  /** Where calls between these times (milliseconds) may be missing, the newest first. @throws SQLite's error */
  gaps(from: number, until: number, most = 20): ActivityGap[] {
    const rows = this.statements
      .prepare<{ from_ms: number; until_ms: number; why: ActivityGap["why"]; calls: number | null }>(
        "SELECT from_ms, until_ms, why, calls FROM gaps WHERE until_ms >= ? AND from_ms <= ? ORDER BY id DESC LIMIT ?",
      )
      .all(from, until, most);
    const stored = rows.map(({ from_ms, until_ms, why, calls }) => ({
      from: from_ms / 1000,
      until: until_ms / 1000,
      why,
      calls,
    }));
    const lost = this.#lost;
    const unwritten = lost === undefined ? [] : [{ ...lost, from: lost.from / 1000, until: lost.until / 1000 }];
    return [...unwritten, ...stored];
  }

  /** When the oldest that is kept was asked for, in milliseconds; undefined where there is none. @throws SQLite's error */
  oldest(): number | undefined {
    return this.statements.prepare<{ at: number }>("SELECT at FROM calls ORDER BY at LIMIT 1").all()[0]?.at;
  }

  /** What is asked about now isn't known any more where its line was removed. */
  forgetWaiting(isForgotten: (row: { agent: string; project: string | null; at: number }) => boolean): void {
    for (const [id, { agent, line, at }] of this.#waiting)
      if (isForgotten({ agent, project: line.project, at })) this.#waiting.delete(id);
  }

  /** All lines are on the disk. @throws SQLite's error */
  close(): void {
    this.flush();
    this.#isClosed = true;
    this.statements.prepare("DELETE FROM running").run();
  }
}

const WAITING = CALL_RESULTS.indexOf("waiting");

type End = Pick<
  Row,
  "rule" | "outcome" | "status" | "result" | "capabilities" | "confined" | "amount" | "currency" | "answered_by"
>;

function endOf({ outcome, status, explain, capabilities, confined, price }: Decision, by: DecidedBy): End {
  const isPaid = outcome === "allowed" && price !== undefined;
  return {
    rule: explain.rule ?? "",
    outcome: OUTCOMES.indexOf(outcome),
    status: status === undefined ? (outcome === "approval_required" ? PENDING : 0) : STATUSES.indexOf(status) + 1,
    result: CALL_RESULTS.indexOf(resultOf({ outcome, status, rule: explain.rule })),
    capabilities: capabilities.reduce((mask, { capability }) => mask | (1 << CAPABILITIES.indexOf(capability)), 0),
    confined: confined === undefined ? 0 : 1,
    amount: isPaid ? price.amount : 0,
    currency: isPaid ? price.currency : "",
    answered_by: ANSWERED_BY.indexOf(answererOf(status, explain.rule, by)),
  };
}

function answererOf(status: Decision["status"], rule: Rule | undefined, by: DecidedBy): (typeof ANSWERED_BY)[number] {
  if (status !== "approved" && status !== "rejected") return "nobody";
  if (rule === "approval.covered-by-grant") return "grant";
  return by.surface === undefined ? "refusal" : (by.surface ?? "user");
}

const PENDING = STATUSES.indexOf("pending") + 1;

/** 16 bytes of a decision's id. */
export function bytesOf(decisionId: string): Buffer {
  const bytes = Buffer.from(decisionId.replaceAll("-", ""), "hex");
  return bytes.length === 16 ? bytes : Buffer.from(decisionId);
}

/** Texts have numbers below it. */
export const NUMBERS = 2 ** 52 + 1024;

/** The number that a text is found by. */
function numberOf(text: string): number {
  return Number.parseInt(hash("sha1", text, "hex").slice(0, 13), 16);
}
