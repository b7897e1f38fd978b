import { GateError } from "../../ipc/contract/gate-error.ts";
import type { JudgeStatus } from "../../ipc/contract/judges.ts";
import type { Config } from "../config/index.ts";

/** What the configuration says of it; nobody can be asked. */
export function statusOf({ judge, validators, judge_agents }: Config): JudgeStatus {
  return {
    kind: judge.kind,
    kind_now: judge.kind,
    threshold: judge.threshold,
    llm_threshold: judge.llm_threshold,
    model: judge.model ?? null,
    models: [],
    validators: validators.map(({ judge_agent, criteria, min_score, min_confidence }) => ({
      judge_agent,
      criteria,
      min_score,
      min_confidence,
    })),
    judge_agents: Object.entries(judge_agents).map(([name, agent]) => ({
      name,
      kind: agent.kind,
      model: agent.kind === "model" ? agent.model : null,
    })),
    can_override: judge.override,
  };
}

export function noSuchModel(name: string | undefined): GateError {
  return name === undefined
    ? new GateError(
        "no_such_model",
        "the judge has no model",
        "name one of gate.toml as model of [judge], or say which to test",
      )
    : new GateError(
        "no_such_model",
        `there is no model ${name}`,
        `gate.toml has to have a section [models.NAME] for it`,
      );
}
