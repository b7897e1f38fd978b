import { guard as guardBlock } from "../guard/guard.ts";
import { guardVerdict } from "../vaglio.ts";
import { type Denial, denied, type Examination, passed } from "./examination.ts";

/** Does it touch the non-negotiable core? */
export function guard(x: Examination): Denial | null {
  const block = guardBlock(x.call, x.executor, x.needs, x.settings);
  if (block === null) return passed(x, "guard", "nothing forbidden");
  x.verdict = guardVerdict(block, x.settings);
  return denied(x, "guard", block.reason, { rule: block.rule, matched: block.matched, instead: block.instead });
}
