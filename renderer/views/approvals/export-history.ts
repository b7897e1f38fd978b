import type { OperatorParams, OperatorResult } from "../../../ipc/contract/operator-api.ts";
import type { useCall } from "../../gate/use-gate.tsx";
import { exportRows } from "../../parts/export.ts";
import type { ExportForm, ExportRow } from "../../parts/export-text.ts";

/** A request that ended. */
export type EndedView = OperatorResult<"approvals.history">["approvals"][number];

/** What it was, as Activity keeps it; of one that isn't kept, what its card said of it. */
export const whatItWas = ({ line, action_verb, target_summary }: EndedView): string =>
  line ?? `${action_verb} ${target_summary}`;

const COLUMNS = [
  "ended",
  "asked",
  "agent",
  "tool",
  "what",
  "needs",
  "outcome",
  "remembered",
  "by",
  "surface",
  "withdrawn",
  "message",
] as const;
const PAGE = 500;
/** The newest ones: a file that a spreadsheet still opens. */
const MOST = 20_000;

/** Saves the requests that match. Rejects with a `GateError`. */
export async function exportHistory(
  call: ReturnType<typeof useCall>,
  filters: OperatorParams<"approvals.history">,
  form: ExportForm,
): Promise<void> {
  const all: EndedView[] = [];
  for (let offset = 0; offset < MOST; offset += PAGE) {
    const { approvals } = await call("approvals.history", { ...filters, offset, limit: PAGE });
    all.push(...approvals);
    if (approvals.length < PAGE) break;
  }
  await exportRows("metnos-gate-history", form, all.map(rowOf), COLUMNS);
}

function rowOf(view: EndedView): ExportRow {
  return {
    ended: view.decision_at ?? view.expires_at,
    asked: view.created_at,
    agent: view.agent_name,
    tool: view.executor,
    what: whatItWas(view),
    needs: view.capabilities.map(({ capability, target }) => `${capability} ${target}`).join("; "),
    outcome: view.status,
    remembered: view.status === "approved" ? view.territory_concession : "",
    by: view.decision_by_channel === null ? "" : `${view.decision_by_channel}:${view.decision_by_sender}`,
    surface: view.decision_surface ?? "",
    withdrawn: view.withdrawn ?? "",
    message: view.message ?? "",
  };
}
