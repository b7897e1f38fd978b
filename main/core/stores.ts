import type { Pause } from "../../ipc/contract/safety.ts";
import { AgentDirectory, type AgentPause, AgentPauses, KeptPauses } from "../agents/index.ts";
import type { Alarms } from "../base/alarms.ts";
import { DiskReserve } from "../base/files/disk-reserve.ts";
import { RoomsAhead } from "../base/files/room-ahead.ts";
import type { DamagedRowReport } from "../base/sqlite/damaged-row-report.ts";
import type { OpenDatabase } from "../base/sqlite/database-health.ts";
import type { DatabaseName } from "../base/sqlite/database-names.ts";
import { AgedRequests, ApprovalRegistry } from "../calls/index.ts";
import { WrittenFiles } from "../decide/flow/written-files.ts";
import { GrantStore } from "../decide/grants/store.ts";
import { McpTools } from "../decide/mcp/mcp-tools.ts";
import { McpToolStore } from "../decide/mcp/tool-store.ts";
import { UsedDestinations } from "../decide/places/used-destinations.ts";
import { PolicyCells } from "../decide/policy/cells.ts";
import { RateLimits } from "../decide/rate/budgets.ts";
import { openSafety, type Safety } from "../decide/safety/safety.ts";
import { Activity } from "../records/activity/activity.ts";
import { CallFacts } from "../records/activity/call-facts.ts";
import { CallLines } from "../records/activity/call-line.ts";
import { BOUNDS, BOUNDS_IN_MEMORY, KeptCalls } from "../records/activity/kept-calls.ts";
import type { Failed, PartsWithoutDatabase } from "./parts-without-database.ts";
import type { Storage } from "./storage/storage.ts";

/** The parts that need no database, with the databases. */
export interface Base extends PartsWithoutDatabase {
  storage: Storage;
  /** The text without what looks like a secret. */
  withoutSecrets(text: string): string;
  failed: Failed;
}

/** What is kept in databases, each behind its own interface. */
export interface Stores {
  activity: Activity;
  agedRequests: AgedRequests;
  agents: AgentDirectory;
  agent_pauses: AgentPauses;
  /** Pauses that their databases could not store. */
  keptPauses: KeptPauses;
  /** What each call was. */
  lines: KeptCalls;
  approvals: ApprovalRegistry;
  grants: GrantStore;
  mcp: McpTools;
  destinations: UsedDestinations;
  writtenFiles: WrittenFiles;
  /** What was made stricter by hand. */
  policyCells: PolicyCells;
  rate: RateLimits;
  safety: Safety;
  /** Room for what must still be written once the disk is full. */
  stateReserve: DiskReserve;
  /** The same within the databases' logs, where no other program can take it. */
  logRooms: RoomsAhead;
}

/** All that the parts of a gate are opened with. */
export interface Opened extends Base, Stores {}

/** Withdraws what waits when a pause begins: of all agents, or of one. */
interface Withdraw {
  all(reason: string | null): void;
  ofAgent(agentId: string): void;
}

/** Enough for a pause and some answers on a full disk. */
const STATE_RESERVE_BYTES = 512 * 1024;
/** Of each database's write-ahead log: a pause or an answer takes some pages. */
const LOG_ROOM_BYTES = 256 * 1024;

