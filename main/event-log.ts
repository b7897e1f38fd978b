import type { Core } from "./core.ts";
import { agentKindOf } from "./gate/executors/agent-kind.ts";

/** Writes a line into the gate's log for each decision, for each pause and its end, and if the gate loses a lock, socket or database. */
export function logEvents(
  { listeners, catalog }: Pick<Core, "listeners" | "catalog">,
  log: (line: string) => void,
): void {
  listeners.add(["decision"], ({ data: { agent_name, executor, decision } }) => {
    const { outcome, stage, decision_id, capabilities } = decision;
    const status = decision.status === undefined ? "" : ` ${decision.status}`;
    const named = catalog.loggedName(executor, agentKindOf(agent_name));
    const needed = [...new Set(capabilities.map(({ capability }) => capability))].join("+") || "-";
    log(`${outcome}${status} ${agent_name} ${named} ${needed} ${stage} ${decision_id}`);
  });
  listeners.add(["safety.paused", "safety.resumed"], ({ data: pause }) =>
    log(pause.is_paused ? `paused by ${pause.by}` : "resumed"),
  );
  listeners.add(["gate.lost"], ({ data: loss }) => log(loss.message));
}
