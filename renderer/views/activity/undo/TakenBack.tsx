import { useEffect, useRef, useState } from "react";
import type { UndoneCall } from "../../../../ipc/contract/undo.ts";
import { outcomeText } from "../../../../ipc/words/undo-words.ts";
import { useAct } from "../../../gate/use-act.ts";
import { useCall } from "../../../gate/use-gate.tsx";
import { Button } from "../../../parts/Button.tsx";
import { Failure } from "../../../parts/Failure.tsx";
import { Moment, momentText } from "../../../parts/RelativeTime.tsx";
import { Target } from "../../../parts/Target.tsx";
import { VisibleText } from "../../../parts/VisibleText.tsx";
import { useLanguage, useWords } from "../../../words/language.ts";
import { undoWords } from "../../../words/undo.ts";

/** What became of it. There from the start, so that it is read aloud; the button that was pressed goes, so the keyboard is led here. */
export function Said({ text }: { text: string | null }) {
  const said = useRef<HTMLParagraphElement>(null);
  useEffect(() => {
    if (text !== null) said.current?.focus({ preventScroll: true });
  }, [text]);
  return (
    <p ref={said} role="status" tabIndex={-1} className={text === null ? "unseen" : undefined}>
      <VisibleText text={text ?? ""} />
    </p>
  );
}

/** What the user took back, and its way there again. @param undos what isn't there again */
export function TakenBack({ undos, onDone }: { undos: readonly UndoneCall[]; onDone(said: string): void }) {
  const words = useWords(undoWords);
  const language = useLanguage();
  const call = useCall();
  const { run, isBusy, error } = useAct();
  const [pressed, setPressed] = useState<string | null>(null);
  if (undos.length === 0) return null;
  const putAgain = async (undo: string) =>
    onDone(outcomeText(await call("undo.put_again", { undo, choices: [] }), "again", language));
  return (
    <ul className="taken-back">
      {undos.map((undo) => (
        <li key={undo.id}>
          <span>
            {words.youTook((undo.of ?? []).length.toLocaleString(language))}, <Moment at={undo.at} seconds />
          </span>
          <Target text={undo.project} width={32} />
          <Button
            size="small"
            disabled={isBusy}
            aria-label={words.putAgainOf(momentText(new Date(undo.at), new Date(), language, true))}
            onClick={() => {
              setPressed(undo.id);
              void run(() => putAgain(undo.id));
            }}
          >
            {words.putAgain}
          </Button>
          {pressed === undo.id ? <Failure error={error} /> : null}
        </li>
      ))}
    </ul>
  );
}
