import "../activity/activity.css";
import { useRef, useState } from "react";
import type { Language } from "../../../ipc/contract/language.ts";
import type { AgentView } from "../../../ipc/contract/operator-api.ts";
import type { Budget } from "../../../ipc/contract/rate.ts";
import { amountText } from "../../../ipc/words/price-words.ts";
import { useAct } from "../../gate/use-act.ts";
import { useCall, useQuery } from "../../gate/use-gate.tsx";
import { Button } from "../../parts/Button.tsx";
import { EmptyState } from "../../parts/EmptyState.tsx";
import { Fact } from "../../parts/Facts.tsx";
import { Failure } from "../../parts/Failure.tsx";
import { Moment, RelativeTime } from "../../parts/RelativeTime.tsx";
import { Target } from "../../parts/Target.tsx";
import { useEveryHalfMinute } from "../../parts/use-every-half-minute.ts";
import { useWidth } from "../../parts/use-size.ts";
import { VisibleText } from "../../parts/VisibleText.tsx";
import { PAUSE_LENGTHS } from "../../window/use-pause.ts";
import { agentsWords } from "../../words/agents.ts";
import { useLanguage, useWords } from "../../words/language.ts";
import { namesWords } from "../../words/names.ts";
import { safetyWords } from "../../words/safety.ts";
import { DecisionRow } from "../activity/DecisionRow.tsx";
import { targetWidth } from "../activity/target-width.ts";
import { useFeed } from "../activity/use-feed.ts";
import { AgentFiles } from "./AgentFiles.tsx";
import { AgentSessions } from "./AgentSessions.tsx";
import { AgentTable } from "./AgentTable.tsx";

/** One agent: what it may do, what it has done, and its own pause. */
export function AgentPage({ name, agents }: { name: string; agents: readonly AgentView[] }) {
  const words = useWords(agentsWords);
  const agent = agents.find((one) => one.name === name && one.revoked_at === null);
  return (
    <div className="place agents">
      <header className="place-head">
        <div>
          <p>
            <a href="#/agents">{words.back}</a>
          </p>
          <h1>
            <VisibleText text={name} />
          </h1>
        </div>
      </header>
      {agent === undefined ? (
        <EmptyState title={words.unknown(name)} />
      ) : (
        <>
          <section aria-label={words.level}>
            <AgentTable agents={[agent]} isWithoutPause />
            <AgentFacts agent={agent} />
            <AgentPause agent={agent} />
          </section>
          <AgentLimits agent_id={agent.agent_id} />
          <AgentGrants name={name} />
          <AgentSessions agent_id={agent.agent_id} name={name} />
          <AgentFiles name={name} />
          <AgentRefusals agent_id={agent.agent_id} />
          <LastDecisions name={name} />
        </>
      )}
    </div>
  );
}

function AgentFacts({ agent }: { agent: AgentView }) {
  const words = useWords(agentsWords);
  const names = useWords(namesWords);
  const { data } = useQuery("approvals.list", { limit: 1000 });
  const waiting = (data ?? []).filter(({ agent_id }) => agent_id === agent.agent_id).length;
  return (
    <dl className="facts">
      <Fact name={words.level}>
        {names.levels[agent.level]}: {words.levels[agent.level]}
      </Fact>
      <Fact name={words.paired}>
        <Moment at={agent.paired_at} />
      </Fact>
      <Fact name={words.waiting}>{waiting === 0 ? null : <a href="#/approvals">{words.waitingCount(waiting)}</a>}</Fact>
    </dl>
  );
}

