import type Database from "better-sqlite3";
import type { ApprovalStatus, Capability } from "../../../ipc/decision.ts";

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

/** The last answered first. */
export function endedRows<Row>(db: Database.Database, query: EndedQuery): { total: number; rows: Row[] } {
  const where = ["status <> 'pending'"];
  const values: unknown[] = [];
  const add = (clause: string, value: unknown) => {
    where.push(clause);
    values.push(value);
  };
  if (query.token !== undefined) add("token = ?", query.token);
  if (query.agent !== undefined) add("agent_name = ?", query.agent);
  if (query.status !== undefined) add("status = ?", query.status);
  if (query.capability !== undefined) {
    // The class begins with the capability's name: `fs_write:~/x/*, network_http:example.org`.
    add("instr(', ' || capability_class, ', ' || ?) > 0", query.capability.replace(":", "_"));
  }
  const clause = where.join(" AND ");
  const total = db.prepare(`SELECT count(*) FROM pending WHERE ${clause}`).pluck().get(values) as number;
  const rows = db
    .prepare(`SELECT * FROM pending WHERE ${clause} ORDER BY decision_at DESC, rowid DESC LIMIT ? OFFSET ?`)
    .all(...values, query.limit, query.offset) as Row[];
  return { total, rows };
}
