import { examine } from "../vaglio.ts";
import { type Denial, denied, type Examination, passed } from "./examination.ts";

/** Guard, then judge: does it touch the non-negotiable core, and is it aligned with the stated intent? */
export function vaglio(x: Examination): Denial | null {
  // The agent can call its own call critical, never harmless.
  const critical = x.executor.manifest.critical || x.call.context?.critical === true;
  const { verdict, block } = examine(x.call, x.executor, x.needs, critical, x.settings);
  x.verdict = verdict;
  if (verdict.blocked_by === "guard") {
    return denied(x, "guard", verdict.reason, block === null ? {} : { matched: block.matched, instead: block.instead });
  }
  passed(x, "guard", "nothing forbidden");
  if (verdict.blocked_by === "judge") {
    return denied(x, "judge", verdict.reason, { instead: "say what it is for, and name plain paths" });
  }
  return passed(x, "judge", verdict.reason);
}
