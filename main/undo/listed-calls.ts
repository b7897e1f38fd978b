import { constants, type Stats } from "node:fs";
import { open, readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { type Changer, type Line, LOG_FILE, parsedLine } from "./call-log.ts";

/** The calls of all stores, for whoever looks again and again: of each log only what is new is read, and a piece at a time. */

/** What a list says of a call. What changed nothing isn't there. */
export interface Listed extends Changer {
  project: string;
  missing: string | null;
  /** The tree that was there before it; null where that isn't known. */
  before: string | null;
  hasEnded: boolean;
  /** It was taken back, and isn't there again. */
  isUndone: boolean;
  /** An undo that couldn't put back a file: what it took back is still to be taken back. */
  hasFailed?: boolean;
}

/** So much is read before others have their turn, in bytes. */
const PIECE = 16 * 1024;

export class ListedCalls {
  readonly #folder: string;
  readonly #logs = new Map<string, Log>();
  #looked = 0;

  /** @param folder that holds the stores */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The newest first. @throws the system's error */
  async all(): Promise<Listed[]> {
    this.#looked = performance.now();
    const stores = await this.stores();
    const lists = await Promise.all(stores.map(({ name }) => this.#logs.get(name)?.newestFirst() ?? []));
    const [only = []] = lists;
    // Of two in one millisecond the later line counts as the later one.
    return lists.length < 2 ? [...only] : lists.flat().sort((one, other) => other.at - one.at);
  }

  /** What is there: each with its project. */
  async stores(): Promise<{ name: string; root: string; folder: string }[]> {
    const names = (await readdir(this.#folder).catch(() => [])).filter((name) => /^[0-9a-f]{24}$/.test(name));
    for (const name of this.#logs.keys()) if (!names.includes(name)) this.#logs.delete(name);
    for (const name of names.filter((one) => !this.#logs.has(one))) {
      const folder = join(this.#folder, name);
      const text = await readFile(join(folder, "project"), "utf8").catch(() => undefined);
      // It is being made, or removed.
      if (text !== undefined) this.#logs.set(name, new Log(folder, text.slice(0, -1)));
    }
    return [...this.#logs].map(([name, { folder, root }]) => ({ name, root, folder }));
  }

  /** What is known is forgotten where nobody has looked for so long, in milliseconds. */
  dropIdle(ms: number): void {
    if (performance.now() - this.#looked > ms) this.#logs.clear();
  }
}

class Log {
  readonly folder: string;
  readonly root: string;
  #calls = new Map<string, Listed>();
  /** As the file was: another one is read from its beginning. */
  #file = "";
  #at = 0;
  /** A line that isn't whole yet. */
  #rest: Buffer = Buffer.alloc(0);
  #list: Listed[] | undefined;
  #reading: Promise<void> = Promise.resolve();

  constructor(folder: string, root: string) {
    this.folder = folder;
    this.root = root;
  }

  async newestFirst(): Promise<Listed[]> {
    this.#reading = this.#reading.catch(() => undefined).then(() => this.#read());
    await this.#reading;
    this.#list ??= listOf(this.#calls);
    return this.#list;
  }

  /** @throws the system's error */
  async #read(): Promise<void> {
    const path = join(this.folder, LOG_FILE);
    const there = await stat(path).catch(() => undefined);
    const file = there === undefined ? "" : nameOf(there);
    if (there === undefined || file !== this.#file || there.size < this.#at) {
      this.#calls = new Map();
      [this.#file, this.#at, this.#rest, this.#list] = [file, 0, Buffer.alloc(0), undefined];
    }
    if (there === undefined || there.size === this.#at) return;
    const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      // Replaced meanwhile: the next look reads the other one.
      if (nameOf(await handle.stat()) !== file) return;
      for (let read = -1; read !== 0 && this.#at < there.size; ) {
        const piece = Buffer.allocUnsafe(Math.min(PIECE, there.size - this.#at));
        read = (await handle.read(piece, 0, piece.length, this.#at)).bytesRead;
        this.#at += read;
        this.#take(Buffer.concat([this.#rest, piece.subarray(0, read)]));
      }
    } finally {
      await handle.close();
    }
  }

  #take(bytes: Buffer): void {
    const end = bytes.lastIndexOf(10) + 1;
    this.#rest = Buffer.from(bytes.subarray(end));
    if (end > 0) this.#list = undefined;
    for (const text of bytes.toString("utf8", 0, end).split("\n")) {
      const line = parsedLine(text);
      if (line !== undefined) this.#note(line);
    }
  }

  #note(line: Line): void {
    if (line.line === "before") {
      const { line: _, tree: before, paths: __, ...call } = line;
      this.#calls.set(call.id, { ...call, project: this.root, before, hasEnded: false, isUndone: false });
      return;
    }
    const call = this.#calls.get(line.id);
    if (call === undefined) return;
    call.hasEnded = line.tree !== null;
    call.missing ??= line.missing;
    call.hasFailed = line.has_failed === true;
    if (line.tree === call.before) this.#calls.delete(line.id);
  }
}

const nameOf = ({ dev, ino, birthtimeMs }: Stats): string => `${dev} ${ino} ${birthtimeMs}`;

function listOf(calls: ReadonlyMap<string, Listed>): Listed[] {
  for (const call of calls.values()) call.isUndone = false;
  const newestFirst = [...calls.values()].reverse();
  // By the place of the last undo that has to do with it: this one's own, or one of it, or of what took that back, and so on.
  const last = new Map<string, number>();
  for (const [place, { id, agent, of = [], hasEnded, missing, hasFailed, isUndone }] of newestFirst.entries()) {
    const isDone = agent === null && hasEnded && missing === null && hasFailed !== true;
    const by = last.get(id) ?? (isDone ? place : undefined);
    for (const call of by === undefined ? [] : of.flatMap((one) => calls.get(one) ?? [])) {
      if (by === undefined || by >= (last.get(call.id) ?? Number.POSITIVE_INFINITY)) continue;
      last.set(call.id, by);
      call.isUndone = !isUndone;
    }
  }
  return newestFirst.sort((one, other) => other.at - one.at);
}
