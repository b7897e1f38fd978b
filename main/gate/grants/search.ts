import type Database from "better-sqlite3";
import type { Capability } from "../../../ipc/decision.ts";
import type { GrantOrder } from "../../../ipc/operator-api.ts";
import type { Clock } from "../clock.ts";
import { moment } from "../ends.ts";

/** A page of the grants for a listing of any length. */
export interface GrantQuery {
  /** Anywhere in the target. */
  text?: string | undefined;
  capability?: Capability | undefined;
  /** Agent's id: its own and those for all agents. */
  agent?: string | undefined;
  include_revoked: boolean;
  order: GrantOrder;
  descending: boolean;
  offset: number;
  limit: number;
}

/** Which columns the listing may be sorted by: the only text that goes into the statement. */
const ORDER: Readonly<Record<GrantOrder, string>> = {
  granted_at: "id",
  last_used_at: "last_used_at",
  expires_at: "expires_at",
  capability: "capability",
  target: "target",
};

/** Of a grant that counts at the moment `activeAt` gives. Not as an OR of two ranges: that would be looked up by range and then sorted. */
export const IS_ACTIVE =
  "revoked_at IS NULL AND coalesce(expires_at, '~') > ? AND coalesce(boot_expires_at, '') NOT BETWEEN ? AND ?";

/** The values of `IS_ACTIVE`. */
export function activeAt(clock: Clock): [now: string, boot_first: string, boot_now: string] {
  const { now, boot_first, boot_now } = moment(clock);
  return [now, boot_first, boot_now];
}

export function searchGrants<Row>(
  db: Database.Database,
  columns: string,
  query: GrantQuery,
  clock: Clock,
): { total: number; grants: Row[] } {
  const where: string[] = [];
  const values: unknown[] = [];
  const add = (clause: string, ...given: unknown[]) => {
    where.push(clause);
    values.push(...given);
  };
  if (!query.include_revoked) add(IS_ACTIVE, ...activeAt(clock));
  if (query.capability !== undefined) add("capability = ?", query.capability);
  if (query.agent !== undefined) add("(agent = ? OR agent IS NULL)", query.agent);
  if (query.text !== undefined) add("instr(lower(target), lower(?)) > 0", query.text);
  const clause = where.length > 0 ? `WHERE ${where.join(" AND ")}` : "";
  const direction = query.descending ? "DESC" : "ASC";
  const total = db.prepare(`SELECT count(*) FROM grants ${clause}`).pluck().get(values) as number;
  const grants = db
    .prepare(
      `SELECT ${columns} FROM grants ${clause} ORDER BY ${ORDER[query.order]} ${direction}, id ${direction} LIMIT ? OFFSET ?`,
    )
    .all(...values, query.limit, query.offset) as Row[];
  return { total, grants };
}
