import { guardWithNames } from "../description/named-danger.ts";
import { guardVerdict } from "../judge/verdicts.ts";
import { type Denial, denied, passed, type Ruled } from "./examination.ts";

/** Does it touch the non-negotiable core? */
export function guard(x: Ruled): Denial | null {
  const block = guardWithNames(x.call, x.executor, x.stated_needs, x.settings, x.lines);
  if (block === null) return passed(x, "guard", "nothing forbidden");
  return denied(
    x,
    "guard",
    block.reason,
    { rule: block.rule, matched: block.matched, instead: block.instead },
    { verdict: guardVerdict(block, x.settings) },
  );
}
