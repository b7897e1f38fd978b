import { isoSeconds } from "../../../ipc/contract/iso-seconds.ts";
import type { Clock } from "../../base/clocks/clock.ts";
import { endAt, moment } from "../../base/clocks/two-clock-end.ts";
import type { PreparedStatements } from "../../base/sqlite/prepared-statements.ts";
import { IS_ACTIVE } from "./active.ts";
import type { Grant } from "./rows.ts";

/** The statements about grants that are revoked as nobody used them for long, and given back. */

/** A day's grants that were revoked as stale. */
export interface StaleBatch<G> {
  /** Names the batch. ISO-8601 UTC. */
  revoked_at: string;
  /** Until when they can be given back. ISO-8601 UTC. */
  until: string;
  /** For so many days nobody had used them. */
  unused_days: number;
  grants: G[];
}

/** Why it was revoked, as the column says it. */
const STALE = "stale";
/** They can be given back for so long. */
const UNDO_DAYS = 7;
const DAY_MS = 86_400_000;
/** Of a batch so many are listed. All of it is given back. */
const MOST_LISTED = 1000;

const COLUMNS =
  "id, channel, sender_id, capability, target, granted_at, expires_at, granted_by, revoked_at, revoked_reason, last_used_at, agent, session";

/** Was revoked as stale alone, and can still be given back. */
export const IS_STALE = `revoked_reason = '${STALE}' AND revoked_at IN (SELECT revoked_at FROM stale_revocations)`;

const HAS_NOT_ENDED =
  "coalesce(expires_at, '~') > $now AND coalesce(boot_expires_at, '') NOT BETWEEN $boot_first AND $boot_now";
const CAN_BE_UNDONE = "ends_at > $now AND coalesce(boot_ends_at, '') NOT BETWEEN $boot_first AND $boot_now";
/** A date that is still to come says nothing: the clock was set back. */
const isUnused = (column: string) => `(coalesce(${column}, '') <= $unused_since OR ${column} > $now)`;

/** @param day of the gate's own count. @throws SQLite's error: nothing was changed then */
export function revokeStale(
  db: PreparedStatements,
  clock: Clock,
  { unused_days, day }: { unused_days: number; day: number },
): StaleBatch<Grant> | undefined {
  const unusedSince = isoSeconds(clock.now() - unused_days * DAY_MS);
  const end = endAt(clock, clock.now() + UNDO_DAYS * DAY_MS);
  const now = moment(clock);
  return db.together(() => {
    db.prepare(`DELETE FROM stale_revocations WHERE NOT (${CAN_BE_UNDONE})`).run(now);
    const grants = db
      .prepare<Grant>(
        `UPDATE grants SET revoked_at = $now, revoked_reason = '${STALE}'
         WHERE ${IS_ACTIVE} AND coalesce(used_day, 0) < $before_day AND ${isUnused("granted_at")} AND ${isUnused("last_used_at")}
         RETURNING ${COLUMNS}`,
      )
      .all({ ...now, unused_since: unusedSince, before_day: day - unused_days });
    if (grants.length === 0) return undefined;
    const revokedAt = now.now;
    db.prepare(
      `INSERT INTO stale_revocations (revoked_at, unused_days, ends_at, boot_ends_at) VALUES (?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET unused_days = excluded.unused_days, ends_at = excluded.ends_at, boot_ends_at = excluded.boot_ends_at`,
    ).run(revokedAt, unused_days, end.at, end.boot_at);
    return { revoked_at: revokedAt, until: end.at, unused_days, grants };
  });
}

export function listStale(db: PreparedStatements, clock: Clock): StaleBatch<Grant>[] {
  const now = moment(clock);
  const batches = db
    .prepare<Omit<StaleBatch<Grant>, "grants">>(
      `SELECT revoked_at, ends_at AS until, unused_days FROM stale_revocations WHERE ${CAN_BE_UNDONE} ORDER BY revoked_at DESC`,
    )
    .all(now);
  const grants = db.prepare<Grant>(
    `SELECT ${COLUMNS} FROM grants WHERE revoked_reason = '${STALE}' AND revoked_at = $revoked_at AND ${HAS_NOT_ENDED}
     ORDER BY id DESC LIMIT ${MOST_LISTED}`,
  );
  return batches
    .map((batch) => ({ ...batch, grants: grants.all({ ...now, revoked_at: batch.revoked_at }) }))
    .filter((batch) => batch.grants.length > 0);
}

/** Undefined where the batch isn't known any more. @throws SQLite's error: nothing was changed then */
export function restoreStale(
  db: PreparedStatements,
  clock: Clock,
  { revoked_at, day }: { revoked_at: string; day: number },
): (Grant & { target_base: string })[] | undefined {
  const now = moment(clock);
  return db.together(() => {
    const known = db.count(
      `SELECT count(*) AS count FROM stale_revocations WHERE revoked_at = $revoked_at AND ${CAN_BE_UNDONE}`,
      { ...now, revoked_at },
    );
    if (known === 0) return undefined;
    const restored = db
      .prepare<Grant & { target_base: string }>(
        `UPDATE grants SET revoked_at = NULL, revoked_reason = NULL, last_used_at = $now, used_day = $day
         WHERE revoked_reason = '${STALE}' AND revoked_at = $revoked_at AND ${HAS_NOT_ENDED}
         RETURNING ${COLUMNS}, target_base`,
      )
      .all({ ...now, revoked_at, day });
    db.prepare("DELETE FROM stale_revocations WHERE revoked_at = ?").run(revoked_at);
    return restored;
  });
}
