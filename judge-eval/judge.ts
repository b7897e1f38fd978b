import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Env } from "../ipc/base/paths.ts";
import { GateError } from "../ipc/contract/gate-error.ts";
import { openDatabase } from "../main/base/sqlite/database.ts";
import type { Config } from "../main/config/config.ts";
import { isOnline, type ModelConfig } from "../main/decide/reviews/config.ts";
import type { Reviewer } from "../main/decide/stages/examination.ts";
import { Models } from "../main/judges/configured-judges.ts";
import { modelJudge } from "../main/judges/reviews/model-judge/model-judge.ts";
import { ACTIVITY_SCHEMA } from "../main/records/activity/activity.ts";
import type { Spent } from "../main/records/activity/spending.ts";

/** The gate's judge with one of its models, beside the gate: what it asks is no part of the gate's budget of the day. */
export interface OpenedJudge {
  reviewer: Reviewer;
  config: ModelConfig;
  host: string;
  /** So far. */
  readonly spent: Readonly<Spent>;
  /** Whether that is more than the model's `cost_per_day`. */
  readonly isOverCost: boolean;
  close(): void;
}

/**
 * @throws GateError `no_such_model`, or `usage` where the model is on another machine and that isn't allowed
 */
export function openJudge(
  { judge, models: configs }: Pick<Config, "judge" | "models">,
  name: string,
  env: Env,
): OpenedJudge {
  const config = configs[name];
  if (config === undefined) throw new GateError("no_such_model", `there is no [models.${name}] in gate.toml`);
  if (isOnline(config) && !judge.online)
    throw new GateError("usage", `${name} is on another machine`, "that needs online = true in [judge] of gate.toml");
  const { cost_per_day = Number.POSITIVE_INFINITY, calls_per_day: _calls, ...unlimited } = config;
  const folder = mkdtempSync(join(tmpdir(), "metnos-judge-eval-"));
  const db = openDatabase(join(folder, "activity.db"), ACTIVITY_SCHEMA);
  const began = Date.now();
  const models = new Models(
    { [name]: unlimited },
    // Midnight begins no new budget here.
    { env, db, now: () => began, failed: (what, error) => console.error(what, error), changed: () => undefined },
  );
  const model = models.all.get(name);
  if (model === undefined) throw new Error("a configured model is there");
  const { llm_threshold: threshold, send, stage1_max_tokens } = judge;
  return {
    reviewer: modelJudge({ model, threshold, send, stage1_max_tokens, isConcerned: () => true, isCached: false }),
    config,
    host: model.host,
    get spent() {
      return model.spentToday;
    },
    get isOverCost() {
      return model.spentToday.cost >= cost_per_day;
    },
    close() {
      models.close();
      db.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
