import { basename } from "node:path";
import type { AlarmCode } from "../ipc/alarms.ts";
import type { Decision } from "../ipc/decision.ts";
import type { GateError } from "../ipc/gate-error.ts";
import { type AuditLine, OPERATOR_EVENTS, type OperatorApi, type OperatorEvent } from "../ipc/operator-api.ts";
import type { Env } from "../ipc/paths.ts";
import { type GatePaths, gatePaths, homeFolder } from "../ipc/paths.ts";
import type { Pause } from "../ipc/safety.ts";
import type { ProposedCall } from "../ipc/wire.ts";
import { AtIntervals } from "./at-intervals.ts";
import { BoxService } from "./box/box-service.ts";
import { BoxNetwork } from "./box/network/box-network.ts";
import { NoteBoard } from "./channels/notes.ts";
import { type Config, loadConfigWithSources } from "./config.ts";
import { errorOrigin } from "./error-origin.ts";
import { logEvents } from "./event-log.ts";
import { Activity } from "./gate/activity/activity.ts";
import { type AgentPause, AgentPauses } from "./gate/agent-pauses.ts";
import { AgentDirectory } from "./gate/agents.ts";
import { Alarms } from "./gate/alarms.ts";
import { ApprovalRegistry } from "./gate/approvals/registry.ts";
import { raiseTrailAlarms } from "./gate/audit/alarms.ts";
import { Checkpoints } from "./gate/audit/checkpoints.ts";
import { AuditLog } from "./gate/audit/log.ts";
import { lastLine } from "./gate/audit/tail.ts";
import type { Clock } from "./gate/clock.ts";
import type { Box } from "./gate/confinement/box.ts";
import { Prices } from "./gate/costs/prices.ts";
import { serveOthers } from "./gate/database.ts";
import { DiskReserve } from "./gate/disk-reserve.ts";
import { ExecutorCatalog, loadOwnExecutors } from "./gate/executors/catalog.ts";
import { Gate } from "./gate/gate.ts";
import { StaleGrants } from "./gate/grants/stale.ts";
import { GrantStore } from "./gate/grants/store.ts";
import { configuredFiles } from "./gate/guard/configured-files.ts";
import { GateFiles, hiddenFromBoxes } from "./gate/guard/gate-files.ts";
import { policyDigest } from "./gate/policy-digest.ts";
import type { PolicyOverrides } from "./gate/profiles/policy-overrides.ts";
import { RateLimits } from "./gate/rate/rate-limits.ts";
import { DueCards, DueGrants } from "./gate/receipts/due.ts";
import type { ReceiptKeys } from "./gate/receipts/receipt-keys.ts";
import { Receipts } from "./gate/receipts/receipts.ts";
import { SessionDecisions } from "./gate/reviews/session-decisions.ts";
import { openSafety, type Safety } from "./gate/safety/safety.ts";
import type { Subject } from "./gate/stages/examination.ts";
import { AGENT_PAUSED } from "./gate/stages/safety.ts";
import type { JudgeParts } from "./judges/configured-judges.ts";
import { type Judges, openJudges } from "./judges/judges.ts";
import { Listeners } from "./listeners.ts";
import { loadPolicyOverrides } from "./policy-overrides-file.ts";
import { noteRefusedReports } from "./reported-calls.ts";
import { Settings } from "./settings.ts";
import { staleNote, staleRecord } from "./stale-note.ts";
import { rowReport } from "./storage/damaged-rows.ts";
import type { DatabaseName } from "./storage/database-names.ts";
import { Storage } from "./storage/storage.ts";
import { systemClock } from "./system-clock.ts";
import { VERSION } from "./version.ts";

