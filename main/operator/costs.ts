import type { Handlers, OperatorContext } from "./handlers.ts";

export function costMethods({ core }: OperatorContext): Handlers<"costs.today" | "rate.budgets"> {
  return {
    "costs.today": () => [],
    "rate.budgets": () =>
      core.rate.list().map((budget) => ({ ...budget, agent_name: core.agents.get(budget.agent_id)?.name ?? "none" })),
  };
}
