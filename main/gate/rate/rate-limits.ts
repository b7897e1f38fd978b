import type Database from "better-sqlite3";
import type { Capability } from "../../../ipc/decision.ts";
import type { Clock } from "../clock.ts";
import type { RateConfig } from "./config.ts";

/** What is left of each agent's calls of each capability. */
export class RateLimits {
  readonly config: RateConfig;
  readonly clock: Clock;

  /** `db` was opened with `grantsSchema`. */
  constructor(_db: Database.Database, config: RateConfig, clock: Clock) {
    this.config = config;
    this.clock = clock;
  }

  list(): { agent_id: string; capability: Capability; capacity: number; per_minute: number; left: number }[] {
    return [];
  }
}
