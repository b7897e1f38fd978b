import { shortened } from "../../ipc/base/visible-text.ts";
import type { Language } from "../../ipc/contract/language.ts";
import type { ApprovalView } from "../../ipc/contract/operator-api.ts";
import { SURFACE_WORDS } from "../../ipc/words/surface-words.ts";
import type { Asked } from "../../ipc/words/waiting.ts";
import { VisibleText } from "../parts/VisibleText.tsx";
import { cardWords } from "../words/cards.ts";
import { useLanguage } from "../words/language.ts";

/** A line's subject is shortened in the middle. */
const WIDTH = 90;
/** More lines than these are counted. */
const LINES_SHOWN = 3;

/** How requests ended, newest first, at one place of the window: never between cards. */
export function EndedStrip({ ended }: { ended: readonly Asked[] }) {
  const language = useLanguage();
  const words = cardWords[language];
  const lines = foldedLines(ended, language);
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

function foldedLines(ended: readonly Asked[], language: Language): { key: string; text: string }[] {
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
      const by = one.ended?.isOwn ? "own" : "elsewhere";
      return [{ key: one.view.token, text: endedText(one.view, by, language, count) }];
    });
}

function endingOf({ view, ended }: Asked): string {
  return [view.agent_name, view.status, view.territory_concession, view.decision_surface, ended?.isOwn].join(" ");
}

/** `own`: answered from here. `elsewhere`: while this was looking. `before`: whenever. */
export function endedText(
  view: ApprovalView,
  by: "own" | "elsewhere" | "before",
  language: Language,
  count = 1,
): string {
  const { ended, territory } = cardWords[language];
  const what = count > 1 ? ended.many(count) : shortened(`${view.action_verb} ${view.target_summary}`, WIDTH);
  if (view.status === "pending") return ended.gone(what);
  // The gate's own reason is in the rule's words.
  if (view.withdrawn !== null && view.withdrawn !== "approval.withdrawn")
    return `${ended.withdrawn[view.withdrawn]}: ${what}`;
  const why = view.message === null || view.message === "" ? "" : ` (${shortened(view.message, WIDTH)})`;
  const wording = by === "own" ? ended.own : ended.elsewhere;
  return `${wording[view.status](what, territory[view.territory_concession], whereText(view, by, language))}${why}`;
}

/** Another page is no other place than this one. */
function whereText({ decision_surface }: ApprovalView, by: "own" | "elsewhere" | "before", language: Language): string {
  if (decision_surface !== null && (by === "before" || decision_surface !== "page"))
    return ` ${SURFACE_WORDS[language][decision_surface]}`;
  return by === "before" ? "" : ` ${cardWords[language].ended.somewhere}`;
}
