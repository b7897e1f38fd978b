import { judgeVerdict } from "../vaglio.ts";
import { type Denial, denied, type Examination, passed } from "./examination.ts";

/** Is it aligned with the stated intent? */
export function judge(x: Examination): Denial | null {
  // The agent can call its own call critical, never harmless.
  const critical = x.executor.manifest.critical || x.call.context?.critical === true;
  x.verdict = judgeVerdict(x.call, x.executor, critical, x.settings);
  if (x.verdict.approved) return passed(x, "judge", x.verdict.reason);
  return denied(x, "judge", x.verdict.reason, {
    rule: "judge.low-score",
    instead: "say what it is for, and name plain paths",
  });
}
