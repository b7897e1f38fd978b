import { ownCommand } from "../../../ipc/base/own-command.ts";
import type { Alarms } from "../../base/alarms.ts";
import type { Config } from "../../config/index.ts";
import type { ModelError } from "../reviews/judge-ports.ts";
import type { ProviderModel } from "./provider-model.ts";

/** Tells the user which models can't be asked: their budget is used up, or they keep failing. */

/** How often it is looked whether a new day has begun, in milliseconds. */
const DAY_LOOK_MS = 30_000;

export class ModelAlarms {
  readonly #alarms: Alarms;
  readonly #over_budget = new Set<ProviderModel>();
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
      if (this.#over_budget.delete(model)) this.#alarms.clear("judge_over_budget", model.name);
    } else if (!this.#over_budget.has(model)) {
      this.#over_budget.add(model);
      this.#raiseOverBudget(model);
    }
    if (this.#over_budget.size > 0) {
      this.#timer ??= setInterval(() => {
        for (const spent of this.#over_budget) this.#lookAtBudget(spent);
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
