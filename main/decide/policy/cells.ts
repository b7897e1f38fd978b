import { z } from "zod";
import {
  CAPABILITIES,
  type Capability,
  capabilitySchema,
  LEVELS,
  type Level,
  levelSchema,
  type Outcome,
  outcomeSchema,
} from "../../../ipc/contract/decision.ts";
import { GateError } from "../../../ipc/contract/gate-error.ts";
import { isoSeconds } from "../../../ipc/contract/iso-seconds.ts";
import { agentNameSchema } from "../../../ipc/contract/wire.ts";
import type { Clock } from "../../base/clocks/clock.ts";
import { type DamagedRowReport, NO_REPORT } from "../../base/sqlite/damaged-row-report.ts";
import { PreparedStatements, type SqliteDatabase } from "../../base/sqlite/prepared-statements.ts";
import { isStricter, POLICY_TABLE, type PolicyOverrides, type Profile } from "./policy.ts";

/** Cells of the policy table that the user made stricter by hand, for one agent or for all: in force at once, and until taken back. */

/** In grants.db. `agent` is a name, and empty for all of them: paired later, or again, it means the same one. */
export function policyCellsTable(db: SqliteDatabase): void {
  db.exec(`CREATE TABLE policy_cells (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    agent      TEXT NOT NULL COLLATE NOCASE,
    level      TEXT NOT NULL,
    capability TEXT NOT NULL,
    outcome    TEXT NOT NULL,
    set_at     TEXT NOT NULL,
    set_by     TEXT NOT NULL,
    UNIQUE (agent, level, capability)
  );`);
}

/** Every cell for some thirty agents. */
export const MAX_CELLS = 1000;

export interface CellChoice {
  level: Level;
  capability: Capability;
  outcome: Outcome;
  /** Its name; null for all. */
  agent: string | null;
}

interface CellRow {
  id: number;
  agent: string;
  level: string;
  capability: string;
  outcome: string;
  set_at: string;
}

const stricterSchema = outcomeSchema.exclude(["allowed"]);
const ALL = "";

export class PolicyCells {
  readonly #db: PreparedStatements;
  readonly #clock: Clock;
  readonly #overrides: PolicyOverrides;
  readonly #report: DamagedRowReport;

  /** `db` was opened with `grantsSchema`. What is stored in it counts in `overrides` from now on. */
  constructor(db: SqliteDatabase, overrides: PolicyOverrides, clock: Clock, report: DamagedRowReport = NO_REPORT) {
    this.#db = new PreparedStatements(db);
    this.#clock = clock;
    this.#overrides = overrides;
    this.#report = report;
    this.#read();
  }

  /**
   * Makes a cell stricter than the table, or changes how much stricter. Gives its id, and what was set by hand before.
   * @throws GateError `not_stricter`, `too_many_cells`; SQLite's error
   */
  tighten({ level, capability, outcome, agent }: CellChoice, by: string): { id: number; before: Outcome | null } {
    const table = POLICY_TABLE[level][capability];
    if (!isStricter(outcome, table))
      throw new GateError(
        "not_stricter",
        `the table says ${table} for ${capability} at level ${level}: a cell can only be made stricter than that`,
        table === "denied"
          ? "there is nothing stricter"
          : `choose ${table === "allowed" ? "approval_required or " : ""}denied`,
      );
    const key = [agent ?? ALL, level, capability];
    const changed = this.#db.together(() => {
      const found = this.#db
        .prepare<CellRow>("SELECT * FROM policy_cells WHERE agent = ? AND level = ? AND capability = ?")
        .get(...key);
      if (found === undefined && this.#db.count("SELECT count(*) AS count FROM policy_cells") >= MAX_CELLS)
        throw new GateError("too_many_cells", `${MAX_CELLS} cells are made stricter already`, "take some of them back");
      const { id } = this.#db.one<{ id: number }>(
        `INSERT INTO policy_cells (agent, level, capability, outcome, set_at, set_by) VALUES (?, ?, ?, ?, ?, ?)
         ON CONFLICT (agent, level, capability) DO UPDATE
           SET outcome = excluded.outcome, set_at = excluded.set_at, set_by = excluded.set_by RETURNING id`,
        ...key,
        outcome,
        isoSeconds(this.#clock.now()),
        by,
      );
      return { id, before: stricterSchema.safeParse(found?.outcome).data ?? null };
    });
    this.#read();
    return changed;
  }

  /** Takes one back; what it said, as far as that can be read. Undefined where there is none. @throws SQLite's error */
  loosen(id: number): Pick<CellRow, "agent" | "level" | "capability" | "outcome"> | undefined {
    const row = this.#db.changed<CellRow>("DELETE FROM policy_cells WHERE id = ? RETURNING *", id);
    if (row === undefined) return undefined;
    this.#report.resolved(nameOf(row));
    this.#read();
    return row;
  }

  #read(): void {
    const rows = this.#db.prepare<CellRow>("SELECT * FROM policy_cells ORDER BY id").all();
    this.#overrides.setByHand(profilesOf(rows, this.#report));
  }
}

/** What an existing database holds, for whoever only reads it. */
export function storedCells(db: SqliteDatabase): Profile[] {
  return profilesOf(
    new PreparedStatements(db).prepare<CellRow>("SELECT * FROM policy_cells ORDER BY id").all(),
    NO_REPORT,
  );
}

const nameOf = ({ id }: CellRow) => `stricter cell ${id}`;

/** One for each agent, in the order in which it was first named. */
function profilesOf(rows: readonly CellRow[], report: DamagedRowReport): Profile[] {
  const cells = rows.flatMap((row) => cellsOf(row, report));
  const byAgent = Map.groupBy(cells, ({ agent }) => agent?.toLowerCase() ?? ALL);
  return [...byAgent.values()].map((own) => {
    const agent = own[0]?.agent ?? null;
    return {
      holder: agent === null ? { by: "all" } : { by: "agent", name: agent },
      cells: own.map(({ cell }) => cell),
    };
  });
}

/** Of a damaged row each field that can't be read counts as its widest: nothing that was made stricter becomes looser by it. */
function cellsOf(row: CellRow, report: DamagedRowReport): { agent: string | null; cell: Profile["cells"][number] }[] {
  const level = levelSchema.safeParse(row.level);
  const capability = capabilitySchema.safeParse(row.capability);
  const outcome = stricterSchema.safeParse(row.outcome);
  const agent = z.literal(ALL).or(agentNameSchema).safeParse(row.agent);
  if (!(level.success && capability.success && outcome.success && agent.success))
    report.damaged(nameOf(row), "what can't be read of it counts as all, and as denied, until you take it back");
  const name = agent.success && agent.data !== ALL ? agent.data : null;
  const profile = name === null ? "all agents" : `agent ${name}`;
  const strict = outcome.data ?? "denied";
  return (level.success ? [level.data] : LEVELS).flatMap((atLevel) =>
    (capability.success ? [capability.data] : CAPABILITIES).flatMap((of) => {
      const before = POLICY_TABLE[atLevel][of];
      if (!isStricter(strict, before)) return [];
      const byHand = { id: row.id, set_at: String(row.set_at) };
      return [
        {
          agent: name,
          cell: { profile, level: atLevel, capability: of, before, outcome: strict, line: null, by_hand: byHand },
        },
      ];
    }),
  );
}
