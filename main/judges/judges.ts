import type { Config } from "../config/index.ts";
import type { JudgeParts, Judges } from "./judge-parts.ts";
import { noSuchModel, statusOf } from "./judge-status.ts";

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
