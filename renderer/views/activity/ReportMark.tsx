import type { Reported } from "../../../ipc/contract/activity.ts";
import type { Language } from "../../../ipc/contract/language.ts";
import { NeitherShape } from "../../parts/OutcomeShape.tsx";
import { activityWords } from "../../words/activity.ts";
import { useLanguage } from "../../words/language.ts";

interface ReportMarkProps {
  reported: Reported;
  /** In a sentence of its own, not in a row. */
  isWhole?: boolean;
}

/** What the agent said became of its call: a tick, a cross or a dash, and the word. One that ran other than allowed is marked as that first. */
export function ReportMark({ reported, isWhole = false }: ReportMarkProps) {
  const language = useLanguage();
  const words = activityWords[language];
  const { state, ran_other, tried_more } = reported;
  const whole = wholeText(reported, language);
  const short = reportedText(reported, language);
  const shape = ran_other || tried_more ? "failed" : state;
  return (
    <span className={`report ${shape}`} title={isWhole ? undefined : `${words.reported}: ${whole}`}>
      {shape === "unreported" ? <NeitherShape /> : <ReportShape state={shape} />}
      {isWhole ? whole : short}
      {!isWhole && short === "" ? <span className="unseen">{whole}</span> : null}
    </span>
  );
}

/** As a row says it: `worked`; "" where nothing was reported. */
export function reportedText({ state, ran_other, tried_more, changed_later }: Reported, language: Language): string {
  const words = activityWords[language];
  if (changed_later && !ran_other) return words.changedLaterShort;
  if (tried_more && !ran_other) return words.triedMoreShort;
  return ran_other ? words.ranOtherShort : words.reportShort[state];
}

/** `it worked, after 1.2 s, took 0.9 s; it tried more than its command says, and could not` */
function wholeText(reported: Reported, language: Language): string {
  const { state, ms, duration_ms, ran_other, tried_more, changed_later } = reported;
  const words = activityWords[language];
  const took = lengthOf(duration_ms ?? null, language);
  const after = lengthOf(ms, language);
  const parts = [
    ran_other ? words.ran_other : "",
    (ran_other || tried_more || changed_later) && state === "unreported" ? "" : words.report[state],
    after === "" ? "" : words.after(after),
    took === "" ? "" : words.took(took),
  ];
  const said = parts.filter((text) => text !== "").join(", ");
  const more = [tried_more ? words.tried_more : "", changed_later ? words.changed_later : ""];
  return [said, ...more].filter((text) => text !== "").join("; ");
}

function ReportShape({ state }: { state: "ok" | "failed" }) {
  return (
    <svg className={state === "ok" ? "tick" : "cross"} viewBox="0 0 12 12" width="12" height="12" aria-hidden="true">
      <path d={state === "ok" ? "M2 6.5 L4.75 9.25 L10 3" : "M2.5 2.5 L9.5 9.5 M9.5 2.5 L2.5 9.5"} />
    </svg>
  );
}

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** `1.2 s`; "" where it isn't known, or can't be: a clock was set back. @param ms milliseconds */
function lengthOf(ms: number | null, language: Language): string {
  if (ms === null || !(ms >= 0)) return "";
  if (ms > DAY_MS) return activityWords[language].aDay;
  const number = (value: number, digits: number) => value.toLocaleString(language, { maximumFractionDigits: digits });
  if (ms < 1000) return `${number(ms, 0)} ms`;
  return ms < MINUTE_MS ? `${number(ms / 1000, 1)} s` : `${number(ms / MINUTE_MS, 0)} min`;
}
