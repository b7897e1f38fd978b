import type { ChildProcess } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { type GatePaths, gatePaths, localPrincipal } from "../ipc/base/paths.ts";
import { AGENTS_SCHEMA, AgentDirectory } from "../main/agents/agents.ts";
import { FileLock } from "../main/base/files/file-lock.ts";
import { removeFolder } from "../main/base/files/remove-folder.ts";
import { openDatabase } from "../main/base/sqlite/database.ts";
import { APPROVALS_SCHEMA } from "../main/calls/approvals/schema.ts";
import { grantsSchema } from "../main/core/storage/grants-schema.ts";
import { SAFETY_SCHEMA } from "../main/decide/safety/schema.ts";
import { configureHighestLimits } from "./highest-limits.ts";
import { LAUNCHER, RunningProgram } from "./running-program.ts";

/** Node's flags. */
export const AS_NPM_STARTS = ["--max-semi-space-size=16", "--initial-old-space-size=32", "--expose-gc"];
/** Of what a gate prints, in characters: a long run must not grow. */
const MOST_KEPT = 65_536;

/** A separate home, with a paired agent, as many grants as asked for, and limits that no benchmark reaches. */
export interface BenchHome {
  home: string;
  env: NodeJS.ProcessEnv;
  paths: GatePaths;
  token: string;
  remove(): void;
}

export function benchHome(grantTargets: Iterable<string>, agentName = "bench"): BenchHome {
  const home = mkdtempSync(join(tmpdir(), "metnos-bench-"));
  const env: NodeJS.ProcessEnv = { PATH: process.env.PATH ?? "", HOME: home };
  const paths = gatePaths(env);
  mkdirSync(paths.state_dir, { recursive: true, mode: 0o700 });
  const agentsDb = openDatabase(paths.agents_db, AGENTS_SCHEMA);
  const { token_file, agent } = new AgentDirectory(agentsDb, paths).pair(agentName, "Supervised");
  agentsDb.close();
  const db = openDatabase(paths.grants_db, grantsSchema(home));
  const { channel, sender_id } = localPrincipal();
  const insert = db.prepare(
    `INSERT INTO grants (channel, sender_id, capability, target, granted_at, agent, target_base, target_real)
     VALUES (?, ?, 'fs:read', ?, '2026-01-01T00:00:00Z', ?, ?, ?)`,
  );
  db.transaction(() => {
    for (const base of grantTargets) insert.run(channel, sender_id, `${base}/**`, agent.agent_id, base, `${base}/**`);
    // The gate that gave them has made their receipts.
    db.prepare("DELETE FROM receipts_due").run();
  })();
  db.close();
  leaveAsAGateDoes(paths);
  configureHighestLimits(paths);
  return {
    home,
    env,
    paths,
    token: readFileSync(token_file, "utf8").trim(),
    remove: () => removeFolder(home),
  };
}

/** Every database is there, and each lock was held before: the gate starts as it does the second time. */
function leaveAsAGateDoes(paths: GatePaths): void {
  openDatabase(paths.approvals_db, APPROVALS_SCHEMA).close();
  openDatabase(paths.safety_db, SAFETY_SCHEMA).close();
  const databases = [paths.grants_db, paths.approvals_db, paths.agents_db, paths.safety_db];
  for (const file of [paths.lockDb, ...databases.map((database) => `${database}.lock`)]) {
    const lock = FileLock.take(file);
    lock.mark(false);
    lock.release();
  }
}

/** How a gate is started, where that is not as this checkout does it. */
export interface GateStart {
  launcher?: string;
  /** Further flags for Node. */
  nodeFlags?: readonly string[];
  /** Called with the process before it reports that it is running. */
  spawned?(child: ChildProcess): void;
}

/** `metnos-gate serve` as npm start does it. */
export class GateProcess extends RunningProgram {
  /** From spawning to the listening socket, in milliseconds. */
  startMs = 0;

  /** How many files and sockets it holds open. */
  openFiles(): number {
    return readdirSync(`/proc/${this.child.pid}/fd`).length;
  }

  /** Ends it as a user does. */
  async stop(): Promise<void> {
    this.child.kill("SIGTERM");
    await this.ended;
  }

  /** Sends SIGKILL at once; resolves once it has ended. */
  async kill(): Promise<void> {
    this.child.kill("SIGKILL");
    await this.ended;
  }
}

/** Resolves once it says that it is running. @throws Error with what it printed, if it ends instead */
export async function startGate(
  { env }: Pick<BenchHome, "env">,
  args: readonly string[] = [],
  { launcher = LAUNCHER, nodeFlags = [], spawned }: GateStart = {},
): Promise<GateProcess> {
  const began = performance.now();
  const command = [...AS_NPM_STARTS, ...nodeFlags, launcher, "serve", ...args];
  const asNpmStarts = { MALLOC_ARENA_MAX: "1", ...env };
  const gate = new GateProcess(
    process.execPath,
    command,
    { env: asNpmStarts, stdio: ["ignore", "ignore", "pipe"] },
    MOST_KEPT,
  );
  spawned?.(gate.child);
  await gate.printed(/is running/);
  gate.startMs = performance.now() - began;
  return gate;
}