/** Pauses this agent alone, in place of all of them. */
function AgentPause({ agent: { name, paused } }: { agent: AgentView }) {
  const words = useWords(agentsWords);
  const { lengths } = useWords(safetyWords);
  const call = useCall();
  const { run, isBusy, error } = useAct();
  if (paused !== null) {
    return (
      <div className="agent-pause paused">
        <p>
          {paused.until === null ? (
            words.pausedOpen
          ) : (
            <>
              {words.pausedUntil} <Moment at={paused.until} />.
            </>
          )}
        </p>
        <Button disabled={isBusy} onClick={() => void run(() => call("agents.resume", { name }))}>
          {words.resumeAgent(name)}
        </Button>
        <Failure error={error} />
      </div>
    );
  }
  return (
    <div className="agent-pause">
      {/* biome-ignore lint/a11y/useSemanticElements: buttons that belong together, not fields of a form */}
      <div className="filters" role="group" aria-label={words.pauseAgent(name)}>
        <span className="quiet" aria-hidden="true">
          {words.pauseAgent(name)}
        </span>
        {PAUSE_LENGTHS.map(({ name: length, seconds }) => (
          <Button
            key={length}
            size="small"
            disabled={isBusy}
            onClick={() =>
              void run(() => call("agents.pause", { name, ...(seconds === undefined ? {} : { for_seconds: seconds }) }))
            }
          >
            {lengths[length]}
          </Button>
        ))}
      </div>
      <Failure error={error} />
    </div>
  );
}

const GRANTS_SHOWN = 10;

function AgentGrants({ name }: { name: string }) {
  const words = useWords(agentsWords);
  const { data } = useQuery("grants.search", { agent: name, limit: GRANTS_SHOWN });
  if (data === undefined) return null;
  return (
    <section aria-labelledby="agent-grants">
      <div className="section-head">
        <h2 id="agent-grants">{words.grants}</h2>
        <span className="quiet">{data.total === 0 ? words.noGrants : words.grantsOf}</span>
      </div>
      <ul className="agent-list">
        {data.grants.map((grant) => (
          <li key={grant.id}>
            <span className="mono">{grant.capability}</span> <Target text={grant.target} />
            <span className="quiet">
              {grant.agent_name === null ? `${words.everyAgent}, ` : null}
              {grant.expires_at === null ? (
                words.noEnd
              ) : (
                <>
                  {words.ends} <RelativeTime at={grant.expires_at} />
                </>
              )}
            </span>
          </li>
        ))}
      </ul>
      {data.total === 0 ? null : (
        <p>
          <a href="#/grants">{words.allGrants(data.total)}</a>
        </p>
      )}
    </section>
  );
}

/** What the user denied for a session: without asking, until it ends. */
function AgentRefusals({ agent_id }: { agent_id: string }) {
  const words = useWords(agentsWords);
  const call = useCall();
  const { data, refresh } = useQuery("refusals.list", {});
  const { run, isBusy, error } = useAct();
  const refusals = (data ?? []).filter((refusal) => refusal.agent_id === agent_id);
  if (refusals.length === 0) return null;
  return (
    <section aria-labelledby="agent-refusals">
      <h2 id="agent-refusals">{words.refusals}</h2>
      <Failure error={error} />
      <ul className="agent-list">
        {refusals.map(({ id, executor, capability, target, refused_at }) => (
          <li key={id}>
            <span className="mono">{capability ?? executor}</span> <Target text={target} />
            <span className="quiet">
              <Moment at={refused_at} />
            </span>
            <Button
              size="small"
              look="plain"
              disabled={isBusy}
              onClick={() => void run(() => call("refusals.revoke", { id })).then(refresh)}
            >
              {words.revoke}
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}

const DECISIONS_SHOWN = 20;

function LastDecisions({ name }: { name: string }) {
  const words = useWords(agentsWords);
  const [filter] = useState({ agent: name });
  const [opened, setOpened] = useState<string | null>(null);
  const { entries, error } = useFeed(filter);
  const list = useRef<HTMLUListElement>(null);
  const width = targetWidth(useWidth(list));
  const shown = (entries ?? []).slice(0, DECISIONS_SHOWN);
  return (
    <section aria-labelledby="agent-decisions">
      <h2 id="agent-decisions">{words.decisions}</h2>
      <Failure error={error} />
      {entries?.length === 0 ? <p className="quiet">{words.noDecisions}</p> : null}
      <ul ref={list} className="decisions">
        {shown.map((entry) => (
          <DecisionRow
            key={entry.decision_id}
            entry={entry}
            width={width}
            isOpen={entry.decision_id === opened}
            onToggle={() => setOpened(entry.decision_id === opened ? null : entry.decision_id)}
          />
        ))}
      </ul>
    </section>
  );
}

/** What one agent has spent today, and what is left of its calls a minute. Nothing where it did neither. */
function AgentLimits({ agent_id }: { agent_id: string }) {
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
          ? words.noneLeft(countText(per_minute, language))
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
