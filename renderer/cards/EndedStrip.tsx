import type { ApprovalView } from "../../ipc/operator-api.ts";
import { shortened } from "../../ipc/visible-text.ts";
import type { Asked } from "../../ipc/waiting.ts";
import { VisibleText } from "../parts/VisibleText.tsx";
import { type CardWords, cardWords } from "../words/cards.ts";
import { useWords } from "../words/language.ts";

/** A line's subject is shortened in the middle. */
const WIDTH = 90;
/** More lines than these are counted. */
const LINES_SHOWN = 3;

/** How requests ended, newest first, at one place of the window: never between cards. */
export function EndedStrip({ ended }: { ended: readonly Asked[] }) {
  const words = useWords(cardWords);
  const lines = foldedLines(ended, words);
  return (
    <div className="ended-strip" role="status">
      {lines.slice(0, LINES_SHOWN).map(({ key, text }) => (
        <p key={key} className="ended">
          <VisibleText text={text} />
        </p>
      ))}
      {lines.length > LINES_SHOWN ? <p className="ended quiet">{words.andMore(lines.length - LINES_SHOWN)}</p> : null}
    </div>
  );
}

/** Those that ended in the same way, one after the other, are one line. */
const SAME_LINES = 3;

function foldedLines(ended: readonly Asked[], words: CardWords): { key: string; text: string }[] {
  const newest = ended.toSorted((a, b) => (b.ended?.at ?? 0) - (a.ended?.at ?? 0));
  const runs: Asked[][] = [];
  for (const asked of newest) {
    const run = runs.at(-1);
    const [first] = run ?? [];
    if (run !== undefined && first !== undefined && endingOf(first) === endingOf(asked)) run.push(asked);
    else runs.push([asked]);
  }
  return runs
    .flatMap((run) =>
      run.length > SAME_LINES ? [{ run, count: run.length }] : run.map((one) => ({ run: [one], count: 1 })),
    )
    .flatMap(({ run: [one], count }) => {
      if (one === undefined) return [];
      const wording = one.ended?.is_own ? words.ended.own : words.ended.elsewhere;
      return [{ key: one.view.token, text: endedText(one.view, wording, words, count) }];
    });
}

function endingOf({ view, ended }: Asked): string {
  return `${view.agent_name} ${view.status} ${view.territory_concession} ${ended?.is_own}`;
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
