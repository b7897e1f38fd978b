import type { Config } from "../config/index.ts";
import type { JudgeParts, Judges } from "./judge-parts.ts";
import { noSuchModel, statusOf } from "./judge-status.ts";

/**
 * Waits for nobody who is to be asked. What asks somebody is loaded only where the configuration has it.
 * @throws GateError `invalid_config` where a judge agent needs what this machine doesn't have
 */
async function openJudges(config: Config, partsOf: () => JudgeParts): Promise<Judges> {
  const { judge, models, validators, judge_agents } = config;
  const asks = judge.kind === "llm-v1" || validators.length > 0;
  if (!asks && Object.keys(models).length === 0 && Object.keys(judge_agents).length === 0) return rulesAlone(config);
  const { openConfiguredJudges } = await import("./configured-judges.ts");
  return openConfiguredJudges(config, partsOf());
}

/** The judges as the configuration has them now: the next call meets those that it was renewed with. */
export class CurrentJudges implements Judges {
  readonly #config: Config;
  readonly #parts: () => JudgeParts;
  #judges: Judges;
  #isAtWork = false;
  #renewing: Promise<void> = Promise.resolve();

  private constructor(config: Config, partsOf: () => JudgeParts, judges: Judges) {
    this.#config = config;
    this.#parts = partsOf;
    this.#judges = judges;
  }

  /** @throws GateError as `openJudges` */
  static async open(config: Config, partsOf: () => JudgeParts): Promise<CurrentJudges> {
    return new CurrentJudges(config, partsOf, await openJudges(config, partsOf));
  }

  /** The configuration is another one. What is being asked ends, as where a model doesn't answer. @throws GateError as `openJudges` */
  renew(): Promise<void> {
    const renewing = this.#renewing.then(() => this.#renew());
    this.#renewing = renewing.catch(() => undefined);
    return renewing;
  }

  async #renew(): Promise<void> {
    const judges = await openJudges(this.#config, this.#parts);
    const before = this.#judges;
    this.#judges = judges;
    before.close();
    const { alarms } = this.#parts();
    for (const { name } of before.status().models)
      for (const code of ["judge_unavailable", "judge_over_budget"] as const) alarms.clear(code, name);
    if (this.#isAtWork) judges.begin();
  }

  get reviewers(): Judges["reviewers"] {
    return this.#judges.reviewers;
  }

  get meters(): Judges["meters"] {
    return this.#judges.meters;
  }

  status(): ReturnType<Judges["status"]> {
    return this.#judges.status();
  }

  test(name: string | undefined): ReturnType<Judges["test"]> {
    return this.#judges.test(name);
  }

  begin(): void {
    this.#isAtWork = true;
    this.#judges.begin();
  }

  close(): void {
    this.#isAtWork = false;
    this.#judges.close();
  }
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
