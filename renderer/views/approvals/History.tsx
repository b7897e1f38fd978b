import { useCallback, useState } from "react";
import type { ApprovalStatus, Capability } from "../../../ipc/decision.ts";
import type { ApprovalView } from "../../../ipc/operator-api.ts";
import { EndMark } from "../../cards/EndMark.tsx";
import { CAPABILITIES } from "../../gate/contract-lists.ts";
import { useQuery } from "../../gate/use-gate.tsx";
import { EmptyState } from "../../parts/EmptyState.tsx";
import { Failure } from "../../parts/Failure.tsx";
import { FilterSelect } from "../../parts/FilterSelect.tsx";
import { RelativeTime } from "../../parts/RelativeTime.tsx";
import { VisibleText } from "../../parts/VisibleText.tsx";
import { approvalsWords } from "../../words/approvals.ts";
import { useWords } from "../../words/language.ts";

type Ended = Exclude<ApprovalStatus, "pending">;
const PAGE = 100;

interface Filters {
  agent?: string;
  capability?: Capability;
  status?: Ended;
}

/** Ended requests, newest first, a page more whenever the end becomes visible. */
export function History() {
  const words = useWords(approvalsWords);
  const [filters, setFilters] = useState<Filters>({});
  const [pages, setPages] = useState(1);
  const { data, error } = useQuery("approvals.history", { ...filters, offset: 0, limit: PAGE });
  const { data: agents } = useQuery("agents.list", {});
  const change = (next: Filters) => {
    setFilters(Object.fromEntries(Object.entries(next).filter(([, value]) => value !== undefined)));
    setPages(1);
  };
  const names = [...new Set(agents?.agents.map(({ name }) => name))];
  const total = data?.total ?? 0;
  const is_filtered = Object.keys(filters).length > 0;
  const more = useCallback(() => setPages((before) => before + 1), []);
  const { agent, capability, status } = filters;
  return (
    <>
      <div className="filters">
        <FilterSelect
          label={words.filterAgent}
          all={words.everyAgent}
          items={names.map((value) => ({ value, label: value }))}
          chosen={agent ?? null}
          onChoose={(value) => change({ ...filters, agent: value ?? undefined } as Filters)}
        />
        <FilterSelect
          label={words.filterCapability}
          all={words.everyCapability}
          items={CAPABILITIES.map((value) => ({ value, label: value }))}
          chosen={capability ?? null}
          onChoose={(value) => change({ ...filters, capability: value ?? undefined } as Filters)}
        />
        <FilterSelect
          label={words.filterOutcome}
          all={words.everyOutcome}
          items={(Object.keys(words.outcome) as Ended[]).map((value) => ({ value, label: words.outcome[value] }))}
          chosen={status ?? null}
          onChoose={(value) => change({ ...filters, status: value ?? undefined } as Filters)}
        />
        <span className="quiet figures">{data === undefined ? "" : words.total(total)}</span>
      </div>
      <Failure error={error} />
      {data !== undefined && total === 0 ? (
        <EmptyState title={is_filtered ? words.emptyFiltered : words.empty}>
          {is_filtered ? words.emptyFilteredNext : words.emptyNext}
        </EmptyState>
      ) : null}
      {total === 0 ? null : (
        <table className="table history">
          <thead>
            <tr>
              <th scope="col">{words.columns.when}</th>
              <th scope="col">{words.columns.agent}</th>
              <th scope="col">{words.columns.what}</th>
              <th scope="col">{words.columns.outcome}</th>
            </tr>
          </thead>
          {Array.from({ length: pages }, (_, page) => (
            <HistoryPage key={String(page * PAGE)} filters={filters} offset={page * PAGE} />
          ))}
        </table>
      )}
      {pages * PAGE < total ? <EndMark key={pages} onSeen={more} /> : null}
    </>
  );
}

function HistoryPage({ filters, offset }: { filters: Filters; offset: number }) {
  const { data } = useQuery("approvals.history", { ...filters, offset, limit: PAGE });
  return (
    <tbody>
      {data?.approvals.map((view) => (
        <HistoryRow key={view.token} view={view} />
      ))}
    </tbody>
  );
}

function HistoryRow({ view }: { view: ApprovalView }) {
  const words = useWords(approvalsWords);
  const { status, territory_concession: territory, message } = view;
  if (status === "pending") return null;
  return (
    <tr>
      <td className="when">
        <RelativeTime at={view.decision_at ?? view.expires_at} />
      </td>
      <td>
        <VisibleText text={view.agent_name} />
      </td>
      <td className="what">
        <VisibleText text={`${view.action_verb} ${view.target_summary}`} />
        {message === null || message === "" ? null : (
          <p className="quiet">
            <VisibleText text={message} />
          </p>
        )}
      </td>
      <td>
        {words.outcome[status]}
        {status === "approved" ? <span className="quiet">, {words.territory[territory]}</span> : null}
      </td>
    </tr>
  );
}