/** The parts of a running gate, opened in the right order and closed again. */
export interface Core {
  home: string;
  paths: GatePaths;
  config: Config;
  clock: Clock;
  gate: Gate;
  grants: GrantStore;
  agents: AgentDirectory;
  agent_pauses: AgentPauses;
  audit: AuditLog;
  checkpoints: Checkpoints;
  activity: Activity;
  settings: Settings;
  safety: Safety;
  alarms: Alarms;
  box: BoxService;
  judges: Judges;
  rate: RateLimits;
  prices: Prices;
  overrides: PolicyOverrides;
  receipts: Receipts;
  /** What signs receipts and checkpoints. */
  receipt_keys: ReceiptKeys;
  storage: Storage;
  /** Room for what must still be written once the disk is full. */
  state_reserve: DiskReserve;
  catalog: ExecutorCatalog;
  listeners: Listeners;
  /** What the user should know of, wherever the user is. */
  notes: NoteBoard;
  /** Sends an event to every surface. */
  publish(event: OperatorEvent): void;
  subscribe: OperatorApi["subscribe"];
  /** Logs an unexpected error after which the gate continues; a database's counts for its health, too. */
  failed(what: string, error: unknown): void;
  close(): void;
}

/** The paths, with the configuration's for the databases, which the environment overrides, and for the files that it names. */
export function gatePathsWith(config: Config, env: Env): GatePaths {
  const paths = { ...gatePaths(env), ...configuredFiles(config) };
  if (!env.METNOS_GRANTS_DB && config.grants.db !== undefined) paths.grants_db = config.grants.db;
  if (!env.METNOS_APPROVALS_DB && config.approvals.db !== undefined) paths.approvals_db = config.approvals.db;
  return paths;
}

/** Enough for some thousand lines, and for a pause and some answers, on a full disk. */
const AUDIT_RESERVE_BYTES = 1024 * 1024;
const STATE_RESERVE_BYTES = 512 * 1024;

/** How often last uses and last sightings are written, in milliseconds. */
const FLUSH_INTERVAL_MS = 2000;

/** How often surfaces are informed at the most that another call is being judged, in milliseconds. */
const REVIEWS_CHANGED_MS = 250;

export interface CoreOptions {
  env?: Env | undefined;
  clock?: Clock | undefined;
  /** Takes one line for each event. */
  log?: ((line: string) => void) | undefined;
  /** False: no line for each decision, as they are shown in another way. */
  logs_decisions?: boolean | undefined;
  /** Databases that may begin empty although others don't. */
  accept_empty?: readonly DatabaseName[];
}

/** The parts that need no database. */
interface Beginnings
  extends Pick<
    Core,
    "home" | "paths" | "config" | "clock" | "settings" | "catalog" | "listeners" | "notes" | "publish"
  > {
  env: Env;
  alarms: Alarms;
  audit: AuditLog;
  prices: Prices;
  overrides: PolicyOverrides;
  log(line: string): void;
  /** What follows the trail writes nothing any more. */
  abandon(): void;
}

/**
 * Opens the databases under the locks.
 * @throws GateError `already_running`, `lock_unusable`, `invalid_config`, `database_*`: nothing was changed then
 */
