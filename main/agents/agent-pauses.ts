import type Database from "better-sqlite3";
import { z } from "zod";
import { ownCommand } from "../../ipc/base/own-command.ts";
import type { GateError } from "../../ipc/contract/gate-error.ts";
import { isoSeconds } from "../../ipc/contract/iso-seconds.ts";
import type { OperatorEvent } from "../../ipc/contract/operator-api.ts";
import type { Clock } from "../base/clocks/clock.ts";
import { endAt, laterEnd, stricterEnd } from "../base/clocks/two-clock-end.ts";
import { type DamagedRowReport, NO_REPORT } from "../base/sqlite/damaged-row-report.ts";
import { PreparedStatements } from "../base/sqlite/prepared-statements.ts";
import { GATE, type KeptPauses } from "./kept-pauses.ts";
import { type Ending, endOf, PauseBook, timeLeft } from "./pause-book.ts";

/** The agents that the user has paused one by one. Each pause is on disk before anything follows from it, so that no crash lifts it. */

export interface AgentPause {
  agent_id: string;
  since: string;
  /** ISO-8601 UTC; null: only the user ends it. */
  until: string | null;
}

interface PauseRow extends AgentPause, Ending {}

const rowSchema = z.object({
  agent_id: z.string(),
  since: z.iso.datetime(),
  until: z.iso.datetime().nullable(),
  boot_until: z.string().nullable(),
});

export interface AgentPausesSettings {
  clock: Clock;
  /** Called at each begin and end. */
  changed(agentId: string, pause: AgentPause | null): void;
  report?: DamagedRowReport;
  /** Runs a write, with the reserved space where the disk is full. */
  withRoom?<T>(act: () => T): T;
  /** Has what could not be stored. */
  kept?: KeptPauses;
}

const STORE =
  "INSERT OR REPLACE INTO agent_pauses (agent_id, since, until, boot_until) VALUES ($agent_id, $since, $until, $boot_until)";

export class AgentPauses {
  readonly #db: PreparedStatements;
  readonly #settings: AgentPausesSettings;
  readonly #rows = new Map<string, PauseRow>();
  readonly #book: PauseBook<PauseRow>;

  /** `db` was opened with `AGENTS_SCHEMA`. */
  constructor(db: Database.Database, settings: AgentPausesSettings) {
    this.#db = new PreparedStatements(db);
    this.#settings = settings;
    const { withRoom, kept } = settings;
    this.#book = new PauseBook({ db: this.#db, store: STORE, remove: (who) => this.#delete(who), withRoom, kept });
    const rows = this.#db.prepare<PauseRow>("SELECT agent_id, since, until, boot_until FROM agent_pauses").all();
    for (const row of rows) this.#take(row);
    for (const who of kept?.keys() ?? []) if (who !== GATE) this.#takeKept(who);
    this.#watch();
  }

