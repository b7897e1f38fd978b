import type Database from "better-sqlite3";
import type { Capability } from "../../../ipc/decision.ts";
import { GateError } from "../../../ipc/gate-error.ts";
import { GATE_SESSIONS } from "../../../ipc/gate-session.ts";
import { isoSeconds } from "../../../ipc/iso-seconds.ts";
import type { Principal } from "../../../ipc/operator-api.ts";
import { CAPABILITY_REGISTRY } from "../capabilities.ts";
import { type Clock, normaliseDate } from "../clock.ts";
import { storageError } from "../database.ts";
import { type End, earlierEnd, endAt, moment } from "../ends.ts";
import { NO_REPORT, type RowReport } from "../row-report.ts";
import { hostMatches } from "../targets/host.ts";
import { expandHome } from "../targets/path.ts";
import { type GrantTarget, grantTarget } from "../targets/pattern.ts";
import { type CallTarget, isUnresolvable, pathName } from "../targets/target.ts";
import { type CachedGrant, GrantCache, MAX_AGE_MS } from "./cache.ts";
import { grantRow, wholeGrants } from "./rows.ts";
import { activeAt, type GrantQuery, IS_ACTIVE, searchGrants } from "./search.ts";

/**
 * Remembered answers (docs/decisions/requirements-policy.md, "Grants"): written, looked up, listed, revoked. Every decision reads them
 * anew.
 */

export interface Grant {
  id: number;
  channel: string;
  sender_id: string;
  capability: Capability;
  target: string;
  granted_at: string;
  expires_at: string | null;
  granted_by: string | null;
  revoked_at: string | null;
  revoked_reason: string | null;
  last_used_at: string | null;
  agent: string | null;
  session: string | null;
}

/** Who asks, for a lookup. Without an agent only the grants for all agents count. */
export interface GrantHolder extends Principal {
  agent?: string | undefined;
  session?: string | undefined;
}

export interface NewGrant extends GrantHolder {
  capability: Capability;
  target: string;
  /** Where the target's fixed part was when somebody looked at it; left out: it is looked at now. */
  target_real?: string | undefined;
  expires_at?: string | undefined;
  granted_by?: string | undefined;
}

/** Returns the id of an active grant that covers the call, or undefined. */
export type GrantLookup = () => number | undefined;

const COLUMNS =
  "id, channel, sender_id, capability, target, granted_at, expires_at, granted_by, revoked_at, revoked_reason, last_used_at, agent, session, boot_expires_at";

/** A grant as its columns are. */
type Row = Grant & { boot_expires_at: string | null };

export class GrantStore {
  readonly #db: Database.Database;
  readonly #home: string;
  readonly #clock: Clock;
  readonly #report: RowReport;
  readonly #cache: GrantCache;
  /** Sessions that are over, while their grants are not revoked yet: by agent and session. */
  readonly #ended = new Map<string, { agent: string; session: string }>();
  /** Last uses not yet written: a lookup must not cost a write. */
  readonly #used = new Map<number, string>();

  /** `db` was opened with `grantsSchema`. */
  constructor(db: Database.Database, home: string, clock: Clock, report: RowReport = NO_REPORT) {
    this.#db = db;
    this.#home = home;
    this.#clock = clock;
    this.#report = report;
    this.#cache = new GrantCache(db, clock.boot().id, report);
  }

