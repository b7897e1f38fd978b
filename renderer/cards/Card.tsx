import { type KeyboardEvent, memo, useEffect, useId, useMemo, useRef, useState } from "react";
import type { GateError } from "../../ipc/gate-error.ts";
import type { Answer, ApprovalView } from "../../ipc/operator-api.ts";
import { Button } from "../parts/Button.tsx";
import { Failure } from "../parts/Failure.tsx";
import { cardWords } from "../words/cards.ts";
import { useWords } from "../words/language.ts";
import { AnswerPanel, type Panel } from "./AnswerPanel.tsx";
import { ShortCall } from "./CallText.tsx";
import { CardDetails, CardNotes } from "./CardDetails.tsx";
import { CardLines } from "./CardLines.tsx";
import { CountdownLine } from "./Countdown.tsx";
import { callRows, isShort, unsaidArgs } from "./call-text.ts";
import { presence } from "./presence.ts";
import { usePresence } from "./use-presence.ts";
import { usePressFilter } from "./use-press-filter.ts";
import { useResolve } from "./use-waiting.ts";
import "./cards.css";

/** One request. Deny is the answer that has the focus; Escape closes what is open and answers nothing. */
export const Card = memo(function Card({ view, is_pointed_at }: { view: ApprovalView; is_pointed_at?: boolean }) {
  const words = useWords(cardWords);
  const title_id = useId();
  const card = useRef<HTMLElement>(null);
  const [panel, setPanel] = useState<Panel>("none");
  const [is_unfolded, setUnfolded] = useState(false);
  const [was_read, setRead] = useState(false);
  const [error, setError] = useState<GateError | undefined>();
  const [is_sending, setSending] = useState(false);
  const resolve = useResolve();
  const guarded = usePressFilter(card, `${panel} ${is_unfolded} ${view.card.form}`);
  const hands = usePresence([view.token], panel !== "none");
  const unsaid = useMemo(() => callRows(unsaidArgs(view)), [view]);
  const is_short = useMemo(() => isShort(unsaid, view.card.form), [unsaid, view.card.form]);
  const is_readable = is_short || was_read;
  useInterruption(panel !== "none" && !is_sending);

  /** Never rejects: what failed is shown on the card. */
  const answer = async (reply: Answer) => {
    if (is_sending) return; // a button that is disabled loses the focus
    setSending(true);
    setError((await resolve(reply)) ?? undefined);
    setSending(false);
  };
  const close = (opener: string) => {
    setPanel("none");
    // The focus returns to the element that opened it, once that is rendered again.
    requestAnimationFrame(() => card.current?.querySelector<HTMLElement>(`[data-opens=${opener}]`)?.focus());
  };
  const onKeyDown = (event: KeyboardEvent) => {
    hands.onKeyDown();
    if (event.key !== "Escape" || (panel === "none" && !is_unfolded)) return;
    event.stopPropagation();
    if (panel !== "none") close(panel);
    else setUnfolded(false);
  };

  const is_full = view.card.form === "full";
  const unfold = (
    <Button look="plain" size="small" aria-expanded={is_unfolded} onClick={() => setUnfolded(!is_unfolded)}>
      {is_unfolded ? words.showLess : words.showEverything}
    </Button>
  );

  return (
    <article
      ref={card}
      className={`card ${view.card.form}`}
      aria-labelledby={title_id}
      data-token={view.token}
      data-pointed-at={is_pointed_at}
      {...hands}
      {...guarded.presses}
      onKeyDown={onKeyDown}
    >
      <CardLines view={view} title_id={title_id} />
      {unsaid.length === 0 || !is_short || is_unfolded ? null : <ShortCall rows={unsaid} />}
      <CountdownLine token={view.token} created_at={view.created_at} expires_at={view.expires_at} />
      {is_full ? (
        <div className="row notes-row">
          <CardNotes view={view} />
          {unfold}
        </div>
      ) : null}
      {is_unfolded ? <CardDetails view={view} onEnd={() => setRead(true)} /> : null}
      <AnswerPanel
        view={view}
        panel={panel}
        guarded={guarded}
        is_readable={is_readable}
        is_sending={is_sending}
        unfold={is_full ? null : unfold}
        onAnswer={answer}
        onOpen={setPanel}
        onClose={close}
      />
      {is_readable ? null : <p className="quiet hint">{is_unfolded ? words.readOn : words.readFirst}</p>}
      <p className="quiet hint" role="status">
        {guarded.was_too_soon ? words.tooSoon : null}
      </p>
      <Failure error={error} />
    </article>
  );
});

/** Answered from here a card closes as meant; otherwise it was removed while the user was filling it in. */
function useInterruption(is_filled_in: boolean): void {
  const is_taken = useRef(false);
  is_taken.current = is_filled_in;
  useEffect(
    () => () => {
      if (is_taken.current) presence.interrupt(performance.now());
    },
    [],
  );
}
