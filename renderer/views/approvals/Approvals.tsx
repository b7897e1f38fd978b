import { CardStack } from "../../cards/CardStack.tsx";
import { Segments } from "../../parts/Segments.tsx";
import { goTo } from "../../window/route.ts";
import type { ViewProps } from "../../window/view-props.ts";
import { approvalsWords } from "../../words/approvals.ts";
import { useWords } from "../../words/language.ts";
import { EndedRequest } from "./EndedRequest.tsx";
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
