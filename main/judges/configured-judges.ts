import type Database from "better-sqlite3";
import { ownCommand } from "../../ipc/base/own-command.ts";
import type { Env, GatePaths } from "../../ipc/base/paths.ts";
import { GateError } from "../../ipc/contract/gate-error.ts";
import type { JudgeStatus, JudgeTest, Measurement, ModelStatus } from "../../ipc/contract/judges.ts";
import type { Alarms } from "../base/alarms.ts";
import type { Config } from "../config/index.ts";
import type { ModelConfig } from "../decide/reviews/config.ts";
import { isConcerned, skippedTools } from "../decide/reviews/review-steps.ts";
import type { Reviewer } from "../decide/stages/examination.ts";
import { ModelSpending } from "../records/activity/spending.ts";
import type { JudgeParts, Judges } from "./judge-parts.ts";
import { measuredOf } from "./judge-results.ts";
import { noSuchModel, statusOf } from "./judge-status.ts";
import { ProviderModel } from "./models/provider-model.ts";
import { ReviewMeter } from "./models/review-meter.ts";
import { type JudgeAgent, type Model, ModelError } from "./reviews/judge-ports.ts";
import { JUDGE_ANSWER_SCHEMA, readJudgeAnswer } from "./reviews/model-judge/answer.ts";
import { CallHistory } from "./reviews/model-judge/history.ts";
import { modelJudge } from "./reviews/model-judge/model-judge.ts";
import { JUDGE_PROMPT_VERSION, judgeData, judgePrompt } from "./reviews/model-judge/prompt.ts";
import type { SentCall } from "./reviews/sent/sent-call.ts";
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
  { env, home, paths, gateFolders, failed }: JudgeParts,
): Promise<Map<string, JudgeAgent>> {
  if (Object.keys(config.judge_agents).length === 0) return new Map();
  const { openJudgeAgents } = await import("./agents/judge-agents.ts");
  const { state_dir } = paths;
  return openJudgeAgents(config, { models: models.all, box: config.box, env, home, state_dir, gateFolders, failed });
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
    const agentConfig = config.judge_agents[validator.judge_agent];
    // The configuration was refused where it doesn't have it.
    if (agent === undefined || agentConfig === undefined) return [];
    return validatorOf(validator, agent, {
      catalog: parts.catalog,
      decisions: parts.decisions,
      send: sendToAgent(config.judge, agentConfig, agent.is_online),
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
      modelStatus(one, measuredOf(paths.judgeResults, config, one.name, JUDGE_PROMPT_VERSION)),
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

async function testOf(name: string | undefined, models: Models, mayBeOnline: boolean): Promise<JudgeTest> {
  const model = name === undefined ? undefined : models.all.get(name);
  if (model === undefined) throw noSuchModel(name);
  if (model.is_online && !mayBeOnline)
    throw new GateError("not_available", `${name} is on another machine`, "set online = true in [judge] of gate.toml");
  return testModel(model);
}

/** A call that every judge should let pass, and that says nothing of anybody. */
const HARMLESS: SentCall = {
  intent: "what day is it today?",
  tool: "get_date",
  args: {},
  needs: [],
  effect: "reads the date",
};

/** Asks a model what the judge asks, about a harmless call. */
async function testModel(model: Pick<Model, "name" | "max_tokens" | "ask">): Promise<JudgeTest> {
  const { system, text } = judgePrompt(judgeData(HARMLESS, null));
  const begun = performance.now();
  const took = () => Math.round(performance.now() - begun);
  const unknown = { score: null, cost: 0, input_tokens: null, output_tokens: null };
  try {
    const answer = await model.ask(
      { system, messages: [{ role: "user", text }], schema: JUDGE_ANSWER_SCHEMA, max_tokens: model.max_tokens },
      new AbortController().signal,
    );
    const { ms, cost, input_tokens, output_tokens } = answer;
    const asked = { name: model.name, ms, cost, input_tokens, output_tokens };
    const read = readJudgeAnswer(answer.text);
    if (read === null)
      return {
        ...asked,
        ok: false,
        problem: "malformed",
        sentence: "it answers, but not as it was asked to",
        score: null,
      };
    return { ...asked, ok: true, problem: null, sentence: read.reason, score: read.score };
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    return { name: model.name, ok: false, problem: error.problem, sentence: error.message, ms: took(), ...unknown };
  }
}

// The models of gate.toml.

/** How often a server of this machine that wasn't there is looked for, in milliseconds. */
const LOOK_AGAIN_MS = 10_000;

interface ModelsParts {
  env: Env;
  /** Opened with `ACTIVITY_SCHEMA`. */
  db: Database.Database;
  /** Milliseconds. */
  now(): number;
  /** Called where what models cost can't be counted. */
  failed(what: string, error: unknown): void;
  /** A model's problem may be another one now. */
  changed(model: ProviderModel): void;
}

export class Models {
  /** By their names. */
  readonly all: ReadonlyMap<string, ProviderModel>;
  readonly #changed: ModelsParts["changed"];
  readonly #closed = new AbortController();
  readonly #timers = new Map<ProviderModel, NodeJS.Timeout>();

  constructor(configs: Readonly<Record<string, ModelConfig>>, { env, db, now, failed, changed }: ModelsParts) {
    const spending = new ModelSpending(db, now, failed);
    this.#changed = changed;
    const parts = {
      env,
      spending,
      closed: this.#closed.signal,
      changed: (model: ProviderModel) => {
        changed(model);
        this.#lookAgain(model);
      },
    };
    this.all = new Map(Object.entries(configs).map(([name, config]) => [name, new ProviderModel(name, config, parts)]));
  }

  /** Looks in the background whether they are there: on this machine by a request; of another one's only for its key. */
  begin(): void {
    for (const model of this.all.values()) {
      // An earlier gate may have used up its budget today.
      this.#changed(model);
      if (model.is_online) model.lookForKey();
      else void model.probe();
    }
  }

  /** Ends whatever is being asked. */
  close(): void {
    this.#closed.abort();
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
  }

  #lookAgain(model: ProviderModel): void {
    if (model.is_online || model.failure?.problem !== "unreachable") return;
    if (this.#timers.has(model) || this.#closed.signal.aborted) return;
    const look = async () => {
      this.#timers.delete(model);
      await model.probe();
      // Not asked where it failed too often a moment ago.
      this.#lookAgain(model);
    };
    this.#timers.set(model, setTimeout(look, LOOK_AGAIN_MS).unref());
  }
}

// Tells the user which models can't be asked: their budget is used up, or they keep failing.

/** How often it is looked whether a new day has begun, in milliseconds. */
const DAY_LOOK_MS = 30_000;

export class ModelAlarms {
  readonly #alarms: Alarms;
  readonly #overBudget = new Set<ProviderModel>();
  #timer: NodeJS.Timeout | undefined;

  constructor(alarms: Alarms) {
    this.#alarms = alarms;
  }

  /** A judge without a model judges nothing. */
  lookAtJudge({ kind, model }: Pick<Config["judge"], "kind" | "model">): void {
    if (kind !== "llm-v1" || model !== undefined) return;
    this.#alarms.raise({
      code: "judge_unavailable",
      subject: kind,
      message: "the judge llm-v1 has no model: it asks nobody",
      hint: "name one of [models.NAME] as model of [judge] in gate.toml, or set its kind to rule-based-v1",
    });
  }

  look(model: ProviderModel): void {
    this.#lookAtBudget(model);
    const { failure } = model;
    if (failure === null) this.#alarms.clear("judge_unavailable", model.name);
    else if (model.isFailing || failure.problem === "key-missing") this.#raiseUnavailable(model, failure);
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #lookAtBudget(model: ProviderModel): void {
    if (!model.isOverBudget) {
      if (this.#overBudget.delete(model)) this.#alarms.clear("judge_over_budget", model.name);
    } else if (!this.#overBudget.has(model)) {
      this.#overBudget.add(model);
      this.#raiseOverBudget(model);
    }
    if (this.#overBudget.size > 0) {
      this.#timer ??= setInterval(() => {
        for (const spent of this.#overBudget) this.#lookAtBudget(spent);
      }, DAY_LOOK_MS).unref();
    } else {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
  }

  #raiseOverBudget({
    name,
    config: { calls_per_day, cost_per_day },
    spentToday: { calls, cost },
    mostAskedFor,
  }: ProviderModel): void {
    const spent =
      calls_per_day !== undefined && calls >= calls_per_day
        ? `${calls} of ${calls_per_day} calls`
        : `${Number(cost.toFixed(4))} of ${cost_per_day}`;
    const most = mostAskedFor === null ? "" : `; most for ${mostAskedFor.agent}, ${mostAskedFor.calls} calls`;
    this.#alarms.raise({
      code: "judge_over_budget",
      subject: name,
      message: `the model ${name} has used up its budget of today: ${spent}${most}`,
      hint: `it is asked again after midnight; calls_per_day and cost_per_day of [models.${name}] in gate.toml say how much it may use`,
    });
  }

  #raiseUnavailable({ name, host }: ProviderModel, { problem, message }: ModelError): void {
    const where = `[models.${name}] in gate.toml`;
    const hints: Partial<Record<ModelError["problem"], string>> = {
      "key-missing": `look at key_env or key_file of ${where}`,
      unreachable: `start its server, or look at base_url of ${where}`,
    };
    this.#alarms.raise({
      code: "judge_unavailable",
      subject: name,
      message: `the model ${name} at ${host} can't be asked: ${message}`,
      hint: hints[problem] ?? `${ownCommand(`judge test ${name}`)} says whether it answers`,
    });
  }
}
