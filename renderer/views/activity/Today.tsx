import { useId, useState } from "react";
import type { ActivityToday, DayRow } from "../../../ipc/contract/activity.ts";
import { amountText } from "../../../ipc/words/price-words.ts";
import { allResults, resultsText } from "../../../ipc/words/result-words.ts";
import { useQuery } from "../../gate/use-gate.tsx";
import { Button } from "../../parts/Button.tsx";
import { Fact } from "../../parts/Facts.tsx";
import { Failure } from "../../parts/Failure.tsx";
import { Target } from "../../parts/Target.tsx";
import { VisibleText } from "../../parts/VisibleText.tsx";
import { activityWords } from "../../words/activity.ts";
import { useLanguage, useWords } from "../../words/language.ts";
import { Gaps } from "./Gaps.tsx";
import { useRefreshWhileDecided } from "./use-refresh.ts";

/** How often it is asked for again while calls are decided. */
const REFRESH_MS = 2000;

/** Rows that are there at once. */
const MOST_ROWS = 12;

/** What each agent did in each project since midnight; each line opens. `onShow`: its calls are to be listed. */
export function Today({ onShow }: { onShow(row: DayRow, since: number): void }) {
  const words = useWords(activityWords);
  const language = useLanguage();
  const { data, error } = useToday();
  return (
    <section className="today" aria-labelledby="activity-today">
      <div className="section-head">
        <h2 id="activity-today">{words.today}</h2>
        {data === undefined || data.rows.length === 0 ? null : (
          <span className="figures day-sum">
            {resultsText(allResults(data.rows.map(({ calls }) => calls)), language)}
          </span>
        )}
      </div>
      <Failure error={data === undefined ? error : undefined} />
      {data === undefined ? null : <Rows today={data} onShow={onShow} />}
      <Gaps gaps={data?.gaps ?? []} />
    </section>
  );
}

function useToday() {
  const { data, error, refresh } = useQuery("activity.today", {});
  useRefreshWhileDecided(refresh, REFRESH_MS);
  return { data, error };
}

function Rows({ today: { rows, since }, onShow }: { today: ActivityToday; onShow(row: DayRow, since: number): void }) {
  const words = useWords(activityWords);
  const language = useLanguage();
  const [open, setOpen] = useState<string | null>(null);
  const [isWhole, setWhole] = useState(false);
  const more = isWhole ? 0 : rows.length - MOST_ROWS;
  if (rows.length === 0) return <p className="quiet">{words.nothingToday}</p>;
  return (
    <ul className="day-rows">
      {(more > 0 ? rows.slice(0, MOST_ROWS) : rows).map((row) => {
        const key = JSON.stringify([row.agent_name, row.project]);
        return (
          <Row
            key={key}
            row={row}
            isOpen={key === open}
            onToggle={() => setOpen(key === open ? null : key)}
            onShow={() => onShow(row, since)}
          />
        );
      })}
      {more > 0 ? (
        <li>
          <Button size="small" look="plain" onClick={() => setWhole(true)}>
            {words.andMore(more.toLocaleString(language))}
          </Button>
        </li>
      ) : null}
    </ul>
  );
}

interface RowProps {
  row: DayRow;
  isOpen: boolean;
  onToggle(): void;
  onShow(): void;
}

function Row({ row, isOpen, onToggle, onShow }: RowProps) {
  const words = useWords(activityWords);
  const language = useLanguage();
  const id = useId();
  const { agent_name, project, total, asked, calls, files, hosts, costs } = row;
  const number = (count: number) => count.toLocaleString(language);
  const figures = [
    words.calls(number(total)),
    words.asked(number(asked)),
    words.denied(number(calls.denied + calls.rejected)),
    files.count === 0 ? "" : words.files(number(files.count)),
    hosts.count === 0 ? "" : words.hosts(number(hosts.count)),
    ...costs.map(({ amount, currency }) => amountText(amount, currency, language)),
  ].filter((text) => text !== "");
  return (
    <li className={isOpen ? "day-row open" : "day-row"}>
      <button type="button" aria-expanded={isOpen} aria-controls={isOpen ? id : undefined} onClick={onToggle}>
        <b className="who">
          <VisibleText text={agent_name} />
        </b>
        <span className="where">{project === null ? null : <Target text={project} width={40} />}</span>
        <span className="figures">{figures.join(" · ")}</span>
      </button>
      {isOpen ? (
        <div id={id} className="opened-day">
          <dl className="facts">
            <Fact name={words.cameOut}>{resultsText(calls, language)}</Fact>
            <Fact name={words.filesNamed}>{files.count === 0 ? null : <Named {...files} />}</Fact>
            <Fact name={words.hostsNamed}>{hosts.count === 0 ? null : <Named {...hosts} />}</Fact>
          </dl>
          {files.count === 0 ? null : <p className="quiet">{words.filesNote}</p>}
          <div>
            <Button size="small" onClick={onShow}>
              {words.showThese}
            </Button>
          </div>
        </div>
      ) : null}
    </li>
  );
}

function Named({ count, some }: { count: number; some: readonly string[] }) {
  const words = useWords(activityWords);
  const language = useLanguage();
  const more = count - some.length;
  return (
    <>
      <VisibleText text={some.join(", ")} />
      {more > 0 ? <span className="quiet"> {words.andMore(more.toLocaleString(language))}</span> : null}
    </>
  );
}
