import { useEffect } from "react";
import type { ActivityEntry, OpenedDecision as Opened, Reported } from "../../../ipc/contract/activity.ts";
import type { ApprovalStatus, Stage, TraceStep } from "../../../ipc/contract/decision.ts";
import type { Language } from "../../../ipc/contract/language.ts";
import type { Rule } from "../../../ipc/contract/rules.ts";
import { confinedMeaning } from "../../../ipc/words/box-words.ts";
import { priceText } from "../../../ipc/words/price-words.ts";
import { RULE_WORDS } from "../../../ipc/words/rule-words.ts";
import { STAGES } from "../../gate/contract-lists.ts";
import { useQuery } from "../../gate/use-gate.tsx";
import { useHome } from "../../gate/use-home.tsx";
import { Fact, NeededFacts } from "../../parts/Facts.tsx";
import { Failure } from "../../parts/Failure.tsx";
import { NeitherShape, OutcomeShape } from "../../parts/OutcomeShape.tsx";
import { ReviewText } from "../../parts/ReviewText.tsx";
import { Target } from "../../parts/Target.tsx";
import { VisibleText } from "../../parts/VisibleText.tsx";
import { activityWords } from "../../words/activity.ts";
import { useLanguage, useWords } from "../../words/language.ts";
import { ReportMark } from "./ReportMark.tsx";
import { CallFiles } from "./undo/CallFiles.tsx";

/** How one call was decided: why, by which stage, the outcome of each of the others, and what became of it; of an older one what is kept. */
export function OpenedDecision({ entry }: { entry: ActivityEntry }) {
  return (
    <div className="opened-decision">
      <CallFiles entry={entry} />
      {entry.stage === null ? <Kept entry={entry} /> : <Latest entry={entry} />}
    </div>
  );
}

function Latest({ entry: { decision_id, status, reported, line } }: { entry: ActivityEntry }) {
  const { data, error, refresh } = useQuery("activity.open", { decision_id });
  // Loaded again when it was answered.
  useEffect(() => {
    if (status !== undefined) refresh();
  }, [status, refresh]);
  if (data === undefined) return <Failure error={error} />;
  return (
    <>
      <Facts opened={data} reported={reported ?? data.reported} line={line} />
      <Trace trace={data.decision.trace} status={data.decision.status} score={data.decision.verdict?.score} />
    </>
  );
}

/** Why by its rule: the gate's own sentence isn't kept. */
function Kept({ entry: { rule, line, project, capabilities } }: { entry: ActivityEntry }) {
  const words = useWords(activityWords);
  const language = useLanguage();
  const needs = capabilities.map(({ capability }) => capability).join(", ");
  return (
    <>
      <dl className="facts">
        <Fact name={words.line}>
          <Target text={line} />
        </Fact>
        <Fact name={words.reason}>{rule === undefined ? null : RULE_WORDS[language][rule]}</Fact>
        <Fact name={words.needs}>{needs === "" ? null : <span className="mono">{needs}</span>}</Fact>
        <Fact name={words.project}>{project === null ? null : <Target text={project} />}</Fact>
      </dl>
      <p className="quiet">{words.not_kept}</p>
    </>
  );
}

/** The decision on a request that ended, where it is still kept. */
export function DecisionOn({ token }: { token: string }) {
  const words = useWords(activityWords);
  const { data, error } = useQuery("activity.open", { token });
  if (error !== undefined) return <p className="quiet">{words.not_kept}</p>;
  if (data === undefined) return null;
  const { decision } = data;
  return (
    <div className="opened-decision">
      <Trace trace={decision.trace} status={decision.status} score={decision.verdict?.score} />
      <p>
        <a href={`#/activity/${decision.decision_id}`}>{words.seeDecision}</a>
      </p>
    </div>
  );
}

