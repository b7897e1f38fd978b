import type { ApprovalView } from "../../ipc/contract/operator-api.ts";
import type { CardFacts } from "../../ipc/words/card-facts.ts";
import { toolStateText } from "../../ipc/words/mcp-words.ts";
import { VisibleText } from "../parts/VisibleText.tsx";
import { cardWords } from "../words/cards.ts";
import { useLanguage } from "../words/language.ts";
import { Hazards } from "./Hazards.tsx";

/** More judges than these are counted: all of them are in the details. */
export const JUDGES_SAID = 3;
const REASON_SHOWN = 300;

interface CardNotesProps {
  view: ApprovalView;
  facts: CardFacts;
  /** Why a wider answer is proposed. */
  proposed: string | null;
}

/** That it asks to run outside its box, where its names lead, and what there is to know of its client. */
export function Warnings({ view, outside }: { view: ApprovalView; outside: CardFacts["outside"] }) {
  return (
    <>
      {outside === null ? null : (
        <p className="outside">
          <VisibleText text={outside} />
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
    </>
  );
}

/** Below the thing itself: what is dangerous about it, or what it leaves behind; the agent's own reason. */
export function CardNotes({ view, facts, proposed }: CardNotesProps) {
  const language = useLanguage();
  const words = cardWords[language];
  const { description } = view;
  const { hazards, outside, wantedBy, confined, allowing, effect, judged, asked, reason } = facts;
  const price = facts.price === null ? null : words.costs(facts.price);
  const saidOf = view.mcp?.state === "looks" ? toolStateText(view.mcp, language) : null;
  const quiet = [saidOf, effect, price, proposed].filter((part) => part !== null);
  return (
    <>
      <Warnings view={view} outside={outside} />
      <Hazards hazards={hazards} />
      {wantedBy === null ? null : (
        <p className="quiet confined">
          <VisibleText text={wantedBy} />
        </p>
      )}
      {confined.length === 0 ? null : (
        <p className="quiet confined">
          <VisibleText text={confined.join(" · ")} />
        </p>
      )}
      {allowing === null ? null : <p className="quiet confined">{allowing}.</p>}
      {description?.mcp && description.mcp.claims.length > 0 ? (
        <p className="quiet">
          <VisibleText text={words.claims(description.mcp.server, description.mcp.claims)} />
        </p>
      ) : null}
      {judged.slice(0, JUDGES_SAID).map(({ text, isDoubt }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two judges may say the same
        <p key={index} className={isDoubt ? "doubt" : "quiet judged"}>
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
