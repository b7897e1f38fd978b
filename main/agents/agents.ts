import { randomBytes, timingSafeEqual } from "node:crypto";
import type Database from "better-sqlite3";
import { z } from "zod";
import { ownCommand } from "../../ipc/base/own-command.ts";
import type { GatePaths } from "../../ipc/base/paths.ts";
import { type Level, levelSchema } from "../../ipc/contract/decision.ts";
import { GateError } from "../../ipc/contract/gate-error.ts";
import { isoSeconds } from "../../ipc/contract/iso-seconds.ts";
import { type DamagedRowReport, NO_REPORT } from "../base/sqlite/damaged-row-report.ts";
import { storageError } from "../base/sqlite/database.ts";
import type { Schema } from "../base/sqlite/database-schema.ts";
import { PreparedStatements } from "../base/sqlite/prepared-statements.ts";
import { hasItsToken, removeToken, tokenHash, writeNewToken } from "./agent-tokens.ts";

/** The paired agents, their levels, and their authentication. */

export type Agent = Omit<Row, "token_hash">;

const rowSchema = z.object({
  agent_id: z.string(),
  name: z.string(),
  level: levelSchema,
  token_hash: z.string().regex(/^[0-9a-f]{64}$/),
  paired_at: z.string(),
  last_seen_at: z.string().nullable(),
  revoked_at: z.string().nullable(),
});
type Row = z.infer<typeof rowSchema>;

export const AGENTS_SCHEMA: Schema = {
  title: "agents database",
  table: "agents",
  migrations: [
    (db) =>
      db.exec(`CREATE TABLE agents (
        agent_id     TEXT PRIMARY KEY,
        name         TEXT NOT NULL,
        level        TEXT NOT NULL,
        token_hash   TEXT NOT NULL,
        paired_at    TEXT NOT NULL,
        last_seen_at TEXT,
        revoked_at   TEXT
      );
      CREATE UNIQUE INDEX idx_agents_name ON agents(name) WHERE revoked_at IS NULL;`),
    (db) =>
      db.exec(`CREATE TABLE agent_pauses (
        agent_id   TEXT PRIMARY KEY,
        since      TEXT NOT NULL,
        until      TEXT,
        boot_until TEXT
      );`),
    // Whose chat a channel may use: the user's own, which they linked.
    (db) =>
      db.exec(`CREATE TABLE channel_links (
        channel   TEXT PRIMARY KEY,
        user_id   INTEGER NOT NULL,
        chat_id   INTEGER NOT NULL,
        name      TEXT NOT NULL,
        linked_at TEXT NOT NULL
      );`),
    // Wrong PINs of a day in a channel.
    (db) => db.exec("CREATE TABLE pin_tries (channel TEXT PRIMARY KEY, day TEXT NOT NULL, wrong INTEGER NOT NULL);"),
  ],
};

/** Kept in memory and written through: only the process that holds the gate's lock writes it. */
export class AgentDirectory {
  readonly #db: PreparedStatements;
  readonly #paths: GatePaths;
  readonly #now: () => number;
  readonly #report: DamagedRowReport;
  readonly #withRoom: <T>(act: () => T) => T;
  readonly #byId = new Map<string, Row>();
  /** Names of paired agents whose rows can't be read: they are refused. */
  readonly #unreadable = new Set<string>();

  /** `withRoom` runs what writes a revocation, with the reserved space where the disk is full. */
  constructor(
    db: Database.Database,
    paths: GatePaths,
    now: () => number = Date.now,
    report: DamagedRowReport = NO_REPORT,
    withRoom: <T>(act: () => T) => T = (act) => act(),
  ) {
    this.#withRoom = withRoom;
    this.#db = new PreparedStatements(db);
    this.#paths = paths;
    this.#now = now;
    this.#report = report;
    for (const row of this.#db.prepare<Row>("SELECT * FROM agents ORDER BY paired_at").all()) this.#take(row);
  }

  #take(row: Row): Row | undefined {
    const { success, data } = rowSchema.safeParse(row);
    const name = String(row.name);
    if (success) {
      this.#byId.set(data.agent_id, data);
      if (this.#unreadable.delete(name)) this.#report.resolved(`agent ${name}`);
      return data;
    }
    if (row.revoked_at === null) {
      this.#unreadable.add(name);
      this.#report.damaged(
        `agent ${name}`,
        `it is not let in; set its level again: ${ownCommand(`agents level ${name} ReadOnly`)}, or revoke it and pair it again`,
      );
    }
    return undefined;
  }

