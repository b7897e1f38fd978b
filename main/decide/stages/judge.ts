import { judgeVerdict } from "../judge/verdicts.ts";
import { type Denial, denied, type Judged, passed, type Ruled } from "./examination.ts";

/** Is it aligned with the stated intent? */
export function judge(x: Ruled): Denial | Judged {
  // The agent can call its own call critical, never harmless.
  const critical = x.executor.manifest.critical || x.call.context?.critical === true;
  const verdict = judgeVerdict(x.call, x.executor, critical, x.settings);
  if (verdict.approved) {
    passed(x, "judge", verdict.reason);
    return { verdict };
  }
  const explain = { rule: "judge.low-score", instead: "say what it is for, and name plain paths" } as const;
  return denied(x, "judge", verdict.reason, explain, { verdict });
}
