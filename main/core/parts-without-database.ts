import { existsSync } from "node:fs";
import { ownCommand } from "../../ipc/base/own-command.ts";
import { type Env, type GatePaths, gatePaths, homeFolder } from "../../ipc/base/paths.ts";
import { agentKindOf } from "../../ipc/contract/agent-kind.ts";
import { GateError } from "../../ipc/contract/gate-error.ts";
import type { OperatorEvent } from "../../ipc/contract/operator-api.ts";
import { Listeners } from "../agents/index.ts";
import { Alarms } from "../base/alarms.ts";
import type { Clock } from "../base/clocks/clock.ts";
import { systemClock } from "../base/clocks/system-clock.ts";
import { errorOrigin } from "../base/errors.ts";
import { DiskReserve } from "../base/files/disk-reserve.ts";
import { RoomAhead } from "../base/files/room-ahead.ts";
import { type Config, gatePathsWith, loadConfigWithSources, loadPolicyOverrides, Settings } from "../config/index.ts";
import { Prices } from "../decide/costs/prices.ts";
import { ExecutorCatalog, loadOwnExecutors } from "../decide/executors/catalog.ts";
import type { PolicyOverrides } from "../decide/policy/policy.ts";
import { AuditLog } from "../records/audit/log.ts";
import { NoteBoard } from "./note-board.ts";

/** What is called with an unexpected error after which the gate continues; a database's counts for its health, too. */
export type Failed = (what: string, error: unknown) => void;

/** The parts that need no database. */
export interface PartsWithoutDatabase {
  env: Env;
  home: string;
  paths: GatePaths;
  config: Config;
  clock: Clock;
  prices: Prices;
  overrides: PolicyOverrides;
  settings: Settings;
  catalog: ExecutorCatalog;
  listeners: Listeners;
  /** What the user should know of, wherever the user is. */
  notes: NoteBoard;
  alarms: Alarms;
  audit: AuditLog;
  /** Sends an event to every surface. */
  publish(event: OperatorEvent): void;
  log(line: string): void;
}

export interface BeginOptions {
  env?: Env | undefined;
  clock?: Clock | undefined;
  /** Takes one line for each event. */
  log?: ((line: string) => void) | undefined;
  /** False: no line for each decision, as they are shown in another way. */
  logsDecisions?: boolean | undefined;
}

/** Enough for some thousand lines on a full disk. */
const AUDIT_RESERVE_BYTES = 1024 * 1024;
/** Within the month's file, where no other program can take it: half of it is a minute of 50 calls a second. */
const AUDIT_ROOM_BYTES = 4 * 1024 * 1024;

/** Some of the files may be those of before. @throws GateError `restore_unfinished` */
function refuseHalfRestored({ restoreJournal }: GatePaths): void {
  if (!existsSync(restoreJournal)) return;
  throw new GateError(
    "restore_unfinished",
    "a restore was interrupted: some of the gate's files are still those of before",
    `finish it: ${ownCommand("restore --finish")}`,
  );
}

/** @throws GateError `invalid_config`, `restore_unfinished` */
export function begin({
  env = process.env,
  clock = systemClock,
  log,
  logsDecisions = true,
}: BeginOptions): PartsWithoutDatabase {
  refuseHalfRestored(gatePaths(env));
  const { config, sources } = loadConfigWithSources(gatePaths(env).configFile, env);
  const paths = gatePathsWith(config, env);
  const catalog = new ExecutorCatalog(loadOwnExecutors(paths.executorsDir));
  const listeners = new Listeners((error) => log?.(`error in telling a surface: ${errorOrigin(error)}`));
  // First, so that an event is logged before anything acts on it.
  if (log !== undefined && logsDecisions) logEvents({ listeners, catalog }, log);
  const publish = (event: OperatorEvent) => listeners.publish(event);
  const auditReserve = new DiskReserve(paths.auditReserve, AUDIT_RESERVE_BYTES);
  return {
    env,
    clock,
    home: homeFolder(env),
    paths,
    config,
    prices: new Prices(config),
    overrides: loadPolicyOverrides(paths.policy_overrides),
    settings: new Settings(paths, config, sources),
    catalog,
    listeners,
    notes: new NoteBoard(),
    publish,
    alarms: new Alarms(clock.now, (list) => publish({ type: "alarms.changed", data: list })),
    audit: new AuditLog(paths.auditDir, paths.auditHead, clock.now, auditReserve, new RoomAhead(AUDIT_ROOM_BYTES)),
    log: log ?? (() => undefined),
  };
}

/** Writes a line into the gate's log for each decision, for each pause and its end, and if the gate loses a lock, socket or database. */
function logEvents(
  { listeners, catalog }: { listeners: Listeners; catalog: ExecutorCatalog },
  log: (line: string) => void,
): void {
  listeners.add(["decision"], ({ data: { agent_name, executor, decision } }) => {
    const { outcome, stage, decision_id, capabilities } = decision;
    const status = decision.status === undefined ? "" : ` ${decision.status}`;
    const named = catalog.loggedName(executor, agentKindOf(agent_name));
    const needed = [...new Set(capabilities.map(({ capability }) => capability))].join("+") || "-";
    const judge = decision.reviews?.find((review) => review.outcome === "rejected")?.name;
    // Its sentence is a model's text, which may repeat values of the call.
    const refused = judge === undefined ? "" : ` refused by ${judge}: ${decision.explain.rule ?? "no rule"}`;
    log(`${outcome}${status} ${agent_name} ${named} ${needed} ${stage} ${decision_id}${refused}`);
  });
  listeners.add(["safety.paused", "safety.resumed"], ({ data: pause }) =>
    log(pause.is_paused ? `paused by ${pause.by}` : "resumed"),
  );
  listeners.add(["gate.lost"], ({ data: loss }) => log(loss.message));
}
