import { basename } from "node:path";
import type { AlarmCode } from "../ipc/alarms.ts";
import type { ApprovalView, AuditLine, OperatorApi, OperatorEvent } from "../ipc/operator-api.ts";
import type { Env } from "../ipc/paths.ts";
import { type GatePaths, gatePaths, homeFolder } from "../ipc/paths.ts";
import type { Pause } from "../ipc/safety.ts";
import { type Config, loadConfigWithSources } from "./config.ts";
import { Activity } from "./gate/activity/activity.ts";
import { AgentDirectory } from "./gate/agents.ts";
import { Alarms } from "./gate/alarms.ts";
import { ApprovalRegistry } from "./gate/approvals/registry.ts";
import { raiseTrailAlarms } from "./gate/audit/alarms.ts";
import { AuditLog } from "./gate/audit/log.ts";
import { lastLine } from "./gate/audit/tail.ts";
import type { Clock } from "./gate/clock.ts";
import { serveOthers } from "./gate/database.ts";
import { DiskReserve } from "./gate/disk-reserve.ts";
import type { GateError } from "./gate/errors.ts";
import { ExecutorCatalog, loadOwnExecutors } from "./gate/executors/catalog.ts";
import { Gate } from "./gate/gate.ts";
import { GrantStore } from "./gate/grants/store.ts";
import { GateFiles } from "./gate/guard/gate-files.ts";
import { openSafety, type Safety } from "./gate/safety/safety.ts";
import { kindOf } from "./gate/stages/examination.ts";
import { Listeners } from "./listeners.ts";
import { Settings } from "./settings.ts";
import { rowReport } from "./storage/damaged-rows.ts";
import type { DatabaseName } from "./storage/database-names.ts";
import { Storage } from "./storage/storage.ts";
import { systemClock } from "./system-clock.ts";

/** The parts of a running gate, opened in the right order and closed again. */
export interface Core {
  home: string;
  paths: GatePaths;
  config: Config;
  gate: Gate;
  grants: GrantStore;
  agents: AgentDirectory;
  audit: AuditLog;
  activity: Activity;
  settings: Settings;
  safety: Safety;
  alarms: Alarms;
  storage: Storage;
  counters: { allowed: number; denied: number; asked: number };
  /** Sends an event to every surface. */
  publish(event: OperatorEvent): void;
  subscribe: OperatorApi["subscribe"];
  close(): void;
}
type DecisionEvent = Extract<OperatorEvent, { type: "decision" }>["data"];

/** The paths, with the configuration's for the databases; the environment overrides them. */
export function gatePathsWith(config: Config, env: Env): GatePaths {
  const paths = gatePaths(env);
  if (!env.METNOS_GRANTS_DB && config.grants.db !== undefined) paths.grants_db = config.grants.db;
  if (!env.METNOS_APPROVALS_DB && config.approvals.db !== undefined) paths.approvals_db = config.approvals.db;
  return paths;
}

/** Enough for some thousand lines, and for a pause and some answers, on a full disk. */
const AUDIT_RESERVE_BYTES = 1024 * 1024;
const STATE_RESERVE_BYTES = 512 * 1024;

/** How often last uses and last sightings are written, in milliseconds. */
const FLUSH_INTERVAL_MS = 2000;

/** Called before any surface gets an event. */
export interface CoreHooks {
  /** `executor` as it is logged. */
  decided?(data: DecisionEvent): void;
  pauseChanged?(pause: Pause): void;
  /** An unexpected error after which the gate continues. */
  failed?(what: string, error: unknown): void;
  /** A notice at the start, as one line. */
  noted?(line: string): void;
  /** A lock, a socket or a database isn't the gate's any more: it decides nothing from now on, and has to be closed. */
  lost?(loss: GateError): void;
}

export interface CoreOptions {
  env?: Env | undefined;
  clock?: Clock | undefined;
  hooks?: CoreHooks;
  /** Databases that may begin empty although others don't. */
  accept_empty?: readonly DatabaseName[];
}

