import { type ReactNode, useMemo } from "react";
import type { DescribedChange } from "../../ipc/contract/description.ts";
import type { LineRisk } from "../../ipc/contract/hazards.ts";
import type { ApprovalView } from "../../ipc/contract/operator-api.ts";
import type { CardFacts } from "../../ipc/words/card-facts.ts";
import { toolStateText } from "../../ipc/words/mcp-words.ts";
import { SeenMark } from "../parts/SeenMark.tsx";
import { VisibleText } from "../parts/VisibleText.tsx";
import { type CardWords, cardWords } from "../words/cards.ts";
import { useLanguage, useWords } from "../words/language.ts";
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

/** Directly above the thing itself: that it leaves its box, where its names lead, what is dangerous about it, which lines are marked. */
export function CardWarnings({ view, facts }: Pick<CardNotesProps, "view" | "facts">) {
  const words = useWords(cardWords);
  const risks = useMemo(() => riskTexts(view, words), [view, words]);
  return (
    <>
      <Warnings view={view} outside={facts.outside} />
      {risks.slice(0, RISKS_SAID).map((text) => (
        <p key={text} className="has-changed risk">
          <VisibleText text={text} />
        </p>
      ))}
      {risks.length > RISKS_SAID ? <p className="quiet">{words.andMore(risks.length - RISKS_SAID)}</p> : null}
      <Hazards hazards={facts.hazards} />
      <SeenCalls view={view} />
    </>
  );
}

/** The calls by which its session has seen what the first line says: each opens in Activity. */
function SeenCalls({ view: { description } }: Pick<CardNotesProps, "view">) {
  const hazard = description?.hazards.find(({ read, came }) => read !== undefined || came !== undefined);
  const seen = (["private", "untrusted"] as const).flatMap((mark) => {
    const by = mark === "private" ? hazard?.read : hazard?.came;
    // By this very call: there is nothing else to open.
    return by === undefined || by.decision_id === "" ? [] : [{ mark, by }];
  });
  if (seen.length === 0) return null;
  return (
    <p className="seen-calls">
      {seen.map(({ mark, by }) => (
        <SeenMark key={mark} mark={mark} by={by} />
      ))}
    </p>
  );
}

const RISKS_SAID = 2;

/** `Sends a secret (line 42)`; of several files with the file's name. */
function riskTexts({ description }: ApprovalView, words: CardWords): string[] {
  const changes = description?.changes ?? [];
  return changes.flatMap((change) => {
    const file = changes.length > 1 ? change.path.slice(change.path.lastIndexOf("/") + 1) : "";
    const marked = Map.groupBy(markedLines(change), ({ risk }) => risk);
    return [...marked].map(([risk, lines]) =>
      words.risks[risk](
        words.atLines(
          file,
          lines.flatMap(({ number }) => number ?? []),
        ),
      ),
    );
  });
}

function markedLines({ hunks }: DescribedChange): { risk: LineRisk; number: number | null }[] {
  return hunks.flatMap(({ lines, new_start }) => {
    let number = new_start;
    return lines.flatMap(({ kind, risk }) => {
      const here = number;
      if (kind !== "removed" && number !== null) number++;
      return risk === undefined ? [] : [{ risk, number: here }];
    });
  });
}

/** Below the thing itself: what it is confined to, then one line of facts. */
export function CardNotes({ view, facts, proposed }: CardNotesProps) {
  const language = useLanguage();
  const words = cardWords[language];
  const { description } = view;
  const { wantedBy, confined, line, effect, judged, reason } = facts;
  const price = facts.price === null ? null : words.costs(facts.price);
  const saidOf = view.mcp?.state === "looks" ? toolStateText(view.mcp, language) : null;
  const said = [saidOf, effect, price, proposed].filter((part) => part !== null);
  return (
    <>
      {wantedBy === null ? null : (
        <p className="quiet">
          <VisibleText text={wantedBy} />
        </p>
      )}
      {confined.length === 0 ? null : (
        <p className="confined">
          <Shield />
          <VisibleText text={confined.join(" · ")} />
        </p>
      )}
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
      <QuietLine line={line} said={said}>
        {reason === "" ? null : (
          <span className="reason">
            <q>
              <VisibleText text={reason.length > REASON_SHOWN ? `${reason.slice(0, REASON_SHOWN)}…` : reason} />
            </q>
            {" — "}
            <VisibleText text={view.agent_name} />
          </span>
        )}
      </QuietLine>
    </>
  );
}

/** What it does and where it goes, what it leaves behind, and why: one line. */
export function QuietLine({
  line,
  said,
  children = null,
}: {
  line: CardFacts["line"];
  said: readonly string[];
  children?: ReactNode;
}) {
  if (line.length === 0 && said.length === 0 && children === null) return null;
  return (
    <p className="quiet why">
      {line.map(({ text, look }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a line never change places
        <span key={index} className={look === undefined ? undefined : `to-${look}`}>
          <VisibleText text={text} />
        </span>
      ))}
      {line.length > 0 && said.length > 0 ? " · " : null}
      {said.join(" · ")}
      {children !== null && (line.length > 0 || said.length > 0) ? " · " : null}
      {children}
    </p>
  );
}

/** The good news of a confined call. */
function Shield() {
  return (
    <svg className="shield" viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
      <path d="M8 1.5 13.5 3.5v4c0 3.3-2.3 5.7-5.5 7-3.2-1.3-5.5-3.7-5.5-7v-4z" />
      <path d="m5.5 8 1.8 1.8 3.2-3.6" />
    </svg>
  );
}
