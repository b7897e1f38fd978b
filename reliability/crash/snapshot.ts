import type { AuditReport } from "../../ipc/contract/audit.ts";
import type { AgentView, ApprovalView, GrantView, OperatorApi } from "../../ipc/contract/operator-api.ts";
import type { Pause } from "../../ipc/contract/safety.ts";
import type { Setting } from "../../ipc/contract/settings.ts";

/** Everything that a gate keeps, as it reports it after its start. */
export interface Snapshot {
  pause: Pause;
  grants: GrantView[];
  requests: ApprovalView[];
  agents: AgentView[];
  settings: Setting[];
  trail: AuditReport;
}

/** More than this many requests are not listed by a gate at once: a home is given up before. */
const MAX_REQUESTS = 1000;

export async function takeSnapshot(operator: OperatorApi): Promise<Snapshot> {
  const [safety, grants, requests, { agents }, settings, trail] = await Promise.all([
    operator.call("safety.status", {}),
    operator.call("grants.list", { include_revoked: true, limit: 10_000 }),
    operator.call("approvals.list", { include_resolved: true, limit: MAX_REQUESTS }),
    operator.call("agents.list", {}),
    operator.call("settings.list", {}),
    operator.call("audit.verify", {}),
  ]);
  return { pause: safety.pause, grants, requests, agents, settings, trail };
}