  /** Names of paired agents whose rows can't be read. */
  unreadable(): string[] {
    return [...this.#unreadable];
  }

  list(): Agent[] {
    return [...this.#byId.values()].map(publicView);
  }

  get(agentId: string): Agent | undefined {
    return this.#byId.get(agentId);
  }

  /** The paired agent of this name, not a revoked one. */
  named(name: string): Agent | undefined {
    return this.#named(name);
  }

  /**
   * Pairs an agent and writes its token to the file of its adapter (0600), atomically. A paired agent whose file doesn't have its
   * token gets a new one and the level; its old token is no longer valid.
   * @throws GateError `already_paired`, `file_unusable`, `database_*`: nothing has changed then
   */
  pair(name: string, level: Level): { agent: Agent; token_file: string; isRenewed: boolean } {
    const unreadable = this.unreadable().find((other) => other.toLowerCase() === name.toLowerCase());
    if (unreadable !== undefined) {
      throw new GateError(
        "already_paired",
        `${unreadable} is paired already, but can't be read`,
        `first: ${ownCommand(`agents revoke ${unreadable}`)}`,
      );
    }
    const paired = this.#alike(name);
    if (paired !== undefined && (paired.name !== name || hasItsToken(this.#paths, paired))) {
      throw new GateError(
        "already_paired",
        `${paired.name} is paired already`,
        `for another level: ${ownCommand(`agents level ${paired.name} ${level}`)}; to pair it anew, first: ${ownCommand(`agents revoke ${paired.name}`)}`,
      );
    }
    // The file first: a crash in between leaves a token without a pairing, and pairing again replaces it.
    const { token_hash, token_file } = writeNewToken(this.#paths, name);
    const row: Row = {
      ...(paired ?? {
        agent_id: `agent-${randomBytes(6).toString("hex")}`,
        name,
        last_seen_at: null,
        revoked_at: null,
      }),
      level,
      token_hash,
      paired_at: isoSeconds(this.#now()),
    };
    try {
      this.#db
        .prepare(
          `INSERT INTO agents (agent_id, name, level, token_hash, paired_at, last_seen_at, revoked_at)
           VALUES ($agent_id, $name, $level, $token_hash, $paired_at, $last_seen_at, $revoked_at)
           ON CONFLICT (agent_id) DO UPDATE SET level = $level, token_hash = $token_hash, paired_at = $paired_at`,
        )
        .run(row);
    } catch (error) {
      removeToken(this.#paths, name);
      throw storageError(error, this.#db.file, AGENTS_SCHEMA);
    }
    this.#byId.set(row.agent_id, row);
    return { agent: publicView(row), token_file, isRenewed: paired !== undefined };
  }

  /** Names that differ only in case look alike, and on some file systems share one token file. */
  #alike(name: string): Row | undefined {
    const folded = name.toLowerCase();
    return [...this.#byId.values()].find((row) => row.revoked_at === null && row.name.toLowerCase() === folded);
  }

  /** Also of an agent whose level can't be read. @throws GateError `unknown_agent`, `agent_unreadable` */
  setLevel(name: string, level: Level): Agent {
    if (this.#unreadable.has(name)) return this.#repaired(name, level);
    const row = this.#require(name);
    this.#db.prepare("UPDATE agents SET level = ? WHERE agent_id = ?").run(level, row.agent_id);
    row.level = level;
    return publicView(row);
  }

  #repaired(name: string, level: Level): Agent {
    const row = this.#db.changed<Row>(
      "UPDATE agents SET level = ? WHERE name = ? AND revoked_at IS NULL RETURNING *",
      level,
      name,
    );
    const taken = row && this.#take(row);
    if (taken !== undefined) return publicView(taken);
    throw new GateError(
      "agent_unreadable",
      `more than the level of agent ${name} can't be read`,
      `${ownCommand(`agents revoke ${name}`)}, then pair it again`,
    );
  }

  /**
   * Ends a pairing and removes the token. Also of an agent that can't be read.
   * @throws GateError `unknown_agent`; SQLite's error: it is paired as before, and can be revoked again
   */
  revoke(name: string): Agent {
    if (this.#unreadable.has(name)) this.#makeReadable(name);
    const row = this.#require(name);
    const revokedAt = isoSeconds(this.#now());
    this.#withRoom(() =>
      this.#db.prepare("UPDATE agents SET revoked_at = ? WHERE agent_id = ?").run(revokedAt, row.agent_id),
    );
    row.revoked_at = revokedAt;
    removeToken(this.#paths, name);
    return publicView(row);
  }

  /** The agent named, if `token` is its token. Compared in constant time. */
  authenticate(name: string, token: string): Agent | undefined {
    const row = this.#named(name);
    if (row === undefined) return undefined;
    const given = Buffer.from(tokenHash(token));
    return timingSafeEqual(given, Buffer.from(row.token_hash)) ? row : undefined;
  }

  noteSeen(agentId: string): void {
    const row = this.#byId.get(agentId);
    if (row === undefined) return;
    const at = isoSeconds(this.#now());
    if (row.last_seen_at === at) return;
    row.last_seen_at = at;
    this.#seen.add(agentId);
  }

  /** Writes when agents were last seen, so that a greeting costs no write. */
  flush(): void {
    const update = this.#db.prepare("UPDATE agents SET last_seen_at = ? WHERE agent_id = ?");
    for (const agentId of this.#seen) update.run(this.#byId.get(agentId)?.last_seen_at ?? null, agentId);
    this.#seen.clear();
  }

  readonly #seen = new Set<string>();

  /** For an agent that is about to be revoked: replaces unreadable fields by the least privileged values. */
  #makeReadable(name: string): void {
    const row = this.#db.changed<Row>(
      `UPDATE agents SET agent_id = CAST(agent_id AS TEXT), level = 'ReadOnly', token_hash = ?, paired_at = ?, last_seen_at = NULL
         WHERE name = ? AND revoked_at IS NULL RETURNING *`,
      "0".repeat(64),
      isoSeconds(this.#now()),
      name,
    );
    if (row !== undefined) this.#take(row);
  }

  #named(name: string): Row | undefined {
    for (const row of this.#byId.values()) if (row.name === name && row.revoked_at === null) return row;
    return undefined;
  }

  #require(name: string): Row {
    const row = this.#named(name);
    if (row === undefined)
      throw new GateError("unknown_agent", `no agent named ${name} is paired`, `see: ${ownCommand("agents list")}`);
    return row;
  }
}

function publicView({ token_hash: _, ...agent }: Row): Agent {
  return agent;
}
