import type Database from "better-sqlite3";
import { capabilitySchema, territorySchema } from "../../../ipc/contract/decision.ts";
import { isoSeconds } from "../../../ipc/contract/iso-seconds.ts";
import { refuseSchema } from "../../../ipc/contract/operator-api.ts";
import { surfaceSchema } from "../../../ipc/contract/surface.ts";
import { PreparedStatements } from "../../base/sqlite/prepared-statements.ts";
import { CAPABILITY_REGISTRY } from "../../targets/capabilities.ts";
import {
  type AnswerPredicate,
  answerStatement,
  dateSchema,
  type GrantPredicate,
  grantSentence,
  grantStatement,
  MAX_CALLS,
  type Statement,
  type UndoPredicate,
  undoStatement,
  type Versions,
} from "./statement.ts";

/** What is to get a receipt, read from the databases: what is made at once and what a later gate makes up for is the same. */

/** What a receipt gets beside what it is about. */
export interface Numbering {
  receipt: number;
  /** Unix seconds. */
  ts: number;
  late?: true | undefined;
}

export interface Due {
  /** Of the row that says that it is due. */
  id: number;
  event: string;
  statement(numbering: Numbering): Statement;
}

/** Those of one database, the oldest first. */
export interface DueReceipts {
  /** After the row `after`. @throws SQLite's error */
  list(after: number, limit: number): Due[];
  /** The last row; 0 where there is none. */
  last(): number;
  /** The rows up to `through` have their receipts. @throws SQLite's error */
  done(through: number): void;
}

type Common = Omit<Versions, "schema">;

/** The rows of `receipts_due`, or of another such table, in one database; `sql` reads them after an id, as many as a limit says. */
abstract class DueRows<Row> implements DueReceipts {
  protected readonly db: PreparedStatements;
  readonly #common: Common;
  readonly #schema: number;
  readonly #sql: string;
  readonly #table: string;

  constructor(db: Database.Database, versions: Common, sql: string, table = "receipts_due") {
    this.db = new PreparedStatements(db);
    this.#common = versions;
    this.#schema = db.pragma("user_version", { simple: true }) as number;
    this.#sql = sql;
    this.#table = table;
  }

