import { useId } from "react";
import type { ApprovalView } from "../../../ipc/contract/operator-api.ts";
import { confinedMark, toolText } from "../../../ipc/words/box-words.ts";
import { repeatedText } from "../../../ipc/words/call-words.ts";
import { priceText } from "../../../ipc/words/price-words.ts";
import { RULE_WORDS } from "../../../ipc/words/rule-words.ts";
import { SURFACE_WORDS } from "../../../ipc/words/surface-words.ts";
import { AgentLink } from "../../parts/AgentLink.tsx";
import { Fact, NeededFacts } from "../../parts/Facts.tsx";
import { Moment } from "../../parts/RelativeTime.tsx";
import { Target } from "../../parts/Target.tsx";
import { VisibleText } from "../../parts/VisibleText.tsx";
import { approvalsWords } from "../../words/approvals.ts";
import { useLanguage, useWords } from "../../words/language.ts";
import "../activity/activity.css";
import { DecisionOn } from "../activity/OpenedDecision.tsx";
import { type EndedView, whatItWas } from "./export-history.ts";

interface HistoryRowProps {
  view: EndedView;
  isOpen: boolean;
  onToggle(): void;
}

/** One request that ended; pressed, it opens to what is kept of it, and to its decision. */
export function HistoryRow({ view, isOpen, onToggle }: HistoryRowProps) {
  const words = useWords(approvalsWords);
  const language = useLanguage();
  const id = useId();
  const { status, territory_concession: territory } = view;
  if (status === "pending") return null;
  return (
    <>
      <tr className={isOpen ? "open" : undefined}>
        <td className="when">
          <Moment at={view.decision_at ?? view.expires_at} seconds />
        </td>
        <td className="who">
          <AgentLink name={view.agent_name} />
        </td>
        <td className="what">
          <button type="button" aria-expanded={isOpen} aria-controls={isOpen ? id : undefined} onClick={onToggle}>
            <VisibleText text={whatItWas(view)} />
          </button>
          <EndReason view={view} />
        </td>
        <td className="outcome">
          {words.outcome[status]}
          {status === "approved" ? <span className="quiet">, {words.territory[territory]}</span> : null}
          {view.confined === null ? null : <span className="quiet">, {confinedMark(language)}</span>}
          {view.decision_surface === null ? null : (
            <span className="quiet">, {SURFACE_WORDS[language][view.decision_surface]}</span>
          )}
        </td>
      </tr>
      {isOpen ? (
        <tr className="opened">
          <td colSpan={4} id={id}>
            <OpenedRequest view={view} />
          </td>
        </tr>
      ) : null}
    </>
  );
}

/** The user's or the agent's own words; for what the gate withdrew, why. */
function EndReason({ view: { message, withdrawn } }: { view: ApprovalView }) {
  const language = useLanguage();
  if (withdrawn !== null && withdrawn !== "approval.withdrawn")
    return <p className="quiet">{RULE_WORDS[language][withdrawn]}</p>;
  if (message === null || message === "") return null;
  return (
    <p className="quiet">
      <VisibleText text={message} />
    </p>
  );
}

function OpenedRequest({ view }: { view: ApprovalView }) {
  const language = useLanguage();
  const words = useWords(approvalsWords);
  const { token, executor, capabilities, cwd, created_at, decision_at, price, repeated } = view;
  return (
    <div className="opened-request">
      <dl className="facts">
        <Fact name={words.facts.asked}>
          <Moment at={created_at} seconds />
        </Fact>
        <Fact name={words.facts.ended}>{decision_at === null ? null : <Moment at={decision_at} seconds />}</Fact>
        <Fact name={words.facts.why}>{repeated === null ? null : repeatedText(repeated, language)}</Fact>
        <Fact name={words.facts.price} className="figures">
          {price === null ? null : priceText(price, language)}
        </Fact>
        <Fact name={words.facts.tool}>
          <VisibleText text={toolText(executor, language)} />
        </Fact>
        <NeededFacts name={words.facts.needs} capabilities={capabilities} />
        <Fact name={words.facts.folder}>{cwd === null ? null : <Target text={cwd} />}</Fact>
      </dl>
      <DecisionOn token={token} />
    </div>
  );
}
