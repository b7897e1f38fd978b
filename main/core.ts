import type Database from "better-sqlite3";
import type { ApprovalView, AuditLine, OperatorApi, OperatorEvent } from "../ipc/operator-api.ts";
import { homeFolder, type Places, placesFor } from "../ipc/places.ts";
import type { Pause } from "../ipc/safety.ts";
import { type Config, loadConfigWithSources } from "./config.ts";
import { Activity } from "./gate/activity/activity.ts";
import { ACTIVITY_SCHEMA } from "./gate/activity/counts.ts";
import { AGENTS_SCHEMA, AgentDirectory } from "./gate/agents.ts";
import { Alarms } from "./gate/alarms.ts";
import { ApprovalRegistry } from "./gate/approvals/registry.ts";
import { APPROVALS_SCHEMA } from "./gate/approvals/schema.ts";
import { AuditLog } from "./gate/audit/log.ts";
import type { Clock } from "./gate/clock.ts";
import { openDatabase } from "./gate/database.ts";
import { ExecutorCatalog, loadOwnExecutors } from "./gate/executors/catalog.ts";
import { Gate } from "./gate/gate.ts";
import { grantsSchema } from "./gate/grants/schema.ts";
import { GrantStore } from "./gate/grants/store.ts";
import { GateFiles } from "./gate/guard/gate-files.ts";
import { openSafety, type Safety } from "./gate/safety/safety.ts";
import { SAFETY_SCHEMA } from "./gate/safety/schema.ts";
import { kindOf } from "./gate/stages/examination.ts";
import { InstanceLock } from "./instance-lock.ts";
import { Listeners } from "./listeners.ts";
import { Settings } from "./settings.ts";
import { systemClock } from "./system-clock.ts";

/** Everything a running gate is made of, opened in the right order and closed again. */
export interface Core {
  home: string;
  places: Places;
  config: Config;
  gate: Gate;
  grants: GrantStore;
  agents: AgentDirectory;
  audit: AuditLog;
  activity: Activity;
  settings: Settings;
  safety: Safety;
  alarms: Alarms;
  counters: { allowed: number; denied: number; asked: number };
  /** Tells every surface. */
  publish(event: OperatorEvent): void;
  subscribe: OperatorApi["subscribe"];
  close(): void;
}

type Env = Readonly<Record<string, string | undefined>>;
type DecisionEvent = Extract<OperatorEvent, { type: "decision" }>["data"];

/** The configuration's own places for the databases; the environment wins. */
export function placesWith(config: Config, env: Env): Places {
  const places = placesFor(env);
  if (!env.METNOS_GRANTS_DB && config.grants.db !== undefined) places.grants_db = config.grants.db;
  if (!env.METNOS_APPROVALS_DB && config.approvals.db !== undefined) places.approvals_db = config.approvals.db;
  return places;
}

/** How often last uses and last sightings are written, in milliseconds. */
const FLUSH_INTERVAL_MS = 2000;

/** Who hears before any surface does. */
export interface CoreHooks {
  /** `executor` as it is logged. */
  decided?(data: DecisionEvent): void;
  pause_changed?(pause: Pause): void;
  /** Something unexpected that the gate goes on after. */
  failed?(what: string, error: unknown): void;
}

/**
 * Opens the databases under the instance lock.
 * @throws GateError `already_running`, `invalid_config`, `database_*`: nothing was changed then
 */
export function openCore(env: Env = process.env, clock: Clock = systemClock, hooks: CoreHooks = {}): Core {
  const { now } = clock;
  const { config, sources } = loadConfigWithSources(placesFor(env).config_file, env);
  const places = placesWith(config, env);
  const settings = new Settings(places.chosen_file, config, sources);
  const home = homeFolder(env);
  const catalog = new ExecutorCatalog(loadOwnExecutors(places.executors_dir));
  const lock = InstanceLock.take(places.lock_db);
  const databases: Database.Database[] = [];
  const open = (file: string, schema: Parameters<typeof openDatabase>[1]) => {
    const db = openDatabase(file, schema);
    databases.push(db);
    return db;
  };
  const closeDatabases = () => {
    for (const db of databases) db.close();
    lock.release();
  };
  try {
    const grants = new GrantStore(open(places.grants_db, grantsSchema(home)), home, clock);
    const approvals = new ApprovalRegistry(open(places.approvals_db, APPROVALS_SCHEMA), clock);
    const agents = new AgentDirectory(open(places.agents_db, AGENTS_SCHEMA), places, now);
    const audit = new AuditLog(places.audit_dir, places.audit_head, now);
    const activity = new Activity(open(places.activity_db, ACTIVITY_SCHEMA), now);
    const listeners = new Listeners((error) => hooks.failed?.("telling a surface", error));
    const alarms = new Alarms(now, (list) => publish({ type: "alarms.changed", data: list }));
    const safety = openSafety(open(places.safety_db, SAFETY_SCHEMA), config.safety, clock, {
      pause_changed(pause) {
        // What waits is withdrawn before anybody hears of it: no answer from now on allows anything.
        if (pause.is_paused) gate.withdraw_all(`the gate is paused: ${pause.reason}`);
        audit.append({ event: pause.is_paused ? "paused" : "resumed", ts: now() / 1000, by: pause.by });
        audit.flush();
        hooks.pause_changed?.(pause);
        publish({ type: pause.is_paused ? "safety.paused" : "safety.resumed", data: pause });
      },
      violated: (violation) => publish({ type: "safety.violation", data: violation }),
    });
    const counters = { allowed: 0, denied: 0, asked: 0 };
    const publish = (event: OperatorEvent) => listeners.publish(event);
    const gate = new Gate(
      {
        catalog,
        grants,
        approvals,
        audit,
        activity,
        stages: {
          home,
          env,
          grants,
          pause: safety.pause,
          gate_files: new GateFiles(places, home),
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
        },
      },
      {
        decided(decision, call, subject) {
          counters[decision.outcome === "approval_required" ? "asked" : decision.outcome]++;
          if (!listeners.hear("decision") && hooks.decided === undefined) return;
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
        failed: (what, error) => hooks.failed?.(what, error),
      },
    );
    audit.subscribe((line) => {
      if (listeners.hear("audit.line")) publish({ type: "audit.line", data: JSON.parse(line) as AuditLine });
    });
    gate.broker.start();
    grants.end_gate_sessions();
    // Of what had ended when the gate was killed, too, nothing stays.
    approvals.flush();
    const paused = safety.pause.reason;
    if (paused !== undefined) gate.withdraw_all(`the gate is paused: ${paused}`);
    const flush = () => {
      gate.record();
      gate.publish();
      audit.remember_head();
      for (const part of [grants, approvals, agents, activity, safety.violations]) {
        try {
          part.flush();
        } catch (error) {
          // A full disk: what is remembered beside the decisions waits for the next time.
          hooks.failed?.("writing what was counted", error);
        }
      }
    };
    const timer = setInterval(flush, FLUSH_INTERVAL_MS);
    timer.unref();
    return {
      home,
      places,
      config,
      gate,
      grants,
      agents,
      audit,
      activity,
      settings,
      safety,
      alarms,
      counters,
      publish,
      subscribe: (listener, types) => listeners.add(listener, types),
      close() {
        clearInterval(timer);
        gate.broker.stop();
        safety.pause.stop();
        flush();
        audit.close();
        closeDatabases();
      },
    };
  } catch (error) {
    closeDatabases();
    throw error;
  }
}