export async function openCore(options: CoreOptions = {}): Promise<Core> {
  const begun = begin(options);
  const { paths, home, alarms, audit, log } = begun;
  const storage = await Storage.open({
    paths,
    home,
    accept_empty: options.accept_empty ?? [],
    alarms,
    log,
    lost: (loss) => noteLoss(begun, loss),
  });
  const failed = (what: string, error: unknown) => {
    storage.health.noteFailure(error);
    log(`error in ${what}: ${errorOrigin(error)}`);
  };
  let opened: Gate | undefined;
  try {
    const stores = openStores(begun, storage, failed, {
      all: (reason) => opened?.waiting.withdrawAll(`the gate is paused: ${reason}`),
      ofAgent: (agent_id) => opened?.waiting.withdrawAgent(agent_id, AGENT_PAUSED, "approval.withdrawn-pause"),
    });
    const box = openBox(begun, stores, failed, () => opened);
    const decisions = new SessionDecisions(begun.catalog, begun.clock.now);
    const judges = await openJudges(begun.config, () => judgeParts(begun, storage, stores, failed, decisions));
    const gate = openGate(begun, storage, stores, failed, { box, judges, decisions });
    opened = gate;
    const receipts = openReceipts(begun, storage, stores, failed);
    const checkpoints = openCheckpoints(begun, receipts.keys, failed);
    begun.abandon = () => checkpoints.abandon();
    start(begun, storage, stores, gate);
    receipts.begin();
    // The keys are known now: without them no stored checkpoint counts.
    checkpoints.begin();
    const parts = [box, judges, staleGrants(begun, storage, stores, failed)];
    for (const part of parts) part.begin();
    const flush = () => flushAll(begun, storage, stores, gate, { receipts, checkpoints }, failed);
    const timer = setInterval(flush, FLUSH_INTERVAL_MS).unref();
    return {
      ...begun,
      ...stores,
      gate,
      box,
      judges,
      receipts,
      receipt_keys: receipts.keys,
      checkpoints,
      storage,
      subscribe: (listener, types = OPERATOR_EVENTS) => begun.listeners.add(types, listener),
      failed,
      close() {
        clearInterval(timer);
        for (const part of parts) part.close();
        stopWork(gate, stores);
        flush();
        receipts.close();
        if (storage.watch.lossByNow() === undefined) stores.rate.close();
        checkpoints.close();
        audit.close();
        storage.close();
      },
    };
  } catch (error) {
    opened?.broker.stop();
    storage.close();
    throw error;
  }
}

function stopWork(gate: Gate, { safety, agent_pauses }: Stores): void {
  gate.waiting.reviews.stop();
  gate.broker.stop();
  safety.pause.stop();
  agent_pauses.stop();
}

function begin({ env = process.env, clock = systemClock, log, logs_decisions = true }: CoreOptions): Beginnings {
  const { config, sources } = loadConfigWithSources(gatePaths(env).config_file, env);
  const paths = gatePathsWith(config, env);
  const catalog = new ExecutorCatalog(loadOwnExecutors(paths.executors_dir));
  const listeners = new Listeners((error) => log?.(`error in telling a surface: ${errorOrigin(error)}`));
  // First, so that an event is logged before anything acts on it.
  if (log !== undefined && logs_decisions) logEvents({ listeners, catalog }, log);
  const publish = (event: OperatorEvent) => listeners.publish(event);
  const audit_reserve = new DiskReserve(paths.audit_reserve, AUDIT_RESERVE_BYTES);
  return {
    env,
    clock,
    home: homeFolder(env),
    paths,
    config,
    prices: new Prices(config),
    overrides: loadPolicyOverrides(paths.policy_overrides),
    settings: new Settings(paths.chosen_file, config, sources),
    catalog,
    listeners,
    notes: new NoteBoard(),
    publish,
    alarms: new Alarms(clock.now, (list) => publish({ type: "alarms.changed", data: list })),
    audit: new AuditLog(paths.audit_dir, paths.audit_head, clock.now, audit_reserve),
    log: log ?? (() => undefined),
    abandon: () => undefined,
  };
}

/** A lock, a socket or a database isn't the gate's any more: it decides nothing from now on, and has to be closed. */
function noteLoss({ abandon, audit, alarms, clock, paths, listeners }: Beginnings, loss: GateError): void {
  // Whoever has the lock has the trail, too; a lost database alone leaves the trail to this gate.
  if (loss.code === "gate_replaced") {
    audit.abandon();
    abandon();
  } else audit.append({ event: "database.lost", ts: clock.now() / 1000, reason: loss.message });
  audit.flush();
  alarms.raise({ code: alarmOf(loss), subject: paths.state_dir, message: loss.message, hint: loss.hint });
  listeners.publish({ type: "gate.lost", data: loss });
}

/** What is kept in databases, each behind its own interface. */
interface Stores extends Pick<Core, "activity" | "agents" | "agent_pauses" | "grants" | "safety"> {
  approvals: ApprovalRegistry;
  rate: RateLimits;
  state_reserve: DiskReserve;
}

/** Withdraws what waits when a pause begins: of all agents, or of one. */
interface Withdraw {
  all(reason: string | null): void;
  ofAgent(agent_id: string): void;
}

