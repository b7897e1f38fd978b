import { join } from "node:path";
import type { AlarmCode } from "../../ipc/contract/alarms.ts";
import type { GateError } from "../../ipc/contract/gate-error.ts";
import { OPERATOR_EVENTS, type OperatorApi } from "../../ipc/contract/operator-api.ts";
import { OtherHooks, UserWords } from "../agents/index.ts";
import { attempt, errorOrigin } from "../base/errors.ts";
import type { DatabaseName } from "../base/sqlite/database-names.ts";
import { VERSION } from "../base/version.ts";
import { BoxNetwork } from "../box/network/box-network.ts";
import { nodeForBox } from "../box/node.ts";
import { LaterChanges } from "../box/project/later-changes.ts";
import { BoxService, type BoxServiceParts } from "../box/service/box-service.ts";
import { type Gate, SessionDecisions } from "../calls/index.ts";
import { SessionMarks } from "../decide/flow/session-marks.ts";
import { hiddenFromBoxes } from "../decide/places/gate-files.ts";
import { policyDigest } from "../decide/policy/policy.ts";
import { AGENT_PAUSED } from "../decide/stages/safety.ts";
import { CurrentJudges, type JudgeParts, secretsMask } from "../judges/index.ts";
import { Checkpoints } from "../records/audit/checkpoints.ts";
import { DueCards, DueGrants, DueUndos } from "../records/receipts/due-receipts.ts";
import type { ReceiptKeys } from "../records/receipts/receipt-keys.ts";
import { Receipts } from "../records/receipts/receipts.ts";
import type { Undo } from "../undo/index.ts";
import { AgedMonths } from "./archiving.ts";
import { GitHistories } from "./git-histories.ts";
import { continueFrom, openGate } from "./open-gate.ts";
import { openStaleGrants } from "./open-stale-grants.ts";
import { type BeginOptions, begin, type PartsWithoutDatabase } from "./parts-without-database.ts";
import { noteChangedLater, noteCountedReports } from "./reported-calls.ts";
import { DiskWatch } from "./storage/disk-watch.ts";
import { Storage } from "./storage/storage.ts";
import { LOOK_MS } from "./storage/storage-watch.ts";
import { type Opened, openStores } from "./stores.ts";

/** The parts of a running gate, opened in the right order and closed again. */
export interface Core extends Omit<Opened, "env" | "log" | "approvals"> {
  gate: Gate;
  box: BoxService;
  judges: CurrentJudges;
  /** What users asked their agents for, in memory only. */
  words: UserWords;
  /** What each session has seen. */
  marks: SessionMarks;
  other_hooks: OtherHooks;
  histories: GitHistories;
  receipts: Receipts;
  /** What signs receipts and checkpoints. */
  receiptKeys: ReceiptKeys;
  checkpoints: Checkpoints;
  /** Undefined where nothing is kept. */
  undo: Undo | undefined;
  later: LaterChanges;
  subscribe: OperatorApi["subscribe"];
  close(): void;
}

/** How often last uses and last sightings are written, in milliseconds. */
const FLUSH_INTERVAL_MS = 2000;

export interface CoreOptions extends BeginOptions {
  /** Databases that may begin empty although others don't. */
  acceptEmpty?: readonly DatabaseName[];
  /** So many confined commands may begin at once before more pipes for them are made. */
  pipesAhead?: number | undefined;
  /** Agents' calls come in: what they could change is kept before. */
  keepsProjects?: boolean;
}

/**
 * Opens the databases under the locks.
 * @throws GateError `already_running`, `lock_unusable`, `invalid_config`, `database_*`: nothing was changed then
 */
