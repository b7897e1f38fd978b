import { isoSeconds } from "../../../ipc/contract/iso-seconds.ts";
import { type Surface, surfaceSchema } from "../../../ipc/contract/surface.ts";
import type { Clock } from "../../base/clocks/clock.ts";
import { storageError } from "../../base/sqlite/database.ts";
import { PreparedStatements, type SqliteDatabase } from "../../base/sqlite/prepared-statements.ts";
import { readDefinition } from "./definition.ts";

/** What the user has said of MCP servers' tools, bound to each tool's definition as it was then: written by their answers alone. */

/** In grants.db: what is granted on a tool counts only while its definition is the one that is kept here. */
export function mcpToolsTable(db: SqliteDatabase): void {
  db.exec(`CREATE TABLE mcp_tools (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    agent      TEXT NOT NULL,
    source     TEXT NOT NULL,
    server     TEXT NOT NULL,
    tool       TEXT NOT NULL,
    pin        TEXT NOT NULL,
    definition TEXT NOT NULL,
    state      TEXT NOT NULL,
    decided_at TEXT NOT NULL,
    surface    TEXT,
    UNIQUE (agent, server, source, tool)
  )`);
}

/** `known`: allowed as it was then; `looks`: and the user said that it only looks. */
type KeptState = "known" | "looks";

/** One server's tool of one agent. */
export interface ToolKey {
  agent_id: string;
  server: string;
  source: string;
  tool: string;
}

export interface KeptTool extends ToolKey {
  id: number;
  pin: string;
  /** JSON of what its server said of it. */
  definition: string;
  state: KeptState;
  decided_at: string;
  surface: Surface | null;
}

type Row = Omit<KeptTool, "agent_id" | "surface" | "state"> & { agent: string; surface: string | null; state: string };

const COLUMNS = "id, agent, source, server, tool, pin, definition, state, decided_at, surface";

export class McpToolStore {
  readonly #db: PreparedStatements;
  readonly #clock: Clock;

  /** `db` was opened with `grantsSchema`. */
  constructor(db: SqliteDatabase, clock: Clock) {
    this.#db = new PreparedStatements(db);
    this.#clock = clock;
  }

  find({ agent_id, server, source, tool }: ToolKey): KeptTool | undefined {
    const row = this.#db
      .prepare<Row>(`SELECT ${COLUMNS} FROM mcp_tools WHERE agent = ? AND server = ? AND source = ? AND tool = ?`)
      .get(agent_id, server, source, tool);
    return row === undefined ? undefined : whole(row);
  }

  /** What is kept of a server's tools, by their names. */
  ofServer({ agent_id, server, source }: Omit<ToolKey, "tool">): Map<string, KeptTool> {
    const rows = this.#db
      .prepare<Row>(`SELECT ${COLUMNS} FROM mcp_tools WHERE agent = ? AND server = ? AND source = ?`)
      .all(agent_id, server, source);
    return new Map(rows.flatMap((row) => whole(row) ?? []).map((kept) => [kept.tool, kept]));
  }

  /** Replaces what was kept of the tool: an earlier definition of it is one that the user hasn't allowed. @throws GateError `database_*` */
  keep(tool: Omit<KeptTool, "id" | "decided_at">): void {
    try {
      this.#db
        .prepare(
          `INSERT INTO mcp_tools (agent, source, server, tool, pin, definition, state, decided_at, surface)
             VALUES ($agent_id, $source, $server, $tool, $pin, $definition, $state, $decided_at, $surface)
           ON CONFLICT (agent, server, source, tool) DO UPDATE SET pin = $pin, definition = $definition, state = $state,
             decided_at = $decided_at, surface = $surface`,
        )
        .run({ ...tool, decided_at: isoSeconds(this.#clock.now()) });
    } catch (error) {
      throw storageError(error, this.#db.file, { title: "grants database" });
    }
  }

  /** By agent, server and name. */
  list(): KeptTool[] {
    const rows = this.#db.prepare<Row>(`SELECT ${COLUMNS} FROM mcp_tools ORDER BY agent, server, tool, id`).all();
    return rows.flatMap((row) => whole(row) ?? []);
  }

  /** From now on it is one that was never allowed. Returns what was kept of it; undefined where there is none. */
  forget(id: number): ToolKey | undefined {
    const row = this.#db.changed<Row>(`DELETE FROM mcp_tools WHERE id = ? RETURNING ${COLUMNS}`, id);
    return row && { agent_id: row.agent, server: row.server, source: row.source, tool: row.tool };
  }

  /** The agent's pairing has ended. */
  forgetAgent(agentId: string): void {
    this.#db.prepare("DELETE FROM mcp_tools WHERE agent = ?").run(agentId);
  }
}

/** A row that can't be read counts for nothing. */
function whole({ agent, surface, state, ...row }: Row): KeptTool | undefined {
  if (state !== "known" && state !== "looks") return undefined;
  if (typeof row.definition !== "string" || readDefinition(row.definition) === undefined) return undefined;
  return { ...row, agent_id: agent, state, surface: surfaceSchema.nullable().catch(null).parse(surface) };
}