function openStores(
  { home, paths, config, clock, alarms, audit, listeners, publish }: Beginnings,
  storage: Storage,
  failed: Core["failed"],
  withdraw: Withdraw,
): Stores {
  const { now } = clock;
  const { databases } = storage.opened;
  const rows = (name: DatabaseName) => rowReport(alarms, databases[name]);
  const state_reserve = new DiskReserve(paths.state_reserve, STATE_RESERVE_BYTES);
  const withRoom = <T>(act: () => T): T => state_reserve.withRoom(act);
  const pauseChanged = (pause: Pause) => {
    // Requests are withdrawn before the pause is published: no answer from now on allows anything.
    if (pause.is_paused) withdraw.all(pause.reason);
    audit.append({ event: pause.is_paused ? "paused" : "resumed", ts: now() / 1000, by: pause.by });
    audit.flush();
    publish({ type: pause.is_paused ? "safety.paused" : "safety.resumed", data: pause });
  };
  const agents = storage.on(databases.agents, (db) => new AgentDirectory(db, paths, now, rows("agents"), withRoom));
  const agentPauseChanged = (agent_id: string, pause: AgentPause | null) => {
    if (pause !== null) withdraw.ofAgent(agent_id);
    const name = agents.get(agent_id)?.name ?? agent_id;
    audit.append({ event: pause === null ? "agent.resumed" : "agent.paused", ts: now() / 1000, agent: name });
    audit.flush();
    listeners.publish({ type: "agent.pause", data: { agent_id, pause } });
    publish({ type: "agents.changed", data: {} });
  };
  return {
    agents,
    agent_pauses: storage.on(
      databases.agents,
      (db) => new AgentPauses(db, { clock, changed: agentPauseChanged, report: rows("agents"), withRoom }),
    ),
    grants: storage.on(databases.grants, (db) => new GrantStore(db, home, clock, rows("grants"))),
    rate: storage.on(databases.grants, (db) => new RateLimits(db, config.rate, clock, failed)),
    approvals: storage.on(databases.approvals, (db) => new ApprovalRegistry(db, clock, rows("approvals"))),
    activity: new Activity(storage.opened.activity.db, now, failed),
    safety: storage.on(databases.safety, (db) =>
      openSafety(db, config.safety, clock, {
        rows: rows("safety"),
        pauseChanged,
        violated: (violation) => publish({ type: "safety.violation", data: violation }),
        withRoom,
      }),
    ),
    state_reserve,
  };
}

function openGate(
  begun: Beginnings,
  storage: Storage,
  stores: Stores,
  failed: Core["failed"],
  { box, judges, decisions }: { box: Box; judges: Judges; decisions: SessionDecisions },
): Gate {
  const { home, env, paths, config, clock, catalog, audit, publish } = begun;
  const { grants, approvals, activity, agent_pauses, safety, state_reserve } = stores;
  const reviews_changed = new AtIntervals(REVIEWS_CHANGED_MS, () => publish({ type: "reviews.changed", data: {} }));
  return new Gate(
    {
      catalog,
      grants,
      approvals,
      audit,
      on_audit_failure: config.audit.on_failure,
      activity,
      canOverrideJudges: () => config.judge.override,
      decisions,
      stages: {
        home,
        env,
        grants,
        pause: safety.pause,
        refusals: approvals.refusals,
        agent_pauses,
        box,
        reviewers: judges.reviewers,
        rate: stores.rate,
        prices: begun.prices,
        overrides: begun.overrides,
        lost: () => storage.watch.lossByNow()?.message,
        gate_files: new GateFiles(paths, home),
        get judge_threshold() {
          return config.judge.threshold;
        },
        now: clock.now,
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
        withRoom: (act) => state_reserve.withRoom(act),
      },
    },
    {
      decided: (decision, call, subject) => publishDecision(begun, decision, call, subject),
      waiting: (approval) => publish({ type: "approval.waiting", data: approval }),
      closed: (approval) => publish({ type: "approval.closed", data: approval }),
      granted: () => publish({ type: "grants.changed", data: {} }),
      refused: () => publish({ type: "refusals.changed", data: {} }),
      reviewsChanged: () => reviews_changed.go(),
      moved: (token, expires_at) => publish({ type: "approval.held", data: { token, expires_at } }),
      failed,
    },
  );
}

