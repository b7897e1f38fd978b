import { randomBytes } from "node:crypto";
import type Database from "better-sqlite3";
import { ownCommand } from "../../../ipc/base/own-command.ts";
import { isoSeconds } from "../../../ipc/contract/iso-seconds.ts";
import type { CheckedParams, Principal } from "../../../ipc/contract/operator-api.ts";
import type { WithdrawalRule } from "../../../ipc/contract/rules.ts";
import type { Clock } from "../../base/clocks/clock.ts";
import { endAt, moment, postponed } from "../../base/clocks/two-clock-end.ts";
import { type DamagedRowReport, NO_REPORT } from "../../base/sqlite/damaged-row-report.ts";
import { emptyLog } from "../../base/sqlite/database.ts";
import { PreparedStatements } from "../../base/sqlite/prepared-statements.ts";
import { ApprovalError, alreadyResolved, damagedRequest } from "./approval-error.ts";
import { deadlineOf, IS_IN_TIME, isLate, nextDeadline } from "./deadline.ts";
import { endedExtra } from "./ended-request.ts";
import { JudgePasses } from "./judge-passes.ts";
import { SessionRefusals } from "./session-refusals.ts";
import {
  type NewRequest,
  type Resolution,
  type StoredRow as Row,
  readRequest,
  requestRow,
  type StoredRequest,
} from "./stored-request.ts";
import type { AskedCall } from "./withdrawals.ts";

/** Every request that a user is asked about, with its TTL and its end (docs/decisions/requirements-approvals.md, "Registry"). */

export const DEFAULT_TTL_SECONDS = 600;

/** A request that the user answered, as far as another one is compared with it. */
export interface AnsweredBefore {
  status: "approved" | "rejected";
  call_hash: string;
  /** What was kept of the places that it was about, as JSON; null where nothing can be read. */
  capabilities: string | null;
}

/** How many requests of each agent wait, so that an ask needn't count them. The database has the truth: this is what it said last. */
class WaitingCounts {
  readonly #db: PreparedStatements;
  #counts = new Map<string, number>();

  constructor(db: PreparedStatements) {
    this.#db = db;
    this.recount();
  }

  of(agentId: string): number {
    return this.#counts.get(agentId) ?? 0;
  }

  change(agentId: string, by: number): void {
    const count = this.of(agentId) + by;
    if (count > 0) this.#counts.set(agentId, count);
    else this.#counts.delete(agentId);
  }

  recount(): void {
    const rows = this.#db
      .prepare<{ agent_id: string; count: number }>(
        "SELECT agent_id, count(*) AS count FROM pending WHERE status = 'pending' GROUP BY agent_id",
      )
      .all();
    this.#counts = new Map(rows.map(({ agent_id, count }) => [agent_id, count]));
  }
}

export class ApprovalRegistry {
  /** What was refused for a session, in the same database: the answer and what it refuses are written together. */
  readonly refusals: SessionRefusals;
  /** What the user allowed once in spite of a judge. */
  readonly passes: JudgePasses;
  readonly #database: Database.Database;
  readonly #db: PreparedStatements;
  readonly #clock: Clock;
  readonly #now: () => number;
  readonly #report: DamagedRowReport;
  /** How many requests of each agent wait, those included that have expired and aren't marked yet. */
  readonly #waiting: WaitingCounts;
  /** Values that were taken out of the database may still be in its log. */
  #hasLog = true;

  /** `db` was opened with `APPROVALS_SCHEMA`. */
  constructor(db: Database.Database, clock: Clock, report: DamagedRowReport = NO_REPORT) {
    this.#database = db;
    this.#db = new PreparedStatements(db);
    this.#clock = clock;
    this.#now = clock.now;
    this.#report = report;
    this.#waiting = new WaitingCounts(this.#db);
    this.refusals = new SessionRefusals(db, clock, report);
    this.passes = new JudgePasses(db, clock, report);
  }

  /** What is written from now on is on disk once `commit` has returned. @throws SQLite's error */
  begin(): void {
    this.#db.begin();
  }

  /** @throws SQLite's error: call `rollback` then */
  commit(): void {
    this.#db.commit();
  }

  /** Nothing that was written since `begin` is there any more. */
  rollback(): void {
    this.#db.rollback();
    this.recount();
  }

