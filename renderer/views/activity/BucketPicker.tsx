import { type KeyboardEvent, type PointerEvent, useState } from "react";
import type { ActivityCounts } from "../../../ipc/contract/activity.ts";
import type { Language } from "../../../ipc/contract/language.ts";
import { activityWords } from "../../words/activity.ts";
import { useLanguage, useWords } from "../../words/language.ts";

interface BucketPickerProps {
  counts: ActivityCounts;
  /** Unix seconds; `until` exclusive. */
  onPick(since: number, until: number): void;
}

/** Over the picture: what a stretch of time counted, on hover and by arrow keys; pressed, its decisions are listed. */
export function BucketPicker({ counts: { range, bucket_seconds, buckets }, onPick }: BucketPickerProps) {
  const words = useWords(activityWords);
  const language = useLanguage();
  const [chosen, setChosen] = useState<number | null>(null);
  const last = buckets.length - 1;
  const index = chosen === null ? last : Math.min(chosen, last);
  const bucket = buckets[index];
  if (bucket === undefined) return null;
  const number = (count: number) => count.toLocaleString(language);
  const when = words.at(bucketText(bucket.start, range, language));
  const says = words.picture(number(bucket.allowed), number(bucket.asked), number(bucket.denied), when);
  const pick = () => onPick(bucket.start, bucket.start + bucket_seconds);
  const pointed = ({ clientX, currentTarget }: PointerEvent<HTMLElement>) => {
    const { left, width } = currentTarget.getBoundingClientRect();
    setChosen(Math.max(0, Math.min(last, Math.floor(((clientX - left) / width) * buckets.length))));
  };
  const pressed = (event: KeyboardEvent) => {
    const moves: Readonly<Record<string, number>> = {
      ArrowLeft: index - 1,
      ArrowRight: index + 1,
      Home: 0,
      End: last,
    };
    const to = moves[event.key];
    if (to !== undefined) setChosen(Math.max(0, Math.min(last, to)));
    else if (event.key === "Enter" || event.key === " ") pick();
    else return;
    event.preventDefault();
  };
  return (
    <>
      <div
        className="bucket-picker"
        role="slider"
        tabIndex={0}
        aria-label={words.pick}
        aria-valuemin={0}
        aria-valuemax={last}
        aria-valuenow={index}
        aria-valuetext={says}
        onPointerMove={pointed}
        onPointerLeave={() => setChosen(null)}
        onFocus={() => setChosen((now) => now ?? last)}
        onBlur={() => setChosen(null)}
        onKeyDown={pressed}
        onClick={pick}
      >
        {chosen === null ? null : (
          <svg viewBox={`0 0 ${buckets.length} 1`} preserveAspectRatio="none" aria-hidden="true">
            <rect x={index} y="0" width="1" height="1" />
          </svg>
        )}
      </div>
      {chosen === null ? null : (
        <span className="bucket-says figures" aria-hidden="true">
          {says}
        </span>
      )}
    </>
  );
}

/** `10:20`; of a longer range with the day. */
function bucketText(start: number, range: ActivityCounts["range"], language: Language): string {
  const time = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;
  const day = { weekday: "short", day: "numeric" } as const;
  return new Date(start * 1000).toLocaleString(language, range === "hour" ? time : { ...day, ...time });
}