  /**
   * Records a concession.
   * @throws GateError `unknown_capability`, `never_granted` (marked `always`, or never asked), `invalid_target`, `invalid_expiry`, `database_*`
   */
  recordGrant(grant: NewGrant): Grant {
    const spec = Object.hasOwn(CAPABILITY_REGISTRY, grant.capability)
      ? CAPABILITY_REGISTRY[grant.capability]
      : undefined;
    if (spec === undefined) {
      throw new GateError(
        "unknown_capability",
        `there is no capability ${JSON.stringify(grant.capability)}`,
        "see: metnos-gate policy registry",
      );
    }
    if (spec.default_approval === "always") {
      throw new GateError(
        "never_granted",
        `${spec.name} is asked about every time and can't be granted`,
        "approve it once when it is asked",
      );
    }
    if (spec.default_approval === "none") {
      throw new GateError("never_granted", `${spec.name} is always allowed and needs no grant`);
    }
    const found = grantTarget(grant.capability, grant.target, this.#home);
    const target = { ...found, target_real: grant.target_real ?? found.target_real };
    const granted_at = isoSeconds(this.#clock.now());
    const end = grant.expires_at === undefined ? undefined : this.#end(grant.expires_at, granted_at);
    const id = this.#insert(grant, target, granted_at, end);
    this.#cache.added(target.target_base);
    return this.#get(id) as Grant;
  }

  #end(expires_at: string, granted_at: string): End {
    return endAt(this.#clock, Date.parse(validExpiry(expires_at, granted_at)));
  }

  #insert(grant: NewGrant, target: GrantTarget, granted_at: string, end: End | undefined): number {
    try {
      return Number(this.#insertRow(grant, target, granted_at, end));
    } catch (error) {
      throw storageError(error, this.#db.name, { title: "grants database" });
    }
  }

  #insertRow(grant: NewGrant, target: GrantTarget, granted_at: string, end: End | undefined): number | bigint {
    return this.#db
      .prepare(
        `INSERT INTO grants (channel, sender_id, capability, target, granted_at, expires_at, granted_by, agent, session, target_base, target_real, boot_expires_at)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      )
      .run(
        grant.channel,
        grant.sender_id,
        grant.capability,
        target.target,
        granted_at,
        end?.at ?? null,
        grant.granted_by ?? null,
        grant.agent ?? null,
        grant.session ?? null,
        target.target_base,
        target.target_real,
        end?.boot_at ?? null,
      ).lastInsertRowid;
  }

  /** True if an active grant stands for exactly this target text. */
  hasGrant(channel: string, sender_id: string, capability: Capability, target: string): boolean {
    const normal = grantTarget(capability, target, this.#home).target;
    const row = this.#db
      .prepare(
        `SELECT 1 FROM grants WHERE channel = ? AND sender_id = ? AND capability = ? AND target = ?
         AND ${IS_ACTIVE} LIMIT 1`,
      )
      .get(channel, sender_id, capability, normal, ...activeAt(this.#clock));
    return row !== undefined;
  }

  /**
   * The id of an active grant of `holder` that covers `target`, or undefined. Its cost does not grow with the number of grants.
   */
  find(holder: GrantHolder, capability: Capability, target: CallTarget): number | undefined {
    for (const key of this.#cache.keysFor(target)) {
      for (const grant of this.#cache.at(key)) {
        if (
          grant.capability === capability &&
          grant.sender_id === holder.sender_id &&
          grant.channel === holder.channel &&
          (grant.agent === null || grant.agent === holder.agent) &&
          (grant.session === null || (grant.session === holder.session && !this.#isOver(holder))) &&
          (grant.expires_at === null || this.#isAhead(grant)) &&
          covers(grant, target)
        ) {
          return grant.id;
        }
      }
    }
    return undefined;
  }

  #isAhead({ end_second, boot_end_second }: CachedGrant): boolean {
    return (
      end_second > Math.floor(this.#clock.now() / 1000) && boot_end_second > Math.floor(this.#clock.boot().ms / 1000)
    );
  }

  #isOver({ agent, session }: GrantHolder): boolean {
    return this.#ended.size > 0 && this.#ended.has(`${agent}\n${session}`);
  }

  /** Looks for what other programs wrote, now that nobody waits for it: the next call needn't. */
  freshen(): void {
    this.#cache.freshen(MAX_AGE_MS / 2);
  }

  /** Remembers that a grant decided a call; written by `flush`. */
  noteUse(id: number): void {
    this.#used.set(id, isoSeconds(this.#clock.now()));
  }

  /** Writes the remembered last uses, and what else could not be written before. */
  flush(): void {
    this.#revokeEnded();
    this.#keepEnds();
    if (this.#used.size === 0) return;
    const update = this.#db.prepare("UPDATE grants SET last_used_at = ? WHERE id = ?");
    this.#db.transaction(() => {
      for (const [id, at] of this.#used) update.run(at, id);
    })();
    this.#used.clear();
  }

  /** What is over by the time since boot alone, as the clock was set back, is over after the next boot as well. */
  #keepEnds(): void {
    this.#db
      .prepare(
        `UPDATE grants SET expires_at = $now
         WHERE revoked_at IS NULL AND boot_expires_at BETWEEN $boot_first AND $boot_now AND expires_at > $now`,
      )
      .run(moment(this.#clock));
  }

  /** Newest first. `limit` and `before_id` page through many. */
  listGrants(
    filter: {
      channel?: string | undefined;
      sender_id?: string | undefined;
      include_revoked?: boolean;
      limit?: number | undefined;
      before_id?: number | undefined;
    } = {},
  ): Grant[] {
    this.flush();
    const where: string[] = [];
    const values: unknown[] = [];
    const add = (clause: string, ...given: unknown[]) => {
      where.push(clause);
      values.push(...given);
    };
    if (filter.channel !== undefined) add("channel = ?", filter.channel);
    if (filter.sender_id !== undefined) add("sender_id = ?", filter.sender_id);
    if (filter.before_id !== undefined) add("id < ?", filter.before_id);
    if (!filter.include_revoked) add(IS_ACTIVE, ...activeAt(this.#clock));
    const clause = where.length > 0 ? `WHERE ${where.join(" AND ")}` : "";
    const rows = this.#db
      .prepare(`SELECT ${COLUMNS} FROM grants ${clause} ORDER BY id DESC LIMIT ?`)
      .all(...values, filter.limit ?? -1) as Row[];
    return wholeGrants(rows, this.#report).map((row) => this.#shown(row));
  }

  /** One page of the grants that match, and how many there are. See `searchGrants`. */
  searchGrants(query: GrantQuery): { total: number; grants: Grant[] } {
    this.flush();
    const text = query.text && expandHome(query.text, this.#home);
    const { total, grants } = searchGrants<Row>(this.#db, COLUMNS, { ...query, text }, this.#clock);
    return { total, grants: wholeGrants(grants, this.#report).map((row) => this.#shown(row)) };
  }

  /** Takes a grant back. False if it was revoked already or there is none. */
  revokeGrant(id: number, reason = "revoked by the human"): boolean {
    const is_revoked = this.#revoke("id = ?", [id], reason) > 0;
    if (is_revoked) this.#report.resolved(grantRow(id));
    return is_revoked;
  }

  /** Takes back everything an agent was granted, or only what was for one of its sessions. Returns how many. */
  revokeAgent(agent: string, reason: string, session?: string): number {
    return session === undefined
      ? this.#revoke("agent = ?", [agent], reason)
      : this.#revoke("agent = ? AND session = ?", [agent, session], reason);
  }

  /** A session that is over: its grants count no more from now on, and are revoked as soon as that can be written. */
  endSession(agent: string, session: string): void {
    this.#ended.set(`${agent}\n${session}`, { agent, session });
    this.#revokeEnded();
  }

  /** No connection of an earlier gate is there any more: the sessions that it named are over. Returns how many grants that were. */
  endGateSessions(): number {
    return this.#revoke("session GLOB ?", [GATE_SESSIONS], "the session ended");
  }

  /** @throws SQLite's error; the sessions' grants don't count all the same, and it is tried again */
  #revokeEnded(): void {
    for (const [key, { agent, session }] of this.#ended) {
      this.revokeAgent(agent, "the session ended", session);
      this.#ended.delete(key);
    }
  }

  #revoke(where: string, values: unknown[], reason: string): number {
    try {
      return this.#db
        .prepare(`UPDATE grants SET revoked_at = ?, revoked_reason = ? WHERE ${where} AND revoked_at IS NULL`)
        .run(isoSeconds(this.#clock.now()), reason, ...values).changes;
    } finally {
      this.#cache.revoked();
    }
  }

  /** True if a grant on this target was ever written for this origin (`granted_by`), whatever became of it. @throws GateError `invalid_target` */
  wasGrantedBy(granted_by: string, capability: Capability, target: string): boolean {
    const normal = grantTarget(capability, target, this.#home).target;
    return (
      this.#db
        .prepare("SELECT 1 FROM grants WHERE granted_by = ? AND capability = ? AND target = ? LIMIT 1")
        .get(granted_by, capability, normal) !== undefined
    );
  }

  countActive(): number {
    return this.#db
      .prepare(`SELECT count(*) FROM grants WHERE ${IS_ACTIVE}`)
      .pluck()
      .get(...activeAt(this.#clock)) as number;
  }

  #get(id: number): Grant | undefined {
    const row = this.#db.prepare(`SELECT ${COLUMNS} FROM grants WHERE id = ?`).get(id) as Row | undefined;
    return row && this.#shown(row);
  }

  /** With the end that will come: where the clock was set, that is not the one that was written down. */
  #shown({ boot_expires_at, ...grant }: Row): Grant {
    if (grant.expires_at === null) return grant;
    return { ...grant, expires_at: earlierEnd(this.#clock, { at: grant.expires_at, boot_at: boot_expires_at }) };
  }
}

/**
 * A path is covered only if its real form is, and the grant names it: as the call does, or as the place where its links lead
 * (docs/decisions/requirements-policy.md, "Targets").
 */
function covers(grant: CachedGrant, target: CallTarget): boolean {
  switch (target.kind) {
    case "path": {
      const { lexical, real, is_tree } = target;
      if (real === null || isUnresolvable(target)) return false;
      const name = pathName(target);
      if (!grant.covers(lexical, is_tree) && (name === lexical || !grant.covers(name, is_tree))) return false;
      return (real === lexical && grant.covers_real === grant.covers) || grant.covers_real(real, is_tree);
    }
    case "host":
      return hostMatches(grant.target, target.host);
    case "exact":
      return grant.target === target.value;
    case "none":
      return grant.target === "*";
    case "unknown":
      return false;
  }
}

function validExpiry(text: string, now: string): string {
  let expires_at: string;
  try {
    expires_at = normaliseDate(text);
  } catch (error) {
    throw new GateError(
      "invalid_expiry",
      `${JSON.stringify(text)} is not a date`,
      "give an ISO-8601 date, such as 2027-01-31T12:00:00Z",
      { cause: error },
    );
  }
  if (expires_at <= now)
    throw new GateError("invalid_expiry", "the grant would have expired already", "give a date in the future");
  return expires_at;
}
