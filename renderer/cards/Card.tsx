import "./cards.css";
import { type KeyboardEvent, memo, useEffect, useId, useMemo, useRef, useState } from "react";
import type { ApprovalView } from "../../ipc/contract/operator-api.ts";
import { verbAsked } from "../../ipc/words/box-words.ts";
import { type CardFacts, cardFacts } from "../../ipc/words/card-facts.ts";
import { type ShownCall, shownCall } from "../../ipc/words/shown-call.ts";
import { useHome } from "../gate/use-home.tsx";
import { AgentPauseButton } from "../parts/AgentPauseButton.tsx";
import { Button } from "../parts/Button.tsx";
import { Failure } from "../parts/Failure.tsx";
import { Target } from "../parts/Target.tsx";
import { VisibleText } from "../parts/VisibleText.tsx";
import { type CardWords, cardWords } from "../words/cards.ts";
import { useLanguage, useWords } from "../words/language.ts";
import { AnswerPanel, type Panel } from "./AnswerPanel.tsx";
import { CardDetails } from "./CardDetails.tsx";
import { CardNotes, CardWarnings } from "./CardNotes.tsx";
import { changeText } from "./ChangeName.tsx";
import { TimeLeft } from "./Countdown.tsx";
import { Hero } from "./Hero.tsx";
import { Key } from "./Key.tsx";
import { PathText } from "./PathText.tsx";
import { presence } from "./presence.ts";
import { EndsProvider, useReading } from "./read-to-end.tsx";
import { useAnswering } from "./use-answering.ts";
import { usePresence } from "./use-presence.ts";
import { type FilteredPresses, usePressFilter } from "./use-press-filter.ts";
import { type WiderAnswer, widerAnswer } from "./wider-answer.ts";

/** One request. Deny is the answer that has the focus; Escape closes what is open and answers nothing. */
export const Card = memo(function Card({ view, isPointedAt }: { view: ApprovalView; isPointedAt?: boolean }) {
  const words = useWords(cardWords);
  const titleId = useId();
  const card = useRef<HTMLElement>(null);
  const [panel, setPanel] = useState<Panel>("none");
  const [isUnfolded, setUnfolded] = useState(false);
  const { answer, isSending, errors } = useAnswering();
  // Its answers mean something else then.
  const isRepeated = view.repeated !== null;
  // What is asked about can become another thing while it waits: then it is read anew, and a press on its way doesn't count.
  const content = useMemo(
    () => JSON.stringify([view.description, view.links, view.confined, view.mcp, isRepeated]),
    [view.description, view.links, view.confined, view.mcp, isRepeated],
  );
  const shown = useMemo(() => shownCall(view), [view]);
  const { facts, wider } = useAnswered(view);
  const { seen, ends } = useReading();
  const guarded = usePressFilter(card, `${panel} ${isUnfolded} ${view.card.form} ${seen === "whole"} ${content}`);
  const hands = usePresence([view.token], panel !== "none");
  useInterruption(panel !== "none" && !isSending);

  const close = (opener: string) => {
    setPanel("none");
    // The focus returns to the element that opened it, once that is rendered again.
    requestAnimationFrame(() => card.current?.querySelector<HTMLElement>(`[data-opens=${opener}]`)?.focus());
  };
  const onKeyDown = (event: KeyboardEvent) => {
    hands.onKeyDown();
    if (event.key !== "Escape" || (panel === "none" && !isUnfolded)) return;
    event.stopPropagation();
    if (panel !== "none") close(panel);
    else setUnfolded(false);
  };

  return (
    <article
      ref={card}
      className={`card ${view.card.form}`}
      aria-labelledby={titleId}
      data-token={view.token}
      data-pointed-at={isPointedAt}
      {...hands}
      {...guarded.presses}
      onKeyDown={onKeyDown}
    >
      <CardHead view={view} facts={facts} shown={shown} titleId={titleId} guarded={guarded} />
      <CardWarnings view={view} facts={facts} />
      <div className="card-body">
        <EndsProvider ends={ends}>
          <Hero key={content} view={view} shown={shown} />
        </EndsProvider>
        <div className="row notes-row">
          <div className="notes">
            <CardNotes view={view} facts={facts} proposed={wider?.why ?? null} />
          </div>
          <Button
            look="plain"
            size="small"
            data-key="e"
            aria-keyshortcuts="e"
            aria-expanded={isUnfolded}
            onClick={() => setUnfolded(!isUnfolded)}
          >
            {isUnfolded ? words.showLess : words.showEverything}
            <Key>E</Key>
          </Button>
        </div>
        {isUnfolded ? <CardDetails view={view} /> : null}
        <AnswerPanel
          view={view}
          again={facts.again}
          panel={panel}
          guarded={guarded}
          seen={seen}
          isSending={isSending}
          wider={wider}
          follows={wider?.choice.reach === "project" ? facts.allowing : null}
          onAnswer={answer}
          onOpen={setPanel}
          onClose={close}
        />
        <p className="quiet hint" role="status">
          {guarded.wasTooSoon ? words.tooSoon : null}
        </p>
        <Failure error={errors[0]} />
      </div>
    </article>
  );
});

