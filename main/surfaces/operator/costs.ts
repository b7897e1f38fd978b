import type { Handlers, OperatorContext } from "./handlers.ts";

export function costMethods({ core }: OperatorContext): Handlers<"costs.today" | "rate.budgets"> {
  return {
    "costs.today": () =>
      core.activity
        .spentToday()
        .map(({ agent_id, ...spent }) => ({
          agent_id,
          agent_name: core.agents.get(agent_id)?.name ?? "none",
          ...spent,
        }))
        .sort((a, b) => b.amount - a.amount),
    "rate.budgets": () =>
      core.rate.list().map((budget) => ({ ...budget, agent_name: core.agents.get(budget.agent_id)?.name ?? "none" })),
  };
}
