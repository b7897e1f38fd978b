import type { Reported } from "../../../ipc/activity.ts";
import type { Language } from "../../../ipc/language.ts";
import { NeitherShape } from "../../parts/OutcomeShape.tsx";
import { activityWords } from "../../words/activity.ts";
import { useLanguage } from "../../words/language.ts";

interface ReportMarkProps {
  reported: Reported;
  /** In a sentence of its own, not in a row. */
  isWhole?: boolean;
}

/** What the agent said became of its call: a tick, a cross or a dash, and the word. */
export function ReportMark({ reported, isWhole = false }: ReportMarkProps) {
  const language = useLanguage();
  const words = activityWords[language];
  const { state } = reported;
  const whole = [words.report[state], lengthText(reported.ms, language)].filter((text) => text !== "").join(", ");
  return (
    <span className={`report ${state}`} title={isWhole ? undefined : `${words.reported}: ${whole}`}>
      {state === "unreported" ? <NeitherShape /> : <ReportShape state={state} />}
      {isWhole ? whole : reportedText(reported, language)}
      {!isWhole && words.report_short[state] === "" ? <span className="unseen">{whole}</span> : null}
    </span>
  );
}

/** As a row says it: `worked`; "" where nothing was reported. */
export function reportedText({ state }: Reported, language: Language): string {
  return activityWords[language].report_short[state];
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

/** `after 1.2 s`; "" where it isn't known, or can't be: a clock was set back. @param ms milliseconds */
function lengthText(ms: number | null, language: Language): string {
  if (ms === null || !(ms >= 0)) return "";
  const words = activityWords[language];
  if (ms > DAY_MS) return words.after(words.a_day);
  const number = (value: number, digits: number) => value.toLocaleString(language, { maximumFractionDigits: digits });
  if (ms < 1000) return words.after(`${number(ms, 0)} ms`);
  return words.after(ms < MINUTE_MS ? `${number(ms / 1000, 1)} s` : `${number(ms / MINUTE_MS, 0)} min`);
}