/**
 * Opens the databases under the locks.
 * @throws GateError `already_running`, `lock_unusable`, `invalid_config`, `database_*`: nothing was changed then
 */
export async function openCore(options: CoreOptions = {}): Promise<Core> {
  const { env = process.env, clock = systemClock, hooks = {}, accept_empty = [] } = options;
  const { now } = clock;
  const { config, sources } = loadConfigWithSources(gatePaths(env).config_file, env);
  const paths = gatePathsWith(config, env);
  const settings = new Settings(paths.chosen_file, config, sources);
  const home = homeFolder(env);
  const catalog = new ExecutorCatalog(loadOwnExecutors(paths.executors_dir));
  const listeners = new Listeners((error) => hooks.failed?.("telling a surface", error));
  const publish = (event: OperatorEvent) => listeners.publish(event);
  const alarms = new Alarms(now, (list) => publish({ type: "alarms.changed", data: list }));
  const audit_reserve = new DiskReserve(paths.audit_reserve, AUDIT_RESERVE_BYTES);
  const audit = new AuditLog(paths.audit_dir, paths.audit_head, now, audit_reserve);
  const lost = (loss: GateError) => {
    // Whoever has the lock has the trail, too; a lost database alone leaves the trail to this gate.
    if (loss.code === "gate_replaced") audit.abandon();
    else audit.append({ event: "database.lost", ts: now() / 1000, reason: loss.message });
    audit.flush();
    alarms.raise({ code: alarmOf(loss), subject: paths.state_dir, message: loss.message, hint: loss.hint });
    hooks.lost?.(loss);
  };
  const log = (line: string) => hooks.noted?.(line);
  const storage = await Storage.open({ paths, home, accept_empty, alarms, lost, log });
  const failed = (what: string, error: unknown) => {
    storage.health.noteFailure(error);
    hooks.failed?.(what, error);
  };
  let made: Gate | undefined;
  try {
    const { databases, irregularities } = storage.opened;
    const rows = (name: DatabaseName) => rowReport(alarms, databases[name]);
    const grants = storage.on(databases.grants, (db) => new GrantStore(db, home, clock, rows("grants")));
    const approvals = storage.on(databases.approvals, (db) => new ApprovalRegistry(db, clock, rows("approvals")));
    const activity = new Activity(storage.opened.activity.db, now, failed);
    const state_reserve = new DiskReserve(paths.state_reserve, STATE_RESERVE_BYTES);
    const withRoom = <T>(act: () => T): T => state_reserve.withRoom(act);
    const agents = storage.on(databases.agents, (db) => new AgentDirectory(db, paths, now, rows("agents"), withRoom));
    const safety = storage.on(databases.safety, (db) =>
      openSafety(db, config.safety, clock, {
        rows: rows("safety"),
        pauseChanged(pause) {
          // Requests are withdrawn before the pause is published: no answer from now on allows anything.
          if (pause.is_paused) gate.withdrawAll(`the gate is paused: ${pause.reason}`);
          audit.append({ event: pause.is_paused ? "paused" : "resumed", ts: now() / 1000, by: pause.by });
          audit.flush();
          hooks.pauseChanged?.(pause);
          publish({ type: pause.is_paused ? "safety.paused" : "safety.resumed", data: pause });
        },
        violated: (violation) => publish({ type: "safety.violation", data: violation }),
        withRoom,
      }),
    );
    const counters = { allowed: 0, denied: 0, asked: 0 };
    const gate = new Gate(
      {
        catalog,
        grants,
        approvals,
        audit,
        on_audit_failure: config.audit.on_failure,
        activity,
        stages: {
          home,
          env,
          grants,
          pause: safety.pause,
          lost: () => storage.watch.lossByNow()?.message,
          gate_files: new GateFiles(paths, home),
          get judge_threshold() {
            return config.judge.threshold;
          },
          now,
        },
        broker: {
          home,
          get language() {
            return config.language;
          },
          get ttl_seconds() {
            return config.approvals.ttl_seconds;
          },
          session_seconds: config.approvals.session_seconds,
          clock,
          withRoom,
        },
      },
      {
        decided(decision, call, subject) {
          counters[decision.outcome === "approval_required" ? "asked" : decision.outcome]++;
          if (!listeners.hasListener("decision") && hooks.decided === undefined) return;
          const data = {
            ts: now() / 1000,
            agent_name: subject.agent?.name ?? "none",
            executor: call.executor,
            decision,
          };
          hooks.decided?.({ ...data, executor: catalog.loggedName(call.executor, kindOf(subject)) });
          publish({ type: "decision", data });
        },
        waiting: (approval: ApprovalView) => publish({ type: "approval.waiting", data: approval }),
        closed: (approval: ApprovalView) => publish({ type: "approval.closed", data: approval }),
        granted: () => publish({ type: "grants.changed", data: {} }),
        moved: (token, expires_at) => publish({ type: "approval.held", data: { token, expires_at } }),
        failed,
      },
    );
    made = gate;
    audit.subscribe((line) => {
      if (listeners.hasListener("audit.line")) publish({ type: "audit.line", data: JSON.parse(line) as AuditLine });
    });
    audit.begin((health) => {
      const trail = { folder: paths.audit_dir, head_file: paths.audit_head };
      raiseTrailAlarms(alarms, health, trail, config.audit.on_failure);
    });
    // Before anything that may fail: the next start finds a safety database, and doesn't check the trail again.
    if (storage.opened.may_have_lost_pause && safety.pause.reason === undefined && wasPaused(paths)) {
      const reason = "the gate was paused when its safety database was lost";
      safety.pause.begin({ by: "human", reason, clears: "by_human" });
    }
    gate.broker.start();
    for (const { db } of [...Object.values(databases), storage.opened.activity]) serveOthers(db);
    grants.endGateSessions();
    // Also removes requests that had ended when the gate was killed.
    approvals.flush();
    for (const { event, file, message, hint } of irregularities) {
      alarms.raise({ code: "file_renewed", subject: file, message, hint });
      audit.append({ event, ts: now() / 1000, file: basename(file) });
      log(message);
    }
    audit.flush();
    const paused = safety.pause.reason;
    if (paused !== undefined) gate.withdrawAll(`the gate is paused: ${paused}`);
    const flush = () => {
      if (storage.watch.lossByNow() !== undefined) return;
      gate.record();
      gate.publish();
      audit.tend();
      state_reserve.keep();
      for (const part of [gate.broker, safety.pause, grants, approvals, agents, activity, safety.violations]) {
        try {
          part.flush();
        } catch (error) {
          // A full disk: what is stored beside the decisions is written the next time.
          failed("writing what was counted", error);
        }
      }
    };
    const timer = setInterval(flush, FLUSH_INTERVAL_MS);
    timer.unref();
    return {
      home,
      paths,
      config,
      gate,
      grants,
      agents,
      audit,
      activity,
      settings,
      safety,
      alarms,
      storage,
      counters,
      publish,
      subscribe: (listener, types) => listeners.add(listener, types),
      close() {
        clearInterval(timer);
        gate.broker.stop();
        safety.pause.stop();
        flush();
        audit.close();
        storage.close();
      },
    };
  } catch (error) {
    made?.broker.stop();
    storage.close();
    throw error;
  }
}

function alarmOf(loss: GateError): AlarmCode {
  return loss.code === "gate_replaced" ? "gate_replaced" : "database_unusable";
}

/** Whether the gate was paused, according to the trail. */
function wasPaused({ audit_dir }: GatePaths): boolean {
  return lastLine(audit_dir, ({ event }) => event === "paused" || event === "resumed")?.event === "paused";
}
