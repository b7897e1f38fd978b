import type { ApprovalStatus, Capability } from "../../../ipc/contract/decision.ts";
import type { PreparedStatements } from "../../base/sqlite/prepared-statements.ts";

/** A page of the requests that ended, for a listing of any length. */

export interface EndedQuery {
  token?: string | undefined;
  /** Agent's name. */
  agent?: string | undefined;
  capability?: Capability | undefined;
  status?: Exclude<ApprovalStatus, "pending"> | undefined;
  /** In the target, the class, the agent or the message; upper and lower case alike. */
  text?: string | undefined;
  /** When it ended, ISO-8601 UTC with whole seconds. */
  since?: string | undefined;
  /** Exclusive. */
  until?: string | undefined;
  /** Only what a user answered. */
  answered?: boolean | undefined;
  offset: number;
  limit: number;
}

/** So many of the last ones are searched for words. */
const SEARCHED = 20_000;

/** The last answered first. A statement is one of few: each condition has its place in it, or none. */
export function endedRows<Row>(db: PreparedStatements, query: EndedQuery): { total: number; rows: Row[] } {
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
  const is_search = text !== undefined && text !== "";
  if (is_search)
    where.push(
      "instr(lower(target_summary || char(10) || capability_class || char(10) || action_verb || char(10) || agent_name || char(10) || ifnull(message, '')), $text) > 0",
    );
  // Words are looked for among the last ones only: however long the history is, it takes the same time.
  const from = is_search
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
