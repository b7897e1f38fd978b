import type { ApprovalStatus, Capability } from "../../../ipc/decision.ts";
import type { Statements } from "../statements.ts";

/** A page of the requests that ended, for a listing of any length. */

export interface EndedQuery {
  token?: string | undefined;
  /** Agent's name. */
  agent?: string | undefined;
  capability?: Capability | undefined;
  status?: Exclude<ApprovalStatus, "pending"> | undefined;
  offset: number;
  limit: number;
}

/** The last answered first. A statement is one of few: each condition has its place in it, or none. */
export function endedRows<Row>(db: Statements, query: EndedQuery): { total: number; rows: Row[] } {
  const { token, agent, status, capability, limit, offset } = query;
  const where = ["status <> 'pending'"];
  if (token !== undefined) where.push("token = $token");
  if (agent !== undefined) where.push("agent_name = $agent");
  if (status !== undefined) where.push("status = $status");
  // The class begins with the capability's name: `fs_write:~/x/*, network_http:example.org`.
  if (capability !== undefined) where.push("instr(', ' || capability_class, ', ' || $capability) > 0");
  const clause = where.join(" AND ");
  const values = { token, agent, status, capability: capability?.replace(":", "_") };
  const total = db.count(`SELECT count(*) AS count FROM pending WHERE ${clause}`, values);
  const rows = db
    .prepare<Row>(
      `SELECT * FROM pending WHERE ${clause} ORDER BY decision_at DESC, rowid DESC LIMIT $limit OFFSET $offset`,
    )
    .all({ ...values, limit, offset });
  return { total, rows };
}
