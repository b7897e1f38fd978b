import { pathTarget } from "@metnos-gate/shell-reading";
import { expandHome } from "@metnos-gate/shell-reading/files";
import { GATE_SESSIONS } from "../../../ipc/base/gate-session.ts";
import { ownCommand } from "../../../ipc/base/own-command.ts";
import type { Capability } from "../../../ipc/contract/decision.ts";
import { GateError } from "../../../ipc/contract/gate-error.ts";
import { isoSeconds } from "../../../ipc/contract/iso-seconds.ts";
import type { OperatorParams, Principal } from "../../../ipc/contract/operator-api.ts";
import type { Surface } from "../../../ipc/contract/surface.ts";
import { type Clock, normaliseDate } from "../../base/clocks/clock.ts";
import { earlierEnd, endAt, moment } from "../../base/clocks/two-clock-end.ts";
import { type DamagedRowReport, NO_REPORT } from "../../base/sqlite/damaged-row-report.ts";
import { storageError } from "../../base/sqlite/database.ts";
import { PreparedStatements, type SqliteDatabase } from "../../base/sqlite/prepared-statements.ts";
import { CAPABILITY_REGISTRY } from "../../targets/capabilities.ts";
import { hostGrantMatches } from "../../targets/host.ts";
import { exactMatches, type GrantTarget, grantTarget, literalPattern } from "../../targets/pattern.ts";
import { type CallTarget, isUnresolvable, pathName, targetText } from "../../targets/target.ts";
import { IS_ACTIVE, IS_OVER_BY_BOOT_ALONE, isActive } from "./active.ts";
import { type CachedGrant, GrantCache, MAX_AGE_MS } from "./cache.ts";
import { ObservedTime } from "./observed-time.ts";
import { type Grant, grantRow, wholeGrants } from "./rows.ts";
import { type GrantQuery, searchGrants } from "./search.ts";
import { IS_STALE, listStale, restoreStale, revokeStale, type StaleBatch } from "./stale-rows.ts";

/**
 * Remembered answers (docs/decisions/requirements-policy.md, "Grants"): written, looked up, listed, revoked. Every decision reads them
 * anew.
 */

/** Who asks, for a lookup. Without an agent only the grants for all agents count. */
export interface GrantHolder extends Principal {
  agent?: string | undefined;
  session?: string | undefined;
}

interface Terms extends GrantHolder {
  /** Where the user gave it. */
  surface?: Surface | undefined;
  expires_at?: string | undefined;
  granted_by?: string | undefined;
}

export interface NewGrant extends Terms {
  capability: Capability;
  target: string;
}

/** What a grant is on, its target in its normal form. */
export interface ResolvedGrant extends GrantTarget {
  capability: Capability;
}

/** Returns the id of an active grant that covers the call, or undefined. */
export type GrantLookup = () => number | undefined;

const COLUMNS =
  "id, channel, sender_id, capability, target, granted_at, expires_at, granted_by, revoked_at, revoked_reason, last_used_at, agent, session, boot_expires_at";

/** What a new grant is written with. */
const WRITTEN =
  "channel, sender_id, capability, target, granted_at, expires_at, granted_by, agent, session, target_base, target_real, boot_expires_at, used_day";
const VALUES = WRITTEN.replaceAll(/\w+/g, "$$$&");

/** A grant as its columns are. */
type Row = Grant & { boot_expires_at: string | null };

export class GrantStore {
  readonly #db: PreparedStatements;
  readonly #home: string;
  readonly #clock: Clock;
  readonly #report: DamagedRowReport;
  readonly #cache: GrantCache;
  readonly #revocations: Revocations;
  readonly #observed: ObservedTime;
  /** Sessions that are over, while their grants are not revoked yet: by agent and session. */
  readonly #ended = new Map<string, { agent: string; session: string }>();
  /** Last uses not yet written: a lookup must not cost a write. */
  readonly #used = new Map<number, string>();