function Facts({ opened, reported, line }: { opened: Opened; reported: Reported | undefined; line: string }) {
  const words = useWords(activityWords);
  const language = useLanguage();
  const { intent, cwd, decision } = opened;
  const { reason, explain, capabilities, verdict, confined, price, retry_after_ms, reviews = [] } = decision;
  const home = useHome();
  return (
    <dl className="facts">
      <Fact name={words.reason}>
        <RuleText rule={explain.rule} sentence={reason} />
      </Fact>
      <Fact name={words.retry} className="figures">
        {retry_after_ms === undefined
          ? null
          : words.retry_after(Math.max(1, Math.ceil(retry_after_ms / 1000)).toLocaleString(language))}
      </Fact>
      {reported === undefined ? null : (
        <Fact name={words.reported}>
          <ReportMark reported={reported} isWhole />
          {reported.state === "unreported" && !reported.ran_other ? null : (
            <span className="quiet"> · {words.reportedNote}</span>
          )}
        </Fact>
      )}
      <Fact name={words.line}>
        <Target text={line} />
      </Fact>
      <Fact name={words.price} className="figures">
        {price === undefined ? null : priceText(price, language)}
      </Fact>
      <Fact name={words.matched}>{explain.matched === undefined ? null : <VisibleText text={explain.matched} />}</Fact>
      <Fact name={words.instead}>{explain.instead === undefined ? null : <VisibleText text={explain.instead} />}</Fact>
      <dt>{words.intent}</dt>
      <dd className={intent === "" ? "quiet" : undefined}>
        {intent === "" ? words.noIntent : <VisibleText text={intent} />}
      </dd>
      <NeededFacts name={words.needs} capabilities={capabilities} />
      <Fact name={words.confined}>
        {confined === undefined ? null : <VisibleText text={confinedMeaning(confined, home, language)} />}
      </Fact>
      <Fact name={words.inFolder}>{cwd === null ? null : <Target text={cwd} />}</Fact>
      {reviews.length === 0 ? null : (
        <>
          <dt>{words.judges}</dt>
          {reviews.map((review, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a decision's reviews never change
            <dd key={index}>
              <ReviewText review={review} />
            </dd>
          ))}
        </>
      )}
      {verdict === null ? null : (
        <Fact name={words.score} className="figures">
          {scoreText(verdict.score, language)} <span className="quiet">({verdict.judge_kind})</span>
        </Fact>
      )}
    </dl>
  );
}

interface TraceProps {
  trace: readonly TraceStep[] | undefined;
  status: ApprovalStatus | undefined;
  /** The judge's, where it was asked. */
  score: number | undefined;
}

function Trace({ trace, status, score }: TraceProps) {
  const words = useWords(activityWords);
  if (trace === undefined) return <p className="quiet">{words.noTrace}</p>;
  const deniedBy = trace.find(({ outcome }) => outcome === "denied")?.stage;
  const reached = new Set(trace.map(({ stage }) => stage));
  const missed = STAGES.filter((stage) => !reached.has(stage));
  return (
    <>
      <h3>{words.stagesTitle}</h3>
      <ol className="trace">
        {trace.map((step) => (
          <li key={step.stage} className={step.outcome}>
            <StepSaid step={step} status={status} />
            <span className="detail">
              <StepDetail step={step} score={score} denied_by={deniedBy} />
            </span>
          </li>
        ))}
      </ol>
      {missed.length === 0 ? null : (
        <p className="quiet">
          {words.notReached}: {missed.map((stage) => words.stages[stage]).join(", ")}
        </p>
      )}
    </>
  );
}

interface StepDetailProps {
  step: TraceStep;
  score: number | undefined;
  denied_by: Stage | undefined;
}

/** By its rule; a stage that passed a call or wasn't asked needs no more than its own words. */
function StepDetail({ step: { stage, outcome, rule, detail }, score, denied_by }: StepDetailProps) {
  const words = useWords(activityWords);
  const language = useLanguage();
  if (rule !== undefined || outcome === "denied") return <RuleText rule={rule} sentence={detail} />;
  if (outcome === "ask") return words.steps.ask;
  if (outcome === "skipped" && denied_by !== undefined) return words.notReached;
  if (stage === "rate" && outcome === "passed") return words.withinLimits;
  if (stage !== "judge" || score === undefined) return words.unruled[stage];
  return `${words.unruled.judge} ${scoreText(score, language)}`;
}

/** The result of the stage `approval`, where there is one: no answer in time is no denial by the operator. */
function StepSaid({ step, status }: { step: TraceStep; status: ApprovalStatus | undefined }) {
  const words = useWords(activityWords);
  const isAnswer = step.stage === "approval" && status !== undefined;
  return (
    <>
      {isAnswer && (status === "expired" || status === "cancelled") ? (
        <NeitherShape />
      ) : (
        <StepShape outcome={step.outcome} />
      )}
      <span className="stage">{words.stages[step.stage]}</span>
      <span className="said">{isAnswer ? words.answers[status] : words.steps[step.outcome]}</span>
    </>
  );
}

function StepShape({ outcome }: { outcome: TraceStep["outcome"] }) {
  if (outcome === "passed") return <OutcomeShape outcome="allowed" />;
  if (outcome === "ask") return <OutcomeShape outcome="approval_required" />;
  return outcome === "denied" ? <OutcomeShape outcome="denied" /> : <NeitherShape />;
}

function scoreText(score: number, language: Language): string {
  return score.toLocaleString(language, { minimumFractionDigits: 2, maximumFractionDigits: 2 });
}

/** What a rule says in the operator's language, then the gate's own sentence, which names what it was about; that alone without a rule. */
function RuleText({ rule, sentence }: { rule: Rule | undefined; sentence: string }) {
  const language = useLanguage();
  if (rule === undefined) return <VisibleText text={sentence} />;
  return (
    <>
      {RULE_WORDS[language][rule]}
      <span className="quiet">
        {" · "}
        <VisibleText text={sentence} />
      </span>
    </>
  );
}
