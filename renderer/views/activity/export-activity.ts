import type { ActivityEntry } from "../../../ipc/contract/activity.ts";
import type { ActivityFilter } from "../../../ipc/contract/activity-filter.ts";
import type { useCall } from "../../gate/use-gate.tsx";
import { exportRows } from "../../parts/export.ts";
import type { ExportForm, ExportRow } from "../../parts/export-text.ts";
import { MOST_SHOWN, paramsOf } from "./feed.ts";

const COLUMNS = [
  "time",
  "agent",
  "tool",
  "outcome",
  "status",
  "stage",
  "rule",
  "needs",
  "reason",
  "reported",
  "reported_ms",
  "ran_other",
  "tried_more",
] as const;
const PAGE = 500;

/** Saves every decision that matches, as far as the gate keeps them. Rejects with a `GateError`. */
export async function exportActivity(
  call: ReturnType<typeof useCall>,
  filter: ActivityFilter,
  form: ExportForm,
): Promise<void> {
  const entries: ActivityEntry[] = [];
  for (let before: string | undefined; entries.length < MOST_SHOWN; before = entries.at(-1)?.decision_id) {
    const older = before === undefined ? {} : { before };
    const page = await call("activity.list", { ...paramsOf(filter), ...older, limit: PAGE });
    entries.push(...page);
    if (page.length < PAGE) break;
  }
  await exportRows("metnos-gate-activity", form, entries.map(rowOf), COLUMNS);
}

function rowOf(entry: ActivityEntry): ExportRow {
  return {
    time: new Date(entry.ts * 1000).toISOString(),
    agent: entry.agent_name,
    tool: entry.executor,
    outcome: entry.outcome,
    status: entry.status ?? "",
    stage: entry.stage,
    rule: entry.rule ?? "",
    needs: entry.capabilities.map(({ capability, target }) => `${capability} ${target}`).join("; "),
    reason: entry.reason,
    reported: entry.reported?.state ?? "",
    reported_ms: String(entry.reported?.ms ?? ""),
    ran_other: entry.reported?.ran_other === true ? "true" : "",
    tried_more: entry.reported?.tried_more === true ? "true" : "",
  };
}
