import { useId } from "react";
import type { ActivityEntry } from "../../../ipc/activity.ts";
import { shortened, visible } from "../../../ipc/visible-text.ts";
import { VisibleText } from "../../parts/Mono.tsx";
import { DecidedMark } from "../../parts/OutcomeShape.tsx";
import { RelativeTime } from "../../parts/RelativeTime.tsx";
import { activityWords } from "../../words/activity.ts";
import { useWords } from "../../words/language.ts";
import { OpenedDecision } from "./OpenedDecision.tsx";

interface DecisionRowProps {
  entry: ActivityEntry;
  isOpen: boolean;
  onToggle(): void;
}

/** One decision on one line; pressed, it opens to what every stage said. */
export function DecisionRow({ entry, isOpen, onToggle }: DecisionRowProps) {
  const words = useWords(activityWords);
  const id = useId();
  const [first, ...more] = entry.capabilities;
  return (
    <li className={isOpen ? "decision open" : "decision"}>
      <button type="button" aria-expanded={isOpen} aria-controls={isOpen ? id : undefined} onClick={onToggle}>
        <DecidedMark outcome={entry.outcome} />
        <span className="what">
          <span className="executor">
            <VisibleText text={shortened(entry.executor, 40)} />
          </span>{" "}
          {first === undefined ? (
            <span className="quiet">{words.no_capability}</span>
          ) : (
            <span className="mono" title={visible(first.target)}>
              {first.capability} <VisibleText text={shortened(first.target, 44)} />
            </span>
          )}
          {more.length > 0 ? <span className="quiet"> {words.more_targets(more.length)}</span> : null}
        </span>
        <span className="who">
          <VisibleText text={entry.agent_name} />
        </span>
        <span className="when">
          <RelativeTime at={new Date(entry.ts * 1000).toISOString()} />
        </span>
      </button>
      {entry.status === undefined ? null : <span className="quiet status">{words.after_asking[entry.status]}</span>}
      {isOpen ? (
        <div id={id}>
          <OpenedDecision decision_id={entry.decision_id} status={entry.status} />
        </div>
      ) : null}
    </li>
  );
}
