import { useCallback, useState } from "react";
import type { ApprovalStatus, Capability } from "../../../ipc/contract/decision.ts";
import type { OperatorParams } from "../../../ipc/contract/operator-api.ts";
import { EndMark } from "../../cards/EndMark.tsx";
import { CAPABILITIES } from "../../gate/contract-lists.ts";
import { useCall, useQuery } from "../../gate/use-gate.tsx";
import { boundsOf, NO_DAYS } from "../../parts/days.ts";
import { EmptyState } from "../../parts/EmptyState.tsx";
import { Failure } from "../../parts/Failure.tsx";
import { FilterSelect } from "../../parts/FilterSelect.tsx";
import { ListTools, SearchInput } from "../../parts/ListTools.tsx";
import { approvalsWords } from "../../words/approvals.ts";
import { useWords } from "../../words/language.ts";
import { exportHistory } from "./export-history.ts";
import { HistoryRow } from "./HistoryRow.tsx";

type Ended = Exclude<ApprovalStatus, "pending">;
const PAGE = 100;

/** Of `approvals.history`, without its page. Keys that are there have a value. */
type Filters = Omit<OperatorParams<"approvals.history">, "offset" | "limit" | "token">;

/** Ended requests, newest first, a page more whenever the end becomes visible. */
export function History() {
  const words = useWords(approvalsWords);
  const call = useCall();
  const [filters, setFilters] = useState<Filters>({});
  const [days, setDays] = useState(NO_DAYS);
  const [pages, setPages] = useState(1);
  const [opened, setOpened] = useState<string | null>(null);
  const { data, error } = useQuery("approvals.history", { ...filters, offset: 0, limit: PAGE });
  const { data: agents } = useQuery("agents.list", {});
  const change = (next: { [K in keyof Filters]: Filters[K] | null | undefined }) => {
    const given = Object.entries(next).filter(([, value]) => value !== undefined && value !== null && value !== "");
    setFilters(Object.fromEntries(given));
    setPages(1);
  };
  const names = [...new Set(agents?.agents.map(({ name }) => name))];
  const total = data?.total ?? 0;
  const isFiltered = Object.keys(filters).length > 0;
  const more = useCallback(() => setPages((before) => before + 1), []);
  const { agent, capability, status, text, answered } = filters;
  return (
    <>
      <div className="filters">
        <SearchInput label={words.search} text={text ?? ""} onText={(value) => change({ ...filters, text: value })} />
        <FilterSelect<string>
          label={words.filterAgent}
          all={words.everyAgent}
          items={names.map((value) => ({ value, label: value }))}
          chosen={agent ?? null}
          onChoose={(value) => change({ ...filters, agent: value })}
        />
        <FilterSelect<Capability>
          label={words.filterCapability}
          all={words.everyCapability}
          items={CAPABILITIES.map((value) => ({ value, label: value }))}
          chosen={capability ?? null}
          onChoose={(value) => change({ ...filters, capability: value })}
        />
        <FilterSelect<Ended>
          label={words.filterOutcome}
          all={words.everyOutcome}
          items={(Object.keys(words.outcome) as Ended[]).map((value) => ({ value, label: words.outcome[value] }))}
          chosen={status ?? null}
          onChoose={(value) => change({ ...filters, status: value })}
        />
        <span className="quiet figures">{data === undefined ? "" : words.total(total)}</span>
      </div>
      <ListTools
        days={days}
        onDays={(chosen) => {
          setDays(chosen);
          const { since, until } = boundsOf(chosen);
          change({ ...filters, since: dateOf(since), until: dateOf(until) });
        }}
        answered={answered === true}
        onAnswered={(only) => change({ ...filters, answered: only ? true : null })}
        onExport={(form) => exportHistory(call, filters, form)}
      />
      <Failure error={error} />
      {data !== undefined && total === 0 ? (
        <EmptyState title={isFiltered ? words.emptyFiltered : words.empty}>
          {isFiltered ? words.emptyFilteredNext : words.emptyNext}
        </EmptyState>
      ) : null}
      {total === 0 ? null : (
        <table className="table history folds">
          <thead>
            <tr>
              <th scope="col">{words.columns.when}</th>
              <th scope="col">{words.columns.agent}</th>
              <th scope="col">{words.columns.what}</th>
              <th scope="col">{words.columns.outcome}</th>
            </tr>
          </thead>
          {Array.from({ length: pages }, (_, page) => (
            <HistoryPage
              key={String(page * PAGE)}
              filters={filters}
              offset={page * PAGE}
              opened={opened}
              onToggle={(token) => setOpened(token === opened ? null : token)}
            />
          ))}
        </table>
      )}
      {pages * PAGE < total ? <EndMark key={pages} onSeen={more} /> : null}
    </>
  );
}

function dateOf(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : new Date(ms).toISOString();
}

interface HistoryPageProps {
  filters: Filters;
  offset: number;
  /** The open request's token. */
  opened: string | null;
  onToggle(token: string): void;
}

function HistoryPage({ filters, offset, opened, onToggle }: HistoryPageProps) {
  const { data } = useQuery("approvals.history", { ...filters, offset, limit: PAGE });
  return (
    <tbody>
      {data?.approvals.map((view) => (
        <HistoryRow key={view.token} view={view} isOpen={view.token === opened} onToggle={() => onToggle(view.token)} />
      ))}
    </tbody>
  );
}
