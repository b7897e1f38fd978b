import "../../style/views.css";
import "./grants.css";
import { useCallback, useDeferredValue, useEffect, useMemo, useRef, useState, useSyncExternalStore } from "react";
import { visible } from "../../../ipc/base/visible-text.ts";
import type { Capability } from "../../../ipc/contract/decision.ts";
import type { GrantOrder, RefusalView } from "../../../ipc/contract/operator-api.ts";
import { CAPABILITIES } from "../../gate/contract-lists.ts";
import { isSilent } from "../../gate/link.ts";
import { useAct } from "../../gate/use-act.ts";
import { useCall, useGateEvents, useLinkState, useQuery } from "../../gate/use-gate.tsx";
import { Button } from "../../parts/Button.tsx";
import { EmptyState } from "../../parts/EmptyState.tsx";
import { Failure } from "../../parts/Failure.tsx";
import { FilterSelect } from "../../parts/FilterSelect.tsx";
import { RelativeTime } from "../../parts/RelativeTime.tsx";
import { Target } from "../../parts/Target.tsx";
import { VisibleText } from "../../parts/VisibleText.tsx";
import type { ViewProps } from "../../window/view-props.ts";
import { grantsWords } from "../../words/grants.ts";
import { useLanguage, useWords } from "../../words/language.ts";
import { AddGrant } from "./AddGrant.tsx";
import { GrantTable } from "./GrantTable.tsx";
import { GrantListing, type Sorting } from "./listing.ts";
import type { GrantQuery } from "./pages.ts";
import { type Chosen, SelectionBar } from "./SelectionBar.tsx";
import { StaleGrants } from "./StaleGrants.tsx";
import { Tools } from "./Tools.tsx";
import { type Revocation, useRevocation } from "./use-revocation.ts";

const NEWEST_FIRST: Sorting = { order: "granted_at", descending: true };

/** Everything that was allowed for longer than once. `rest`: the capability to begin with. */
export default function Grants({ rest }: ViewProps) {
  const words = useWords(grantsWords);
  const language = useLanguage();
  const [filter, setFilter] = useState<GrantFilter>({
    ...NO_FILTER,
    capability: CAPABILITIES.find((name) => name === rest) ?? null,
  });
  const { capability, agent, hasEnded, unused_days } = filter;
  const revocation = useRevocation();
  const revokeOne = useCallback((id: number) => void revocation.revoke([id]), [revocation.revoke]);
  const [sorting, setSorting] = useState(NEWEST_FIRST);
  const [chosen, setChosen] = useState<Chosen>(new Map());
  const [isAdding, setAdding] = useState(false);
  const searched = useDeferredValue(filter.text.trim());
  const query = useMemo(
    (): GrantQuery => ({
      ...sorting,
      include_revoked: hasEnded,
      ...(searched === "" ? {} : { text: searched }),
      ...(capability === null ? {} : { capability }),
      ...(agent === null ? {} : { agent }),
      ...(unused_days === null ? {} : { unused_days }),
    }),
    [sorting, hasEnded, searched, capability, agent, unused_days],
  );
  const { listing, listed } = useListing(query);
  const { total, error } = listed;
  const isFiltered = searched !== "" || capability !== null || agent !== null || hasEnded || unused_days !== null;
  return (
    <div className="place grants">
      <header className="place-head">
        <h1>{words.title}</h1>
        <Button onClick={() => setAdding(true)}>{words.add}</Button>
      </header>
      <Filters filter={filter} onChange={(change) => setFilter((now) => ({ ...now, ...change }))} />
      <Failure error={error} />
      <StaleGrants />
      <UnusedGrants
        revocation={revocation}
        isShown={unused_days !== null}
        onShow={(days) => setFilter((now) => ({ ...now, unused_days: days }))}
      />
      {total === 0 && revocation.revoked === null ? (
        <Nothing isFiltered={isFiltered} onReset={() => setFilter(NO_FILTER)} />
      ) : (
        <>
          <SelectionBar
            chosen={chosen}
            onClear={() => setChosen(new Map())}
            revocation={revocation}
            idle={total === null ? "" : words.count(total.toLocaleString(language), total === 1)}
          />
          {total === null ? null : (
            <GrantTable
              listing={listing}
              listed={listed}
              total={total}
              query={query}
              sorting={sorting}
              onSort={(order) => setSorting((now) => sortedBy(now, order))}
              chosen={chosen}
              onChoose={setChosen}
              onRevoke={revokeOne}
            />
          )}
        </>
      )}
      <Refusals />
      <Tools />
      {isAdding ? <AddGrant capability={capability} onClose={() => setAdding(false)} /> : null}
    </div>
  );
}

/** What the listing is narrowed to. */
interface GrantFilter {
  text: string;
  capability: Capability | null;
  agent: string | null;
  /** Revoked and expired ones too. */
  hasEnded: boolean;
  /** Only what was unused for so many days. */
  unused_days: number | null;
}

const NO_FILTER: GrantFilter = { text: "", capability: null, agent: null, hasEnded: false, unused_days: null };

