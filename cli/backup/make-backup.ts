import { createHash } from "node:crypto";
import {
  closeSync,
  copyFileSync,
  createReadStream,
  createWriteStream,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import type { GatePaths } from "../../ipc/base/paths.ts";
import { homeFolder } from "../../ipc/base/paths.ts";
import { readRegularBytes } from "../../ipc/base/regular-file.ts";
import { errorCode } from "../../main/base/errors.ts";
import { syncFolder } from "../../main/base/files/durable-file.ts";
import { VERSION } from "../../main/base/version.ts";
import { monthFile } from "../../main/records/audit/chain.ts";
import { verifyAudit } from "../../main/records/audit/verify.ts";
import {
  CONFIG,
  databaseFiles,
  databasesIn,
  HEAD,
  manyFiles,
  SMALL_FILE_BYTES,
  smallFiles,
  TRAIL,
} from "./contents.ts";
import { copyDatabase } from "./database-copy.ts";
import { BACKUP_VERSION, MANIFEST, type Manifest } from "./manifest.ts";
import { portableConfig } from "./portable-config.ts";
import { padding, TAR_END, tarHeader } from "./tar.ts";

/** Everything of a gate but its secrets, in one file. */

/** While it is copied a month of the trail may be put into an archive. */
const TRIES = 3;

export interface MadeBackup {
  manifest: Manifest;
  /** SHA-256 (hex) of the file. */
  fingerprint: string;
  /** Keys of gate.toml that aren't in it. */
  left: string[];
}

/**
 * Copies into a folder of its own, and packs that. `file` is there whole, or not at all; a gate may be running.
 * @throws GateError `database_*`, `invalid_config`; the system's error
 */
export async function makeBackup(file: string, paths: GatePaths, env: NodeJS.ProcessEnv): Promise<MadeBackup> {
  const folder = mkdtempSync(join(dirname(file), ".metnos-backup-"));
  try {
    const { names, left } = collect(folder, paths, homeFolder(env));
    const { lines, problems } = await verifyAudit(join(folder, TRAIL), join(folder, HEAD));
    const manifest: Manifest = {
      metnos_backup: BACKUP_VERSION,
      gate_version: VERSION,
      made_at: new Date().toISOString(),
      trail: { lines, problems: problems.filter(({ accepted }) => accepted === null).length },
      files: await Promise.all(names.sort().map((name) => described(folder, name))),
    };
    const packed = join(folder, "packed");
    const digest = createHash("sha256");
    const source = Readable.from(pieces(folder, manifest)).pipe(createGzip());
    source.on("data", (piece: Buffer) => digest.update(piece));
    await pipeline(source, createWriteStream(packed, { flags: "wx", mode: 0o600 }));
    syncFile(packed);
    renameSync(packed, file);
    syncFolder(dirname(file));
    return { manifest, fingerprint: digest.digest("hex"), left };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Databases first: what they say was done is in the trail and in the receipts, which are copied after them. */
function collect(folder: string, paths: GatePaths, home: string): { names: string[]; left: string[] } {
  const names: string[] = [];
  const at = (name: string) => {
    mkdirSync(dirname(join(folder, name)), { recursive: true, mode: 0o700 });
    return join(folder, name);
  };
  const files = databaseFiles(paths);
  for (const [name, database] of Object.entries(databasesIn(home)))
    if (copyDatabase(files[name] ?? "", at(name), database)) names.push(name);
  const left: string[] = [];
  for (const [name, file] of Object.entries(smallFiles(paths))) {
    if (name === HEAD || !existsSync(file)) continue;
    let bytes: Buffer | string = readRegularBytes(file, { maxBytes: SMALL_FILE_BYTES });
    if (name === CONFIG) {
      const config = portableConfig(bytes.toString("utf8"));
      bytes = config.text;
      left.push(...config.left);
    }
    writeFileSync(at(name), bytes, { mode: 0o600 });
    names.push(name);
  }
  for (const { name, folder: from, isOurs } of manyFiles(paths).filter(({ name }) => name !== TRAIL))
    for (const file of ownFilesIn(from, isOurs)) {
      copyFileSync(join(from, file), at(`${name}/${file}`));
      names.push(`${name}/${file}`);
    }
  return { names: [...names, ...copyTrail(at, paths)], left };
}

/** With the record of its end as it was at one moment; lines that a gate writes meanwhile aren't in it. */
function copyTrail(at: (name: string) => string, paths: GatePaths): string[] {
  for (let left = TRIES; ; left--) {
    try {
      return copyTrailOnce(at, paths);
    } catch (error) {
      if (errorCode(error) !== "ENOENT" || left === 1) throw error;
      rmSync(at(TRAIL), { recursive: true, force: true });
    }
  }
}

function copyTrailOnce(at: (name: string) => string, paths: GatePaths): string[] {
  const names: string[] = [];
  if (existsSync(paths.auditHead)) {
    copyFileSync(paths.auditHead, at(HEAD));
    names.push(HEAD);
  }
  const [trail] = manyFiles(paths).filter(({ name }) => name === TRAIL);
  const found = ownFilesIn(paths.auditDir, trail?.isOurs ?? (() => false)).map((file) => ({
    file,
    size: statSync(join(paths.auditDir, file)).size,
  }));
  for (const { file, size } of found) {
    const copy = at(`${TRAIL}/${file}`);
    copyFileSync(join(paths.auditDir, file), copy);
    if (file === monthFile(Date.now())) truncateSync(copy, endOfLines(copy, size));
    names.push(`${TRAIL}/${file}`);
  }
  mkdirSync(join(at(`${TRAIL}/.`)), { recursive: true });
  return names;
}

/** Up to the last whole line within so many bytes: behind it there may be room for more, or a line that is being written. */
function endOfLines(file: string, size: number): number {
  const fd = openSync(file, "r");
  try {
    const piece = Buffer.alloc(64 * 1024);
    for (let end = size; end > 0; ) {
      const start = Math.max(0, end - piece.length);
      const read = readSync(fd, piece, 0, end - start, start);
      const at = piece.subarray(0, read).lastIndexOf(0x0a);
      if (at !== -1) return start + at + 1;
      end = start;
    }
    return 0;
  } finally {
    closeSync(fd);
  }
}

/** Files alone, no links: what isn't the gate's isn't in a backup. */
function ownFilesIn(folder: string, isOurs: (name: string) => boolean): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => isOurs(name) && lstatSync(join(folder, name)).isFile())
    .sort();
}

async function described(folder: string, name: string): Promise<Manifest["files"][number]> {
  const digest = createHash("sha256");
  let size = 0;
  for await (const piece of createReadStream(join(folder, name)) as AsyncIterable<Buffer>) {
    digest.update(piece);
    size += piece.length;
  }
  return { name, size, sha256: digest.digest("hex") };
}

async function* pieces(folder: string, manifest: Manifest): AsyncGenerator<Buffer> {
  const seconds = Math.floor(Date.parse(manifest.made_at) / 1000);
  const text = Buffer.from(JSON.stringify(manifest, null, 2));
  yield tarHeader(MANIFEST, text.length, seconds);
  yield text;
  yield padding(text.length);
  for (const { name, size } of manifest.files) {
    yield tarHeader(name, size, seconds);
    yield* createReadStream(join(folder, name)) as AsyncIterable<Buffer>;
    yield padding(size);
  }
  yield TAR_END;
}

function syncFile(file: string): void {
  const fd = openSync(file, "r+");
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
