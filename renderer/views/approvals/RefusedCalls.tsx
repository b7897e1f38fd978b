import { useCallback, useRef } from "react";
import { useQuery } from "../../gate/use-gate.tsx";
import { judgeWords } from "../../words/judges.ts";
import { useWords } from "../../words/language.ts";
import { RefusalCard } from "./RefusalCard.tsx";

/** More at once would hide what waits: the older ones are counted. */
const MOST = 20;

/** What was refused lately, newest first: below everything that waits, as none of it waits for an answer. */
export function RefusedCalls() {
  const words = useWords(judgeWords);
  const { data, refresh } = useQuery("reviews.list", {});
  const list = useRef<HTMLElement>(null);
  const onDismissed = useCallback(() => {
    refresh();
    // The button that had the focus goes with its card.
    const next = list.current?.querySelectorAll<HTMLElement>("[data-dismiss]");
    const other = [...(next ?? [])].find((button) => button !== document.activeElement);
    (other ?? list.current)?.focus({ preventScroll: true });
  }, [refresh]);
  const refused = data?.refused ?? [];
  if (refused.length === 0) return null;
  return (
    <section ref={list} className="refused-calls" aria-labelledby="refused-calls" tabIndex={-1}>
      <div>
        <h2 id="refused-calls">{words.refusals}</h2>
        <p className="quiet">{words.refusals_note}</p>
      </div>
      {refused.slice(0, MOST).map((refusal) => (
        <RefusalCard key={refusal.id} refusal={refusal} onDismissed={onDismissed} />
      ))}
      {refused.length > MOST ? <p className="quiet">{words.andMore(refused.length - MOST)}</p> : null}
    </section>
  );
}
