import { closeSync, existsSync, openSync, readSync, renameSync, rmSync } from "node:fs";
import Database from "better-sqlite3";
import { ownCommand } from "../../../ipc/base/own-command.ts";
import type { GatePaths } from "../../../ipc/base/paths.ts";
import { GateError } from "../../../ipc/contract/gate-error.ts";
import { AGENTS_SCHEMA } from "../../agents/index.ts";
import { errorCode } from "../../base/errors.ts";
import { type FoundDatabase, lookAtDatabase, openDatabase } from "../../base/sqlite/database.ts";
import { BESIDE } from "../../base/sqlite/database-file.ts";
import type { OpenDatabase } from "../../base/sqlite/database-health.ts";
import { DATABASES, type DatabaseName } from "../../base/sqlite/database-names.ts";
import type { Schema } from "../../base/sqlite/database-schema.ts";
import { APPROVALS_SCHEMA } from "../../calls/approvals/schema.ts";
import { SAFETY_SCHEMA } from "../../decide/safety/schema.ts";
import { ACTIVITY_SCHEMA } from "../../records/activity/activity.ts";
import { KEPT_CALLS_SCHEMA } from "../../records/activity/kept-calls-schema.ts";
import { grantsSchema } from "./grants-schema.ts";
import { databaseFile, hasTrail, type StorageHolder } from "./holder.ts";

/** Opens a gate's databases as a set: one that is missing beside others does not count as a first start. */

/** Something that is not as the last gate left it, reported on every surface. */
interface Irregularity {
  event: "database.renewed" | "database.log_missing" | "database.set_aside" | "database.in_memory";
  /** The full path, for the alarm; the trail has only the file's name. */
  file: string;
  message: string;
  hint: string;
}

export interface OpenedDatabases {
  databases: Readonly<Record<DatabaseName, OpenDatabase>>;
  activity: OpenDatabase;
  /** Of each call's line: in memory where none is to be kept. */
  lines: OpenDatabase;
  irregularities: Irregularity[];
  /** The safety database's content may be lost: whether the gate was paused is read from the trail. */
  mayHaveLostPause: boolean;
}

/**
 * @param home the user's, for targets of grants
 * @param accepted the databases that may begin empty beside others that don't
 * @param keepsLines false: what an earlier gate kept of calls is removed
 * @throws GateError `database_missing`, or as `openDatabase`: nothing was written then
 */
export function openDatabases(
  paths: GatePaths,
  home: string,
  holder: StorageHolder,
  accepted: ReadonlySet<DatabaseName>,
  keepsLines: boolean,
): OpenedDatabases {
  const schemas = schemasFor(home);
  const renewed = lookAtDatabases(paths, home, accepted);
  const cut = DATABASES.filter((name) => holder.databases[name].wasLeft && isWithoutItsLog(databaseFile(paths, name)));
  const opened: OpenDatabase[] = [];
  const open = (name: DatabaseName): OpenDatabase => {
    const file = databaseFile(paths, name);
    const database = { title: schemas[name].title, file, db: openDatabase(file, schemas[name]) };
    opened.push(database);
    return database;
  };
  try {
    const databases = {
      grants: open("grants"),
      approvals: open("approvals"),
      agents: open("agents"),
      safety: open("safety"),
    };
    const activity = openBeside(paths.activity_db, COUNTS);
    opened.push(activity);
    const lines = keepsLines ? openBeside(paths.lines_db, LINES) : withoutLines(paths.lines_db);
    return {
      databases,
      activity,
      lines,
      irregularities: [
        ...renewed.map((name) => renewedNotice(databases[name])),
        ...cut.map((name) => cutNotice(databases[name])),
        ...[activity, lines].flatMap(({ irregularity }) => irregularity ?? []),
      ],
      mayHaveLostPause: [...renewed, ...cut].includes("safety"),
    };
  } catch (error) {
    for (const { db } of opened) db.close();
    throw error;
  }
}

/**
 * Which databases are missing or empty although a gate has been used here, all of them accepted. Writes nothing.
 * @throws GateError `database_missing`, or as `openDatabase`
 */
export function lookAtDatabases(paths: GatePaths, home: string, accepted: ReadonlySet<DatabaseName>): DatabaseName[] {
  const found = foundDatabases(paths, schemasFor(home));
  if (!isUsed(paths, found)) return [];
  const lost = DATABASES.filter((name) => found[name] === "missing" || found[name] === "empty");
  refuseMissing(
    paths,
    found,
    lost.filter((name) => !accepted.has(name)),
  );
  return lost;
}

function schemasFor(home: string): Record<DatabaseName, Schema> {
  return { grants: grantsSchema(home), approvals: APPROVALS_SCHEMA, agents: AGENTS_SCHEMA, safety: SAFETY_SCHEMA };
}

type Found = Record<DatabaseName, FoundDatabase>;

function foundDatabases(paths: GatePaths, schemas: Record<DatabaseName, Schema>): Found {
  const find = (name: DatabaseName) => lookAtDatabase(databaseFile(paths, name), schemas[name]);
  return { grants: find("grants"), approvals: find("approvals"), agents: find("agents"), safety: find("safety") };
}

/**
 * True if a gate has been used here: its trail has a line, or one of its databases has a row. A database that the configuration
 * puts elsewhere is no evidence for the others.
 */
