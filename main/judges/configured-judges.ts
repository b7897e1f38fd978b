import type { GatePaths } from "../../ipc/base/paths.ts";
import { GateError } from "../../ipc/contract/gate-error.ts";
import type { JudgeStatus, JudgeTest, Measurement, ModelStatus } from "../../ipc/contract/judges.ts";
import type { Config } from "../config/index.ts";
import { isConcerned, skippedTools } from "../decide/reviews/review-steps.ts";
import type { Reviewer } from "../decide/stages/examination.ts";
import type { JudgeParts, Judges } from "./judge-parts.ts";
import { measuredOf } from "./judge-results.ts";
import { noSuchModel, statusOf } from "./judge-status.ts";
import { ModelAlarms } from "./models/model-alarms.ts";
import { testModel } from "./models/model-test.ts";
import { Models } from "./models/models.ts";
import type { ProviderModel } from "./models/provider-model.ts";
import { ReviewMeter } from "./models/review-meter.ts";
import type { JudgeAgent } from "./reviews/judge-ports.ts";
import { CallHistory } from "./reviews/model-judge/history.ts";
import { modelJudge } from "./reviews/model-judge/model-judge.ts";
import { JUDGE_PROMPT_VERSION } from "./reviews/model-judge/prompt.ts";
import { sendToAgent } from "./reviews/validators/payload.ts";
import { validatorOf } from "./reviews/validators/validator.ts";

/** The judges of a configuration that has any: its models, its judge agents, and whom the gate asks in which order. */

/** @throws GateError `invalid_config` where a judge agent needs what this machine doesn't have */
export async function openConfiguredJudges(config: Config, parts: JudgeParts): Promise<Judges> {
  const alarms = new ModelAlarms(parts.alarms);
  const models = new Models(config.models, {
    env: parts.env,
    db: parts.db,
    now: parts.clock.now,
    failed: parts.failed,
    changed: (model) => alarms.look(model),
  });
  const reviews = new ReviewMeter();
  const agents = await judgeAgents(config, models, parts);
  const reviewers = [...judgeReviewers(config, models, parts), ...validators(config, agents, parts)];
  return {
    reviewers: reviewers.map((reviewer) => reviews.metered(reviewer)),
    meters: { reviews, models: new Map([...models.all].map(([name, { meter }]) => [name, meter])) },
    status: () => currentStatus(config, models, parts.paths),
    test: (name) => testOf(name ?? config.judge.model, models, config.judge.online),
    begin() {
      alarms.lookAtJudge(config.judge);
      models.begin();
    },
    close() {
      models.close();
      alarms.close();
    },
  };
}

async function judgeAgents(
  config: Config,
  models: Models,
  { env, home, paths, gate_folders, failed }: JudgeParts,
): Promise<Map<string, JudgeAgent>> {
  if (Object.keys(config.judge_agents).length === 0) return new Map();
  const { openJudgeAgents } = await import("./agents/judge-agents.ts");
  const { state_dir } = paths;
  return openJudgeAgents(config, { models: models.all, box: config.box, env, home, state_dir, gate_folders, failed });
}

function judgeReviewers({ judge, mcp_tools }: Config, models: Models, parts: JudgeParts): Reviewer[] {
  if (judge.kind !== "llm-v1") return [];
  const skipped = skippedTools(mcp_tools);
  return [
    modelJudge({
      model: judge.model === undefined ? null : (models.all.get(judge.model) ?? null),
      threshold: judge.llm_threshold,
      send: judge.send,
      stage1_max_tokens: judge.stage1_max_tokens,
      isConcerned: (x) => isConcerned(x, judge.when, skipped),
      history: new CallHistory(parts.approvals, parts.decisions, parts.clock.now),
      now: parts.clock.now,
      failed: parts.failed,
    }),
  ];
}

function validators(config: Config, agents: ReadonlyMap<string, JudgeAgent>, parts: JudgeParts): Reviewer[] {
  const skipped = skippedTools(config.mcp_tools);
  return config.validators.flatMap((validator) => {
    const agent = agents.get(validator.judge_agent);
    const agent_config = config.judge_agents[validator.judge_agent];
    // The configuration was refused where it doesn't have it.
    if (agent === undefined || agent_config === undefined) return [];
    return validatorOf(validator, agent, {
      catalog: parts.catalog,
      decisions: parts.decisions,
      send: sendToAgent(config.judge, agent_config, agent.is_online),
      now: parts.clock.now,
      isConcerned: (x, when) => isConcerned(x, when, skipped),
    });
  });
}

function currentStatus(config: Config, models: Models, paths: GatePaths): JudgeStatus {
  const { judge } = config;
  const model = judge.model === undefined ? undefined : models.all.get(judge.model);
  return {
    ...statusOf(config),
    kind_now: model?.isOverBudget === true ? "rule-based-v1" : judge.kind,
    models: [...models.all.values()].map((one) =>
      modelStatus(one, measuredOf(paths.judge_results, config, one.name, JUDGE_PROMPT_VERSION)),
    ),
  };
}

function modelStatus(model: ProviderModel, measured: Measurement | null): ModelStatus {
  const { name, config, host, is_online, problem, failure, spentToday } = model;
  return {
    name,
    dialect: config.dialect,
    model: config.model,
    host,
    is_online,
    problem: problem ?? failure?.problem ?? null,
    calls_today: spentToday.calls,
    cost_today: spentToday.cost,
    calls_per_day: config.calls_per_day ?? null,
    cost_per_day: config.cost_per_day ?? null,
    measured,
  };
}

async function testOf(name: string | undefined, models: Models, may_be_online: boolean): Promise<JudgeTest> {
  const model = name === undefined ? undefined : models.all.get(name);
  if (model === undefined) throw noSuchModel(name);
  if (model.is_online && !may_be_online)
    throw new GateError("not_available", `${name} is on another machine`, "set online = true in [judge] of gate.toml");
  return testModel(model);
}
