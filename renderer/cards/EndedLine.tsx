import { VisibleText } from "../parts/Mono.tsx";
import { type CardWords, cardWords } from "../words/cards.ts";
import { useWords } from "../words/language.ts";
import type { Asked } from "./waiting.ts";

/** What happened to a card that went away, in one line. */
export function EndedLine({ asked, count = 1 }: { asked: Asked; count?: number }) {
  const words = useWords(cardWords);
  return (
    <p className="ended" role="status">
      <VisibleText text={endedText(asked, count, words)} />
    </p>
  );
}

function endedText({ view, ended }: Asked, count: number, words: CardWords): string {
  const what = count > 1 ? words.ended.many(count) : `${view.action_verb} ${view.target_summary}`;
  if (view.status === "pending") return words.ended.gone(what);
  const told = ended?.is_own ? words.ended.own : words.ended.elsewhere;
  const why = view.message === null || view.message === "" ? "" : ` (${view.message})`;
  return `${told[view.status](what, words.territory[view.territory_concession])}${why}`;
}
