import type { Price } from "../../../ipc/costs.ts";
import type { ProposedCall } from "../../../ipc/wire.ts";
import type { Executor } from "../executors/catalog.ts";
import type { CostConfig } from "./config.ts";

/** What calls cost, as their executors or the configuration say. */
export class Prices {
  readonly config: CostConfig;

  constructor(config: CostConfig) {
    this.config = config;
  }

  /** Null where no price is known. */
  priceOf(_call: ProposedCall, _executor: Executor): Price | null {
    return null;
  }
}
