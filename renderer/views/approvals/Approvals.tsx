import "../../style/views.css";
import "./approvals.css";
import "../agents/agents.css";
import { type ReactNode, useCallback, useRef } from "react";
import { CardStack } from "../../cards/CardStack.tsx";
import { endedText } from "../../cards/EndedStrip.tsx";
import { useQuery } from "../../gate/use-gate.tsx";
import { EmptyState } from "../../parts/EmptyState.tsx";
import { RelativeTime } from "../../parts/RelativeTime.tsx";
import { Segments } from "../../parts/Segments.tsx";
import { VisibleText } from "../../parts/VisibleText.tsx";
import { goTo } from "../../window/route.ts";
import type { ViewProps } from "../../window/view-props.ts";
import { approvalsWords } from "../../words/approvals.ts";
import { judgeWords } from "../../words/judges.ts";
import { useLanguage, useWords } from "../../words/language.ts";
import { HowToConnect } from "../agents/Connecting.tsx";
import { History } from "./History.tsx";
import { RefusalCard } from "./RefusalCard.tsx";

const HISTORY = "history";

/** Requests that wait for an answer, and the history of the rest. `rest`: a waiting request's token, or `history`. */
export default function Approvals({ rest }: ViewProps) {
  const words = useWords(approvalsWords);
  const shown = rest === HISTORY ? "history" : "waiting";
  return (
    <div className={shown === "history" ? "place" : "place approvals"}>
      <div className="place-head">
        <h1>{words.title}</h1>
        <Segments
          legend={words.title}
          items={[
            { value: "waiting", label: words.waiting },
            { value: "history", label: words.history },
          ]}
          chosen={shown}
          onChoose={(value) => goTo(value === "history" ? `approvals/${HISTORY}` : "approvals")}
        />
      </div>
      {shown === "history" ? (
        <History />
      ) : (
        <>
          <CardStack nothing={<FirstSteps />} pointedAt={rest} gone={<EndedRequest token={rest} />} />
          <RefusedCalls />
        </>
      )}
    </div>
  );
}

/** How a request ended that an address still names. */
function EndedRequest({ token }: { token: string }) {
  const words = useWords(approvalsWords);
  const language = useLanguage();
  const { data } = useQuery("approvals.history", { token, offset: 0, limit: 1 });
  if (data === undefined) return null;
  const [view] = data.approvals;
  return (
    <p className="ended" role="status">
      {view === undefined ? (
        words.unknownRequest
      ) : (
        <>
          <VisibleText text={endedText(view, "before", language)} />
          {", "}
          <RelativeTime at={view.decision_at ?? view.expires_at} />
        </>
      )}{" "}
      <a href="#/approvals/history">{words.seeHistory}</a>
    </p>
  );
}

/** More at once would hide what waits: the older ones are counted. */
const MOST = 20;

/** What was refused lately, newest first: below everything that waits, as none of it waits for an answer. */
function RefusedCalls() {
  const words = useWords(judgeWords);
  const { data, refresh } = useQuery("reviews.list", {});
  const list = useRef<HTMLElement>(null);
  const onDismissed = useCallback(() => {
    refresh();
    // The button that had the focus goes with its card.
    const next = list.current?.querySelectorAll<HTMLElement>("[data-dismiss]");
    const other = [...(next ?? [])].find((button) => button !== document.activeElement);
    (other ?? list.current)?.focus({ preventScroll: true });
  }, [refresh]);
  const refused = data?.refused ?? [];
  if (refused.length === 0) return null;
  return (
    <section ref={list} className="refused-calls" aria-labelledby="refused-calls" tabIndex={-1}>
      <div>
        <h2 id="refused-calls">{words.refusals}</h2>
        <p className="quiet">{words.refusalsNote}</p>
      </div>
      {refused.slice(0, MOST).map((refusal) => (
        <RefusalCard key={refusal.id} refusal={refusal} onDismissed={onDismissed} />
      ))}
      {refused.length > MOST ? <p className="quiet">{words.andMore(refused.length - MOST)}</p> : null}
    </section>
  );
}

/** Where nothing waits: the way to the first answer, with what is done of it; afterwards, that nothing waits. */
function FirstSteps() {
  const words = useWords(approvalsWords);
  const { data: agents } = useQuery("agents.list", {});
  const { data: answered } = useQuery("approvals.history", { answered: true, offset: 0, limit: 1 });
  if (agents === undefined || answered === undefined) return null;
  const hasAgent = agents.agents.some(({ revoked_at }) => revoked_at === null);
  const hasAnswered = answered.total > 0;
  if (hasAgent && hasAnswered) return <EmptyState title={words.nothing}>{words.nothingNext}</EmptyState>;
  return (
    <div className="first-steps">
      <h2>{hasAgent ? words.nothing : words.noAgent}</h2>
      <ol>
        <Step isDone title={words.steps.runs} />
        <Step isDone={hasAgent} title={words.steps.connected}>
          {hasAgent ? null : <HowToConnect />}
        </Step>
        <Step isDone={hasAnswered} title={words.steps.answered}>
          {hasAgent && !hasAnswered ? <p className="quiet">{words.steps.answeredNext}</p> : null}
        </Step>
      </ol>
    </div>
  );
}

function Step({ isDone, title, children }: { isDone: boolean; title: string; children?: ReactNode }) {
  const words = useWords(approvalsWords);
  return (
    <li className={isDone ? "step done" : "step"}>
      <svg viewBox="0 0 18 18" width="18" height="18" aria-hidden="true">
        <circle cx="9" cy="9" r="7.5" />
        {isDone ? <path d="M5.5 9.5l2.5 2.5 4.5-5.5" /> : null}
      </svg>
      <div>
        <p>
          {title}
          <span className="unseen">, {isDone ? words.steps.done : words.steps.open}</span>
        </p>
        {children}
      </div>
    </li>
  );
}