/** What there is to say of it, and the wider answer that it offers. */
function useAnswered(view: ApprovalView): { facts: CardFacts; wider: WiderAnswer | null } {
  const language = useLanguage();
  const home = useHome();
  return useMemo(
    () => ({ facts: cardFacts(view, language, home), wider: widerAnswer(view, cardWords[language], home) }),
    [view, language, home],
  );
}

/** Answered from here a card closes as meant; otherwise it was removed while the user was filling it in. */
function useInterruption(isFilledIn: boolean): void {
  const isTaken = useRef(false);
  isTaken.current = isFilledIn;
  useEffect(
    () => () => {
      if (isTaken.current) presence.interrupt(performance.now());
    },
    [],
  );
}

interface CardHeadProps {
  view: ApprovalView;
  facts: CardFacts;
  shown: ShownCall;
  titleId: string;
  guarded: FilteredPresses;
}

/** The question, what it is about where that fits in a line, the folder, who asks and how long there is, and that agent's pause. */
function CardHead({ view, facts, shown, titleId, guarded }: CardHeadProps) {
  const words = useWords(cardWords);
  const { cwd, description } = view;
  const [change, ...others] = description?.changes ?? [];
  const path =
    others.length > 0 ? undefined : (change?.path ?? (shown.object?.kind === "path" ? shown.object.text : undefined));
  return (
    <header className="head">
      <div className="asked">
        <h2 id={titleId} className="question">
          <VisibleText text={questionText(view, facts, words)} />
        </h2>
        {/* Its question is about all of these calls: what each of them does. */}
        {view.repeated === null ? null : (
          <span>
            <VisibleText text={view.action_verb} />
          </span>
        )}
        {path === undefined ? null : (
          <span className="head-object">
            <PathText path={path} cwd={cwd} />
          </span>
        )}
        {cwd === null || (path?.startsWith("/") && !isAtOrIn(path, cwd)) ? null : (
          <span className="quiet">
            {words.inFolder} <Target text={cwd} width={44} />
          </span>
        )}
        {change === undefined || others.length > 0 ? null : (
          <span className="quiet figures">{changeText(change, words)}</span>
        )}
      </div>
      <div className="who">
        <span className="agent">
          <VisibleText text={view.agent_name} />
        </span>
        {view.subagent === null ? null : (
          <span className="subagent">
            {" ("}
            <VisibleText text={view.subagent} />)
          </span>
        )}
        <span aria-hidden="true"> · </span>
        <TimeLeft token={view.token} expires_at={view.expires_at} />
        <AgentPauseButton name={view.agent_name} isPaused={false} filter={guarded.answers} />
      </div>
    </header>
  );
}

const isAtOrIn = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`);

function questionText(view: ApprovalView, { again }: CardFacts, words: CardWords): string {
  if (again !== null) return `${again.said}. ${again.question}`;
  const mcp = view.description?.mcp ?? null;
  return mcp === null
    ? words.question(verbAsked(view))
    : words.toolQuestion(mcp.server, mcp.tool.replaceAll("_", " ").trim());
}
