import { useLayoutEffect, useState } from "react";
import { createPortal } from "react-dom";
import { shortened } from "../../ipc/base/visible-text.ts";
import type { Language } from "../../ipc/contract/language.ts";
import type { ApprovalView } from "../../ipc/contract/operator-api.ts";
import { plainSummary } from "../../ipc/words/plain-lines.ts";
import { SURFACE_WORDS } from "../../ipc/words/surface-words.ts";
import type { Asked } from "../../ipc/words/waiting.ts";
import { useQuery } from "../gate/use-gate.tsx";
import { AgentPauseButton } from "../parts/AgentPauseButton.tsx";
import { Button } from "../parts/Button.tsx";
import { VisibleText } from "../parts/VisibleText.tsx";
import { agentsWords } from "../words/agents.ts";
import { type CardWords, cardWords } from "../words/cards.ts";
import { useLanguage, useWords } from "../words/language.ts";
import { canUndo, type Undone, useUndo } from "./use-undo.ts";

/** A line's subject is shortened in the middle. */
const WIDTH = 90;
/** More lines than these are counted. */
const LINES_SHOWN = 3;

/**
 * How requests ended, newest first, at one place of the window: never between cards, nor over one. What an answer from here has stored can be
 * taken back there, and an agent that was paused resumed.
 */
export function EndedStrip({ ended }: { ended: readonly Asked[] }) {
  const language = useLanguage();
  const words = cardWords[language];
  const { done, undo } = useUndo();
  const place = useStripPlace();
  const lines = foldedLines(ended, language);
  const strip = (
    <div className="ended-strip" role="status">
      <PausedAgents />
      {lines.slice(0, LINES_SHOWN).map(({ key, text, asked }) => (
        <p key={key} className="ended">
          <EndedText text={text} what={subjectOf(asked.view)} undone={done.get(key)} words={words} />
          {canUndo(asked) && !done.has(key) ? (
            <Button size="small" onClick={() => void undo(asked)}>
              {words.ended.undo}
            </Button>
          ) : null}
        </p>
      ))}
      {lines.length > LINES_SHOWN ? <p className="ended quiet">{words.andMore(lines.length - LINES_SHOWN)}</p> : null}
    </div>
  );
  return place === null ? strip : createPortal(strip, place);
}

/** Each agent that is paused by itself, for as long as it is: one press ends that. */
function PausedAgents() {
  const words = useWords(agentsWords);
  const { data } = useQuery("agents.list", {});
  const paused = (data?.agents ?? []).filter((agent) => agent.paused !== null && agent.revoked_at === null);
  return paused.map(({ agent_id, name }) => (
    <div key={agent_id} className="paused-agent">
      <span>
        <VisibleText text={words.isPaused(name)} />
      </span>
      <AgentPauseButton name={name} isPaused />
    </div>
  ));
}

/** Where the window has a row for it; null where there is none, as in the popup. */
function useStripPlace(): Element | null {
  const [place, setPlace] = useState<Element | null>(null);
  useLayoutEffect(() => setPlace(document.querySelector(".strip-place")), []);
  return place;
}

interface EndedTextProps {
  text: string;
  what: string;
  undone: Undone | undefined;
  words: CardWords;
}

function EndedText({ text, what, undone, words: { ended } }: EndedTextProps) {
  const shown = undone === undefined ? text : undone === "undone" ? ended.undone(what) : ended.nothingToUndo;
  return (
    <span className="ended-text">
      <VisibleText text={shown} />
    </span>
  );
}

/** Those that ended in the same way, one after the other, are one line. */
const SAME_LINES = 3;

function foldedLines(ended: readonly Asked[], language: Language): { key: string; text: string; asked: Asked }[] {
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
      run.length > SAME_LINES && !run.some(canUndo)
        ? [{ run, count: run.length }]
        : run.map((one) => ({ run: [one], count: 1 })),
    )
    .flatMap(({ run: [one], count }) => {
      if (one === undefined) return [];
      const by = one.ended?.isOwn ? "own" : "elsewhere";
      return [
        { key: one.view.token, text: endedText(one.view, by, language, count, one.ended?.isRefused), asked: one },
      ];
    });
}

function endingOf({ view, ended }: Asked): string {
  return [view.agent_name, view.status, view.territory_concession, view.decision_surface, ended?.isOwn].join(" ");
}

function subjectOf({ action_verb, target_summary }: ApprovalView): string {
  return shortened(`${action_verb} ${plainSummary(target_summary)}`, WIDTH);
}

/** `own`: answered from here. `elsewhere`: while this was looking. `before`: whenever. */
export function endedText(
  view: ApprovalView,
  by: "own" | "elsewhere" | "before",
  language: Language,
  count = 1,
  isRefused = false,
): string {
  const { ended, territory } = cardWords[language];
  const what = count > 1 ? ended.many(count) : subjectOf(view);
  if (view.status === "pending") return ended.gone(what);
  // The gate's own reason is in the rule's words.
  if (view.withdrawn !== null && view.withdrawn !== "approval.withdrawn")
    return `${ended.withdrawn[view.withdrawn]}: ${what}`;
  const why = view.message === null || view.message === "" ? "" : ` (${shortened(view.message, WIDTH)})`;
  const wording = by === "own" ? ended.own : ended.elsewhere;
  return `${wording[view.status](what, territory[isRefused ? "session" : view.territory_concession], whereText(view, by, language))}${why}`;
}

/** Another page is no other place than this one. */
function whereText({ decision_surface }: ApprovalView, by: "own" | "elsewhere" | "before", language: Language): string {
  if (decision_surface !== null && (by === "before" || decision_surface !== "page"))
    return ` ${SURFACE_WORDS[language][decision_surface]}`;
  return by === "before" ? "" : ` ${cardWords[language].ended.somewhere}`;
}
