import type { JudgeStatus, JudgeTest } from "../../ipc/contract/judges.ts";
import type { Config } from "../config/config.ts";
import type { Reviewer } from "../decide/stages/reviewer.ts";
import type { JudgeParts } from "./configured-judges.ts";
import { noSuchModel, statusOf } from "./judge-status.ts";
import type { ModelMeter } from "./models/model-meter.ts";
import type { ReviewMeter } from "./models/review-meter.ts";

/** The judges of a running gate: made of its configuration. */
export interface Judges {
  /** Whom the gate asks, in this order. */
  readonly reviewers: readonly Reviewer[];
  /** For the metrics; null where nobody is ever asked. */
  readonly meters: { reviews: ReviewMeter; models: ReadonlyMap<string, ModelMeter> } | null;
  status(): JudgeStatus;
  /** Asks a model a harmless question; left out: the judge's. @throws GateError `no_such_model` */
  test(name: string | undefined): Promise<JudgeTest>;
  /** Looks in the background who can be asked. */
  begin(): void;
  /** Ends whatever is still being asked. */
  close(): void;
}

/**
 * Waits for nobody who is to be asked. What asks somebody is loaded only where the configuration has it.
 * @throws GateError `invalid_config` where a judge agent needs what this machine doesn't have
 */
export async function openJudges(config: Config, partsOf: () => JudgeParts): Promise<Judges> {
  const { judge, models, validators, judge_agents } = config;
  const asks = judge.kind === "llm-v1" || validators.length > 0;
  if (!asks && Object.keys(models).length === 0 && Object.keys(judge_agents).length === 0) return rulesAlone(config);
  const { openConfiguredJudges } = await import("./configured-judges.ts");
  return openConfiguredJudges(config, partsOf());
}

function rulesAlone(config: Config): Judges {
  return {
    reviewers: [],
    meters: null,
    status: () => statusOf(config),
    test: (name) => Promise.reject(noSuchModel(name)),
    begin: () => undefined,
    close: () => undefined,
  };
}