function Filters({ filter, onChange }: { filter: GrantFilter; onChange(change: Partial<GrantFilter>): void }) {
  const words = useWords(grantsWords);
  const { data: listed } = useQuery("agents.list", {});
  return (
    <search className="filters">
      <input
        className="input grows"
        type="search"
        aria-label={words.search}
        placeholder={words.search}
        value={filter.text}
        onChange={({ target }) => onChange({ text: target.value })}
      />
      <FilterSelect<Capability>
        label={words.capability}
        all={words.everyCapability}
        items={CAPABILITIES.map((name) => ({ value: name, label: name }))}
        chosen={filter.capability}
        onChoose={(capability) => onChange({ capability })}
      />
      <FilterSelect
        label={words.agent}
        all={words.everyAgent}
        items={(listed?.agents ?? [])
          .filter(({ revoked_at }) => revoked_at === null)
          .map(({ name }) => ({ value: name, label: name }))}
        chosen={filter.agent}
        onChoose={(agent) => onChange({ agent })}
      />
      <label className="check">
        <input
          type="checkbox"
          checked={filter.hasEnded}
          onChange={({ target }) => onChange({ hasEnded: target.checked })}
        />
        {words.includeEnded}
      </label>
    </search>
  );
}

/** Pressed once: this column; twice: the other way round; a third time: the newest first again. */
function sortedBy(now: Sorting, order: GrantOrder): Sorting {
  const descendsFirst = order === "granted_at" || order === "last_used_at";
  if (now.order !== order) return { order, descending: descendsFirst };
  if (now.descending === descendsFirst) return { order, descending: !descendsFirst };
  return NEWEST_FIRST;
}

function useListing(query: GrantQuery) {
  const call = useCall();
  const listing = useMemo(() => new GrantListing(call), [call]);
  useEffect(() => listing.search(query), [listing, query]);
  const silent = isSilent(useLinkState());
  const wasSilent = useRef(false);
  useEffect(() => {
    // After the connection was lost, missed changes are fetched.
    if (wasSilent.current && !silent) listing.refreshSoon();
    wasSilent.current = silent;
  }, [listing, silent]);
  useGateEvents(({ type }) => {
    if (type === "grants.changed" || type === "agents.changed") listing.refreshSoon();
  });
  const listed = useSyncExternalStore(
    useMemo(() => listing.subscribe.bind(listing), [listing]),
    () => listing.listed,
  );
  return { listing, listed };
}

function Nothing({ isFiltered, onReset }: { isFiltered: boolean; onReset(): void }) {
  const words = useWords(grantsWords);
  if (!isFiltered) return <EmptyState title={words.empty}>{words.emptyNext}</EmptyState>;
  return (
    <div className="nothing">
      <EmptyState title={words.noMatch}>{words.noMatchNext}</EmptyState>
      <Button onClick={onReset}>{words.reset}</Button>
    </div>
  );
}

/** What is denied for a session without asking. Nothing where nothing is. */
function Refusals() {
  const words = useWords(grantsWords);
  const { data, error } = useQuery("refusals.list", {});
  if (error !== undefined) return <Failure error={error} />;
  if (data === undefined || data.length === 0) return null;
  return (
    <section className="refusals" aria-labelledby="refusals-title">
      <h2 id="refusals-title">{words.refusals.title}</h2>
      <ul>
        {data.map((refusal) => (
          <RefusalRow key={refusal.id} refusal={refusal} />
        ))}
      </ul>
    </section>
  );
}

function RefusalRow({ refusal }: { refusal: RefusalView }) {
  const words = useWords(grantsWords);
  const call = useCall();
  const { run, isBusy, error } = useAct();
  const { id, refuse, executor, capability, target, agent_name, expires_at } = refusal;
  return (
    <li className="refusal">
      <div>
        <p className="what">
          <span className="mono">{capability ?? visible(executor)}</span> <Target text={target} />
        </p>
        <p className="quiet">
          {refuse === "call" ? words.refusals.call : words.refusals.target} · <VisibleText text={agent_name ?? ""} /> ·{" "}
          {words.refusals.ends} <RelativeTime at={expires_at} />
        </p>
        <Failure error={error} />
      </div>
      <Button
        size="small"
        look="plain"
        disabled={isBusy}
        aria-label={words.refusals.revokeOne(visible(target))}
        onClick={() => void run(() => call("refusals.revoke", { id }))}
      >
        {words.revoke}
      </Button>
    </li>
  );
}

const UNUSED_DAYS = 30;
/** As many as one answer of the gate holds: more are revoked with the next press. */
const AT_ONCE = 500;

interface UnusedGrantsProps {
  revocation: Revocation;
  isShown: boolean;
  onShow(days: number | null): void;
}

/** Proposes to revoke what nobody has used for a month. */
function UnusedGrants({ revocation, isShown, onShow }: UnusedGrantsProps) {
  const words = useWords(grantsWords);
  const call = useCall();
  const { run, isBusy, error } = useAct();
  const { data } = useQuery("grants.search", { unused_days: UNUSED_DAYS, limit: 1 });
  const total = data?.total ?? 0;
  if (total === 0 && !isShown) return null;
  const revokeAll = async () => {
    const { grants } = await call("grants.search", { unused_days: UNUSED_DAYS, limit: AT_ONCE });
    await revocation.revoke(grants.map(({ id }) => id));
  };
  return (
    <div className="unused">
      <Failure error={error} />
      <p className="figures">{words.unused(total, UNUSED_DAYS)}</p>
      <div>
        <Button size="small" look="plain" onClick={() => onShow(isShown ? null : UNUSED_DAYS)}>
          {isShown ? words.showAll : words.showUnused}
        </Button>
        {total === 0 ? null : (
          <Button size="small" disabled={isBusy || revocation.progress !== null} onClick={() => void run(revokeAll)}>
            {words.revokeUnused(Math.min(total, AT_ONCE))}
          </Button>
        )}
      </div>
    </div>
  );
}
