import { useCallback, useEffect, useRef, useState } from "react";
import type { ActivityEntry } from "../../../ipc/activity.ts";
import type { Capability, Outcome } from "../../../ipc/decision.ts";
import type { GateError } from "../../../ipc/gate-error.ts";
import { CAPABILITIES, OUTCOMES } from "../../gate/contract-lists.ts";
import { isSilent } from "../../gate/link.ts";
import { useCall, useGateEvents, useLinkState, useQuery } from "../../gate/use-gate.tsx";
import { Button } from "../../parts/Button.tsx";
import { EmptyState } from "../../parts/EmptyState.tsx";
import { Failure } from "../../parts/Failure.tsx";
import { FilterSelect } from "../../parts/FilterSelect.tsx";
import { useWidth } from "../../parts/use-size.ts";
import { goTo } from "../../window/route.ts";
import type { ViewProps } from "../../window/view-props.ts";
import { activityWords } from "../../words/activity.ts";
import { useWords } from "../../words/language.ts";
import { namesWords } from "../../words/names.ts";
import { DecisionRow } from "./DecisionRow.tsx";
import { type ActivityFilter, entryOf, matches, NO_FILTER, withNewer, withOlder } from "./feed.ts";
import { Picture } from "./Picture.tsx";
import "../../style/views.css";
import "./activity.css";

/** Below this width a row has two lines. The other columns take the rest; a character of a target is so wide. */
const NARROW = 620;
const CHARACTER = 7.9;

/** What is being decided. `rest`: the decision that is open. */
export default function Activity({ rest }: ViewProps) {
  const words = useWords(activityWords);
  const [filter, setFilter] = useState(NO_FILTER);
  const { entries, error, has_older, showOlder } = useFeed(filter);
  const list = useRef<HTMLUListElement>(null);
  const list_width = useWidth(list);
  const width = Math.floor((list_width - (list_width < NARROW ? 130 : 352)) / CHARACTER);
  const is_filtered = filter.agent !== null || filter.capability !== null || filter.outcome !== null;
  return (
    <div className="place activity">
      <header className="place-head">
        <h1>{words.title}</h1>
      </header>
      <Picture />
      <section aria-labelledby="activity-decisions">
        <div className="section-head">
          <h2 id="activity-decisions">{words.decisions}</h2>
          <Filters filter={filter} onFilter={setFilter} />
        </div>
        <Failure error={error} />
        {entries?.length === 0 && !is_filtered ? (
          <div>
            <EmptyState title={words.empty}>{words.empty_next}</EmptyState>
            <Button onClick={() => goTo("agents")}>{words.to_agents}</Button>
          </div>
        ) : null}
        {entries?.length === 0 && is_filtered ? (
          <div>
            <EmptyState title={words.no_match}>{words.no_match_next}</EmptyState>
            <Button onClick={() => setFilter(NO_FILTER)}>{words.reset}</Button>
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
        {has_older ? (
          <div>
            <Button onClick={showOlder}>{words.older}</Button>
          </div>
        ) : null}
      </section>
    </div>
  );
}

function Filters({ filter, onFilter }: { filter: ActivityFilter; onFilter(filter: ActivityFilter): void }) {
  const words = useWords(activityWords);
  const names = useWords(namesWords);
  const { data } = useQuery("agents.list", {});
  const agent_names = [...new Set((data?.agents ?? []).map(({ name }) => name))];
  return (
    <div className="filters">
      <FilterSelect<string>
        label={words.agent}
        all={words.every_agent}
        items={agent_names.map((name) => ({ value: name, label: name }))}
        chosen={filter.agent}
        onChoose={(agent) => onFilter({ ...filter, agent })}
      />
      <FilterSelect<Capability>
        label={words.capability}
        all={words.every_capability}
        items={CAPABILITIES.map((name) => ({ value: name, label: name }))}
        chosen={filter.capability}
        onChoose={(capability) => onFilter({ ...filter, capability })}
      />
      <FilterSelect<Outcome>
        label={words.outcome}
        all={words.every_outcome}
        items={OUTCOMES.map((outcome) => ({ value: outcome, label: names.decided[outcome] }))}
        chosen={filter.outcome}
        onChoose={(outcome) => onFilter({ ...filter, outcome })}
      />
    </div>
  );
}

const PAGE = 100;
/** A burst of decisions is drawn a few times a second, not once for each. */
const DRAW_MS = 150;

function useFeed(filter: ActivityFilter) {
  const call = useCall();
  const [entries, setEntries] = useState<ActivityEntry[] | null>(null);
  const [has_older, setHasOlder] = useState(false);
  const [error, setError] = useState<GateError | undefined>();
  const latest = useRef(filter);
  latest.current = filter;
  const fetchPage = useCallback(
    (wanted: ActivityFilter, before?: string) =>
      call("activity.list", {
        ...(wanted.agent === null ? {} : { agent: wanted.agent }),
        ...(wanted.capability === null ? {} : { capability: wanted.capability }),
        ...(wanted.outcome === null ? {} : { outcome: wanted.outcome }),
        ...(before === undefined ? {} : { before }),
        limit: PAGE,
      }),
    [call],
  );
  const is_answering = !isSilent(useLinkState());
  useEffect(() => {
    // After the connection was lost, missed decisions are fetched.
    if (!is_answering) return;
    fetchPage(filter).then(
      (page) => {
        if (latest.current !== filter) return;
        setEntries(withNewer(page, []));
        setHasOlder(page.length === PAGE);
        setError(undefined);
      },
      (failure: GateError) => latest.current === filter && setError(failure),
    );
  }, [fetchPage, filter, is_answering]);
  const coming = useRef<ActivityEntry[]>([]);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  useGateEvents((event) => {
    if (event.type !== "decision") return;
    coming.current.unshift(entryOf(event.data));
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      const newer = withNewer(coming.current, []);
      coming.current = [];
      setEntries((now) => (now === null ? now : withLive(now, newer, latest.current)));
    }, DRAW_MS);
  });
  const showOlder = () => {
    fetchPage(filter, entries?.at(-1)?.decision_id).then(
      (page) => {
        if (latest.current !== filter) return;
        setEntries((now) => withOlder(now ?? [], page));
        setHasOlder(page.length === PAGE);
      },
      (failure: GateError) => setError(failure),
    );
  };
  return { entries, error, has_older, showOlder };
}

/** Decisions that match the filter are added on top; those that were answered meanwhile and don't match any more are removed. */
function withLive(entries: ActivityEntry[], newer: ActivityEntry[], filter: ActivityFilter): ActivityEntry[] {
  const ids = new Set(newer.map(({ decision_id }) => decision_id));
  return withNewer(
    entries.filter(({ decision_id }) => !ids.has(decision_id)),
    newer.filter((entry) => matches(entry, filter)),
  );
}
