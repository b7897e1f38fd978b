import { createHash } from "node:crypto";
import { createReadStream, mkdirSync, statfsSync, statSync } from "node:fs";
import { open } from "node:fs/promises";
import { dirname, join } from "node:path";
import { createGunzip } from "node:zlib";
import { shortened, visible } from "../../ipc/base/visible-text.ts";
import { GateError } from "../../ipc/contract/gate-error.ts";
import { errorCode } from "../../main/base/errors.ts";
import { belowRoot, type Root } from "./contents.ts";
import { MANIFEST, MANIFEST_MOST_BYTES, type Manifest, manifestSchema } from "./manifest.ts";
import { TarReader } from "./tar.ts";

/** Reads a backup as what anybody may have written: only known names, as many bytes as it names, each file as its digest says. */

/** Left free on the disk that it is unpacked on. */
const SPARE_BYTES = 64 * 1024 * 1024;

export interface Unpacked {
  manifest: Manifest;
  /** SHA-256 (hex) of the file. */
  fingerprint: string;
}

/**
 * Unpacks it below these folders, one for each root: new ones, that nothing else is in.
 * @throws GateError `invalid_input` with what is wrong; the system's error
 */
export async function unpack(file: string, folders: Readonly<Record<Root, string>>): Promise<Unpacked> {
  const refuse = (problem: string) => refusedBackup(file, problem);
  // A pipe would keep it waiting, with the gate's lock.
  const stat = statSync(file, { throwIfNoEntry: false });
  if (stat?.isFile() !== true) throw refuse(stat === undefined ? "there is no such file" : "it isn't a file");
  const digest = createHash("sha256");
  const source = createReadStream(file);
  source.on("data", (piece) => digest.update(piece));
  const plain = createGunzip();
  source.on("error", (error) => plain.destroy(error));
  source.pipe(plain);
  try {
    const reader = new TarReader(plain, refuse);
    const manifest = await readManifest(reader, refuse);
    refuseTooLarge(manifest, folders.state, refuse);
    for (const { name, size, sha256 } of manifest.files) {
      const found = await reader.header();
      if (found.name !== name || found.size !== size) throw refuse(`${name} isn't where it names it`);
      const { root, path } = belowRoot(name);
      const digestOf = await written(join(folders[root], path), reader.bytes(size));
      if (digestOf !== sha256) throw refuse(`${name} isn't as it was when the backup was made`);
    }
    await reader.end();
    return { manifest, fingerprint: digest.digest("hex") };
  } catch (error) {
    if (errorCode(error).startsWith("Z_")) throw refuse("it isn't a backup as metnos-gate writes it, or is damaged");
    throw error;
  } finally {
    source.destroy();
    plain.destroy();
  }
}

export function refusedBackup(file: string, problem: string): GateError {
  return new GateError(
    "invalid_input",
    `${file} can't be restored: ${visible(shortened(problem, 300))}`,
    "nothing was restored",
  );
}

async function readManifest(reader: TarReader, refuse: (problem: string) => GateError): Promise<Manifest> {
  const { name, size } = await reader.header();
  if (name !== MANIFEST || size > MANIFEST_MOST_BYTES) throw refuse("it isn't a backup as metnos-gate writes it");
  const pieces: Buffer[] = [];
  for await (const piece of reader.bytes(size)) pieces.push(piece);
  let json: unknown;
  try {
    json = JSON.parse(Buffer.concat(pieces).toString("utf8"));
  } catch {
    throw refuse("what it names isn't JSON");
  }
  const parsed = manifestSchema.safeParse(json);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw refuse(`${issue?.path.join(".") || MANIFEST}: ${issue?.message ?? "not valid"}`);
}

function refuseTooLarge({ files }: Manifest, folder: string, refuse: (problem: string) => GateError): void {
  const { bavail, bsize } = statfsSync(folder);
  const size = files.reduce((sum, file) => sum + file.size, 0);
  if (size + SPARE_BYTES > bavail * bsize) throw refuse(`it has ${size} bytes, more than there is room for`);
}

/** Writes a new file, on the disk once this has resolved. Gives its SHA-256 (hex). */
async function written(file: string, bytes: AsyncIterable<Buffer>): Promise<string> {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const handle = await open(file, "wx", 0o600);
  try {
    const digest = createHash("sha256");
    for await (const piece of bytes) {
      digest.update(piece);
      await handle.writeFile(piece);
    }
    await handle.sync();
    return digest.digest("hex");
  } finally {
    await handle.close();
  }
}
