import type { ApprovalView } from "../../ipc/operator-api.ts";
import { shortened } from "../../ipc/visible-text.ts";
import type { Asked } from "../../ipc/waiting.ts";
import { VisibleText } from "../parts/VisibleText.tsx";
import { type CardWords, cardWords } from "../words/cards.ts";
import { useWords } from "../words/language.ts";

/** A line is a line: what it was about is shortened in the middle. */
const WIDTH = 60;

/** What happened to a card that went away, in one line. */
export function EndedLine({ asked, count = 1 }: { asked: Asked; count?: number }) {
  const words = useWords(cardWords);
  return (
    <p className="ended" role="status">
      <VisibleText text={lineOf(asked, count, words)} />
    </p>
  );
}

function lineOf({ view, ended }: Asked, count: number, words: CardWords): string {
  return endedText(view, ended?.is_own ? words.ended.own : words.ended.elsewhere, words, count);
}

/** `told`: from whose side. */
export function endedText(view: ApprovalView, told: CardWords["ended"]["own"], words: CardWords, count = 1): string {
  const what = count > 1 ? words.ended.many(count) : shortened(`${view.action_verb} ${view.target_summary}`, WIDTH);
  if (view.status === "pending") return words.ended.gone(what);
  const why = view.message === null || view.message === "" ? "" : ` (${shortened(view.message, WIDTH)})`;
  return `${told[view.status](what, words.territory[view.territory_concession])}${why}`;
}