  /** Does it in one transaction. @throws what `act` throws, or SQLite's error: nothing was changed then */
  together<T>(act: () => T): T {
    try {
      return this.#db.together(act);
    } catch (error) {
      this.recount();
      throw error;
    }
  }

  /** Counts what waits of each agent anew, from the database. */
  recount(): void {
    this.#waiting.recount();
  }

  /** How many requests of this agent wait, without a look at the database. */
  waitingOf(agentId: string): number {
    return this.#waiting.of(agentId);
  }

  /** The tokens of all that waits, or of what waits for one agent. */
  waitingTokens(agentId?: string, session?: string): { token: string; agent_id: string }[] {
    return this.#db
      .prepare<{ token: string; agent_id: string }>(
        `SELECT token, agent_id FROM pending WHERE status = 'pending'
         AND ($agent_id IS NULL OR agent_id = $agent_id) AND ($session IS NULL OR session = $session)`,
      )
      .all({ agent_id: agentId ?? null, session: session ?? null });
  }

  /** Registers a request with a fresh 16-hex token and its deadline. */
  createPending(request: NewRequest): StoredRequest {
    const token = randomBytes(8).toString("hex");
    const now = this.#now();
    const end = endAt(this.#clock, now + request.ttl_seconds * 1000);
    const row = this.#db.one<Row>(
      `INSERT INTO pending (token, channel, sender_id, capability_class, action_verb, target_summary, created_at, expires_at,
         request_extra, agent_id, agent_name, session, call_hash, share_key, boot_expires_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING *`,
      token,
      request.channel,
      request.sender_id,
      request.capability_class,
      request.action_verb,
      request.target_summary,
      isoSeconds(now),
      end.at,
      JSON.stringify(request.extra),
      request.agent_id,
      request.agent_name,
      request.session,
      request.call_hash,
      request.share_key,
      end.boot_at,
    );
    this.#waiting.change(request.agent_id, 1);
    return readRequest(row, this.#report);
  }

  getPending(token: string): StoredRequest | undefined {
    return this.#read(this.#db.prepare<Row>("SELECT * FROM pending WHERE token = ?").get(token));
  }

  #read(row: Row | undefined): StoredRequest | undefined {
    return row && readRequest(row, this.#report);
  }

  /**
   * The checks before an answer, in this order (docs/decisions/requirements-approvals.md, "Answers"): known, still pending, not
   * expired, the decider is the requester. An expired one is marked so even though this throws.
   * @throws ApprovalError `unknown_token`, `already_resolved`, `expired`, `not_authorised`
   */
  check(token: string, by: Principal): StoredRequest {
    const request = this.getPending(token);
    if (request === undefined) {
      throw new ApprovalError("unknown_token", "unknown token", `see: ${ownCommand("approvals list")}`);
    }
    if (request.status !== "pending") throw alreadyResolved();
    if (isLate(request, this.#clock)) {
      this.#end(request, "expired", null);
      throw new ApprovalError(
        "expired",
        "the request has expired",
        "nobody answered in time; the agent has to ask again",
      );
    }
    if (request.channel !== by.channel || request.sender_id !== by.sender_id) {
      throw new ApprovalError("not_authorised", "decider not authorised", "only who the agent asked for can answer");
    }
    return request;
  }

  /**
   * Ends a request that `check` has returned, once, as its requester decided. What is returned still says what it was about.
   * @throws ApprovalError `already_resolved` where another connection was faster, `request_damaged`
   */
  resolve(
    checked: StoredRequest,
    decision: "approved" | "rejected",
    resolution: Partial<Resolution> = {},
  ): StoredRequest {
    if (checked.isDamaged === true && decision === "approved") throw damagedRequest();
    const row = this.#db.changed<Row>(
      `UPDATE pending SET status = ?, decision_at = ?, decision_by_channel = channel, decision_by_sender = sender_id,
           decision_surface = ?, territory_concession = ?, granted = ?, grant_expires_at = ?, message = ?, refuse = ?, request_extra = ?, target_summary = ?
         WHERE token = ? AND status = 'pending' RETURNING *`,
      decision,
      isoSeconds(this.#now()),
      resolution.decision_surface ?? null,
      resolution.territory_concession ?? "none",
      JSON.stringify(resolution.granted ?? []),
      resolution.grant_expires_at ?? null,
      resolution.message ?? null,
      resolution.refuse ?? null,
      JSON.stringify(endedExtra(checked.extra)),
      keptSummary(checked),
      checked.token,
    );
    if (row === undefined) throw alreadyResolved();
    return this.#ended(checked, row);
  }

  /** Withdraws a request that still waits. Returns it, or undefined if it had ended already. */
  cancelPending(token: string, reason: string, rule: WithdrawalRule = "approval.withdrawn"): StoredRequest | undefined {
    const request = this.getPending(token);
    return request && this.#end({ ...request, extra: { ...request.extra, withdrawn: rule } }, "cancelled", reason);
  }

  /** Marks waiting requests beyond their deadline as expired, `limit` by each clock at the most. Returns them. */
  cleanupExpired(limit = -1): StoredRequest[] {
    const { now, boot_first, boot_now } = moment(this.#clock);
    const byWall = this.#db
      .prepare<Row>(
        "SELECT * FROM pending INDEXED BY idx_pending_deadline WHERE status = 'pending' AND expires_at < ? LIMIT ?",
      )
      .all(now, limit);
    const byBoot = this.#db
      .prepare<Row>(
        "SELECT * FROM pending INDEXED BY idx_pending_boot WHERE status = 'pending' AND boot_expires_at >= ? AND boot_expires_at < ? LIMIT ?",
      )
      .all(boot_first, boot_now, limit);
    return [...byWall, ...byBoot].flatMap((row) => {
      const ended = this.#end(readRequest(row, this.#report), "expired", null);
      return ended === undefined ? [] : [ended];
    });
  }

  /** Newest first, or those whose deadline is soonest. */
  listPending(
    options: { include_resolved?: boolean; order?: "newest" | "deadline"; limit?: number } = {},
  ): StoredRequest[] {
    const order = options.order === "deadline" ? "expires_at, created_at, rowid" : "rowid DESC";
    const clause = options.include_resolved ? "" : "WHERE status = 'pending' AND expires_at >= $now";
    return this.#db
      .prepare<Row>(`SELECT * FROM pending ${clause} ORDER BY ${order} LIMIT $limit`)
      .all({ now: isoSeconds(this.#now()), limit: options.limit ?? 50 })
      .map((row) => readRequest(row, this.#report));
  }

  /** One page of what has ended, the last answered first. */
  listEnded(query: EndedQuery): { total: number; requests: StoredRequest[] } {
    const { total, rows } = endedRows<Row>(this.#db, query);
    return { total, requests: rows.map((row) => readRequest(row, this.#report)) };
  }

  /** What an agent asked for lately, whatever became of it, newest first. */
  listRecent(agentId: string, limit: number): StoredRequest[] {
    return this.#db
      .prepare<Row>("SELECT * FROM pending WHERE agent_id = ? ORDER BY rowid DESC LIMIT ?")
      .all(agentId, limit)
      .map((row) => readRequest(row, this.#report));
  }

  /** Moves the deadline of a request that still waits, by both clocks. Returns it with the new one. */
  postpone(request: StoredRequest, seconds: number): StoredRequest {
    const end = postponed(deadlineOf(request), seconds);
    this.#db
      .prepare("UPDATE pending SET expires_at = ?, boot_expires_at = ? WHERE token = ? AND status = 'pending'")
      .run(end.at, end.boot_at, request.token);
    return { ...request, expires_at: end.at, boot_expires_at: end.boot_at };
  }

  /** A request that still waits is this session's from now on. */
  moveTo(token: string, session: string): void {
    this.#db.prepare("UPDATE pending SET session = ? WHERE token = ? AND status = 'pending'").run(session, token);
  }

  /** Stores what a request that still waits is described by now. */
  describeAnew({ token, extra }: StoredRequest): void {
    this.#db
      .prepare("UPDATE pending SET request_extra = ? WHERE token = ? AND status = 'pending'")
      .run(JSON.stringify(extra), token);
  }

  /** The waiting request that identical calls share. */
  findWaiting(shareKey: string): StoredRequest | undefined {
    return this.#read(
      this.#db
        .prepare<Row>(`SELECT * FROM pending WHERE share_key = $share_key AND status = 'pending' AND ${IS_IN_TIME}`)
        .get({ share_key: shareKey, ...moment(this.#clock) }),
    );
  }

  /**
   * Takes the answer that a user gave to this session's call while its agent was away: once, before the request's deadline, and
   * within `maxAgeMs` after it was given.
   */
  takeUndelivered(shareKey: string, session: string, maxAgeMs: number): StoredRequest | undefined {
    const since = isoSeconds(this.#now() - maxAgeMs);
    return this.#read(
      this.#db.changed<Row>(
        `UPDATE pending SET delivered_at = $now WHERE token = (
             SELECT token FROM pending WHERE share_key = $share_key AND session = $session AND status IN ('approved', 'rejected')
               AND delivered_at IS NULL AND ${IS_IN_TIME} AND decision_at >= $since ORDER BY decision_at LIMIT 1) RETURNING *`,
        { share_key: shareKey, session, since, ...moment(this.#clock) },
      ),
    );
  }

  /** The calls whose answer has reached nobody, and could still be taken: see `takeUndelivered`. */
  listUndelivered(maxAgeMs: number): AskedCall[] {
    return this.#db
      .prepare<AskedCall>(
        `SELECT agent_id, session, call_hash FROM pending WHERE status IN ('approved', 'rejected')
           AND delivered_at IS NULL AND ${IS_IN_TIME} AND decision_at >= $since`,
      )
      .all({ since: isoSeconds(this.#now() - maxAgeMs), ...moment(this.#clock) });
  }

  /** The answer has reached the agent that waited for it. */
  markDelivered(token: string): void {
    this.#db.prepare("UPDATE pending SET delivered_at = ? WHERE token = ?").run(isoSeconds(this.#now()), token);
  }

  /** Approved with a territory, its grants not yet written: what a crash in between leaves behind. */
  listUnwrittenGrants(): StoredRequest[] {
    return this.#db
      .prepare<Row>(
        "SELECT * FROM pending WHERE status = 'approved' AND territory_concession <> 'none' AND grants_written_at IS NULL",
      )
      .all()
      .map((row) => readRequest(row, this.#report));
  }

  /** How long it is until a waiting request expires, in milliseconds, or undefined if none waits. */
  nextDeadline(): number | undefined {
    return nextDeadline(this.#db, this.#clock);
  }

  /** What an approval was to grant can't be read: nothing is granted, and it is said once. */
  abandonGrants(token: string): void {
    this.#report.damaged(`what was approved with request ${token}`, "nothing is granted by it; it is asked again");
    this.markGrantsWritten(token);
  }

  markGrantsWritten(token: string): void {
    this.#db
      .prepare("UPDATE pending SET grants_written_at = ?, granted = '[]' WHERE token = ?")
      .run(isoSeconds(this.#now()), token);
  }

  /** How often this agent's requests of this class were approved: what makes the card smaller. */
  countApproved(capabilityClass: string, agentId: string): number {
    return this.#db.count(
      "SELECT count(*) AS count FROM pending WHERE capability_class = ? AND agent_id = ? AND status = 'approved'",
      capabilityClass,
      agentId,
    );
  }

  /** The last of them, newest first. */
  lastApproved(capabilityClass: string, agentId: string, limit: number): StoredRequest[] {
    return this.#db
      .prepare<Row>(
        `SELECT * FROM pending WHERE capability_class = ? AND agent_id = ? AND status = 'approved'
         ORDER BY decision_at DESC, rowid DESC LIMIT ?`,
      )
      .all(capabilityClass, agentId, limit)
      .map((row) => readRequest(row, this.#report));
  }

  /** How the user answered this agent's last requests of this class, `limit` of either answer at the most; not what a grant answered. */
  answeredBefore(capabilityClass: string, agentId: string, limit: number): AnsweredBefore[] {
    const answered = this.#db.prepare<AnsweredBefore & { message: string | null }>(
      `SELECT status, call_hash, message, iif(json_valid(request_extra), request_extra -> '$.capabilities', NULL) AS capabilities
         FROM pending WHERE capability_class = ? AND agent_id = ? AND status = ? ORDER BY rowid DESC LIMIT ?`,
    );
    const allowed = answered.all(capabilityClass, agentId, "approved", limit);
    const denied = answered.all(capabilityClass, agentId, "rejected", limit);
    return [...allowed.filter(({ message }) => message === null), ...denied];
  }

  countWaiting(agentId?: string): number {
    return this.#db.count(
      `SELECT count(*) AS count FROM pending
       WHERE status = 'pending' AND expires_at >= $now AND ($agent_id IS NULL OR agent_id = $agent_id)`,
      { now: isoSeconds(this.#now()), agent_id: agentId ?? null },
    );
  }

  /** Ends a request that nobody answered. Undefined if it had ended already. */
  #end(request: StoredRequest, status: "expired" | "cancelled", message: string | null): StoredRequest | undefined {
    const row = this.#db.changed<Row>(
      `UPDATE pending SET status = ?, decision_at = ?, message = ?, request_extra = ?, target_summary = ?
         WHERE token = ? AND status = 'pending' RETURNING *`,
      status,
      isoSeconds(this.#now()),
      message,
      JSON.stringify(endedExtra(request.extra)),
      keptSummary(request),
      request.token,
    );
    return row && this.#ended(request, row);
  }

  /** A request that has just ended, with what is shown of it one last time: the arguments never. `row`: as it is stored now. */
  #ended(before: StoredRequest, row: Row): StoredRequest {
    this.#waiting.change(before.agent_id, -1);
    this.#hasLog = true;
    if (before.isDamaged === true) this.#report.resolved(requestRow(before.token));
    const ended = readRequest(row, this.#report);
    return { ...ended, target_summary: before.target_summary, extra: { ...before.extra, args: null } };
  }

  /** Empties the database's log of what ended since the last call. Not while another program reads it: then the next call does. */
  flush(): void {
    if (this.#hasLog) this.#hasLog = !emptyLog(this.#database);
  }
}

function keptSummary({ extra, capability_class }: StoredRequest): string {
  return extra.kept?.target_summary ?? capability_class;
}

/** A page of the requests that ended, for a listing of any length. Its text is in the target, the class, the agent or the message. */
type EndedQuery = CheckedParams["approvals.history"];

/** So many of the last ones are searched for words. */
const SEARCHED = 20_000;

/** The last answered first. A statement is one of few: each condition has its place in it, or none. */
function endedRows<Row>(db: PreparedStatements, query: EndedQuery): { total: number; rows: Row[] } {
  const { token, agent, status, capability, text, since, until, answered, limit, offset } = query;
  const where = ["status <> 'pending'"];
  if (token !== undefined) where.push("token = $token");
  if (agent !== undefined) where.push("agent_name = $agent");
  if (status !== undefined) where.push("status = $status");
  // The class begins with the capability's name: `fs_write:~/x/*, network_http:example.org`.
  if (capability !== undefined) where.push("instr(', ' || capability_class, ', ' || $capability) > 0");
  if (since !== undefined) where.push("decision_at >= $since");
  if (until !== undefined) where.push("decision_at < $until");
  // A message with an approval says what answered it in the user's place: a grant.
  if (answered === true) where.push("(status = 'rejected' OR (status = 'approved' AND message IS NULL))");
  const isSearch = text !== undefined && text !== "";
  if (isSearch)
    where.push(
      "instr(lower(target_summary || char(10) || capability_class || char(10) || action_verb || char(10) || agent_name || char(10) || ifnull(message, '')), $text) > 0",
    );
  // Words are looked for among the last ones only: however long the history is, it takes the same time.
  const from = isSearch
    ? `(SELECT rowid, * FROM pending WHERE status <> 'pending' ORDER BY decision_at DESC LIMIT ${SEARCHED})`
    : "pending";
  const clause = where.join(" AND ");
  const values = {
    token,
    agent,
    status,
    capability: capability?.replace(":", "_"),
    since,
    until,
    text: text?.toLowerCase(),
  };
  const total = db.count(`SELECT count(*) AS count FROM ${from} WHERE ${clause}`, values);
  const rows = db
    .prepare<Row>(
      `SELECT * FROM ${from} WHERE ${clause} ORDER BY decision_at DESC, rowid DESC LIMIT $limit OFFSET $offset`,
    )
    .all({ ...values, limit, offset });
  return { total, rows };
}
