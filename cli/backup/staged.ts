import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { parse } from "smol-toml";
import { GateError } from "../../ipc/contract/gate-error.ts";
import { loadConfig, loadPolicyOverrides } from "../../main/config/index.ts";
import { loadOwnExecutors } from "../../main/decide/executors/catalog.ts";
import { verifyAudit } from "../../main/records/audit/verify.ts";
import { databasesIn, type Root } from "./contents.ts";
import { checkDatabase } from "./database-copy.ts";
import type { Manifest } from "./manifest.ts";
import { refusedBackup } from "./unpack.ts";

/** What was unpacked, before it counts: all of it is checked as a gate would read it. */

export interface Contents {
  agents: { name: string; level: string }[];
  grants: number;
  stricter: number;
  trailLines: number;
  trailProblems: number;
  config: string[];
}

/**
 * @param file of the backup, for what is refused
 * @throws GateError `invalid_input`; the system's error
 */
export async function checkStaged(
  file: string,
  manifest: Manifest,
  folders: Readonly<Record<Root, string>>,
  home: string,
): Promise<Contents> {
  try {
    return await checkAll(file, manifest, folders, home);
  } catch (error) {
    if (!(error instanceof GateError) || error.code === "invalid_input") throw error;
    // What a gate would say of files that are in use: here they are the backup's, under its names.
    const named = Object.entries(folders).reduce((text, [root, at]) => text.replaceAll(at, root), error.message);
    throw refusedBackup(file, named);
  }
}

async function checkAll(
  file: string,
  { files, trail }: Manifest,
  folders: Readonly<Record<Root, string>>,
  home: string,
): Promise<Contents> {
  const names = new Set(files.map(({ name }) => name));
  for (const [name, database] of Object.entries(databasesIn(home)))
    if (names.has(name)) checkDatabase(join(folders.state, name.slice("state/".length)), name, database);
  for (const name of ["grants", "approvals", "agents", "safety"])
    if (!names.has(`state/${name}.db`)) throw refusedBackup(file, `the ${name} database isn't in it`);
  const vaglio = join(folders.data, "vaglio");
  mkdirSync(vaglio, { recursive: true, mode: 0o700 });
  const report = await verifyAudit(vaglio, join(folders.state, "audit-head"));
  const open = report.problems.filter(({ accepted }) => accepted === null);
  if (report.lines !== trail.lines || open.length !== trail.problems)
    throw refusedBackup(file, `its trail isn't as it was: ${open[0]?.problem ?? `${report.lines} lines`}`);
  checkConfig(file, folders.config, home);
  return {
    ...countsOf(folders.state),
    trailLines: report.lines,
    trailProblems: open.length,
    config: [...names].filter((name) => name.startsWith("config/")).map((name) => name.slice("config/".length)),
  };
}

/** As the next gate will read it. Its databases are where a restore puts them. */
function checkConfig(file: string, folder: string, home: string): void {
  const env = { HOME: home };
  const config = join(folder, "gate.toml");
  if (existsSync(config)) {
    const { grants, approvals } = parse(readFileSync(config, "utf8")) as Record<string, { db?: unknown } | undefined>;
    if (grants?.db !== undefined || approvals?.db !== undefined)
      throw refusedBackup(file, "its gate.toml puts databases somewhere else");
  }
  loadConfig(config, env);
  loadPolicyOverrides(join(folder, "policy_overrides.toml"));
  loadOwnExecutors(join(folder, "executors"));
}

function countsOf(folder: string): Pick<Contents, "agents" | "grants" | "stricter"> {
  const read = <T>(name: string, use: (db: Database.Database) => T): T => {
    const db = new Database(join(folder, name), { readonly: true });
    try {
      return use(db);
    } finally {
      db.close();
    }
  };
  const agents = read("agents.db", (db) =>
    db.prepare("SELECT name, level FROM agents WHERE revoked_at IS NULL ORDER BY name").all(),
  ) as Contents["agents"];
  const count = (db: Database.Database, sql: string) => Number(db.prepare(sql).pluck().get());
  return read("grants.db", (db) => {
    const hasCells = count(db, "SELECT count(*) FROM sqlite_master WHERE name = 'policy_cells'") > 0;
    return {
      agents,
      grants: count(db, "SELECT count(*) FROM grants WHERE revoked_at IS NULL"),
      stricter: hasCells ? count(db, "SELECT count(*) FROM policy_cells") : 0,
    };
  });
}
