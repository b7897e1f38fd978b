import { ownCommand } from "../../../ipc/base/own-command.ts";
import { capabilitySchema } from "../../../ipc/contract/decision.ts";
import type { GrantView } from "../../../ipc/contract/operator-api.ts";
import type { DamagedRowReport } from "../../base/sqlite/damaged-row-report.ts";

/** A date as the databases hold it: anything else would sort beyond every end. */
const DATE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

/** A grant as it is listed. Dates are ISO-8601 UTC. */
export type Grant = Omit<GrantView, "agent_id" | "agent_name"> & { agent: string | null };

interface ReadRow {
  id: number;
  capability: string;
  target: string;
  target_real?: string;
  expires_at: string | null;
}

/** Those of the rows that are whole; another one counts for nothing, and is reported. */
export function wholeGrants<Row extends ReadRow>(rows: readonly Row[], report: DamagedRowReport): Row[] {
  return rows.filter((row) => {
    if (isWhole(row)) return true;
    report.damaged(
      grantRow(row.id),
      `it counts for nothing; to be rid of it: ${ownCommand(`policy revoke ${row.id}`)}`,
    );
    return false;
  });
}

/** How a grant is named in a report. */
export function grantRow(id: number): string {
  return `grant ${id}`;
}

function isWhole({ capability, target, target_real, expires_at }: ReadRow): boolean {
  return (
    capabilitySchema.safeParse(capability).success &&
    typeof target === "string" &&
    (target_real === undefined || typeof target_real === "string") &&
    (expires_at === null || (typeof expires_at === "string" && DATE.test(expires_at)))
  );
}
