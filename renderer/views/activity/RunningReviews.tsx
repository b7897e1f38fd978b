import type { RunningReview } from "../../../ipc/contract/judges.ts";
import { beingJudgedText } from "../../../ipc/words/judge-words.ts";
import { useQuery } from "../../gate/use-gate.tsx";
import { useNow } from "../../parts/clock.ts";
import { Target } from "../../parts/Target.tsx";
import { VisibleText } from "../../parts/VisibleText.tsx";
import { judgeWords } from "../../words/judges.ts";
import { useLanguage, useWords } from "../../words/language.ts";

/** More are counted. */
const MOST = 5;

/** The calls that judges look at now, the longest first. */
export function RunningReviews() {
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
