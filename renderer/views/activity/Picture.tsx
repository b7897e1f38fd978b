import { useId, useState } from "react";
import type { ActivityCounts, ActivityRange } from "../../../ipc/contract/activity.ts";
import type { Outcome } from "../../../ipc/contract/decision.ts";
import type { Language } from "../../../ipc/contract/language.ts";
import { useQuery } from "../../gate/use-gate.tsx";
import { Failure } from "../../parts/Failure.tsx";
import { OutcomeShape } from "../../parts/OutcomeShape.tsx";
import { Segments } from "../../parts/Segments.tsx";
import { activityWords } from "../../words/activity.ts";
import { useLanguage, useWords } from "../../words/language.ts";
import { namesWords } from "../../words/names.ts";
import { BucketPicker } from "./BucketPicker.tsx";
import { drawn, KINDS, type Kind, PICTURE } from "./picture-geometry.ts";
import { useRefreshWhileDecided } from "./use-refresh.ts";

const RANGES: readonly ActivityRange[] = ["hour", "day", "week"];
const OUTCOME_OF: Readonly<Record<Kind, Outcome>> = {
  allowed: "allowed",
  asked: "approval_required",
  denied: "denied",
};
const REFRESH_MS = 1000;

/** How much was allowed, asked and denied: as a picture, in one sentence, and as a table. */
export function Picture({ onPick }: { onPick(since: number, until: number): void }) {
  const words = useWords(activityWords);
  const [range, setRange] = useState<ActivityRange>("hour");
  const { data, error } = useCounts(range);
  return (
    <section className="picture" aria-label={words.rangesIn[range]}>
      <div className="section-head">
        {data === undefined ? <span /> : <Totals counts={data} />}
        <Segments<ActivityRange>
          legend={words.range}
          items={RANGES.map((value) => ({ value, label: words.ranges[value] }))}
          chosen={range}
          onChoose={setRange}
        />
      </div>
      <Failure error={data === undefined ? error : undefined} />
      {data === undefined ? <div className="bars" /> : <Bars counts={data} onPick={onPick} />}
      {data === undefined ? null : <AsTable counts={data} />}
    </section>
  );
}

/** The counts, asked again while calls are decided and as time passes. */
function useCounts(range: ActivityRange) {
  const { data, error, refresh } = useQuery("activity.counts", { range });
  useRefreshWhileDecided(refresh, REFRESH_MS);
  return { data, error };
}

function Totals({ counts }: { counts: ActivityCounts }) {
  const names = useWords(namesWords);
  const language = useLanguage();
  const { totals } = drawn(counts);
  return (
    <ul className="totals">
      {KINDS.map((kind) => (
        <li key={kind}>
          <OutcomeShape outcome={OUTCOME_OF[kind]} />
          <b className="figures">{totals[kind].toLocaleString(language)}</b> {names.decidedMany[OUTCOME_OF[kind]]}
        </li>
      ))}
    </ul>
  );
}

function Bars({ counts, onPick }: { counts: ActivityCounts; onPick(since: number, until: number): void }) {
  const words = useWords(activityWords);
  const language = useLanguage();
  const hatched = useId();
  const { bars, ticks, ceiling, totals } = drawn(counts);
  const number = (kind: Kind) => totals[kind].toLocaleString(language);
  const sentence = words.picture(number("allowed"), number("asked"), number("denied"), words.rangesIn[counts.range]);
  const isEmpty = bars.every(({ total }) => total === 0);
  const { width, height, bottom, top } = PICTURE;
  return (
    <figure className="bars">
      <svg viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" role="img" aria-label={sentence}>
        <defs>
          <pattern id={hatched} width="4" height="4" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
            <rect width="2" height="4" className="asked" />
          </pattern>
        </defs>
        <line className="grid" x1="0" x2={width} y1={top} y2={top} />
        <line className="grid" x1="0" x2={width} y1={height - bottom} y2={height - bottom} />
        {bars.flatMap(({ start, segments }) =>
          segments.map(({ kind, ...box }) => (
            <rect
              key={`${start}-${kind}`}
              {...box}
              className={`bar ${kind}`}
              fill={kind === "asked" ? `url(#${hatched})` : undefined}
            />
          )),
        )}
      </svg>
      <BucketPicker counts={counts} onPick={onPick} />
      <span className="ceiling quiet figures" aria-hidden="true">
        {isEmpty ? null : ceiling.toLocaleString(language)}
      </span>
      {isEmpty ? <span className="nothing-counted quiet">{words.nothingCounted}</span> : null}
      <div className="ticks quiet" aria-hidden="true">
        {ticks.map(({ at }) => (
          <span key={at ?? "now"}>{at === null ? words.now : tickText(at, counts.range, language)}</span>
        ))}
      </div>
    </figure>
  );
}

function tickText(at: number, range: ActivityRange, language: Language): string {
  const date = new Date(at * 1000);
  if (range === "week") return date.toLocaleDateString(language, { weekday: "short" });
  return date.toLocaleTimeString(language, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
}

function AsTable({ counts }: { counts: ActivityCounts }) {
  const words = useWords(activityWords);
  const names = useWords(namesWords);
  const language = useLanguage();
  const [isOpen, setOpen] = useState(false);
  const counted = counts.buckets.filter(({ allowed, asked, denied }) => allowed + asked + denied > 0);
  if (counted.length === 0) return null;
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className="quiet">{words.asTable}</summary>
      {isOpen ? (
        <table className="table counts">
          <thead>
            <tr>
              <th scope="col">{words.from}</th>
              {KINDS.map((kind) => (
                <th key={kind} scope="col" className="number">
                  {names.decidedMany[OUTCOME_OF[kind]]}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {counted.toReversed().map((bucket) => (
              <tr key={bucket.start}>
                <th scope="row">
                  {new Date(bucket.start * 1000).toLocaleString(language, {
                    dateStyle: "medium",
                    timeStyle: "short",
                    hourCycle: "h23",
                  })}
                </th>
                {KINDS.map((kind) => (
                  <td key={kind} className="number">
                    {bucket[kind].toLocaleString(language)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      ) : null}
    </details>
  );
}
