import { endedText } from "../../cards/EndedStrip.tsx";
import { useQuery } from "../../gate/use-gate.tsx";
import { RelativeTime } from "../../parts/RelativeTime.tsx";
import { VisibleText } from "../../parts/VisibleText.tsx";
import { approvalsWords } from "../../words/approvals.ts";
import { useLanguage, useWords } from "../../words/language.ts";

/** How a request ended that an address still names. */
export function EndedRequest({ token }: { token: string }) {
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