export async function openCore(options: CoreOptions = {}): Promise<Core> {
  const begun = begin(options);
  const { paths, home, alarms, log, listeners } = begun;
  let gate: Gate | undefined;
  let checkpoints: Checkpoints | undefined;
  const storage = await Storage.open({
    paths,
    home,
    acceptEmpty: options.acceptEmpty ?? [],
    keepsLines: begun.config.activity.keep !== "nothing",
    alarms,
    log,
    lost: (loss) => noteLoss(begun, loss, () => checkpoints?.abandon()),
  });
  const failed = (what: string, error: unknown) => {
    storage.health.noteFailure(error);
    log(`error in ${what}: ${errorOrigin(error)}`);
  };
  try {
    const base = { ...begun, storage, withoutSecrets: await secretsMask(), failed };
    const stores = openStores(base, {
      all: (reason) => gate?.waiting.withdrawAll(`the gate is paused: ${reason}`),
      ofAgent: (agentId) => gate?.waiting.withdrawAgent(agentId, AGENT_PAUSED, "approval.withdrawn-pause"),
    });
    const opened: Opened = { ...base, ...stores };
    const boxMaker = () => box.makerPath;
    const undo = await openUndo(opened, boxMaker);
    const keeping = options.keepsProjects === true ? undo : undefined;
    const changed = (agentId: string, id: string) => noteChangedLater(opened, agentId, id);
    const later = new LaterChanges({ ...opened, marks: () => marks, changed });
    const around = [later, ...(keeping === undefined ? [] : [keeping])];
    const box = openBox(opened, () => gate, { pipesAhead: options.pipesAhead, around });
    const decisions = new SessionDecisions(begun.catalog, begun.clock.now);
    const judges = await CurrentJudges.open(begun.config, () => judgeParts(opened, decisions));
    const words = new UserWords();
    const marks = storage.on(
      storage.opened.databases.grants,
      (db) => new SessionMarks(db, begun.clock, words, () => begun.publish({ type: "sessions.changed", data: {} })),
    );
    gate = openGate(opened, { box, judges, decisions, words, marks, before: keeping });
    const receipts = openReceipts(opened);
    checkpoints = openCheckpoints(opened, receipts.keys);
    const parts = {
      gate,
      box,
      judges,
      words,
      marks,
      other_hooks: new OtherHooks(),
      histories: new GitHistories(home),
      receipts,
      receiptKeys: receipts.keys,
      checkpoints,
      undo,
      later,
    };
    const close = run(opened, parts);
    return {
      ...opened,
      ...parts,
      subscribe: (listener, types = OPERATOR_EVENTS) => listeners.add(types, listener),
      close,
    };
  } catch (error) {
    gate?.broker.stop();
    storage.close();
    throw error;
  }
}

/** A lock, a socket or a database isn't the gate's any more: it decides nothing from now on, and has to be closed. */
function noteLoss(
  { audit, alarms, clock, paths, listeners }: PartsWithoutDatabase,
  loss: GateError,
  abandon: () => void,
): void {
  // Whoever has the lock has the trail, too; a lost database alone leaves the trail to this gate.
  if (loss.code === "gate_replaced") {
    audit.abandon();
    abandon();
  } else audit.append({ event: "database.lost", ts: clock.now() / 1000, reason: loss.message });
  audit.flush();
  alarms.raise({ code: alarmOf(loss), subject: paths.state_dir, message: loss.message, hint: loss.hint });
  listeners.publish({ type: "gate.lost", data: loss });
}

function alarmOf(loss: GateError): AlarmCode {
  return loss.code === "gate_replaced" ? "gate_replaced" : "database_unusable";
}

type Parts = Pick<Core, "gate" | "box" | "judges" | "histories" | "receipts" | "checkpoints" | "undo">;

/** Lets all parts work, in the order in which they need each other. Returns what ends them, in the opposite one. */
function run(opened: Opened, parts: Parts): () => void {
  const { audit, keptPauses, log, rate, storage, writtenFiles } = opened;
  const { gate, box, judges, receipts, checkpoints } = parts;
  continueFrom(opened, gate);
  receipts.begin();
  // The keys are known now: without them no stored checkpoint counts.
  checkpoints.begin();
  const atWork = [box, judges, openStaleGrants(opened)];
  for (const part of atWork) part.begin();
  const diskWatch = new DiskWatch(opened.paths, opened.alarms);
  const agedMonths = new AgedMonths({ ...opened, checkpoints });
  const again = (ms: number, ...works: (() => void)[]) =>
    setInterval(() => {
      // A disk that fails, or no file that may be opened: the gate continues, and does it the next time.
      for (const work of works) attempt(opened, "what is done again and again", work);
    }, ms).unref();
  const timers = [
    again(
      FLUSH_INTERVAL_MS,
      () => flush(opened, parts),
      () => agedMonths.flush(),
      () => diskWatch.look(),
    ),
    again(LOOK_MS, () => audit.look()),
  ];
  return () => {
    for (const timer of timers) clearInterval(timer);
    for (const part of atWork) part.close();
    parts.histories.close();
    parts.undo?.close();
    stopWaiting(opened, gate);
    flush(opened, parts);
    for (const note of keptPauses.notes()) log(`the gate ends while a pause isn't stored: ${note}`);
    keptPauses.close();
    receipts.close();
    if (storage.watch.lossByNow() === undefined) {
      rate.close();
      writtenFiles.flush();
      closeLines(opened);
    }
    checkpoints.close();
    audit.close();
    storage.close();
  };
}

/** No deadline of what waits, and of no pause, is watched any more. */
function stopWaiting({ safety, agent_pauses }: Opened, gate: Gate): void {
  gate.waiting.reviews.stop();
  gate.broker.stop();
  safety.pause.stop();
  agent_pauses.stop();
}

