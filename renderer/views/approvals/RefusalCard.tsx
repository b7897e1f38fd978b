import { useId, useMemo, useRef } from "react";
import type { RefusedCall } from "../../../ipc/contract/judges.ts";
import { toolText } from "../../../ipc/words/box-words.ts";
import { callFacts } from "../../../ipc/words/card-facts.ts";
import { agentGotText, possibleText, refusedText } from "../../../ipc/words/judge-words.ts";
import { shownCall } from "../../../ipc/words/shown-call.ts";
import { useLock } from "../../cards/AnswerPanel.tsx";
import { QuietLine } from "../../cards/CardNotes.tsx";
import { Hazards } from "../../cards/Hazards.tsx";
import { Hero } from "../../cards/Hero.tsx";
import { PathText } from "../../cards/PathText.tsx";
import { EndsProvider, useReading } from "../../cards/read-to-end.tsx";
import { usePressFilter } from "../../cards/use-press-filter.ts";
import { useAct } from "../../gate/use-act.ts";
import { useCall } from "../../gate/use-gate.tsx";
import { useHome } from "../../gate/use-home.tsx";
import { Button } from "../../parts/Button.tsx";
import { Failure } from "../../parts/Failure.tsx";
import { RelativeTime } from "../../parts/RelativeTime.tsx";
import { Target } from "../../parts/Target.tsx";
import { VisibleText } from "../../parts/VisibleText.tsx";
import { cardWords } from "../../words/cards.ts";
import { judgeWords } from "../../words/judges.ts";
import { useLanguage, useWords } from "../../words/language.ts";
import "../../cards/cards.css";

interface RefusalCardProps {
  refusal: RefusedCall;
  onDismissed(): void;
}

/** What was refused: the thing itself, by whom and why, what the agent got; and one way to allow it once, which never has the focus. */
export function RefusalCard({ refusal, onDismissed }: RefusalCardProps) {
  const words = useWords(judgeWords);
  const ofCard = useWords(cardWords);
  const language = useLanguage();
  const titleId = useId();
  const card = useRef<HTMLElement>(null);
  const call = useCall();
  const { run, isBusy, error } = useAct();
  const { seen, ends } = useReading();
  const locked = useLock(seen);
  const guarded = usePressFilter(card, `${refusal.can_override} ${seen}`);
  const { id, description, can_override, overridden_at } = refusal;
  const shown = useMemo(() => shownCall({ ...refusal, intent: "" }), [refusal]);
  const { hazards, line, effect } = callFacts(description, language, useHome());
  const got = agentGotText(refusal, language);
  const act = (method: "reviews.override" | "reviews.dismiss") => {
    if (isBusy) return; // a button that is disabled loses the focus
    void run(() => call(method, { id })).then((wasDone) => {
      if (wasDone && method === "reviews.dismiss") onDismissed();
    });
  };
  return (
    <article ref={card} className="card refused-call" aria-labelledby={titleId} data-refusal={id} {...guarded.presses}>
      <RefusalHead
        refusal={refusal}
        titleId={titleId}
        object={shown.object?.kind === "path" ? shown.object.text : null}
      />
      <EndsProvider ends={can_override ? ends : null}>
        <Hero view={{ ...refusal, target_summary: refusal.summary }} shown={shown} />
      </EndsProvider>
      <div className="notes">
        <Hazards hazards={hazards} />
        {got === null ? null : (
          <p>
            <VisibleText text={got} />
          </p>
        )}
        <QuietLine line={line} said={effect === null ? [] : [effect]} />
        <p className={overridden_at !== null ? "doubt" : can_override ? "quiet" : undefined}>
          {possibleText(refusal, language)}.
        </p>
      </div>
      <div className="row answers" data-answers="">
        <Button data-dismiss="" onClick={guarded.answers(() => act("reviews.dismiss"))}>
          {words.dismiss}
        </Button>
        {can_override ? (
          <Button {...locked} onClick={guarded.answers(() => act("reviews.override"))}>
            {words.allow}
          </Button>
        ) : null}
      </div>
      <p className="quiet hint" role="status">
        {guarded.wasTooSoon ? ofCard.tooSoon : null}
      </p>
      <Failure error={error} />
    </article>
  );
}

interface RefusalHeadProps {
  refusal: RefusedCall;
  titleId: string;
  /** The file that it is about, where nothing below says it. */
  object: string | null;
}

function RefusalHead({ refusal, titleId, object }: RefusalHeadProps) {
  const ofCard = useWords(cardWords);
  const language = useLanguage();
  const { agent_name, cwd, executor, refused_at, description } = refusal;
  const [change, ...others] = description?.changes ?? [];
  const path = others.length > 0 ? null : (change?.path ?? object);
  return (
    <header className="head">
      <div className="asked">
        <h3 id={titleId} className="question">
          <VisibleText text={refusedText(refusal, language)} />
        </h3>
      </div>
      <p className="quiet about">
        <VisibleText text={toolText(executor, language)} />
        {path === null ? null : (
          <>
            {" "}
            <PathText path={path} cwd={cwd} />
          </>
        )}
        {cwd === null ? null : (
          <>
            {" "}
            {ofCard.inFolder} <Target text={cwd} width={44} />
          </>
        )}
      </p>
      <p className="who">
        <VisibleText text={agent_name} />
        <span aria-hidden="true"> · </span>
        <RelativeTime at={refused_at} />
      </p>
    </header>
  );
}
