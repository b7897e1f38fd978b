import type Database from "better-sqlite3";
import type { Env, GatePaths } from "../../ipc/base/paths.ts";
import type { JudgeStatus, JudgeTest } from "../../ipc/contract/judges.ts";
import type { Alarms } from "../base/alarms.ts";
import type { Clock } from "../base/clocks/clock.ts";
import type { ApprovalRegistry, SessionDecisions } from "../calls/index.ts";
import type { ExecutorCatalog } from "../decide/executors/catalog.ts";
import type { Reviewer } from "../decide/stages/examination.ts";
import type { ModelMeter } from "./models/model-meter.ts";
import type { ReviewMeter } from "./models/review-meter.ts";

/** The judges of a running gate: made of its configuration. */
export interface Judges {
  /** Whom the gate asks, in this order. */
  readonly reviewers: readonly Reviewer[];
  /** For the metrics; null where nobody is ever asked. */
  readonly meters: { reviews: ReviewMeter; models: ReadonlyMap<string, ModelMeter> } | null;
  status(): JudgeStatus;
  /** Asks a model a harmless question; left out: the judge's. @throws GateError `no_such_model` */
  test(name: string | undefined): Promise<JudgeTest>;
  /** Looks in the background who can be asked. */
  begin(): void;
  /** Ends whatever is still being asked. */
  close(): void;
}

/** What judges are made of. */
export interface JudgeParts {
  env: Env;
  home: string;
  paths: GatePaths;
  clock: Clock;
  catalog: ExecutorCatalog;
  alarms: Alarms;
  approvals: ApprovalRegistry;
  decisions: SessionDecisions;
  /** activity.db. */
  db: Database.Database;
  /** Folders and files of the gate that no box shows, beside its state's. */
  gateFolders: readonly string[];
  /** Logs an unexpected error after which the gate continues. */
  failed(what: string, error: unknown): void;
}