function isUsed(paths: GatePaths, found: Found): boolean {
  const own = DATABASES.filter((name) => databaseFile(paths, name).startsWith(`${paths.state_dir}/`));
  return own.some((name) => found[name] === "with rows") || hasTrail(paths);
}

function refuseMissing(paths: GatePaths, found: Found, missing: readonly DatabaseName[]): void {
  const [first] = missing;
  if (first === undefined) return;
  const named = missing.map((name) => `the ${name} database ${databaseFile(paths, name)} is ${found[name]}`);
  throw new GateError(
    "database_missing",
    `${named.join(", ")}, though a gate has been used here`,
    `restore it from a backup, or start without its content: ${ownCommand(`start --accept-empty ${missing.join(" ")}`)}`,
  );
}

function renewedNotice({ title, file }: OpenDatabase): Irregularity {
  return {
    event: "database.renewed",
    file,
    message: `the ${title} ${file} was missing or empty and was recreated`,
    hint: "its content is lost: check grants, agents and waiting requests",
  };
}

function cutNotice({ title, file }: OpenDatabase): Irregularity {
  return {
    event: "database.log_missing",
    file: `${file}-wal`,
    message: `the last gate was killed, and the write-ahead log of the ${title} ${file} is gone: the last writes may be missing`,
    hint: "nothing is missing if another program has opened the database since; otherwise check grants, agents and answers",
  };
}

const HEADER_BYTES = 20;
const WRITES_LOG = 2;

/** True if a database uses a write-ahead log and there is none beside it, where a killed gate leaves it. */
function isWithoutItsLog(file: string): boolean {
  if (existsSync(`${file}-wal`) || !existsSync(file)) return false;
  const header = Buffer.alloc(HEADER_BYTES);
  const fd = openSync(file, "r");
  try {
    return readSync(fd, header, 0, HEADER_BYTES, 0) === HEADER_BYTES && header[18] === WRITES_LOG;
  } finally {
    closeSync(fd);
  }
}

/** The errors for which such a file is set aside. Others may be temporary: then it is left where it is. */
const SET_ASIDE = ["database_damaged", "database_foreign", "database_newer"];

/** A database that no decision depends on, and what it is said to hold where it can't be used. */
interface Beside {
  schema: Schema;
  /** What is in the file that was set aside. */
  held: string;
  /** What is in memory instead. */
  inMemory: string;
  /** It may have hundreds of megabytes: a look before it is opened would read all of them. */
  isLarge?: true;
}

const COUNTS: Beside = {
  schema: ACTIVITY_SCHEMA,
  held: "it only counted decisions, and what models cost: nothing else is missing, and the file can be deleted",
  inMemory: "decisions, and what models cost, are counted in memory only, until the gate ends",
};
const LINES: Beside = {
  schema: KEPT_CALLS_SCHEMA,
  held: "it only held what calls were, for Activity: the trail has their decisions, and the file can be deleted",
  inMemory: "what calls are is kept in memory only, until the gate ends",
  isLarge: true,
};

type OpenBeside = OpenDatabase & { irregularity?: Irregularity };

/** The gate starts whatever is wrong with the file. */
function openBeside(file: string, beside: Beside): OpenBeside {
  const { schema } = beside;
  const { title } = schema;
  try {
    if (beside.isLarge !== true) lookAtDatabase(file, schema);
    return { title, file, db: openDatabase(file, schema) };
  } catch (error) {
    const why = error instanceof Error ? error.message : "unknown";
    try {
      if (SET_ASIDE.includes(errorCode(error))) return { title, file, ...openedAnew(file, beside, why) };
    } catch {
      // The folder can't be changed: it is kept in memory, as the message below says.
    }
    return { title, file, ...openedInMemory(file, beside, why) };
  }
}

function openedAnew(
  file: string,
  { schema, held }: Beside,
  why: string,
): { db: Database.Database; irregularity: Irregularity } {
  const aside = `${file}.damaged-${new Date().toISOString().replace(/[:.]/g, "-")}`;
  for (const end of ["", ...BESIDE]) if (existsSync(`${file}${end}`)) renameSync(`${file}${end}`, `${aside}${end}`);
  return {
    db: openDatabase(file, schema),
    irregularity: {
      event: "database.set_aside",
      file,
      message: `${why}: it was moved to ${aside} and recreated`,
      hint: held,
    },
  };
}

function openedInMemory(
  file: string,
  { schema, inMemory }: Beside,
  why: string,
): { db: Database.Database; irregularity: Irregularity } {
  return {
    db: memoryDatabase(schema),
    irregularity: {
      event: "database.in_memory",
      file,
      message: `${why}: ${inMemory}`,
      hint: "repair the file and start the gate again; nothing else is missing",
    },
  };
}

function memoryDatabase(schema: Schema): Database.Database {
  const db = new Database(":memory:");
  for (const step of schema.migrations) step(db);
  return db;
}

/** The user wants nothing of calls on the disk: what is there goes. */
function withoutLines(file: string): OpenBeside {
  const { schema } = LINES;
  const opened = { title: schema.title, file, db: memoryDatabase(schema) };
  try {
    for (const end of ["", ...BESIDE]) rmSync(`${file}${end}`, { force: true });
    return opened;
  } catch (error) {
    const why = `what an earlier gate kept of calls can't be removed (${errorCode(error)}): ${file}`;
    const hint = "remove the file";
    return { ...opened, irregularity: { event: "database.in_memory", file, message: why, hint } };
  }
}
