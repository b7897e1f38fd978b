import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { open } from "node:fs/promises";
import { lineHash } from "./chain.ts";
import { parseLine } from "./month-files.ts";

/** A trail's file as lines. Only `\n` ends a line: `\r` and the Unicode separators may be part of a text. */

/** Non-blocking: a pipe would wait for its writer. */
const READ = constants.O_RDONLY | constants.O_NONBLOCK;
const CHUNK_BYTES = 64 * 1024;
/** The gate writes no longer line; a longer one is read in pieces. */
const MAX_LINE_BYTES = 8 * 1024 * 1024;
const NEWLINE = 0x0a;

export interface RawLine {
  bytes: Buffer;
  /** Where it begins in its file. */
  start: number;
  /** The byte after it and its newline. */
  end: number;
  isEnded: boolean;
}

/** A line with the fields that the chain needs. Undefined fields: it isn't a line of the trail, or is from an earlier version. */
export interface ChainLine extends RawLine {
  hash: string;
  prev: string | undefined;
  event: string | undefined;
  seq: number | undefined;
  /** Milliseconds. */
  ms: number | undefined;
  record: Readonly<Record<string, unknown>> | undefined;
}

export function chainLine(raw: RawLine): ChainLine {
  const record = parseLine(raw.bytes.toString("utf8"));
  return {
    ...raw,
    hash: lineHash(raw.bytes),
    prev: typeof record?.prev === "string" ? record.prev : undefined,
    event: typeof record?.event === "string" ? record.event : undefined,
    seq: typeof record?.seq === "number" ? record.seq : undefined,
    ms: typeof record?.ts === "number" ? record.ts * 1000 : undefined,
    record,
  };
}

/** Lines that are read on demand: of a month's file, or of an archive. */
export interface LineSource {
  /** The month's file that they are of, or were. */
  readonly name: string;
  /** How many lines were taken of that file, which is the number of the last one. */
  readonly taken: number;
  readonly isArchive: boolean;
  /** The next line, if it is already buffered. */
  readonly atHand: ChainLine | undefined;
  /** The next line, which stays the next one until it is taken; undefined at the end. @throws the system's error */
  peek(): Promise<ChainLine | undefined>;
  take(): void;
  /** Skips the rest, and closes what is open. */
  end(): void;
}

/** Splits chunks of bytes into lines. */
export class LineCutter {
  #rest: Buffer[] = [];
  #restBytes = 0;
  #at: number;

  constructor(at: number) {
    this.#at = at;
  }

  *add(chunk: Buffer): Generator<RawLine> {
    let from = 0;
    for (let newline = chunk.indexOf(NEWLINE); newline !== -1; newline = chunk.indexOf(NEWLINE, from)) {
      yield this.#line(chunk.subarray(from, newline), true);
      from = newline + 1;
    }
    if (from === chunk.length) return;
    this.#rest.push(Buffer.from(chunk.subarray(from)));
    this.#restBytes += chunk.length - from;
    if (this.#restBytes > MAX_LINE_BYTES) yield this.#line(Buffer.alloc(0), false);
  }

  *end(): Generator<RawLine> {
    if (this.#restBytes > 0) yield this.#line(Buffer.alloc(0), false);
  }

  #line(last: Buffer, isEnded: boolean): RawLine {
    const bytes = this.#rest.length === 0 ? Buffer.from(last) : Buffer.concat([...this.#rest, last]);
    this.#rest = [];
    this.#restBytes = 0;
    const start = this.#at;
    this.#at = start + bytes.length + (isEnded ? 1 : 0);
    return { bytes, start, end: this.#at, isEnded };
  }
}

/** The lines between two offsets of a file. @throws the system's error */
export function* linesBetween(file: string, from: number, to = Number.POSITIVE_INFINITY): Generator<RawLine> {
  const descriptor = openSync(file, READ);
  try {
    const end = Math.min(to, fstatSync(descriptor).size);
    const cutter = new LineCutter(from);
    for (let at = from; at < end; ) {
      const chunk = Buffer.alloc(Math.min(CHUNK_BYTES, end - at));
      const read = readSync(descriptor, chunk, 0, chunk.length, at);
      if (read === 0) break;
      at += read;
      yield* cutter.add(chunk.subarray(0, read));
    }
    yield* cutter.end();
  } finally {
    closeSync(descriptor);
  }
}

/** A single line is shorter. */
export const LINE_WINDOW_BYTES = 1024 * 1024;

/** The line that ends, with its newline, at this byte; undefined where none does. @throws the system's error */
export function lineEndingAt(file: string, offset: number): RawLine | undefined {
  let last: RawLine | undefined;
  for (const line of linesBetween(file, Math.max(0, offset - LINE_WINDOW_BYTES), offset)) last = line;
  return last?.end === offset ? last : undefined;
}

/** The last whole lines of a file, from its last `bytes`. */
export function* lastLines(file: string, bytes: number): Generator<RawLine> {
  const descriptor = openSync(file, READ);
  let size: number;
  try {
    ({ size } = fstatSync(descriptor));
  } finally {
    closeSync(descriptor);
  }
  const from = Math.max(0, size - bytes);
  let isWhole = from === 0;
  for (const line of linesBetween(file, from)) {
    if (isWhole) yield line;
    isWhole = true;
  }
}

/** Reads a file's lines on demand, up to the file's size at the start, without blocking the event loop. */
export class LineCursor implements LineSource {
  readonly name: string;
  readonly isArchive = false;
  readonly #path: string;
  readonly #size: number;
  #at = 0;
  readonly #cutter = new LineCutter(0);
  #ready: ChainLine[] = [];
  #next = 0;
  #taken = 0;
  #isOver = false;

  constructor(name: string, path: string, size: number) {
    this.name = name;
    this.#path = path;
    this.#size = size;
  }

  get taken(): number {
    return this.#taken;
  }

  async peek(): Promise<ChainLine | undefined> {
    while (this.#next >= this.#ready.length && !this.#isOver) await this.#read();
    return this.#ready[this.#next];
  }

  get atHand(): ChainLine | undefined {
    return this.#ready[this.#next];
  }

  take(): void {
    this.#next++;
    this.#taken++;
  }

  end(): void {
    this.#ready = [];
    this.#isOver = true;
  }

  async #read(): Promise<void> {
    const chunk = Buffer.alloc(Math.max(0, Math.min(CHUNK_BYTES, this.#size - this.#at)));
    const read = chunk.length === 0 ? 0 : await this.#readInto(chunk);
    this.#at += read;
    this.#isOver = read === 0;
    const raw = this.#isOver ? this.#cutter.end() : this.#cutter.add(chunk.subarray(0, read));
    this.#ready = [...raw].map(chainLine);
    this.#next = 0;
  }

  /** Opened for each piece: a trail of many months must not hold a descriptor for each of them. */
  async #readInto(chunk: Buffer): Promise<number> {
    const handle = await open(this.#path, READ);
    try {
      return (await handle.read(chunk, 0, chunk.length, this.#at)).bytesRead;
    } finally {
      await handle.close();
    }
  }
}
