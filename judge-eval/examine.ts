import { localPrincipal } from "../ipc/base/paths.ts";
import type { Stage } from "../ipc/contract/decision.ts";
import type { ExecutorCatalog } from "../main/decide/executors/catalog.ts";
import { examineCall } from "../main/decide/pipeline.ts";
import type { Reviewable, StageSettings } from "../main/decide/stages/examination.ts";
import type { LabelledCall } from "./labelled-call.ts";

/** The calls' own user: nobody's files are looked at. */
const CALLS_HOME = "/home/ada";

export type ForJudge = { x: Reviewable; rulesRefuse: boolean } | { denied_by: Stage };

/**
 * What a gate's stages make of a call before a judge is asked. What the rules' score denies is asked about all the same: both judges
 * are measured on the same calls.
 * @param threshold of the rules
 */
export function examineForJudge(
  { intent, executor, args, context }: LabelledCall,
  catalog: ExecutorCatalog,
  threshold: number,
): ForJudge {
  const settings: StageSettings = {
    home: CALLS_HOME,
    grants: null,
    pause: null,
    judge_threshold: 0,
    now: Date.now,
  };
  const subject = { agent: null, level: "Supervised" as const, principal: localPrincipal() };
  const { x, denial } = examineCall({ intent, executor, args, context: { ...context } }, subject, catalog, settings);
  if (denial !== null) return { denied_by: denial.stage };
  return { x, rulesRefuse: x.verdict.score < threshold };
}