function openReceipts(
  { paths, clock, alarms, overrides, listeners }: Beginnings,
  { opened, watch }: Storage,
  { agents }: Stores,
  failed: Core["failed"],
): Receipts {
  const { approvals, grants } = opened.databases;
  const { now } = clock;
  const versions = { gate: VERSION, policy: policyDigest(overrides.list) };
  const cards = new DueCards(approvals.db, versions);
  const receipts = new Receipts({
    key_file: paths.receipt_key,
    folder: paths.receipts_dir,
    cards,
    grants: new DueGrants(grants.db, { versions, cards, now, agentName: (agent_id) => agents.get(agent_id)?.name }),
    alarms,
    gate_version: VERSION,
    now,
    isIntact: () => watch.lossByNow() === undefined,
    failed,
  });
  listeners.add(["approval.closed", "grants.changed"], () => receipts.wake());
  return receipts;
}

/** `gateOf`: the gate once it is open, which decides on the hosts that confined commands ask for. */
function openBox(
  begun: Beginnings,
  { agents, agent_pauses, grants, safety }: Stores,
  failed: Core["failed"],
  gateOf: () => Gate | undefined,
): BoxService {
  const { paths, home, env, config, clock, alarms, audit, listeners } = begun;
  return new BoxService({
    paths,
    home,
    env,
    config: config.box,
    clock,
    alarms,
    audit,
    agent_pauses,
    stateOf(agent_id) {
      const agent = agents.get(agent_id);
      // The user's own run.
      if (agent === undefined) return { level: undefined, stopped: null };
      const paused = agent_pauses.isPaused(agent_id) ? AGENT_PAUSED : null;
      const stopped = safety.pause.reason === undefined ? paused : "the gate is paused";
      return { level: agent.revoked_at === null ? agent.level : undefined, stopped };
    },
    agents: () =>
      agents
        .list()
        .filter(({ revoked_at }) => revoked_at === null)
        .map(({ name, level }) => ({ name, level })),
    gate_folders: hiddenFromBoxes(paths),
    network: (folder, node) => {
      const gate = gateOf();
      if (gate === undefined) throw new Error("a box begins once its gate is open");
      return new BoxNetwork({ gate, grants, agents, listeners, failed, folder, node });
    },
    failed,
  });
}

function staleGrants(
  { home, config, audit, notes, publish }: Beginnings,
  storage: Storage,
  { agents, grants }: Stores,
  failed: Core["failed"],
): StaleGrants {
  return new StaleGrants({
    grants,
    after_days: config.grants.stale_after_days,
    isLost: () => storage.watch.lossByNow() !== undefined,
    revoked(batch) {
      audit.append(staleRecord(batch, audit.time()));
      audit.flush();
      publish({ type: "grants.changed", data: {} });
      notes.say(staleNote(batch, { home, language: config.language, nameOf: (id) => agents.get(id)?.name ?? id }));
    },
    failed,
  });
}

function judgeParts(
  { env, home, paths, clock, catalog, alarms }: Beginnings,
  storage: Storage,
  { approvals }: Stores,
  failed: Core["failed"],
  decisions: SessionDecisions,
): JudgeParts {
  const gate_folders = hiddenFromBoxes(paths);
  const { db } = storage.opened.activity;
  return { env, home, paths, clock, catalog, alarms, approvals, decisions, db, gate_folders, failed };
}

function publishDecision(
  { clock, listeners }: Beginnings,
  decision: Decision,
  { executor }: ProposedCall,
  { agent }: Subject,
): void {
  if (!listeners.hasListener("decision")) return;
  const data = { ts: clock.now() / 1000, agent_name: agent?.name ?? "none", executor, decision };
  listeners.publish({ type: "decision", data });
}

