import { useState } from "react";
import { allowingText, confinedParts, hostWantedBy, outsideText } from "../../ipc/box-words.ts";
import { effectText, hazardText } from "../../ipc/hazard-words.ts";
import { doubtText } from "../../ipc/judge-doubts.ts";
import type { ApprovalView } from "../../ipc/operator-api.ts";
import type { ShownCall } from "../../ipc/shown-call.ts";
import { shortenHome } from "../../ipc/visible-text.ts";
import { useHome } from "../gate/use-home.tsx";
import { Button } from "../parts/Button.tsx";
import { VisibleText } from "../parts/VisibleText.tsx";
import { cardWords } from "../words/cards.ts";
import { useLanguage, useWords } from "../words/language.ts";

/** More hazards than these are counted. */
const HAZARDS_SAID = 3;
const REASON_SHOWN = 300;

interface CardFactsProps {
  view: ApprovalView;
  shown: ShownCall;
  /** Why a wider answer is proposed. */
  proposed: string | null;
}

/** Below the thing itself: what is dangerous about it, or what it leaves behind; the agent's own reason. */
export function CardFacts({ view, shown, proposed }: CardFactsProps) {
  const language = useLanguage();
  const home = useHome();
  const words = cardWords[language];
  const { description } = view;
  const hazards = description?.hazards ?? [];
  const { confined } = view;
  const allowing = allowingText(view, language);
  // What it is confined to says what it can change.
  const is_said =
    description === null || hazards.length > 0 || (confined !== null && description.effect === "anything");
  const effect = is_said ? null : effectText(description.effect, language);
  // Of a request for a host it is no reason of the agent's, but the command line.
  const wanted_by = hostWantedBy(view.executor, view.intent.trim(), language);
  const reason = wanted_by === null ? shown.reason.trim() : "";
  const doubt = doubtText(view.judge, language);
  return (
    <>
      {description?.outside === undefined ? null : (
        <p className="outside">
          <VisibleText text={outsideText(description.outside.reason, language)} />
        </p>
      )}
      {view.links.map((line) => (
        <p key={line} className="link">
          <VisibleText text={line} />
        </p>
      ))}
      {hazards.length === 0 ? null : (
        <Hazards
          texts={hazards.map(({ path, ...hazard }) =>
            hazardText(
              path === undefined ? hazard : { ...hazard, path: home === null ? path : shortenHome(path, home) },
              language,
            ),
          )}
        />
      )}
      {wanted_by === null ? null : (
        <p className="quiet confined">
          <VisibleText text={wanted_by} />
        </p>
      )}
      {confined === null ? null : (
        <p className="quiet confined">
          <VisibleText text={confinedParts(confined, home, language).join(" · ")} />
        </p>
      )}
      {allowing === null || view.card.form !== "full" ? null : <p className="quiet confined">{allowing}.</p>}
      {description?.mcp && description.mcp.claims.length > 0 ? (
        <p className="quiet">
          <VisibleText text={words.claims(description.mcp.server, description.mcp.claims)} />
        </p>
      ) : null}
      {doubt === null ? null : (
        <p className="doubt">
          <VisibleText text={doubt} />
        </p>
      )}
      {reason === "" && effect === null && proposed === null ? null : (
        <p className="quiet why">
          {reason === "" ? null : (
            <span className="reason">
              <q>
                <VisibleText text={reason.length > REASON_SHOWN ? `${reason.slice(0, REASON_SHOWN)}…` : reason} />
              </q>
              {" — "}
              <VisibleText text={view.agent_name} />
            </span>
          )}
          {reason !== "" && (effect ?? proposed) !== null ? " · " : null}
          {[effect, proposed].filter((part) => part !== null).join(" · ")}
        </p>
      )}
    </>
  );
}

/** The only red of a card, and only where something is dangerous. The worst first. */
export function Hazards({ texts }: { texts: readonly string[] }) {
  const words = useWords(cardWords);
  const [is_whole, setWhole] = useState(false);
  const said = is_whole ? texts : texts.slice(0, HAZARDS_SAID);
  return (
    <div className="hazards">
      {said.map((text, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two hazards may have the same words
        <p key={index} className="hazard">
          <VisibleText text={text} />
        </p>
      ))}
      {said.length === texts.length ? null : (
        <Button look="plain" size="small" aria-expanded={false} onClick={() => setWhole(true)}>
          {words.andMore(texts.length - said.length)}
        </Button>
      )}
    </div>
  );
}
