import { useId } from "react";
import { shortened, visible } from "../../../ipc/base/visible-text.ts";
import type { ActivityEntry } from "../../../ipc/contract/activity.ts";
import { confinedMark, toolText } from "../../../ipc/words/box-words.ts";
import { NeitherShape, OutcomeShape } from "../../parts/OutcomeShape.tsx";
import { Moment } from "../../parts/RelativeTime.tsx";
import { Target } from "../../parts/Target.tsx";
import { VisibleText } from "../../parts/VisibleText.tsx";
import { activityWords } from "../../words/activity.ts";
import { useLanguage, useWords } from "../../words/language.ts";
import { namesWords } from "../../words/names.ts";
import { OpenedDecision } from "./OpenedDecision.tsx";
import { ReportMark, reportedText } from "./ReportMark.tsx";

interface DecisionRowProps {
  entry: ActivityEntry;
  /** Of what was asked for, in characters. */
  width: number;
  isOpen: boolean;
  onToggle(): void;
}

const MOST_OF_EXECUTOR = 28;

/** One decision on one line; pressed, it opens to what every stage said. */
export function DecisionRow({ entry, width, isOpen, onToggle }: DecisionRowProps) {
  const words = useWords(activityWords);
  const language = useLanguage();
  const id = useId();
  const [first, ...more] = entry.capabilities;
  const executor = shortened(toolText(entry.executor, language), MOST_OF_EXECUTOR);
  const moreText = more.length > 0 ? words.moreTargets(more.length) : "";
  const mark = entry.is_confined ? confinedMark(language) : "";
  const report = entry.reported === undefined ? "" : reportedText(entry.reported, language);
  const beside = [executor, first?.capability ?? "", moreText, mark, report];
  const left = width - beside.reduce((sum, text) => sum + text.length, 0) - (report === "" ? 4 : 8);
  return (
    <li className={isOpen ? "decision open" : "decision"}>
      <button type="button" aria-expanded={isOpen} aria-controls={isOpen ? id : undefined} onClick={onToggle}>
        <Decided entry={entry} />
        <span className="what">
          <b title={visible(toolText(entry.executor, language))}>
            <VisibleText text={executor} />
          </b>
          {first === undefined ? (
            <span className="quiet">{words.noCapability}</span>
          ) : (
            <>
              <span className="mono">{first.capability}</span> <Target text={first.target} width={Math.max(12, left)} />
            </>
          )}
          {moreText === "" ? null : <span className="quiet">{moreText}</span>}
          {mark === "" ? null : <span className="quiet confined">{mark}</span>}
          {entry.reported === undefined ? null : <ReportMark reported={entry.reported} />}
        </span>
        <span className="who">
          <VisibleText text={entry.agent_name} />
        </span>
        <span className="when">
          <Moment at={new Date(entry.ts * 1000).toISOString()} seconds />
        </span>
      </button>
      {isOpen ? (
        <div id={id}>
          <OpenedDecision decision_id={entry.decision_id} status={entry.status} reported={entry.reported} />
        </div>
      ) : null}
    </li>
  );
}

/** The outcome; where the operator was asked, how that ended. No answer in time is no denial by the operator. */
function Decided({ entry: { outcome, status } }: { entry: ActivityEntry }) {
  const words = useWords(activityWords);
  const names = useWords(namesWords);
  return (
    <span className="decided">
      {status === "expired" || status === "cancelled" ? <NeitherShape /> : <OutcomeShape outcome={outcome} />}
      {status === undefined ? names.decided[outcome] : words.afterAsking[status]}
    </span>
  );
}