function openCheckpoints(
  { paths, config, clock, alarms, audit }: Beginnings,
  keys: ReceiptKeys,
  failed: Core["failed"],
): Checkpoints {
  return new Checkpoints({
    audit,
    keys: { current: () => keys.current, known: () => keys.known.map(({ public_bytes }) => public_bytes) },
    folder: paths.audit_dir,
    tree_file: paths.audit_tree,
    checkpoints_dir: paths.checkpoints_dir,
    checkpoint_file: config.receipts.checkpoint_file,
    now: clock.now,
    alarms,
    failed,
  });
}

/** Continues with what the previous gate left: waiting requests, a pause, grants of its sessions. */
function start(begun: Beginnings, storage: Storage, stores: Stores, gate: Gate): void {
  const { paths, config, clock, alarms, audit, listeners, log } = begun;
  const { approvals, grants, safety } = stores;
  const { databases, activity, irregularities, may_have_lost_pause } = storage.opened;
  audit.subscribe((line) => {
    if (listeners.hasListener("audit.line"))
      listeners.publish({ type: "audit.line", data: JSON.parse(line) as AuditLine });
  });
  audit.begin((health) => {
    const trail = { folder: paths.audit_dir, head_file: paths.audit_head };
    raiseTrailAlarms(alarms, health, trail, config.audit.on_failure);
  });
  // Before anything that may fail: the next start finds a safety database, and doesn't check the trail again.
  if (may_have_lost_pause && safety.pause.reason === undefined && wasPaused(paths)) {
    const reason = "the gate was paused when its safety database was lost";
    safety.pause.begin({ by: "human", reason, clears: "by_human" });
  }
  gate.broker.start();
  for (const request of approvals.listPending({ limit: 100_000 })) stores.rate.asked(request);
  for (const { db } of [...Object.values(databases), activity]) serveOthers(db);
  grants.endGateSessions();
  approvals.refusals.endGateSessions();
  // Also removes requests that had ended when the gate was killed.
  approvals.flush();
  for (const { event, file, message, hint } of irregularities) {
    alarms.raise({ code: "file_renewed", subject: file, message, hint });
    audit.append({ event, ts: clock.now() / 1000, file: basename(file) });
    log(message);
  }
  audit.flush();
  const paused = safety.pause.reason;
  if (paused !== undefined) gate.waiting.withdrawAll(`the gate is paused: ${paused}`);
  for (const { agent_id } of stores.agent_pauses.list())
    gate.waiting.withdrawAgent(agent_id, AGENT_PAUSED, "approval.withdrawn-pause");
  gate.broker.completeWithdrawals();
}

/** Writes what is stored beside the decisions. */
function flushAll(
  begun: Beginnings,
  storage: Storage,
  stores: Stores,
  gate: Gate,
  { receipts, checkpoints }: Pick<Core, "receipts" | "checkpoints">,
  failed: Core["failed"],
): void {
  const { audit } = begun;
  if (storage.watch.lossByNow() !== undefined) return;
  const { activity, agents, agent_pauses, approvals, grants, safety, state_reserve } = stores;
  gate.record();
  gate.publish();
  noteRefusedReports({ ...begun, ...stores });
  audit.tend();
  checkpoints.tend();
  state_reserve.keep();
  const parts = [
    receipts,
    gate.broker,
    safety.pause,
    agent_pauses,
    grants,
    stores.rate,
    approvals,
    approvals.refusals,
    approvals.passes,
    agents,
    activity,
    safety.violations,
  ];
  for (const part of parts) {
    try {
      part.flush();
    } catch (error) {
      // A full disk: what is stored beside the decisions is written the next time.
      failed("writing what was counted", error);
    }
  }
}

function alarmOf(loss: GateError): AlarmCode {
  return loss.code === "gate_replaced" ? "gate_replaced" : "database_unusable";
}

/** Whether the gate was paused, according to the trail. */
function wasPaused({ audit_dir }: GatePaths): boolean {
  return lastLine(audit_dir, ({ event }) => event === "paused" || event === "resumed")?.event === "paused";
}
