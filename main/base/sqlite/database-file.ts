import { accessSync, constants, lstatSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { GateError } from "../../../ipc/contract/gate-error.ts";
import type { Schema } from "./database-schema.ts";

/** What is wrong with a database as a file, before SQLite opens it: its own sentences name too little. */

type Titled = Pick<Schema, "title">;

/** The files that SQLite keeps beside a database: its write-ahead log, and the index of that. */
export const BESIDE = ["-wal", "-shm"] as const;

/**
 * Refuses what can't be a database in use. Root can read and write any file, but one that its owner may not write is meant to stay
 * as it is.
 * @throws GateError `database_unusable`, `database_read_only`
 */
export function refuseUnusable(file: string, schema: Titled): void {
  const stat = statSync(file, { throwIfNoEntry: false });
  if (stat !== undefined) {
    if (!stat.isFile()) throw notAFile(`the ${schema.title} ${file}`);
    if ((stat.mode & 0o400) === 0) {
      throw new GateError(
        "database_unusable",
        `the ${schema.title} ${file} can't be read: its owner may not`,
        `let its owner read and write it: chmod u+rw ${file}`,
      );
    }
    if ((stat.mode & 0o200) === 0) throw readOnly(file, schema);
  }
  if (stat === undefined && lstatSync(file, { throwIfNoEntry: false }) !== undefined)
    throw notAFile(`the ${schema.title} ${file}, a link that leads nowhere,`);
  for (const end of BESIDE) refuseUnusableBeside(`${file}${end}`, schema);
}

/** SQLite follows no link there, and gives the same error for a link as for a file that it may not open. */
function refuseUnusableBeside(file: string, schema: Titled): void {
  const stat = lstatSync(file, { throwIfNoEntry: false });
  if (stat === undefined) return;
  if (!stat.isFile()) throw notAFile(`${file}, which belongs to the ${schema.title},`);
  try {
    accessSync(file, constants.R_OK | constants.W_OK);
  } catch (error) {
    throw new GateError(
      "database_unusable",
      `${file}, which belongs to the ${schema.title}, can't be read and written`,
      `see whose it is: ls -l ${file}; its owner lets itself in with chmod u+rw ${file}`,
      { cause: error },
    );
  }
}

/** SQLite makes files beside the database. @throws GateError `database_unusable` */
export function refuseClosedFolder(file: string, schema: Titled): void {
  const folder = dirname(file);
  let isClosed = (statSync(folder).mode & 0o200) === 0;
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
  } catch {
    isClosed = true;
  }
  if (!isClosed) return;
  throw new GateError(
    "database_unusable",
    `the folder ${folder} of the ${schema.title} can't be written`,
    `let its owner write it: chmod u+rwx ${folder}`,
  );
}

export function readOnly(file: string, schema: Titled, cause?: unknown): GateError {
  return new GateError(
    "database_read_only",
    `the ${schema.title} ${file} is read-only`,
    `make it writable (chmod u+w ${file}) or point to another file`,
    { cause },
  );
}

/** Another program's database, or another one of the gate's. */
export function foreign(file: string, schema: Titled, tables: readonly string[]): GateError {
  const named = tables.slice(0, 3).join(", ");
  return new GateError(
    "database_foreign",
    `${file} is not the ${schema.title}: it is another program's database (its tables: ${named}${tables.length > 3 ? ", ..." : ""})`,
    "put the right file in its place, or name another file; it was left as it is",
  );
}

function notAFile(what: string): GateError {
  return new GateError("database_unusable", `${what} is not a file`, "move it away and start again");
}
