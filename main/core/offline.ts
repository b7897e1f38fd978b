import { type Env, homeFolder } from "../../ipc/base/paths.ts";
import type { Decision, Verdict } from "../../ipc/contract/decision.ts";
import type { Description } from "../../ipc/contract/description.ts";
import { systemClock } from "../base/clocks/system-clock.ts";
import { errorCode } from "../base/errors.ts";
import { openDatabaseReadOnly } from "../base/sqlite/database.ts";
import type { Schema } from "../base/sqlite/database-schema.ts";
import type { SqliteDatabase } from "../base/sqlite/prepared-statements.ts";
import { gatePathsWith, loadChosenConfig, loadPolicyOverrides } from "../config/index.ts";
import { Prices } from "../decide/costs/prices.ts";
import { describe } from "../decide/description/describe.ts";
import { ExecutorCatalog, loadOwnExecutors } from "../decide/executors/catalog.ts";
import { CommandLines } from "../decide/executors/command-lines.ts";
import { needsOf, takesComments } from "../decide/executors/needs.ts";
import { GrantStore } from "../decide/grants/store.ts";
import { explainReadings } from "../decide/guard/shell/guard-shell.ts";
import { guardThenJudge } from "../decide/judge/verdicts.ts";
import { decisionOf, examineCall, traceOf } from "../decide/pipeline.ts";
import { GateFiles } from "../decide/places/gate-files.ts";
import { storedCells } from "../decide/policy/cells.ts";
import type { PolicyOverrides } from "../decide/policy/policy.ts";
import { isOnline, LLM_JUDGE, type ReviewConfig, type When } from "../decide/reviews/config.ts";
import { isConcerned, skippedTools, withUnrunReviews } from "../decide/reviews/review-steps.ts";
import type { Reviewer, StageSettings } from "../decide/stages/examination.ts";
import { callAskedAbout, explainedCall } from "./explained-call.ts";
import { grantsSchema } from "./storage/grants-schema.ts";

/** The same decisions without a gate: reads the configuration and the grants, writes and logs nothing. */

export interface OfflineGate {
  /** Guard and judge on `{intent, executor, args, context, agent}`. @throws GateError `invalid_input` */
  check(input: unknown): Verdict;
  /** The whole pipeline on `{intent, executor, args, context, agent, level}`, with a trace. @throws GateError `invalid_input` */
  explain(input: unknown): Decision;
  /** What a call is, as a card would say it. @throws GateError `invalid_input` */
  describe(input: unknown): Description;
  close(): void;
}

export function openOfflineGate(env: Env = process.env): OfflineGate {
  const config = loadChosenConfig(env);
  const paths = gatePathsWith(config, env);
  const home = homeFolder(env);
  const catalog = new ExecutorCatalog(loadOwnExecutors(paths.executorsDir));
  const db = openDatabaseReadOnly(paths.grants_db, grantsSchema(home));
  const settings: StageSettings = {
    home,
    env,
    grants: db === undefined ? null : new GrantStore(db, home, systemClock),
    gateFiles: new GateFiles(paths, home),
    pause: null,
    judge_threshold: config.judge.threshold,
    reviewers: plannedReviewers(config),
    prices: new Prices(config),
    overrides: overridesWith(loadPolicyOverrides(paths.policy_overrides), db),
    now: systemClock.now,
  };
  return {
    check(input) {
      const { call, kind } = callAskedAbout(input);
      const executor = catalog.find(call.executor, kind ?? "any");
      const needs = needsOf(call, executor, home, env);
      return guardThenJudge(call, executor, needs, call.context?.critical, settings);
    },
    explain(input) {
      const { call, subject } = explainedCall(input);
      const examined = examineCall(call, subject, catalog, settings, true);
      const decision = { ...withUnrunReviews(decisionOf(examined), examined), trace: traceOf(examined) };
      const { executor, needs = [], lines } = examined.x;
      const runs = [...executor.manifest.needs, ...needs].some(({ capability }) => capability === "code:exec");
      const readings = runs ? explainReadings(call, home, settings.gateFiles, lines, takesComments(executor)) : [];
      return readings.length === 0 ? decision : { ...decision, readings };
    },
    describe(input) {
      const { call, subject } = explainedCall(input);
      const executor = catalog.find(call.executor, subject.kind ?? "any");
      const needs = needsOf(call, executor, home, env);
      return describe({ call, executor, needs, settings, lines: new CommandLines(call, home) });
    },
    close() {
      db?.close();
    },
  };
}

/**
 * What is made stricter, by policy_overrides.toml as it is now and by hand; without a gate.
 * @throws GateError `invalid_config`, `database_*`
 */
export function offlineOverrides(env: Env): PolicyOverrides {
  const paths = gatePathsWith(loadChosenConfig(env), env);
  const overrides = loadPolicyOverrides(paths.policy_overrides);
  const db = openIfCurrent(paths.grants_db, grantsSchema(homeFolder(env)));
  try {
    return overridesWith(overrides, db);
  } finally {
    db?.close();
  }
}

/** A database of an earlier version has no such cells yet. */
function openIfCurrent(file: string, schema: Schema): SqliteDatabase | undefined {
  try {
    return openDatabaseReadOnly(file, schema);
  } catch (error) {
    if (errorCode(error) === "database_older") return undefined;
    throw error;
  }
}

/** With what was made stricter by hand. */
function overridesWith(overrides: PolicyOverrides, db: SqliteDatabase | undefined): PolicyOverrides {
  if (db !== undefined) overrides.setByHand(storedCells(db));
  return overrides;
}

/** The judges of the configuration, by what they would look at. They can't be asked: without a gate nobody is. */
export function plannedReviewers(config: ReviewConfig): readonly Reviewer[] {
  const skipped = skippedTools(config.mcp_tools);
  const planned = (stage: Reviewer["stage"], name: string, model: string | undefined, when: When): Reviewer => {
    const settings = model === undefined ? undefined : config.models[model];
    return {
      stage,
      name,
      is_online: settings !== undefined && isOnline(settings),
      concerns: (x) => isConcerned(x, when, skipped),
      review: () => Promise.reject(new Error("no judge is asked without a gate")),
    };
  };
  const { judge } = config;
  const first = judge.kind === LLM_JUDGE ? [planned("judge", judge.model ?? LLM_JUDGE, judge.model, judge.when)] : [];
  const validators = config.validators.map(({ judge_agent, when }) => {
    const agent = config.judge_agents[judge_agent];
    return planned("validators", judge_agent, agent?.kind === "model" ? agent.model : undefined, when);
  });
  return [...first, ...validators];
}
