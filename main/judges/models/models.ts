import type Database from "better-sqlite3";
import type { Env } from "../../../ipc/base/paths.ts";
import type { ModelConfig } from "../../decide/reviews/config.ts";
import { ModelSpending } from "../../records/activity/spending.ts";
import { ProviderModel } from "./provider-model.ts";

/** The models of gate.toml. */

/** How often a server of this machine that wasn't there is looked for, in milliseconds. */
const LOOK_AGAIN_MS = 10_000;

export interface ModelsParts {
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
