import { CardStack } from "../../cards/CardStack.tsx";
import { endedText } from "../../cards/EndedStrip.tsx";
import { useQuery } from "../../gate/use-gate.tsx";
import { RelativeTime } from "../../parts/RelativeTime.tsx";
import { Segments } from "../../parts/Segments.tsx";
import { VisibleText } from "../../parts/VisibleText.tsx";
import { goTo } from "../../window/route.ts";
import type { ViewProps } from "../../window/view-props.ts";
import { approvalsWords } from "../../words/approvals.ts";
import { useLanguage, useWords } from "../../words/language.ts";
import { FirstSteps } from "./FirstSteps.tsx";
import { History } from "./History.tsx";
import { RefusedCalls } from "./RefusedCalls.tsx";
import "../../style/views.css";
import "./approvals.css";

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
          <CardStack nothing={<FirstSteps />} pointed_at={rest} gone={<EndedRequest token={rest} />} />
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
