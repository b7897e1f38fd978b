import { useEffect, useId, useRef } from "react";
import { shortened } from "../../../ipc/base/visible-text.ts";
import type { TelegramClaim } from "../../../ipc/contract/channels.ts";
import { usePressFilter } from "../../cards/use-press-filter.ts";
import { useAct } from "../../gate/use-act.ts";
import { useCall } from "../../gate/use-gate.tsx";
import { Button } from "../../parts/Button.tsx";
import { Failure } from "../../parts/Failure.tsx";
import { VisibleText } from "../../parts/VisibleText.tsx";
import { channelsWords } from "../../words/channels.ts";
import { useWords } from "../../words/language.ts";

/** Names are the other side's own: longer ones are shortened in the middle. */
export const SHOWN_NAME = 64;

/**
 * Who pressed the link, and whether that is the user. Like a card: the safe answer has the focus, and no press counts too soon. Give it
 * a key of all that it shows: a press is meant for one claim and its name.
 */
export function Claim({ claim }: { claim: TelegramClaim }) {
  const words = useWords(channelsWords).claim;
  const call = useCall();
  const { run, is_busy, error } = useAct();
  const title_id = useId();
  const card = useRef<HTMLElement>(null);
  const guarded = usePressFilter(card, claim.id);
  const { id, user_id, name, username } = claim;
  useEffect(() => {
    const focused = document.activeElement;
    if (focused !== null && focused !== document.body) return;
    card.current?.querySelector<HTMLElement>("[data-deny]")?.focus({ preventScroll: true });
  }, []);
  const act = (method: "telegram.confirm" | "telegram.reject") => {
    if (is_busy) return; // a button that is disabled loses the focus
    void run(() => call(method, { id }));
  };
  return (
    <article ref={card} className="claim" aria-labelledby={title_id} {...guarded.presses}>
      <p>
        <b>
          <bdi>
            <VisibleText text={shortened(name, SHOWN_NAME)} />
          </bdi>
        </b>{" "}
        <span className="figures">
          (
          {username === null ? (
            words.no_username
          ) : (
            <bdi>
              <VisibleText text={shortened(`@${username}`, SHOWN_NAME)} />
            </bdi>
          )}
          , {words.id(String(user_id))})
        </span>{" "}
        {claim.is_renamed ? words.renamed : words.pressed}
      </p>
      <h4 id={title_id}>{words.title}</h4>
      <p className="quiet">{claim.is_renamed ? words.until_then : words.names_are}</p>
      <div className="row" data-answers="">
        <Button data-deny="" onClick={guarded.answers(() => act("telegram.reject"))}>
          {words.not_me}
        </Button>
        <Button onClick={guarded.answers(() => act("telegram.confirm"))}>{words.confirm}</Button>
      </div>
      <p className="quiet hint" role="status">
        {guarded.was_too_soon ? words.too_soon : null}
      </p>
      <Failure error={error} />
    </article>
  );
}
