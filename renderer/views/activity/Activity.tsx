import "../../style/views.css";
import "./activity.css";
import { useRef, useState } from "react";
import { shortened, shortenHome, visible } from "../../../ipc/base/visible-text.ts";
import type { ActivityEntry, CallResult } from "../../../ipc/contract/activity.ts";
import type { Capability } from "../../../ipc/contract/decision.ts";
import type { RunningReview } from "../../../ipc/contract/judges.ts";
import type { Language } from "../../../ipc/contract/language.ts";
import { beingJudgedText } from "../../../ipc/words/judge-words.ts";
import { resultText } from "../../../ipc/words/result-words.ts";
import { CALL_RESULTS, CAPABILITIES } from "../../gate/contract-lists.ts";
import { useCall, useQuery } from "../../gate/use-gate.tsx";
import { useHome } from "../../gate/use-home.tsx";
import { Button } from "../../parts/Button.tsx";
import { useNow } from "../../parts/clock.ts";
import { boundsOf, NO_DAYS } from "../../parts/days.ts";
import { EmptyState } from "../../parts/EmptyState.tsx";
import { exportRows } from "../../parts/export.ts";
import type { ExportForm, ExportRow } from "../../parts/export-text.ts";
import { Failure } from "../../parts/Failure.tsx";
import { FilterSelect } from "../../parts/FilterSelect.tsx";
import { ListTools, SearchInput } from "../../parts/ListTools.tsx";
import { momentText } from "../../parts/RelativeTime.tsx";
import { Target } from "../../parts/Target.tsx";
import { useWidth } from "../../parts/use-size.ts";
import { VisibleText } from "../../parts/VisibleText.tsx";
import { goTo } from "../../window/route.ts";
import type { ViewProps } from "../../window/view-props.ts";
import { activityWords } from "../../words/activity.ts";
import { judgeWords } from "../../words/judges.ts";
import { useLanguage, useWords } from "../../words/language.ts";
import { DecisionRow } from "./DecisionRow.tsx";
import { type ActivityFilter, NO_FILTER, paramsOf } from "./feed.ts";
import { Gaps } from "./Gaps.tsx";
import { Picture } from "./Picture.tsx";
import { Today } from "./Today.tsx";
import { targetWidth } from "./target-width.ts";
import { LastHour } from "./undo/AllBack.tsx";
import { useFeed } from "./use-feed.ts";

/** What was done today, and every call that is kept. `rest`: the decision that is open. */
export default function Activity({ rest }: ViewProps) {
  const words = useWords(activityWords);
  const language = useLanguage();
  const [filter, setFilter] = useState(NO_FILTER);
  const { entries, about, error, hasOlder, showOlder } = useFeed(filter);
  const list = useRef<HTMLUListElement>(null);
  const listed = useRef<HTMLElement>(null);
  const width = targetWidth(useWidth(list));
  const [days, setDays] = useState(NO_DAYS);
  const call = useCall();
  const isFiltered = Object.values(filter).some((value) => value !== undefined && value !== "" && value !== false);
  const between = (since: number | undefined, until: number | undefined) => setFilter({ ...filter, since, until });
  const reset = () => {
    setFilter(NO_FILTER);
    setDays(NO_DAYS);
  };
  return (
    <div className="place activity">
      <header className="place-head">
        <h1>{words.title}</h1>
      </header>
      <RunningReviews />
      <Today
        onShow={({ agent_name, project }, since) => {
          setDays(NO_DAYS);
          setFilter({ agent: agent_name, ...(project === null ? {} : { project }), since });
          listed.current?.scrollIntoView();
        }}
      />
      <LastHour />
      <Picture
        onPick={(since, until) => {
          setDays(NO_DAYS);
          between(since, until);
        }}
      />
      <section ref={listed} aria-labelledby="activity-decisions">
        <div className="section-head">
          <h2 id="activity-decisions">{words.decisions}</h2>
          <Filters filter={filter} onFilter={setFilter} />
        </div>
        {filter.since !== undefined && days === NO_DAYS ? (
          <p className="picked">
            {words.picked(pickedText(filter, language))}{" "}
            <Button size="small" look="plain" onClick={() => between(undefined, undefined)}>
              {words.allTimes}
            </Button>
          </p>
        ) : null}
        <ListTools
          days={days}
          onDays={(chosen) => {
            setDays(chosen);
            const { since, until } = boundsOf(chosen);
            between(since === undefined ? undefined : since / 1000, until === undefined ? undefined : until / 1000);
          }}
          answered={filter.answered === true}
          onAnswered={(answered) => setFilter({ ...filter, answered })}
          onExport={(form) => exportActivity(call, filter, form)}
        >
          <label className="check">
            <input
              type="checkbox"
              checked={filter.confined === true}
              onChange={({ target }) => setFilter({ ...filter, confined: target.checked })}
            />
            {words.onlyConfined}
          </label>
        </ListTools>
        {about === null ? null : <p className="quiet">{words.kept[about.keep](about.days.toLocaleString(language))}</p>}
        <Failure error={error} />
        {entries?.length === 0 && !isFiltered ? (
          <div>
            <EmptyState title={words.empty}>{words.emptyNext}</EmptyState>
            <Button onClick={() => goTo("agents")}>{words.toAgents}</Button>
          </div>
        ) : null}
        {entries?.length === 0 && isFiltered ? (
          <div>
            <EmptyState title={words.noMatch}>{words.noMatchNext}</EmptyState>
            <Button onClick={reset}>{words.reset}</Button>
          </div>
        ) : null}
        <ul ref={list} className="decisions">
          {(entries ?? []).map((entry) => (
            <DecisionRow
              key={entry.decision_id}
              entry={entry}
              width={width}
              isOpen={entry.decision_id === rest}
              onToggle={() => goTo(entry.decision_id === rest ? "activity" : `activity/${entry.decision_id}`)}
            />
          ))}
        </ul>
        <Gaps gaps={about?.gaps ?? []} />
        {hasOlder ? (
          <div>
            <Button onClick={showOlder}>{words.older}</Button>
          </div>
        ) : null}
      </section>
    </div>
  );
}