  /** A pause that the gate before could not store. */
  #takeKept(agentId: string): void {
    const { kept, clock } = this.#settings;
    const stored = this.#rows.get(agentId);
    this.#take({
      ...(kept?.row<PauseRow>(agentId) ?? { since: "", until: null, boot_until: null }),
      agent_id: agentId,
    });
    const row = this.#rows.get(agentId);
    if (row === undefined) return;
    if (stored !== undefined) {
      const end = stricterEnd(endOf(stored), endOf(row), clock);
      const merged = { ...stored, until: end?.at ?? null, boot_until: end?.boot_at ?? null };
      this.#rows.set(agentId, merged);
      if (merged.until === stored.until && merged.boot_until === stored.boot_until) return kept?.stored(agentId);
    } else if (this.#left(row) <= 0) {
      this.#rows.delete(agentId);
      return kept?.stored(agentId);
    }
    this.#book.adopt(agentId);
  }

  /** One that can't be read counts as a pause, until the user ends it. */
  #take(row: PauseRow): void {
    const agentId = String(row.agent_id);
    const { success, data } = rowSchema.safeParse(row);
    if (!success)
      this.#report.damaged(
        rowName(agentId),
        `the agent stays paused; its name: ${ownCommand("agents list")}; to resume it: ${ownCommand("resume --help")}`,
      );
    const now = isoSeconds(this.#settings.clock.now());
    this.#rows.set(agentId, success ? data : { agent_id: agentId, since: now, until: null, boot_until: null });
  }

  get #report(): DamagedRowReport {
    return this.#settings.report ?? NO_REPORT;
  }

  /** Checked for every call: nothing is looked up while no agent is paused. */
  isPaused(agentId: string): boolean {
    return this.#rows.size > 0 && this.#current(agentId) !== undefined;
  }

  /** The pause of this agent alone; null while there is none. */
  of(agentId: string): AgentPause | null {
    const row = this.#current(agentId);
    if (row === undefined) return null;
    const end = endOf(row);
    return { agent_id: agentId, since: row.since, until: end && laterEnd(this.#settings.clock, end) };
  }

  list(): AgentPause[] {
    return [...this.#rows.keys()].flatMap((agentId) => this.of(agentId) ?? []);
  }

  /**
   * Pauses an agent, for so many seconds or until the user resumes it: never for less than it is paused already.
   * @throws SQLite's error, once the agent is paused: only a restart would lose the pause, and it is tried again
   */
  begin(agentId: string, seconds?: number): AgentPause {
    const { clock } = this.#settings;
    const now = clock.now();
    const current = this.#current(agentId);
    const asked = seconds === undefined ? null : endAt(clock, now + Math.max(1, seconds) * 1000 + 999);
    const end = current === undefined ? asked : stricterEnd(endOf(current), asked, clock);
    const since = current?.since ?? isoSeconds(now);
    const row: PauseRow = { agent_id: agentId, since, until: end?.at ?? null, boot_until: end?.boot_at ?? null };
    this.#rows.set(agentId, row);
    this.#watch();
    const pause = this.of(agentId) ?? row;
    try {
      this.#book.write(agentId, row);
    } finally {
      this.#settings.changed(agentId, pause);
    }
    return pause;
  }

  /**
   * Ends an agent's pause. False if there was none. @throws SQLite's error, GateError `storage_failed`: it is paused as before
   */
  end(agentId: string): boolean {
    const row = this.#current(agentId);
    if (row === undefined) return false;
    this.#book.remove(agentId, row);
    this.#ended(agentId);
    return true;
  }

  /** Writes what could not be written before. @throws SQLite's error */
  flush(): void {
    for (const agentId of this.#book.unwritten) {
      const row = this.#rows.get(agentId);
      if (row !== undefined) this.#book.write(agentId, row);
    }
  }

  stop(): void {
    this.#book.stop();
  }

  #current(agentId: string): PauseRow | undefined {
    const row = this.#rows.get(agentId);
    if (row === undefined || this.#left(row) > 0) return row;
    this.#book.expire(agentId);
    this.#ended(agentId);
    return undefined;
  }

  #delete(agentId: string): void {
    this.#db.prepare("DELETE FROM agent_pauses WHERE CAST(agent_id AS TEXT) = ?").run(agentId);
  }

  #ended(agentId: string): void {
    this.#rows.delete(agentId);
    this.#book.settled(agentId);
    this.#report.resolved(rowName(agentId));
    this.#watch();
    this.#settings.changed(agentId, null);
  }

  /** In milliseconds; infinite for one that doesn't end by itself. */
  #left(row: PauseRow): number {
    return timeLeft(row, this.#settings.clock);
  }

  #watch(): void {
    const wait = Math.min(...[...this.#rows.values()].map((row) => this.#left(row)));
    this.#book.watch(wait, () => {
      for (const agentId of [...this.#rows.keys()]) this.#current(agentId);
      this.#watch();
    });
  }
}

function rowName(agentId: string): string {
  return `the pause of ${agentId}`;
}

/**
 * The events of a gate: those of its surfaces; that a lock, socket or database isn't its own any more; and the pause of one agent or
 * its end, for that agent's connections.
 */
export type GateEvent =
  | OperatorEvent
  | { type: "gate.lost"; data: GateError }
  | { type: "agent.pause"; data: { agent_id: string; pause: AgentPause | null } };

type EventOf<T extends GateEvent["type"]> = Extract<GateEvent, { type: T }>;

/**
 * The listeners, and to which events: one without a listener need not be made. They are called in the order in which they were
 * added. A failing listener affects no other.
 */
export class Listeners {
  readonly #all = new Map<(event: GateEvent) => void, readonly GateEvent["type"][]>();
  readonly #failed: (error: unknown) => void;

  /** `failed` is called with an error that a listener threw. */
  constructor(failed: (error: unknown) => void) {
    this.#failed = failed;
  }

  /** Returns the function that ends the subscription. */
  add<T extends GateEvent["type"]>(types: readonly T[], listener: (event: EventOf<T>) => void): () => void {
    const own = (event: GateEvent) => {
      if (isOneOf(types, event)) listener(event);
    };
    this.#all.set(own, types);
    return () => this.#all.delete(own);
  }

  hasListener(type: GateEvent["type"]): boolean {
    for (const types of this.#all.values()) if (types.includes(type)) return true;
    return false;
  }

  publish(event: GateEvent): void {
    for (const listener of this.#all.keys()) {
      try {
        listener(event);
      } catch (error) {
        this.#failed(error);
      }
    }
  }
}

function isOneOf<T extends GateEvent["type"]>(types: readonly T[], event: GateEvent): event is EventOf<T> {
  return types.some((type) => type === event.type);
}
