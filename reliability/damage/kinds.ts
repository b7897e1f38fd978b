import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  closeSync,
  copyFileSync,
  existsSync,
  ftruncateSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { Seeded } from "../../fuzz/seeded.ts";
import type { Column, GateFile } from "./files.ts";

/** What can happen to a file. */

export const KINDS = [
  "missing",
  "empty",
  "cut to half",
  "first byte changed",
  "middle byte changed",
  "random bytes",
  "a folder",
  "a named pipe",
  "a link to another file",
  "a dangling link",
  "no permissions",
  "another user's",
  "a foreign one",
  "an older copy",
] as const;
export type Kind = (typeof KINDS)[number];

/** What a file can be damaged with. */
export interface Material {
  /** The user that the gate runs as; undefined: the one that runs this. */
  user: { uid: number; gid: number } | undefined;
  /** A home of another gate, and one of this gate's some time ago. */
  foreignHome: string;
  olderHome: string;
  /** A folder of the user's, outside of the gate's places; `precious` in it is what links lead to. */
  elsewhere: string;
}

export const PRECIOUS = "precious.txt";
const DANGLING = "not-there.txt";

/** Why this can't be done to this file here; undefined if it can. */
export function whyNot(
  kind: Kind,
  file: GateFile,
  home: string,
  { user, olderHome, foreignHome }: Material,
): string | undefined {
  const path = file.path(home);
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined && kind !== "a folder" && kind !== "a named pipe" && !kind.endsWith("link"))
    return "there is no such file then";
  const isSocket = stat?.isSocket() === true;
  if (CHANGES_BYTES.has(kind) && (isSocket || (stat?.size === 0 && kind !== "random bytes"))) return "it has no bytes";
  if (kind === "another user's" && user === undefined) return "only root can give files away";
  if (kind === "no permissions" && user === undefined && process.getuid?.() === 0) return "root may read everything";
  if (kind === "an older copy" && (isSocket || !existsSync(file.path(olderHome)))) return "there is no older one";
  if (kind === "a foreign one" && foreignSource(file, foreignHome) === undefined) return "there is none of its kind";
  return undefined;
}

const CHANGES_BYTES: ReadonlySet<Kind> = new Set([
  "empty",
  "cut to half",
  "first byte changed",
  "middle byte changed",
  "random bytes",
]);

export function applyDamage(kind: Kind, file: GateFile, home: string, material: Material): void {
  const path = file.path(home);
  if (CHANGES_BYTES.has(kind)) return changeBytes(kind, path);
  if (kind === "no permissions") return chmodSync(path, 0);
  rmSync(path, { force: true });
  putInPlace(kind, file, path, material);
  const { user } = material;
  if (user === undefined || !existsSync(path)) return;
  if (kind === "another user's") chownSync(path, 0, 0);
  else if (!lstatSync(path).isSymbolicLink()) chownSync(path, user.uid, user.gid);
}

function putInPlace(kind: Kind, file: GateFile, path: string, material: Material): void {
  const { elsewhere, olderHome, foreignHome } = material;
  switch (kind) {
    case "a folder":
      return void mkdirSync(path, { mode: 0o700 });
    case "a named pipe":
      return void execFileSync("mkfifo", ["-m", "600", path]);
    case "a link to another file":
      return symlinkSync(join(elsewhere, PRECIOUS), path);
    case "a dangling link":
      return symlinkSync(join(elsewhere, DANGLING), path);
    case "another user's":
      return writeFileSync(path, "", { mode: 0o600 });
    case "a foreign one":
      return copyOver(foreignSource(file, foreignHome), path);
    case "an older copy":
      return copyOver(file.path(olderHome), path);
    default:
      return undefined;
  }
}

function copyOver(source: string | undefined, path: string): void {
  if (source === undefined) throw new Error(`nothing to put at ${path}`);
  copyFileSync(source, path);
  chmodSync(path, 0o600);
}

function changeBytes(kind: Kind, path: string): void {
  const { size } = statSync(path);
  if (kind === "empty") return truncateSync(path, 0);
  if (kind === "cut to half") return truncateSync(path, Math.floor(size / 2));
  const descriptor = openSync(path, "r+");
  try {
    if (kind === "random bytes") {
      const random = new Seeded(size);
      const length = Math.max(size, 4096);
      writeSync(descriptor, Buffer.from(Array.from({ length }, () => random.below(256))), 0, length, 0);
      ftruncateSync(descriptor, length);
      return;
    }
    const at = kind === "first byte changed" ? 0 : middleOf(path, size);
    const byte = readFileSync(path)[at] ?? 0;
    writeSync(descriptor, Buffer.of(byte ^ 0x15), 0, 1, at);
  } finally {
    closeSync(descriptor);
  }
}

const PAGE = 4096;
const SQLITE_MAGIC = "SQLite format 3";

/** Of a database the head of a page: elsewhere a change may be in bytes that are never read. */
function middleOf(path: string, size: number): number {
  const middle = Math.floor(size / 2);
  const isDatabase = readFileSync(path).toString("latin1", 0, SQLITE_MAGIC.length) === SQLITE_MAGIC;
  return isDatabase && size >= 2 * PAGE ? Math.max(PAGE, middle - (middle % PAGE)) : middle;
}

/** In a socket's place, too, another program's file must be left alone. */
const REPLACED_BY_A_DATABASE: ReadonlySet<Column> = new Set(["database", "activity.db", "gate.lock", "socket"]);

/** A sound file of the same kind that isn't this gate's. */
function foreignSource(file: GateFile, foreignHome: string): string | undefined {
  if (REPLACED_BY_A_DATABASE.has(file.column)) return join(foreignHome, FOREIGN_DATABASE);
  const path = file.path(foreignHome);
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() === true ? path : undefined;
}

const FOREIGN_DATABASE = "somebody-elses.db";

/** Puts another program's database into the foreign home. */
export function makeForeignDatabase(foreignHome: string): void {
  const db = new Database(join(foreignHome, FOREIGN_DATABASE));
  db.exec("CREATE TABLE mine (id INTEGER PRIMARY KEY, note TEXT); INSERT INTO mine (note) VALUES ('not the gate''s')");
  db.close();
}