  /** As they are now: the policy may have been made stricter since the gate started. */
  protected get versions(): Versions {
    return { ...this.#common, schema: this.#schema };
  }

  protected abstract dueOf(row: Row): Due;

  list(after: number, limit: number): Due[] {
    return this.db
      .prepare<Row>(this.#sql)
      .all(after, limit)
      .map((row) => this.dueOf(row));
  }

  last(): number {
    return this.db.one<{ last: number | null }>(`SELECT max(id) AS last FROM ${this.#table}`).last ?? 0;
  }

  done(through: number): void {
    this.db.prepare(`DELETE FROM ${this.#table} WHERE id <= ?`).run(through);
  }
}

interface CardRow {
  due_id: number;
  due_token: string;
  status: string | null;
  decision_at: string | null;
  decision_surface: string | null;
  territory_concession: string | null;
  message: string | null;
  refuse: string | null;
  agent_name: string | null;
  call_hash: string | null;
  executor: string | null;
  needed: string | null;
}

const CARD_ROWS = `SELECT due.id AS due_id, due.token AS due_token, status, decision_at, decision_surface,
    territory_concession, message, refuse, agent_name, call_hash,
    iif(json_valid(request_extra), request_extra ->> '$.executor', NULL) AS executor,
    iif(json_valid(request_extra), request_extra -> '$.needed', NULL) AS needed
  FROM receipts_due AS due JOIN pending ON pending.token = due.token WHERE due.id > ? ORDER BY due.id LIMIT ?`;

/** The answers, in approvals.db. */
export class DueCards extends DueRows<CardRow> {
  constructor(db: Database.Database, versions: Common) {
    super(db, versions, CARD_ROWS);
  }

  /** The number of the last receipt that was safely written, as far as this database knows; 0 before the first one. */
  get end(): number {
    return this.db.prepare<{ receipt: number }>("SELECT receipt FROM receipts_end").get()?.receipt ?? 0;
  }

  /** @throws SQLite's error */
  set end(receipt: number) {
    const sql =
      "INSERT INTO receipts_end (id, receipt) VALUES (1, ?) ON CONFLICT DO UPDATE SET receipt = excluded.receipt";
    this.db.prepare(sql).run(receipt);
  }

  /** The call that a card was about, and where it was answered. */
  card(token: string): { call_hash: string; decision_surface: string | null } | undefined {
    return this.db
      .prepare<{ call_hash: string; decision_surface: string | null }>(
        "SELECT call_hash, decision_surface FROM pending WHERE token = ?",
      )
      .get(token);
  }

  protected dueOf(row: CardRow): Due {
    const event = `answer:${row.due_token}`;
    return {
      id: row.due_id,
      event,
      statement: (numbering) => answerStatement(this.#predicate(row, event, numbering), row.call_hash ?? ""),
    };
  }

  #predicate(row: CardRow, event: string, numbering: Numbering): AnswerPredicate {
    const isApproved = row.status === "approved";
    return {
      ...numbered(event, numbering),
      token: row.due_token,
      decision: isApproved ? "approved" : "rejected",
      outcome: isApproved ? "allowed" : "denied",
      decided_at: known(dateSchema, row.decision_at),
      surface: known(surfaceSchema, row.decision_surface),
      territory: known(territorySchema, row.territory_concession) ?? "none",
      // Of an approval the gate alone writes a message.
      covered_by_grant: isApproved && row.message !== null,
      refuse: known(refuseSchema, row.refuse),
      agent: row.agent_name ?? "",
      executor: row.executor ?? "",
      capabilities: capabilitiesIn(row.needed),
      versions: this.versions,
    };
  }
}

interface GrantRow {
  due_id: number;
  act: GrantPredicate["act"];
  at: string | null;
  reason: string | null;
  surface: string | null;
  id: number;
  capability: string;
  target: string;
  agent: string | null;
  session: string | null;
  granted_at: string;
  granted_by: string | null;
  expires_at: string | null;
}

const GRANT_ROWS = `SELECT due.id AS due_id, due.act, due.at, due.reason, due.surface, grants.id, capability, target, agent,
    session, granted_at, granted_by, expires_at
  FROM receipts_due AS due JOIN grants ON grants.id = due.grant_id WHERE due.id > ? ORDER BY due.id LIMIT ?`;

export interface DueGrantsParts {
  versions: Common;
  agentName(agentId: string): string | undefined;
  cards: Pick<DueCards, "card">;
  /** Milliseconds. */
  now(): number;
}

/** The grants that were given, revoked or restored, in grants.db. */
export class DueGrants extends DueRows<GrantRow> {
  readonly #parts: DueGrantsParts;

  constructor(db: Database.Database, parts: DueGrantsParts) {
    super(db, parts.versions, GRANT_ROWS);
    this.#parts = parts;
  }

  protected dueOf(row: GrantRow): Due {
    const at = known(dateSchema, row.at) ?? isoSeconds(this.#parts.now());
    // With its date: in a database that had to be made anew the numbers begin again.
    const event = `grant:${row.id}:${row.act}:${row.due_id}:${row.granted_at}`;
    return { id: row.due_id, event, statement: (numbering) => this.#statement(row, at, event, numbering) };
  }

  #statement(row: GrantRow, at: string, event: string, numbering: Numbering): Statement {
    const token = /^approval:([0-9a-f]{16})$/.exec(row.granted_by ?? "")?.[1] ?? null;
    const card = token === null ? undefined : this.#parts.cards.card(token);
    const surface = row.surface ?? (row.act === "given" ? card?.decision_surface : null) ?? null;
    const grant = this.#grant(row);
    const predicate: GrantPredicate = {
      ...numbered(event, numbering),
      act: row.act,
      at,
      surface: known(surfaceSchema, surface),
      reason: row.reason,
      sentence: grantSentence(grant),
      grant,
      token,
      versions: this.versions,
    };
    return grantStatement(predicate, card?.call_hash);
  }

  #grant({ id, capability, target, agent, session, expires_at, granted_at }: GrantRow): GrantPredicate["grant"] {
    const lasts = session !== null ? "session" : expires_at === null ? "permanent" : "until";
    return {
      id,
      capability,
      target: isPlace(capability) ? target : null,
      agent: agent === null ? null : (this.#parts.agentName(agent) ?? "an agent that is gone"),
      lasts,
      expires_at: known(dateSchema, expires_at),
      given_at: known(dateSchema, granted_at),
    };
  }
}

/** What was taken back, or put again. */
export interface Undone extends Pick<UndoPredicate, "undo" | "act" | "calls" | "files" | "failed"> {
  /** Where, as far as that is known. */
  surface: string | undefined;
  /** Unix milliseconds. */
  at: number;
}

interface UndoRow extends Omit<Undone, "at" | "calls" | "surface"> {
  id: number;
  at: string;
  calls: string;
  surface: string | null;
}

/** The undos, in approvals.db. */
export class DueUndos extends DueRows<UndoRow> {
  constructor(db: Database.Database, versions: Common) {
    super(db, versions, "SELECT * FROM undo_receipts_due WHERE id > ? ORDER BY id LIMIT ?", "undo_receipts_due");
  }

  /** @throws SQLite's error */
  add({ undo, act, at, surface, calls, files, failed }: Undone): void {
    const named = JSON.stringify(calls.slice(0, MAX_CALLS));
    this.db
      .prepare(
        "INSERT INTO undo_receipts_due (undo, act, at, surface, calls, files, failed) VALUES (?, ?, ?, ?, ?, ?, ?)",
      )
      .run(undo, act, isoSeconds(at), surface ?? null, named, files, failed);
  }

  protected dueOf({ id, undo, act, at, surface, calls, files, failed }: UndoRow): Due {
    const event = `undo:${undo}`;
    const said = { act, at, surface: known(surfaceSchema, surface), undo, calls: JSON.parse(calls), files, failed };
    return {
      id,
      event,
      statement: (numbering) => undoStatement({ ...numbered(event, numbering), ...said, versions: this.versions }),
    };
  }
}

/** A path, a host or nothing. An exact target may be anything: an address, a mailbox's name. */
function isPlace(capability: string): boolean {
  const known = capabilitySchema.safeParse(capability);
  return known.success && CAPABILITY_REGISTRY[known.data].target_kind !== "exact";
}

function numbered(event: string, { receipt, ts, late }: Numbering): Pick<AnswerPredicate, "receipt" | "event" | "ts"> {
  return { receipt, event, ts, ...(late === undefined ? {} : { late }) };
}

/** A database may hold what another version, or another program, has written. */
function known<T>(schema: { safeParse(value: unknown): { success: boolean; data?: T } }, value: unknown): T | null {
  const { success, data } = schema.safeParse(value);
  return success ? (data ?? null) : null;
}

function capabilitiesIn(needed: string | null): AnswerPredicate["capabilities"] {
  if (needed === null) return [];
  const value: unknown = JSON.parse(needed);
  if (!Array.isArray(value)) return [];
  return value.flatMap((name) => known(capabilitySchema, name) ?? []);
}
