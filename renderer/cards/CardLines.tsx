import type { ReactNode } from "react";
import type { ApprovalView } from "../../ipc/operator-api.ts";
import { VisibleText } from "../parts/VisibleText.tsx";
import { CountdownText } from "./Countdown.tsx";

/** The card's three, two or one required lines. They are the gate's words, never the agent's. */
export function CardLines({ view, title_id }: { view: ApprovalView; title_id: string }) {
  const { form, lines } = view.card;
  const [question = "", ...rest] = lines;
  return (
    <>
      <header className="head">
        <h2 id={title_id} className="question">
          {form === "full" ? <VisibleText text={question} /> : <WithMeta text={question} view={view} />}
        </h2>
        <p className="who">
          <span className="agent">
            <VisibleText text={view.agent_name} />
          </span>
          {view.subagent === null ? null : (
            <span className="subagent">
              {" ("}
              <VisibleText text={view.subagent} />)
            </span>
          )}
          <span aria-hidden="true"> · </span>
          <CountdownText token={view.token} created_at={view.created_at} expires_at={view.expires_at} />
        </p>
      </header>
      {rest.map((line, index) =>
        form === "full" && index === rest.length - 1 ? (
          <p key={line} className="meta">
            <Meta text={line} view={view} />
          </p>
        ) : (
          <p key={line} className="object">
            <VisibleText text={line} />
          </p>
        ),
      )}
    </>
  );
}

/** A smaller form's first line: the classification is in it, in brackets, less prominent than the question. */
function WithMeta({ text, view }: { text: string; view: ApprovalView }): ReactNode {
  const cut = view.card.form === "medium" ? text.indexOf(" (") : text.lastIndexOf(" [");
  if (cut < 0) return <VisibleText text={text} />;
  return (
    <>
      <VisibleText text={text.slice(0, cut)} />
      <span className="inline-meta">
        <Meta text={text.slice(cut)} view={view} />
      </span>
    </>
  );
}

/** `irreversible | class: ...`: what can't be undone is the only red on a card. */
function Meta({ text, view }: { text: string; view: ApprovalView }): ReactNode {
  const cut = text.indexOf(" | ");
  if (view.reversibility !== "irreversible" || cut < 0) return <VisibleText text={text} />;
  const opens = /^ ?[[(]?/.exec(text)?.[0] ?? "";
  return (
    <>
      {opens}
      <strong className="irreversible">
        <VisibleText text={text.slice(opens.length, cut)} />
      </strong>
      <VisibleText text={text.slice(cut)} />
    </>
  );
}
