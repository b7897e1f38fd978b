import type { ActivityGap } from "../../../ipc/contract/activity.ts";
import { gapText } from "../../../ipc/words/result-words.ts";
import { Moment } from "../../parts/RelativeTime.tsx";
import { activityWords } from "../../words/activity.ts";
import { useLanguage, useWords } from "../../words/language.ts";

const MOST = 3;

/** Where calls may be missing, and why: no list says more than it has. */
export function Gaps({ gaps }: { gaps: readonly ActivityGap[] }) {
  const words = useWords(activityWords);
  const language = useLanguage();
  if (gaps.length === 0) return null;
  return (
    <ul className="gaps quiet">
      {gaps.slice(0, MOST).map((gap) => (
        <li key={`${gap.why} ${gap.from} ${gap.until}`}>
          {words.notComplete} <Moment at={new Date(gap.until * 1000).toISOString()} />: {gapText(gap, language)}
        </li>
      ))}
    </ul>
  );
}