  /** `db` was opened with `grantsSchema`. */
  constructor(db: SqliteDatabase, home: string, clock: Clock, report: DamagedRowReport = NO_REPORT) {
    this.#db = new PreparedStatements(db);
    this.#home = home;
    this.#clock = clock;
    this.#report = report;
    this.#revocations = new Revocations(clock);
    this.#observed = new ObservedTime(this.#db, clock);
    this.#cache = new GrantCache(this.#db, clock.boot().id, report);
  }

  /**
   * Records a concession.
   * @throws GateError `unknown_capability`, `never_granted` (marked `always`, or never asked), `invalid_target`, `invalid_expiry`, `database_*`
   */
  recordGrant(grant: NewGrant): Grant {
    mustBeGrantable(grant.capability);
    const target = grantTarget(grant.capability, grant.target, this.#home);
    const values = this.#values({ ...target, capability: grant.capability }, grant);
    const row = this.#write(() =>
      this.#db.together(() => {
        const written = this.#db.one<Row>(
          `INSERT INTO grants (${WRITTEN}) VALUES (${VALUES}) RETURNING ${COLUMNS}`,
          values,
        );
        this.#noteAct(written.id, grant.surface);
        return written;
      }),
    );
    this.#cache.added(target.target_base);
    return this.#shown(row);
  }

  /**
   * Records the grants of one origin (`granted_by`) together, all or none. One that was written for it before is left as it is,
   * whatever became of it: so this can be done again after a crash.
   * @throws as `recordGrant`
   */
  recordOnce(grants: readonly ResolvedGrant[], terms: Terms & { granted_by: string }): void {
    for (const { capability } of grants) mustBeGrantable(capability);
    const values = grants.map((grant) => this.#values(grant, terms));
    this.#write(() =>
      this.#db.together(() => {
        for (const row of values) {
          this.#db
            .prepare(
              `INSERT INTO grants (${WRITTEN}) SELECT ${VALUES} WHERE NOT EXISTS (
                 SELECT 1 FROM grants WHERE granted_by = $granted_by AND capability = $capability AND target = $target)`,
            )
            .run(row);
        }
      }),
    );
    for (const { target_base } of grants) this.#cache.added(target_base);
  }

  #write<T>(act: () => T): T {
    try {
      return act();
    } catch (error) {
      throw storageError(error, this.#db.file, { title: "grants database" });
    }
  }

  /** @throws GateError `invalid_expiry` */
  #values(grant: ResolvedGrant, terms: Terms): Record<string, string | number | null> {
    const grantedAt = isoSeconds(this.#clock.now());
    const { expires_at } = terms;
    const end = expires_at === undefined ? undefined : endAt(this.#clock, validExpiry(expires_at, grantedAt));
    return {
      ...grant,
      channel: terms.channel,
      sender_id: terms.sender_id,
      granted_at: grantedAt,
      expires_at: end?.at ?? null,
      boot_expires_at: end?.boot_at ?? null,
      granted_by: terms.granted_by ?? null,
      agent: terms.agent ?? null,
      session: terms.session ?? null,
      used_day: this.#observed.day,
    };
  }

  /** True if an active grant stands for exactly this target text. */
  hasGrant(channel: string, senderId: string, capability: Capability, target: string): boolean {
    const normal = grantTarget(capability, target, this.#home).target;
    const row = this.#db
      .prepare(
        `SELECT 1 FROM grants WHERE channel = $channel AND sender_id = $sender_id AND capability = $capability
         AND target = $target AND ${IS_ACTIVE} LIMIT 1`,
      )
      .get({ channel, sender_id: senderId, capability, target: normal, ...moment(this.#clock) });
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
          isActive(grant, this.#clock) &&
          covers(grant, target)
        ) {
          return grant.id;
        }
      }
    }
    return undefined;
  }

  /**
   * The folder (real) of an active grant of `holder` that covers a folder and all below it. Undefined where there is none, or where it is
   * on names of a pattern.
   */
  folderGranted(holder: GrantHolder, capability: Capability, folder: string): string | undefined {
    const id = this.find(holder, capability, pathTarget(folder, this.#home, undefined, true));
    if (id === undefined) return undefined;
    const row = this.#db.prepare<{ target_real: string }>("SELECT target_real FROM grants WHERE id = ?").get(id);
    const granted = row?.target_real.endsWith("/**") ? row.target_real.slice(0, -3) : "";
    return granted !== "" && literalPattern(granted) === granted ? granted : undefined;
  }

  /** True if an active grant of anybody's is on writing at `path` (absolute), whoever may use it. */
  isWriteGranted(path: string): boolean {
    const target = pathTarget(path, this.#home, undefined, false);
    return this.#cache
      .keysFor(target)
      .some((key) =>
        this.#cache
          .at(key)
          .some((grant) => grant.capability === "fs:write" && isActive(grant, this.#clock) && covers(grant, target)),
      );
  }

  #isOver({ agent, session }: GrantHolder): boolean {
    return this.#ended.size > 0 && this.#ended.has(`${agent}\n${session}`);
  }

  /** Looks for what other programs wrote, now that nobody waits for it, where the next call would have to: not where the last one just did. */
  freshen(): void {
    this.#cache.freshen(MAX_AGE_MS);
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
    this.#db.together(() => {
      const update = this.#db.prepare("UPDATE grants SET last_used_at = ?, used_day = ? WHERE id = ?");
      const { day } = this.#observed;
      for (const [id, at] of this.#used) update.run(at, day, id);
    });
    this.#used.clear();
  }

  /** What is over by the time since boot alone, as the clock was set back, is over after the next boot as well. */
  #keepEnds(): void {
    this.#db.prepare(`UPDATE grants SET expires_at = $now WHERE ${IS_OVER_BY_BOOT_ALONE}`).run(moment(this.#clock));
  }

  /** Newest first. `limit` and `before_id` page through many. */
  listGrants(filter: OperatorParams<"grants.list"> = {}): Grant[] {
    this.flush();
    const { channel, sender_id, before_id } = filter;
    const where: string[] = [];
    if (channel !== undefined) where.push("channel = $channel");
    if (sender_id !== undefined) where.push("sender_id = $sender_id");
    if (before_id !== undefined) where.push("id < $before_id");
    if (!filter.include_revoked) where.push(IS_ACTIVE);
    const clause = where.length > 0 ? `WHERE ${where.join(" AND ")}` : "";
    const rows = this.#db
      .prepare<Row>(`SELECT ${COLUMNS} FROM grants ${clause} ORDER BY id DESC LIMIT $limit`)
      .all({ ...moment(this.#clock), channel, sender_id, before_id, limit: filter.limit ?? -1 });
    return wholeGrants(rows, this.#report).map((row) => this.#shown(row));
  }

  /** One page of the grants that match, and how many there are. See `searchGrants`. */
  searchGrants(query: GrantQuery): { total: number; grants: Grant[] } {
    this.flush();
    const text = query.text && expandHome(query.text, this.#home);
    const { total, grants } = searchGrants<Row>(this.#db, COLUMNS, { ...query, text }, this.#clock);
    return { total, grants: wholeGrants(grants, this.#report).map((row) => this.#shown(row)) };
  }

  /** For the receipt of what was just written in this transaction: when, and where. */
  #noteAct(id: number, surface: Surface | undefined): void {
    const at = isoSeconds(this.#clock.now());
    this.#db
      .prepare(
        `UPDATE receipts_due SET surface = $surface, at = coalesce(at, $at)
           WHERE id = (SELECT max(id) FROM receipts_due WHERE grant_id = $id)`,
      )
      .run({ id, surface: surface ?? null, at });
  }

  /** Takes a grant back. False if it was revoked already or there is none. */
  revokeGrant(id: number, surface?: Surface): boolean {
    const isRevoked = this.#db.together(() => {
      if (this.#revoke("id = ?", [id], "revoked by the user") === 0) return false;
      this.#noteAct(id, surface);
      return true;
    });
    if (!isRevoked) return false;
    const row = this.#row(id);
    if (row?.revoked_at) this.#revocations.note(id, { ...row, revoked_at: row.revoked_at });
    this.#report.resolved(grantRow(id));
    return true;
  }

  /**
   * Takes the user's own revocation back, within `UNDO_SECONDS`: the grant is what it was.
   * @throws GateError `too_late`; `grant_ended` where its own end has passed
   */
  restoreGrant(id: number, surface?: Surface): Grant {
    const revocation = this.#revocations.find(id);
    if (revocation === undefined)
      throw new GateError(
        "too_late",
        `grant ${id} was not revoked in the last ${UNDO_SECONDS} seconds, or its session has ended`,
        `give it again: ${ownCommand("policy grant --help")}`,
      );
    const row = this.#write(() =>
      this.#db.together(() => {
        const written = this.#db.changed<Row & { target_base: string }>(
          `UPDATE grants SET revoked_at = NULL, revoked_reason = NULL WHERE id = $id AND revoked_at = $revoked_at
             AND coalesce(expires_at, '~') > $now AND coalesce(boot_expires_at, '') NOT BETWEEN $boot_first AND $boot_now
           RETURNING ${COLUMNS}, target_base`,
          { id, revoked_at: revocation.revoked_at, ...moment(this.#clock) },
        );
        if (written !== undefined) this.#noteAct(id, surface);
        return written;
      }),
    );
    this.#revocations.forget(id);
    if (row === undefined)
      throw new GateError(
        "grant_ended",
        `grant ${id} would have ended by now`,
        `give it again: ${ownCommand("policy grant --help")}`,
      );
    const { target_base, ...restored } = row;
    this.#cache.added(target_base);
    return this.#shown(restored);
  }

  /** Days since the gate began to count them; kept by this. @throws SQLite's error */
  keepObserved(): number {
    this.#observed.keep();
    return this.#observed.day;
  }

  /**
   * Takes back what is active and nobody has used for so many days, by the gate's own count and by the wall clock: all or none. Undefined
   * where there is no such grant.
   * @throws GateError `database_*`
   */
  revokeStale(unusedDays: number): StaleBatch<Grant> | undefined {
    this.flush();
    const batch = this.#write(() =>
      revokeStale(this.#db, this.#clock, { unused_days: unusedDays, day: this.#observed.day }),
    );
    if (batch !== undefined) this.#cache.revoked();
    return batch;
  }

  /** What was revoked as stale, and by nothing else since, while it can be given back: newest first. */
  listStale(): StaleBatch<Grant>[] {
    return listStale(this.#db, this.#clock).map(({ grants, ...batch }) => ({
      ...batch,
      grants: wholeGrants(grants, this.#report),
    }));
  }

  /**
   * Gives back what was revoked as stale at this time, but for what has ended otherwise since. It counts as used now.
   * @throws GateError `too_late`, `database_*`
   */
  restoreStale(revokedAt: string): Grant[] {
    const restored = this.#write(() =>
      restoreStale(this.#db, this.#clock, { revoked_at: revokedAt, day: this.#observed.day }),
    );
    if (restored === undefined)
      throw new GateError(
        "too_late",
        "no grants were revoked then that can still be given back",
        `see: ${ownCommand("policy stale")}`,
      );
    for (const { target_base } of restored) this.#cache.added(target_base);
    return restored;
  }

  #row(id: number): Row | undefined {
    return this.#db.prepare<Row>(`SELECT ${COLUMNS} FROM grants WHERE id = ?`).get(id);
  }

  /** Takes back everything an agent was granted, or only what was for one of its sessions. Returns how many. */
  revokeAgent(agent: string, reason: string, session?: string): number {
    this.#revocations.end(agent, session);
    return session === undefined
      ? this.#revoke("agent = ?", [agent], reason)
      : this.#revoke("agent = ? AND session = ?", [agent, session], reason);
  }

  /** A session that is over: its grants count no more from now on, and are revoked as soon as that can be written. Returns how many were. */
  endSession(agent: string, session: string): number {
    this.#revocations.end(agent, session);
    this.#ended.set(`${agent}\n${session}`, { agent, session });
    return this.#revokeEnded();
  }

  /** No connection of an earlier gate is there any more: the sessions that it named are over. Returns how many grants that were. */
  endGateSessions(): number {
    return this.#revoke("session GLOB ?", [GATE_SESSIONS], "the session ended");
  }

  /** @throws SQLite's error; the sessions' grants don't count all the same, and it is tried again */
  #revokeEnded(): number {
    let count = 0;
    for (const [key, { agent, session }] of this.#ended) {
      count += this.revokeAgent(agent, "the session ended", session);
      this.#ended.delete(key);
    }
    return count;
  }

  #revoke(where: string, values: unknown[], reason: string): number {
    try {
      return this.#db.together(() => {
        // What was revoked as stale isn't given back either.
        this.#db.prepare(`UPDATE grants SET revoked_reason = ? WHERE ${where} AND ${IS_STALE}`).run(reason, ...values);
        return this.#db
          .prepare(`UPDATE grants SET revoked_at = ?, revoked_reason = ? WHERE ${where} AND revoked_at IS NULL`)
          .run(isoSeconds(this.#clock.now()), reason, ...values).changes;
      });
    } finally {
      this.#cache.revoked();
    }
  }

  countActive(): number {
    return this.#db.count(`SELECT count(*) AS count FROM grants WHERE ${IS_ACTIVE}`, moment(this.#clock));
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
      return (real === lexical && grant.coversReal === grant.covers) || grant.coversReal(real, is_tree);
    }
    case "host":
      return hostGrantMatches(grant.target, targetText(target));
    case "exact":
      return exactMatches(grant.target, target.value);
    case "none":
      return grant.target === "*";
    case "unknown":
      return false;
  }
}

/** @throws GateError `unknown_capability`, `never_granted` */
function mustBeGrantable(capability: Capability): void {
  const spec = Object.hasOwn(CAPABILITY_REGISTRY, capability) ? CAPABILITY_REGISTRY[capability] : undefined;
  if (spec === undefined) {
    throw new GateError(
      "unknown_capability",
      `there is no capability ${JSON.stringify(capability)}`,
      `see: ${ownCommand("policy registry")}`,
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
}

/** The date as Unix milliseconds. @throws GateError `invalid_expiry` */
function validExpiry(text: string, now: string): number {
  let expiresAt: string;
  try {
    expiresAt = normaliseDate(text);
  } catch (error) {
    throw new GateError(
      "invalid_expiry",
      `${JSON.stringify(text)} is not a date`,
      "give an ISO-8601 date, such as 2027-01-31T12:00:00Z",
      { cause: error },
    );
  }
  if (expiresAt <= now)
    throw new GateError("invalid_expiry", "the grant would have expired already", "give a date in the future");
  return Date.parse(expiresAt);
}

/** A user's revocation can be taken back for so long. */
const UNDO_SECONDS = 10;

/** What is known of a grant that the user has just revoked. */
interface Revocation {
  /** As it was written. */
  revoked_at: string;
  agent: string | null;
  session: string | null;
  /** By the time since boot: a wall clock that is set back makes it no longer. */
  boot_ms: number;
}

/** The user's last revocations, in memory: a restart makes them final. */
class Revocations {
  readonly #clock: Clock;
  readonly #last = new Map<number, Revocation>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  note(id: number, revocation: Omit<Revocation, "boot_ms">): void {
    this.#forgetOld();
    this.#last.set(id, { ...revocation, boot_ms: this.#clock.boot().ms });
  }

  /** Undefined where it was too long ago, or was none of the user's. */
  find(id: number): Revocation | undefined {
    this.#forgetOld();
    return this.#last.get(id);
  }

  forget(id: number): void {
    this.#last.delete(id);
  }

  /** The session, or all of the agent's, is over: nothing of it is given back. */
  end(agent: string, session?: string): void {
    for (const [id, one] of this.#last)
      if (one.agent === agent && (session === undefined || one.session === session)) this.#last.delete(id);
  }

  /** They are in the order in which they were made. */
  #forgetOld(): void {
    const since = this.#clock.boot().ms - UNDO_SECONDS * 1000;
    for (const [id, { boot_ms }] of this.#last) {
      if (boot_ms >= since) return;
      this.#last.delete(id);
    }
  }
}
