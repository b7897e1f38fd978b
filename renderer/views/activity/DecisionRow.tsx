import { useId } from "react";
import { shortened, visible } from "../../../ipc/base/visible-text.ts";
import type { ActivityEntry } from "../../../ipc/contract/activity.ts";
import type { Language } from "../../../ipc/contract/language.ts";
import { confinedMark, toolText } from "../../../ipc/words/box-words.ts";
import { resultText } from "../../../ipc/words/result-words.ts";
import { useQuery } from "../../gate/use-gate.tsx";
import { NeitherShape, OutcomeShape } from "../../parts/OutcomeShape.tsx";
import { Moment } from "../../parts/RelativeTime.tsx";
import { type SeenAs, SeenLetter } from "../../parts/SeenMark.tsx";
import { Target } from "../../parts/Target.tsx";
import { VisibleText } from "../../parts/VisibleText.tsx";
import { useLanguage } from "../../words/language.ts";
import { OpenedDecision } from "./OpenedDecision.tsx";
import { ReportMark, reportedText } from "./ReportMark.tsx";

interface DecisionRowProps {
  entry: ActivityEntry;
  /** Of what was asked for, in characters. */
  width: number;
  isOpen: boolean;
  onToggle(): void;
}

const MOST_OF_TOOL = 28;

/**
 * What it was: a line's first word, then the others. Of one whose line says no more than its tool, as what it touches is outside of a
 * project, that, for as long as the gate knows it.
 */
function saidOf({ line, executor, capabilities }: ActivityEntry, language: Language): { tool: string; rest: string } {
  const [first = ""] = line.split(" ", 1);
  const target = capabilities[0]?.target ?? "";
  const saysNothing = first === executor && /^…?$/.test(line.slice(first.length).trim());
  if (saysNothing && !["", "*", executor].includes(target)) return { tool: toolText(executor, language), rest: target };
  return { tool: first === executor ? toolText(executor, language) : first, rest: line.slice(first.length).trim() };
}

/** One decision on one line; pressed, it opens to what every stage said. */
export function DecisionRow({ entry, width, isOpen, onToggle }: DecisionRowProps) {
  const language = useLanguage();
  const id = useId();
  const { tool, rest } = saidOf(entry, language);
  const shownTool = shortened(tool, MOST_OF_TOOL);
  const mark = entry.is_confined ? confinedMark(language) : "";
  const report = entry.reported === undefined ? "" : reportedText(entry.reported, language);
  const beside = [shownTool, mark, report];
  const left = width - beside.reduce((sum, text) => sum + text.length, 0) - (report === "" ? 4 : 8);
  return (
    <li className={isOpen ? "decision open" : "decision"}>
      <button type="button" aria-expanded={isOpen} aria-controls={isOpen ? id : undefined} onClick={onToggle}>
        <Decided entry={entry} />
        <span className="what">
          <b className="mono" title={visible(tool)}>
            <VisibleText text={shownTool} />
          </b>
          {rest === "" ? null : <Target text={rest} width={Math.max(12, left)} />}
          {mark === "" ? null : <span className="quiet confined">{mark}</span>}
          {entry.reported === undefined ? null : <ReportMark reported={entry.reported} />}
          <SeenLetters entry={entry} />
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
          <OpenedDecision entry={entry} />
        </div>
      ) : null}
    </li>
  );
}

/** What it meant for its session, where it is what set a mark last, or was asked about for one. */
function SeenLetters({ entry: { decision_id, rule } }: { entry: ActivityEntry }) {
  const { data } = useQuery("sessions.list", {});
  const marks = (data ?? []).flatMap((one) =>
    (["private", "untrusted"] as const).filter((mark) => one[mark]?.decision_id === decision_id),
  );
  return [...new Set<SeenAs>([...marks, ...(rule?.startsWith("flow.") === true ? (["out"] as const) : [])])].map(
    (mark) => <SeenLetter key={mark} mark={mark} />,
  );
}

/** The outcome; where the operator was asked, how that ended. No answer in time is no denial by the operator. */
function Decided({ entry: { outcome, result } }: { entry: ActivityEntry }) {
  const language = useLanguage();
  return (
    <span className="decided">
      {result === "unanswered" ? <NeitherShape /> : <OutcomeShape outcome={outcome} />}
      {resultText(result, language)}
    </span>
  );
}