/** Writes what is stored beside the decisions. */
function flush(opened: Opened, { gate, receipts, checkpoints }: Parts): void {
  const { audit, storage } = opened;
  if (storage.watch.lossByNow() !== undefined) return;
  const { activity, agedRequests, agents, agent_pauses, approvals, grants, keptPauses, lines, rate } = opened;
  const { safety, stateReserve } = opened;
  gate.record();
  gate.publish();
  noteCountedReports(opened);
  audit.tend();
  checkpoints.tend();
  stateReserve.keep();
  opened.logRooms.keep();
  const parts = [
    receipts,
    gate.broker,
    safety.pause,
    agent_pauses,
    keptPauses,
    grants,
    rate,
    approvals,
    approvals.refusals,
    approvals.passes,
    agents,
    activity,
    lines,
    safety.violations,
    agedRequests,
  ];
  // A full disk: what is stored beside the decisions is written the next time.
  for (const part of parts) attempt(opened, "writing what was counted", () => part.flush());
}

/** Where its last lines can't be written, the next start says that some are missing. */
function closeLines({ lines, failed }: Opened): void {
  try {
    lines.close();
  } catch (error) {
    failed("writing the last lines of calls", error);
  }
}

function judgeParts(
  { env, home, paths, clock, catalog, alarms, approvals, storage, failed }: Opened,
  decisions: SessionDecisions,
): JudgeParts {
  const gateFolders = hiddenFromBoxes(paths);
  const { db } = storage.opened.activity;
  return { env, home, paths, clock, catalog, alarms, approvals, decisions, db, gateFolders, failed };
}

function openReceipts(opened: Opened): Receipts {
  const { paths, clock, alarms, overrides, listeners, agents, storage, failed } = opened;
  const { approvals, grants } = storage.opened.databases;
  const { now } = clock;
  const versions = {
    gate: VERSION,
    get policy() {
      return policyDigest(overrides.list);
    },
  };
  const cards = new DueCards(approvals.db, versions);
  const receipts = new Receipts({
    key_file: paths.receiptKey,
    folder: paths.receiptsDir,
    cards,
    undos: new DueUndos(approvals.db, versions),
    grants: new DueGrants(grants.db, { versions, cards, now, agentName: (agentId) => agents.get(agentId)?.name }),
    alarms,
    gate_version: VERSION,
    now,
    isIntact: () => storage.watch.lossByNow() === undefined,
    failed,
  });
  listeners.add(["approval.closed", "grants.changed"], () => receipts.wake());
  return receipts;
}

function openCheckpoints({ paths, config, clock, alarms, audit, failed }: Opened, keys: ReceiptKeys): Checkpoints {
  return new Checkpoints({
    audit,
    keys: { current: () => keys.current, known: () => keys.known.map(({ publicBytes }) => publicBytes) },
    folder: paths.auditDir,
    recordFile: paths.checkpointRecord,
    checkpointsDir: paths.checkpointsDir,
    checkpoint_file: config.receipts.checkpoint_file,
    now: clock.now,
    alarms,
    failed,
  });
}

/** Its code is loaded only where something is kept. */
async function openUndo(
  { paths, home, env, config, clock, failed, writtenFiles }: Opened,
  boxMaker: () => string | null,
): Promise<Undo | undefined> {
  const node = nodeForBox(env);
  if (!config.undo.enabled || node === null) return undefined;
  const { Undo, gitProblem } = await import("../undo/index.ts");
  if (gitProblem() !== null) return undefined;
  const comesBack = (path: string) => writtenFiles.keep(path, true);
  return new Undo({
    folder: join(paths.state_dir, "undo"),
    home,
    config: config.undo,
    node,
    boxMaker,
    now: clock.now,
    comesBack,
    failed,
  });
}

/** `gateOf`: the gate once it is open, which decides on the hosts that confined commands ask for. */
function openBox(
  opened: Opened,
  gateOf: () => Gate | undefined,
  options: Pick<BoxServiceParts, "pipesAhead" | "around">,
): BoxService {
  const { paths, home, env, config, clock, alarms, audit, listeners, failed } = opened;
  const { agents, agent_pauses, grants, safety } = opened;
  return new BoxService({
    paths,
    home,
    env,
    config: config.box,
    clock,
    alarms,
    audit,
    agent_pauses,
    stateOf(agentId) {
      const agent = agents.get(agentId);
      // The user's own run.
      if (agent === undefined) return { level: undefined, stopped: null };
      const paused = agent_pauses.isPaused(agentId) ? AGENT_PAUSED : null;
      const stopped = safety.pause.reason === undefined ? paused : "the gate is paused";
      return { level: agent.revoked_at === null ? agent.level : undefined, stopped };
    },
    agents: () =>
      agents
        .list()
        .filter(({ revoked_at }) => revoked_at === null)
        .map(({ name, level }) => ({ name, level })),
    gateFolders: hiddenFromBoxes(paths),
    network: (folder, node) => {
      const gate = gateOf();
      if (gate === undefined) throw new Error("a box begins once its gate is open");
      return new BoxNetwork({ gate, grants, agents, listeners, failed, folder, node });
    },
    ...options,
    failed,
  });
}
