import { agentKindOf } from "./gate/executors/agent-kind.ts";
import type { ExecutorCatalog } from "./gate/executors/catalog.ts";
import type { Listeners } from "./listeners.ts";

/** Writes a line into the gate's log for each decision, for each pause and its end, and if the gate loses a lock, socket or database. */
export function logEvents(
  { listeners, catalog }: { listeners: Listeners; catalog: ExecutorCatalog },
  log: (line: string) => void,
): void {
  listeners.add(["decision"], ({ data: { agent_name, executor, decision } }) => {
    const { outcome, stage, decision_id, capabilities } = decision;
    const status = decision.status === undefined ? "" : ` ${decision.status}`;
    const named = catalog.loggedName(executor, agentKindOf(agent_name));
    const needed = [...new Set(capabilities.map(({ capability }) => capability))].join("+") || "-";
    const judge = decision.reviews?.find((review) => review.outcome === "rejected")?.name;
    // Its sentence is a model's text, which may repeat values of the call.
    const refused = judge === undefined ? "" : ` refused by ${judge}: ${decision.explain.rule ?? "no rule"}`;
    log(`${outcome}${status} ${agent_name} ${named} ${needed} ${stage} ${decision_id}${refused}`);
  });
  listeners.add(["safety.paused", "safety.resumed"], ({ data: pause }) =>
    log(pause.is_paused ? `paused by ${pause.by}` : "resumed"),
  );
  listeners.add(["gate.lost"], ({ data: loss }) => log(loss.message));
}
