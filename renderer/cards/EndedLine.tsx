import type { ApprovalView } from "../../ipc/operator-api.ts";
import { shortened } from "../../ipc/visible-text.ts";
import type { Asked } from "../../ipc/waiting.ts";
import { VisibleText } from "../parts/VisibleText.tsx";
import { type CardWords, cardWords } from "../words/cards.ts";
import { useWords } from "../words/language.ts";

/** It must fit one line: its subject is shortened in the middle. */
const WIDTH = 60;

/** How a card that was removed ended, in one line. */
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

/** `wording`: for answers from here or from elsewhere. */
export function endedText(view: ApprovalView, wording: CardWords["ended"]["own"], words: CardWords, count = 1): string {
  const what = count > 1 ? words.ended.many(count) : shortened(`${view.action_verb} ${view.target_summary}`, WIDTH);
  if (view.status === "pending") return words.ended.gone(what);
  // The gate's own reason is in the rule's words.
  if (view.withdrawn !== null && view.withdrawn !== "approval.withdrawn")
    return `${words.ended.withdrawn[view.withdrawn]}: ${what}`;
  const why = view.message === null || view.message === "" ? "" : ` (${shortened(view.message, WIDTH)})`;
  return `${wording[view.status](what, words.territory[view.territory_concession])}${why}`;
}
