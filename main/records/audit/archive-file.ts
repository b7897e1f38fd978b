import { createHash } from "node:crypto";
import { closeSync, createReadStream, createWriteStream, lstatSync, readSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { pipeline } from "node:stream/promises";
import { constants, createGunzip, createGzip, gunzipSync } from "node:zlib";
import { z } from "zod";
import { openOwnFile } from "../../base/files/own-files.ts";
import { MONTH_FILE } from "./chain.ts";
import { type ChainLine, chainLine, LineCutter, type LineSource } from "./lines.ts";

/**
 * An archive of the trail: whole months, byte for byte, in one gzip file behind a line of JSON that names them. `zcat` shows all of it.
 */

const HASH = z.string().regex(/^[0-9a-f]{64}$/);
const monthSchema = z.object({ name: z.string().regex(MONTH_FILE), bytes: z.number().int().positive(), sha256: HASH });
export type ArchivedMonth = z.infer<typeof monthSchema>;

const headerSchema = z.object({
  format: z.literal("metnos-gate-archive-v1"),
  months: z.array(monthSchema).min(1),
  /** Signed over all lines of the trail up to the last one in here. */
  checkpoint: z.string(),
});
export type ArchiveHeader = z.infer<typeof headerSchema>;

/** The first line of any archive is within its first so many bytes, and itself no longer than the second number. */
const HEADER_READ_BYTES = 16 * 1024;
const HEADER_MOST_BYTES = 16 * 1024 * 1024;
/** What is unpacked at once. */
const CHUNK_BYTES = 64 * 1024;

/** What an archive says that it holds. Reads no line. @throws the system's error, or one with the code `ARCHIVE_DAMAGED` */
export function readArchiveHeader(path: string): ArchiveHeader {
  const descriptor = openOwnFile(path, "read");
  const bytes = Buffer.alloc(HEADER_READ_BYTES);
  let length: number;
  try {
    length = readSync(descriptor, bytes, 0, bytes.length, 0);
  } finally {
    closeSync(descriptor);
  }
  try {
    const read = { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: HEADER_MOST_BYTES };
    const [line = ""] = gunzipSync(bytes.subarray(0, length), read).toString("utf8").split("\n", 1);
    return headerSchema.parse(JSON.parse(line));
  } catch (error) {
    throw damaged(error);
  }
}

function damaged(cause?: unknown): Error {
  return Object.assign(new Error("it isn't an archive of the trail as the gate writes it", { cause }), {
    code: "ARCHIVE_DAMAGED",
  });
}

/** Writes an archive of months that lie in `folder`, and syncs it. @throws the system's error */
export async function writeArchive(path: string, header: ArchiveHeader, folder: string): Promise<void> {
  const whole = new PassThrough();
  const file = createWriteStream(path, { mode: 0o600, flags: "wx", flush: true });
  const done = pipeline(whole, createGzip(), file);
  try {
    whole.write(`${JSON.stringify(header)}\n`);
    for (const { name, bytes } of header.months) {
      // No further than it went when it was hashed.
      const read = createReadStream(join(folder, name), { end: bytes - 1 });
      await Promise.race([pipeline(read, whole, { end: false }), done]);
    }
    whole.end();
  } catch (error) {
    whole.destroy(error instanceof Error ? error : undefined);
    await done.catch(() => undefined);
    throw error;
  }
  await done;
}

/** What is in an archive, in pieces of one month each, in its order. @throws the system's error, or one with the code `ARCHIVE_DAMAGED` */
async function* piecesOf(path: string, { months }: ArchiveHeader): AsyncGenerator<{ month: number; bytes: Buffer }> {
  const unpacked = createGunzip({ chunkSize: CHUNK_BYTES });
  const opened = createReadStream("", { fd: openOwnFile(path, "read") });
  // An error of either ends the loop below.
  const packed = pipeline(opened, unpacked).catch(() => undefined);
  let isPastHeader = false;
  let month = 0;
  let left = months[0]?.bytes ?? 0;
  try {
    for await (let chunk of unpacked as AsyncIterable<Buffer>) {
      if (!isPastHeader) {
        const end = chunk.indexOf(0x0a);
        if (end === -1) continue;
        isPastHeader = true;
        chunk = chunk.subarray(end + 1);
      }
      while (chunk.length > 0) {
        if (left === 0) throw damaged();
        const bytes = chunk.subarray(0, left);
        yield { month, bytes };
        chunk = chunk.subarray(bytes.length);
        left -= bytes.length;
        if (left === 0 && month < months.length - 1) left = months[++month]?.bytes ?? 0;
      }
    }
    if (left > 0 || month < months.length - 1) throw damaged();
  } finally {
    unpacked.destroy();
    opened.destroy();
    await packed;
  }
}

/** Whether each month in an archive is what its first line says. @throws the system's error, or one with the code `ARCHIVE_DAMAGED` */
export async function isWhole(path: string, header: ArchiveHeader): Promise<boolean> {
  const hashes = header.months.map(() => createHash("sha256"));
  for await (const { month, bytes } of piecesOf(path, header)) hashes[month]?.update(bytes);
  return hashes.every((hash, index) => hash.digest("hex") === header.months[index]?.sha256);
}

/** SHA-256 (hex) of a file, and its size. @throws the system's error */
export async function hashOfFile(path: string): Promise<{ sha256: string; bytes: number }> {
  const hash = createHash("sha256");
  let bytes = 0;
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  return { sha256: hash.digest("hex"), bytes };
}

/** Those of these archived months whose files are there as well, with the same content. */
export async function copiesAmong(folder: string, archived: readonly ArchivedMonth[]): Promise<ArchivedMonth[]> {
  const copies: ArchivedMonth[] = [];
  for (const month of archived) {
    const { name, bytes, sha256 } = month;
    const stat = lstatSync(join(folder, name), { throwIfNoEntry: false });
    if (stat?.isFile() !== true || stat.size !== bytes) continue;
    if ((await hashOfFile(join(folder, name))).sha256 === sha256) copies.push(month);
  }
  return copies;
}

/** The lines of an archive, as those of the months' files that it holds. */
export class ArchiveCursor implements LineSource {
  readonly isArchive = true;
  readonly #header: ArchiveHeader;
  readonly #pieces: AsyncGenerator<{ month: number; bytes: Buffer }>;
  #cutter = new LineCutter(0);
  #cutMonth = 0;
  #ready: { line: ChainLine; month: number }[] = [];
  #next = 0;
  #month = 0;
  #taken = 0;
  #isOver = false;

  constructor(path: string, header: ArchiveHeader) {
    this.#header = header;
    this.#pieces = piecesOf(path, header);
  }

  /** The month's file that the last taken line was in. */
  get name(): string {
    return this.#header.months[this.#month]?.name ?? "";
  }

  get taken(): number {
    return this.#taken;
  }

  get atHand(): ChainLine | undefined {
    return this.#ready[this.#next]?.line;
  }

  async peek(): Promise<ChainLine | undefined> {
    while (this.#next >= this.#ready.length && !this.#isOver) await this.#read();
    return this.atHand;
  }

  take(): void {
    const month = this.#ready[this.#next++]?.month ?? this.#month;
    this.#taken = month === this.#month ? this.#taken + 1 : 1;
    this.#month = month;
  }

  end(): void {
    this.#ready = [];
    this.#isOver = true;
    void this.#pieces.return(undefined);
  }

  async #read(): Promise<void> {
    const { value: piece, done } = await this.#pieces.next();
    const lines: { line: ChainLine; month: number }[] = [];
    const take = (raw: ReturnType<LineCutter["end"]>) => {
      for (const line of raw) lines.push({ line: chainLine(line), month: this.#cutMonth });
    };
    if (done || piece.month !== this.#cutMonth) {
      take(this.#cutter.end());
      this.#cutter = new LineCutter(0);
    }
    if (done) this.#isOver = true;
    else {
      this.#cutMonth = piece.month;
      take(this.#cutter.add(piece.bytes));
    }
    this.#ready = lines;
    this.#next = 0;
  }
}
