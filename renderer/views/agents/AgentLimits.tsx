import type { Language } from "../../../ipc/contract/language.ts";
import type { Budget } from "../../../ipc/contract/rate.ts";
import { amountText } from "../../../ipc/words/price-words.ts";
import { useQuery } from "../../gate/use-gate.tsx";
import { useEveryHalfMinute } from "../../parts/use-every-half-minute.ts";
import { VisibleText } from "../../parts/VisibleText.tsx";
import { agentsWords } from "../../words/agents.ts";
import { useLanguage } from "../../words/language.ts";

/** What one agent has spent today, and what is left of its calls a minute. Nothing where it did neither. */
export function AgentLimits({ agent_id }: { agent_id: string }) {
  const language = useLanguage();
  const words = agentsWords[language];
  const { data: costs, refresh: refreshCosts } = useQuery("costs.today", {});
  const { data: budgets, refresh: refreshBudgets } = useQuery("rate.budgets", {});
  // They change with each call and with time: no event says so.
  useEveryHalfMinute(refreshCosts);
  useEveryHalfMinute(refreshBudgets);
  const spent = (costs ?? []).filter((one) => one.agent_id === agent_id);
  const used = (budgets ?? []).filter((one) => one.agent_id === agent_id);
  if (spent.length === 0 && used.length === 0) return null;
  return (
    <section aria-labelledby="agent-limits">
      <h2 id="agent-limits">{words.limits}</h2>
      {spent.map(({ amount, currency, calls }) => (
        <p key={currency}>
          <VisibleText text={words.spent(amountText(amount, currency, language), calls, countText(calls, language))} />
        </p>
      ))}
      {used.length === 0 ? null : (
        <ul className="agent-list budgets">
          {used.map((budget) => (
            <li key={budget.capability}>
              <span className="mono">{budget.capability}</span> <BudgetText budget={budget} />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

/** In words, and as a bar beside them. */
function BudgetText({ budget: { capacity, per_minute, left } }: { budget: Budget }) {
  const language = useLanguage();
  const words = agentsWords[language];
  const whole = Math.max(0, Math.floor(left));
  return (
    <>
      <meter className="budget" aria-hidden="true" min={0} max={Math.max(1, capacity)} value={whole} />
      <span className={whole === 0 ? "figures" : "quiet figures"}>
        {whole === 0
          ? words.none_left(countText(per_minute, language))
          : words.left(countText(whole, language), countText(capacity, language), countText(per_minute, language))}
      </span>
    </>
  );
}

/** Powers of ten from a million million on. */
function countText(value: number, language: Language): string {
  if (!Number.isFinite(value)) return "?";
  const notation = Math.abs(value) >= 1e12 ? "scientific" : "standard";
  return value.toLocaleString(language, { notation, maximumFractionDigits: 1 });
}
