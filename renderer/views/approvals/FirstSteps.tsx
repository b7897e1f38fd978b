import type { ReactNode } from "react";
import { useQuery } from "../../gate/use-gate.tsx";
import { EmptyState } from "../../parts/EmptyState.tsx";
import { approvalsWords } from "../../words/approvals.ts";
import { useWords } from "../../words/language.ts";
import { HowToConnect } from "../agents/Connecting.tsx";
import "../agents/agents.css";

/** Where nothing waits: the way to the first answer, with what is done of it; afterwards, that nothing waits. */
export function FirstSteps() {
  const words = useWords(approvalsWords);
  const { data: agents } = useQuery("agents.list", {});
  const { data: answered } = useQuery("approvals.history", { answered: true, offset: 0, limit: 1 });
  if (agents === undefined || answered === undefined) return null;
  const has_agent = agents.agents.some(({ revoked_at }) => revoked_at === null);
  const has_answered = answered.total > 0;
  if (has_agent && has_answered) return <EmptyState title={words.nothing}>{words.nothingNext}</EmptyState>;
  return (
    <div className="first-steps">
      <h2>{has_agent ? words.nothing : words.noAgent}</h2>
      <ol>
        <Step isDone title={words.steps.runs} />
        <Step isDone={has_agent} title={words.steps.connected}>
          {has_agent ? null : <HowToConnect />}
        </Step>
        <Step isDone={has_answered} title={words.steps.answered}>
          {has_agent && !has_answered ? <p className="quiet">{words.steps.answered_next}</p> : null}
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