/** `22 Nov, 10:20 to 10:21`; without an end `from 22 Nov, 10:20` */
function pickedText({ since = 0, until }: ActivityFilter, language: Language): string {
  const text = (seconds: number) => momentText(new Date(seconds * 1000), new Date(), language, false);
  return until === undefined ? activityWords[language].fromThen(text(since)) : `${text(since)} – ${text(until)}`;
}

function Filters({ filter, onFilter }: { filter: ActivityFilter; onFilter(filter: ActivityFilter): void }) {
  const words = useWords(activityWords);
  const language = useLanguage();
  const home = useHome();
  const { data } = useQuery("agents.list", {});
  const { data: today } = useQuery("activity.today", {});
  const projects = [...new Set([...(today?.rows ?? []).map(({ project }) => project), filter.project ?? null])].filter(
    (project) => project !== null,
  );
  const agentNames = [...new Set((data?.agents ?? []).map(({ name }) => name))];
  return (
    <div className="filters">
      <SearchInput label={words.search} text={filter.text ?? ""} onText={(text) => onFilter({ ...filter, text })} />
      <FilterSelect<string>
        label={words.agent}
        all={words.everyAgent}
        items={agentNames.map((name) => ({ value: name, label: name }))}
        chosen={filter.agent ?? null}
        onChoose={(agent) => onFilter({ ...filter, agent: agent ?? undefined })}
      />
      <FilterSelect<string>
        label={words.project}
        all={words.everyProject}
        items={projects.sort().map((name) => ({
          value: name,
          label: shortened(visible(home === null ? name : shortenHome(name, home)), 40),
        }))}
        chosen={filter.project ?? null}
        onChoose={(project) => onFilter({ ...filter, project: project ?? undefined })}
      />
      <FilterSelect<Capability>
        label={words.capability}
        all={words.everyCapability}
        items={CAPABILITIES.map((name) => ({ value: name, label: name }))}
        chosen={filter.capability ?? null}
        onChoose={(capability) => onFilter({ ...filter, capability: capability ?? undefined })}
      />
      <FilterSelect<CallResult>
        label={words.outcome}
        all={words.everyOutcome}
        items={CALL_RESULTS.map((result) => ({ value: result, label: resultText(result, language) }))}
        chosen={filter.result ?? null}
        onChoose={(result) => onFilter({ ...filter, result: result ?? undefined })}
      />
    </div>
  );
}

/** More are counted. */
const MOST = 5;

/** The calls that judges look at now, the longest first. */
function RunningReviews() {
  const words = useWords(judgeWords);
  const { data } = useQuery("reviews.list", {});
  const running = (data?.running ?? []).toSorted((a, b) => a.since.localeCompare(b.since));
  if (running.length === 0) return null;
  return (
    <section className="running-reviews" aria-label={words.running}>
      <ul>
        {running.slice(0, MOST).map((review) => (
          <Running key={review.id} review={review} />
        ))}
      </ul>
      {running.length > MOST ? <p className="quiet">{words.andMore(running.length - MOST)}</p> : null}
    </section>
  );
}

function Running({ review: { agent_name, name, since, summary } }: { review: RunningReview }) {
  const language = useLanguage();
  const now = useNow();
  return (
    <li>
      <span className="who">
        <VisibleText text={agent_name} />
      </span>
      <span className="what">
        <Target text={summary} />
      </span>
      <span className="quiet figures">
        <VisibleText text={beingJudgedText(name, now - Date.parse(since), language)} />
      </span>
    </li>
  );
}

const COLUMNS = [
  "time",
  "agent",
  "tool",
  "line",
  "project",
  "result",
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
  "changed_later",
] as const;
const PAGE = 500;
const MOST_EXPORTED = 100_000;

/** Saves every call that matches, as far as the gate keeps them. Rejects with a `GateError`. */
async function exportActivity(
  call: ReturnType<typeof useCall>,
  filter: ActivityFilter,
  form: ExportForm,
): Promise<void> {
  const entries: ActivityEntry[] = [];
  for (let before: number | undefined; entries.length < MOST_EXPORTED; before = entries.at(-1)?.number) {
    const older = before === undefined ? {} : { before };
    const { entries: page } = await call("activity.list", { ...paramsOf(filter), ...older, limit: PAGE });
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
    line: entry.line,
    project: entry.project ?? "",
    result: entry.result,
    outcome: entry.outcome,
    status: entry.status ?? "",
    stage: entry.stage ?? "",
    rule: entry.rule ?? "",
    needs: entry.capabilities.map(({ capability, target }) => `${capability} ${target}`.trimEnd()).join("; "),
    reason: entry.reason,
    reported: entry.reported?.state ?? "",
    reported_ms: String(entry.reported?.ms ?? ""),
    ran_other: entry.reported?.ran_other === true ? "true" : "",
    tried_more: entry.reported?.tried_more === true ? "true" : "",
    changed_later: entry.reported?.changed_later === true ? "true" : "",
  };
}
