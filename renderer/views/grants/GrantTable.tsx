// biome-ignore-all lint/a11y/useSemanticElements: a real table lays its rows out itself; these are placed one by one
// biome-ignore-all lint/a11y/noNoninteractiveTabindex: the table scrolls, so the keyboard must be able to get to it
// biome-ignore-all lint/a11y/useFocusableInteractive: cells of a table that is read, not edited, are not stops of the keyboard

import { useVirtualizer } from "@tanstack/react-virtual";
import { type Dispatch, type SetStateAction, useCallback, useEffect, useRef } from "react";
import type { GrantOrder, GrantView } from "../../../ipc/contract/operator-api.ts";
import { useAct } from "../../gate/use-act.ts";
import { useCall } from "../../gate/use-gate.tsx";
import { useWidth } from "../../parts/use-size.ts";
import { grantsWords } from "../../words/grants.ts";
import { useWords } from "../../words/language.ts";
import { GrantRow } from "./GrantRow.tsx";
import type { GrantListing, Listed, Sorting } from "./listing.ts";
import { type GrantQuery, grantAt } from "./pages.ts";
import type { Chosen } from "./SelectionBar.tsx";

interface GrantTableProps {
  listing: GrantListing;
  listed: Listed;
  total: number;
  query: GrantQuery;
  sorting: Sorting;
  onSort(order: GrantOrder): void;
  chosen: Chosen;
  onChoose: Dispatch<SetStateAction<Chosen>>;
  /** Always the same function. */
  onRevoke(id: number): void;
}

/** As many as one answer of the gate holds. */
const SELECT_ALL_LIMIT = 500;
const ROW = 34;
const TALL_ROW = 70;
/** Narrower than this, a row has two lines; wider than the other, it also says when it was granted. */
const NARROW = 620;
const WIDE = 860;
/** What all columns but the target take, and a character of it. */
const OTHER_COLUMNS = { narrow: 122, normal: 532, wide: 668 };
const CHARACTER = 7.9;

/** Rows of any number: those on the screen exist, and their pages are fetched. */
export function GrantTable(props: GrantTableProps) {
  const { listing, listed, total, query, sorting, onSort, chosen, onChoose, onRevoke } = props;
  const words = useWords(grantsWords);
  const scroll = useRef<HTMLDivElement>(null);
  const width = useWidth(scroll);
  const shape = width < NARROW ? "narrow" : width < WIDE ? "normal" : "wide";
  const rowHeight = shape === "narrow" ? TALL_ROW : ROW;
  const rows = useVirtualizer({
    count: total,
    getScrollElement: () => scroll.current,
    estimateSize: () => rowHeight,
    overscan: 12,
  });
  const items = rows.getVirtualItems();
  const first = items[0]?.index ?? 0;
  const last = items.at(-1)?.index ?? 0;
  useEffect(() => listing.see(first, last), [listing, first, last]);
  useEffect(() => {
    if (rowHeight > 0) rows.measure();
  }, [rows, rowHeight]);
  useEffect(() => {
    // Another search or order begins at its top.
    if (scroll.current !== null && query !== undefined) scroll.current.scrollTop = 0;
  }, [query]);
  // Always the same function: a row that didn't change isn't drawn again while others scroll in.
  const toggle = useCallback(
    (grant: GrantView) =>
      onChoose((now) => {
        const next = new Map(now);
        if (!next.delete(grant.id)) next.set(grant.id, grant);
        return next;
      }),
    [onChoose],
  );
  const targetWidth = Math.max(24, Math.floor((width - OTHER_COLUMNS[shape]) / CHARACTER));
  return (
    <div
      ref={scroll}
      className={`grant-table ${shape}`}
      role="table"
      tabIndex={0}
      aria-label={words.title}
      aria-rowcount={total + 1}
    >
      <div role="rowgroup" className="head">
        <div role="row" className="grant-row" aria-rowindex={1}>
          <span role="columnheader">
            <SelectAll total={total} query={query} chosen={chosen} onChoose={onChoose} />
          </span>
          <Head order="capability" sorting={sorting} onSort={onSort} />
          <Head order="target" sorting={sorting} onSort={onSort} />
          <span role="columnheader">{words.columns.agent}</span>
          <Head order="granted_at" sorting={sorting} onSort={onSort} />
          <Head order="last_used_at" sorting={sorting} onSort={onSort} />
          <Head order="expires_at" sorting={sorting} onSort={onSort} />
          <span role="columnheader">
            <span className="unseen">{words.revoke}</span>
          </span>
        </div>
      </div>
      <div role="rowgroup" className="body" style={{ height: rows.getTotalSize() }}>
        {items.map(({ index, start }) => {
          const grant = grantAt(listed.pages, index);
          return (
            <GrantRow
              key={index}
              index={index}
              top={start}
              grant={grant}
              targetWidth={targetWidth}
              isChosen={grant !== undefined && chosen.has(grant.id)}
              onToggle={toggle}
              onRevoke={onRevoke}
            />
          );
        })}
      </div>
    </div>
  );
}

function Head({ order, sorting, onSort }: { order: GrantOrder; sorting: Sorting; onSort(order: GrantOrder): void }) {
  const words = useWords(grantsWords);
  const isSorted = sorting.order === order;
  const direction = sorting.descending ? "descending" : "ascending";
  return (
    <span role="columnheader" className={order} aria-sort={isSorted ? direction : "none"}>
      <button type="button" className="sort" title={words.sort_by(words.columns[order])} onClick={() => onSort(order)}>
        {words.columns[order]}
        <span aria-hidden="true">{isSorted ? (sorting.descending ? " ↓" : " ↑") : ""}</span>
      </button>
    </span>
  );
}

function SelectAll({
  total,
  query,
  chosen,
  onChoose,
}: Pick<GrantTableProps, "total" | "query" | "chosen" | "onChoose">) {
  const words = useWords(grantsWords);
  const call = useCall();
  const { run } = useAct();
  const box = useRef<HTMLInputElement>(null);
  const isSome = chosen.size > 0 && chosen.size < total;
  useEffect(() => {
    if (box.current !== null) box.current.indeterminate = isSome;
  }, [isSome]);
  const isTooMany = total > SELECT_ALL_LIMIT && chosen.size === 0;
  const selectAll = async () => {
    const { grants } = await call("grants.search", { ...query, limit: SELECT_ALL_LIMIT });
    onChoose(new Map(grants.filter(({ revoked_at }) => revoked_at === null).map((grant) => [grant.id, grant])));
  };
  return (
    <input
      ref={box}
      type="checkbox"
      aria-label={words.selectAll}
      title={isTooMany ? words.selectTooMany(SELECT_ALL_LIMIT) : words.selectAll}
      disabled={isTooMany}
      checked={chosen.size > 0 && !isSome}
      onChange={() => (chosen.size > 0 ? onChoose(new Map()) : void run(selectAll))}
    />
  );
}
