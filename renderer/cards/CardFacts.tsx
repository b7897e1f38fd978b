import type { ApprovalView } from "../../ipc/contract/operator-api.ts";
import { allowingText, confinedParts, hostWantedBy, outsideText } from "../../ipc/words/box-words.ts";
import { effectText } from "../../ipc/words/hazard-words.ts";
import { judgesSaid } from "../../ipc/words/judge-words.ts";
import { toolStateText } from "../../ipc/words/mcp-words.ts";
import { priceText } from "../../ipc/words/price-words.ts";
import type { ShownCall } from "../../ipc/words/shown-call.ts";
import { userWordsLine } from "../../ipc/words/user-words.ts";
import { useHome } from "../gate/use-home.tsx";
import { VisibleText } from "../parts/VisibleText.tsx";
import { cardWords } from "../words/cards.ts";
import { useLanguage } from "../words/language.ts";
import { Hazards } from "./Hazards.tsx";

/** More judges than these are counted: all of them are in the details. */
export const JUDGES_SAID = 3;
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
  const price = view.price === null ? null : words.costs(priceText(view.price, language));
  const said_of = view.mcp?.state === "looks" ? toolStateText(view.mcp, language) : null;
  const quiet = [said_of, effect, price, proposed].filter((part) => part !== null);
  // Of a request for a host it is no reason of the agent's, but the command line.
  const wanted_by = hostWantedBy(view.executor, view.intent.trim(), language);
  const reason = wanted_by === null ? shown.reason.trim() : "";
  const judged = judgesSaid(view, language);
  const asked = userWordsLine(view, language);
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
      {view.hints.map((line) => (
        <p key={line} className="quiet">
          {line}
        </p>
      ))}
      {hazards.length === 0 ? null : <Hazards hazards={hazards} />}
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
      {judged.slice(0, JUDGES_SAID).map(({ text, is_doubt }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two judges may say the same
        <p key={index} className={is_doubt ? "doubt" : "quiet judged"}>
          <VisibleText text={text} />
        </p>
      ))}
      {judged.length > JUDGES_SAID ? (
        <p className="quiet judged">{words.andMore(judged.length - JUDGES_SAID)}</p>
      ) : null}
      {asked === null ? null : (
        <p className="quiet you-asked">
          <VisibleText text={asked.label} />{" "}
          <q>
            <VisibleText text={asked.text} />
          </q>
        </p>
      )}
      {reason === "" && quiet.length === 0 ? null : (
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
          {reason !== "" && quiet.length > 0 ? " · " : null}
          {quiet.join(" · ")}
        </p>
      )}
    </>
  );
}
