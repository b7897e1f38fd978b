import { isoSeconds } from "../../../ipc/contract/iso-seconds.ts";
import type { CheckedParams, GrantOrder } from "../../../ipc/contract/operator-api.ts";
import type { Clock } from "../../base/clocks/clock.ts";
import { moment } from "../../base/clocks/two-clock-end.ts";
import type { PreparedStatements } from "../../base/sqlite/prepared-statements.ts";
import { IS_ACTIVE } from "./active.ts";

/** A page of the grants for a listing of any length. Its agent is an id: its own grants and those for all agents. */
export type GrantQuery = CheckedParams["grants.search"];

const DAY_MS = 86_400_000;

/** Which columns the listing may be sorted by: the only text that goes into the statement. */
const ORDER: Readonly<Record<GrantOrder, string>> = {
  granted_at: "id",
  last_used_at: "last_used_at",
  expires_at: "expires_at",
  capability: "capability",
  target: "target",
};

/** A statement is one of few: each condition has its place in it, or none. */
export function searchGrants<Row>(
  db: PreparedStatements,
  columns: string,
  query: GrantQuery,
  clock: Clock,
): { total: number; grants: Row[] } {
  const { capability, agent, text, unused_days, limit, offset } = query;
  const where: string[] = [];
  if (!query.include_revoked) where.push(IS_ACTIVE);
  if (capability !== undefined) where.push("capability = $capability");
  if (agent !== undefined) where.push("(agent = $agent OR agent IS NULL)");
  if (unused_days !== undefined)
    where.push("granted_at <= $unused_since AND coalesce(last_used_at, '') <= $unused_since");
  if (text !== undefined) where.push("instr(lower(target), lower($text)) > 0");
  const clause = where.length > 0 ? `WHERE ${where.join(" AND ")}` : "";
  const direction = query.descending ? "DESC" : "ASC";
  const unusedSince = isoSeconds(clock.now() - (unused_days ?? 0) * DAY_MS);
  const values = { ...moment(clock), capability, agent, text, unused_since: unusedSince };
  const total = db.count(`SELECT count(*) AS count FROM grants ${clause}`, values);
  const grants = db
    .prepare<Row>(
      `SELECT ${columns} FROM grants ${clause} ORDER BY ${ORDER[query.order]} ${direction}, id ${direction} LIMIT $limit OFFSET $offset`,
    )
    .all({ ...values, limit, offset });
  return { total, grants };
}