export function openStores(base: Base, withdraw: Withdraw): Stores {
  const { home, paths, config, clock, alarms, audit, listeners, publish, storage, failed } = base;
  const { now } = clock;
  const { databases } = storage.opened;
  const rows = (name: DatabaseName) => rowReport(alarms, databases[name]);
  const stateReserve = new DiskReserve(paths.stateReserve, STATE_RESERVE_BYTES);
  const withRoom = <T>(act: () => T): T => stateReserve.withRoom(act);
  const pauseChanged = (pause: Pause) => {
    // Requests are withdrawn before the pause is published: no answer from now on allows anything.
    if (pause.is_paused) withdraw.all(pause.reason);
    audit.append({ event: pause.is_paused ? "paused" : "resumed", ts: now() / 1000, by: pause.by });
    audit.flush();
    publish({ type: pause.is_paused ? "safety.paused" : "safety.resumed", data: pause });
  };
  const agents = storage.on(databases.agents, (db) => new AgentDirectory(db, paths, now, rows("agents"), withRoom));
  const nameOf = (agentId: string) => agents.get(agentId)?.name ?? agentId;
  const keptPauses = new KeptPauses({ file: paths.keptPauses, alarms, now, nameOf });
  const agentPauseChanged = (agentId: string, pause: AgentPause | null) => {
    if (pause !== null) withdraw.ofAgent(agentId);
    const event = pause === null ? "agent.resumed" : "agent.paused";
    audit.append({ event, ts: now() / 1000, agent: nameOf(agentId) });
    audit.flush();
    listeners.publish({ type: "agent.pause", data: { agent_id: agentId, pause } });
    publish({ type: "agents.changed", data: {} });
  };
  return {
    agedRequests: storage.on(databases.approvals, (db) => new AgedRequests(db, config.approvals.keep, clock)),
    agents,
    agent_pauses: storage.on(
      databases.agents,
      (db) =>
        new AgentPauses(db, {
          clock,
          changed: agentPauseChanged,
          report: rows("agents"),
          withRoom,
          kept: keptPauses,
        }),
    ),
    keptPauses,
    grants: storage.on(databases.grants, (db) => new GrantStore(db, home, clock, rows("grants"))),
    mcp: storage.on(databases.grants, (db) => new McpTools(new McpToolStore(db, clock))),
    destinations: storage.on(databases.grants, (db) => new UsedDestinations(db, clock)),
    writtenFiles: storage.on(databases.grants, (db) => new WrittenFiles(db, clock, failed)),
    policyCells: storage.on(databases.grants, (db) => new PolicyCells(db, base.overrides, clock, rows("grants"))),
    rate: storage.on(databases.grants, (db) => new RateLimits(db, config.rate, clock, failed)),
    approvals: storage.on(databases.approvals, (db) => new ApprovalRegistry(db, clock, rows("approvals"))),
    activity: new Activity(storage.opened.activity.db, now, failed),
    lines: openLines(base),
    safety: storage.on(databases.safety, (db) =>
      openSafety(db, config.safety, clock, {
        rows: rows("safety"),
        pauseChanged,
        violated: (violation) => publish({ type: "safety.violation", data: violation }),
        withRoom,
        kept: keptPauses,
      }),
    ),
    stateReserve,
    logRooms: new RoomsAhead(
      Object.values(databases).map(({ file }) => `${file}-wal`),
      LOG_ROOM_BYTES,
    ),
  };
}

function openLines({
  env,
  home,
  config: { activity },
  clock: { now },
  storage,
  withoutSecrets,
  failed,
}: Base): KeptCalls {
  const lines = new CallLines({ home, keep: activity.keep, path: env.PATH ?? "" });
  const isIntact = () => storage.watch.lossByNow() === undefined;
  return storage.on(storage.opened.lines, (db) => {
    const bounds = db.memory ? BOUNDS_IN_MEMORY : BOUNDS;
    const facts = new CallFacts(home, lines);
    return new KeptCalls(db, { ...activity, now, lines, facts, withoutSecrets, isIntact, failed, bounds });
  });
}

/** An alarm for each unreadable row of a database, until the row is repaired or has expired. */
function rowReport(alarms: Alarms, { file, title }: Pick<OpenDatabase, "file" | "title">): DamagedRowReport {
  const subjectOf = (what: string) => `${file}: ${what}`;
  return {
    damaged: (what, hint) =>
      alarms.raise({
        code: "database_unusable",
        subject: subjectOf(what),
        message: `${what} can't be read in the ${title} ${file}; the others can`,
        hint,
      }),
    resolved: (what) => alarms.clear("database_unusable", subjectOf(what)),
  };
}
