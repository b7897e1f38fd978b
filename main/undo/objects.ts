import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { crc32, deflateSync } from "node:zlib";
import { holdsText } from "../../ipc/base/regular-file.ts";
import { GIT_PATH, gitWords } from "./git-program.ts";

/**
 * A store's objects, in Git's own format, in a bare repository that has no work tree. The gate writes packs itself: names that a list of
 * paths can't hold don't matter, and nothing is left half written. Git reads them, and packs them anew.
 */

type Kind = "tree" | "blob";
const KINDS: Readonly<Record<Kind, number>> = { tree: 2, blob: 3 };

/** What is held in memory before it is written as a pack of its own, in bytes. */
const MAX_HELD = 32 * 1024 * 1024;
/** Packs, before all are packed as one. */
const MAX_PACKS = 60;
const REPACK_MS = 10 * 60_000;

/** Nothing of the user's, or of a project's, counts: neither settings nor variables. */
const gitEnvironment = (folder: string) => ({
  PATH: GIT_PATH,
  GIT_DIR: folder,
  HOME: folder,
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_NO_REPLACE_OBJECTS: "1",
  GIT_NO_LAZY_FETCH: "1",
  GIT_ALLOW_PROTOCOL: "none",
});

const CONFIG = "[core]\n\trepositoryformatversion = 0\n\tbare = true\n\tfsmonitor = false\n\thooksPath = /dev/null\n";

/** Nothing more can be stored: what failed isn't the project. */
export class NotStored extends Error {
  readonly why: "disk" | "store-full";
  constructor(why: "disk" | "store-full") {
    super("what is kept can't be stored");
    this.why = why;
  }
}

/** A file with this text: one that has another is replaced as a whole. @throws the system's error */
export function keepFile(path: string, text: string): void {
  if (holdsText(path, text)) return;
  const made = `${path}.${process.pid}`;
  rmSync(made, { force: true });
  writeFileSync(made, text, { mode: 0o600, flag: "wx" });
  renameSync(made, path);
}

/** @returns Git's name of an object */
export function nameOf(kind: Kind, content: Buffer): string {
  return createHash("sha1").update(`${kind} ${content.length}\0`).update(content).digest("hex");
}

export class Objects {
  readonly #folder: string;
  readonly #packs: string;
  readonly #maxBytes: number;
  /** What makes the boxes that Git runs in; null while there is none. */
  maker: string | null = null;
  #held = new Map<string, { packed: Buffer; crc: number }>();
  #heldBytes = 0;
  #reader: Reader | undefined;

  /** @param maxBytes on the disk @throws the system's error */
  constructor(folder: string, maxBytes: number) {
    this.#folder = folder;
    this.#maxBytes = maxBytes;
    this.#packs = join(folder, "objects/pack");
    for (const name of ["objects/pack", "refs"]) mkdirSync(join(folder, name), { recursive: true, mode: 0o700 });
    keepFile(join(folder, "config"), CONFIG);
    keepFile(join(folder, "HEAD"), "ref: refs/heads/none\n");
    this.#removeUnfinished();
  }

  /** What a process left that was killed: a pack counts once its index is there. A Git that outlives it may still be writing what is newer. */
  #removeUnfinished(): void {
    const names = new Set(readdirSync(this.#packs));
    const isWhole = (name: string) => names.has(name.replace(/\.pack$/, ".idx"));
    const isLeft = (path: string) =>
      (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0) < Date.now() - 2 * REPACK_MS;
    for (const name of names)
      if (!/^pack-[0-9a-f]{40}\./.test(name) || (name.endsWith(".pack") && !isWhole(name)))
        if (name.startsWith("gate-") || isLeft(join(this.#packs, name)))
          rmSync(join(this.#packs, name), { force: true });
    for (const name of ["packed-refs.lock", "objects/info/alternates", "gc.pid"])
      rmSync(join(this.#folder, name), { force: true });
  }

  /** Holds one until `flush`. @param known the name of one that is there @returns its name @throws as that does */
  add(kind: Kind, content: Buffer, known?: string): string {
    const name = nameOf(kind, content);
    if (name === known || this.#held.has(name)) return name;
    const packed = Buffer.concat([
      packedHead(KINDS[kind], content.length),
      deflateSync(content, { level: 1, chunkSize: chunkSizeOf(content) }),
    ]);
    this.#held.set(name, { packed, crc: crc32(packed) });
    this.#heldBytes += packed.length;
    if (this.#heldBytes > MAX_HELD) this.flush();
    return name;
  }

  /** Writes what is held. @throws NotStored: nothing of it is there then */
  flush(): void {
    if (this.#held.size === 0) return;
    const held = [...this.#held].sort(([a], [b]) => (a < b ? -1 : 1));
    const bytes = this.#heldBytes;
    this.#held = new Map();
    this.#heldBytes = 0;
    if (this.size() + bytes > this.#maxBytes) throw new NotStored("store-full");
    const head = Buffer.alloc(12);
    head.write("PACK", "latin1");
    head.writeUInt32BE(2, 4);
    head.writeUInt32BE(held.length, 8);
    const parts = [head, ...held.map(([, { packed }]) => packed)];
    const sum = sha1(parts);
    const path = join(this.#packs, `pack-${sum.toString("hex")}`);
    this.#write(`${path}.pack`, [...parts, sum]);
    this.#write(`${path}.idx`, indexOf(held, sum));
  }

  #write(path: string, parts: readonly Buffer[]): void {
    const made = join(this.#packs, `gate-${process.pid}`);
    try {
      writeFileSync(made, Buffer.concat(parts), { mode: 0o600 });
      renameSync(made, path);
    } catch {
      rmSync(made, { force: true });
      throw new NotStored("disk");
    }
  }

  /** @throws where it isn't there */
  read(name: string): Promise<Buffer> {
    this.flush();
    this.#reader ??= new Reader(this.#folder, this.maker, () => (this.#reader = undefined));
    return this.#reader.read(name);
  }

  /** In bytes. */
  size(): number {
    return readdirSync(this.#packs).reduce(
      (sum, name) => sum + (statSync(join(this.#packs, name), { throwIfNoEntry: false })?.size ?? 0),
      0,
    );
  }

  get hasManyPacks(): boolean {
    return readdirSync(this.#packs).filter((name) => name.endsWith(".idx")).length > MAX_PACKS;
  }

  /** Packs what these lead to as one, and removes what nothing leads to. @returns whether Git did */
  async repack(kept: Iterable<string>): Promise<boolean> {
    this.flush();
    const refs = [...new Set(kept)].sort().map((name) => `${name} refs/kept/${name}\n`);
    keepFile(join(this.#folder, "packed-refs"), `# pack-refs with: sorted\n${refs.join("")}`);
    // One thread, with little memory: it is nobody's turn.
    const settings = ["pack.threads=1", "pack.windowMemory=32m", "core.bigFileThreshold=8m", "gc.auto=0"];
    const how = "repack -a -d -n -q --window=10 --depth=20".split(" ");
    const words = [...settings.flatMap((one) => ["-c", one]), ...how];
    const [program = "", ...args] = gitWords(words, this.#folder, this.maker, join(this.#folder, "objects"));
    const child = spawn(program, args, {
      cwd: this.#folder,
      env: gitEnvironment(this.#folder),
      stdio: "ignore",
      timeout: REPACK_MS,
      killSignal: "SIGKILL",
    });
    return new Promise((resolve) => {
      child.once("error", () => resolve(false));
      child.once("close", (code) => resolve(code === 0));
    });
  }

  close(): void {
    this.#reader?.close();
  }
}

/** Each call takes a chunk of memory that goes only later: as much as it needs, or a hundred thousand small files take gigabytes. In bytes. */
const chunkSizeOf = ({ length }: Buffer): number => Math.min(Math.max(length + 64, 128), 16 * 1024);

const sha1 = (parts: readonly Buffer[]): Buffer => {
  const hash = createHash("sha1");
  for (const part of parts) hash.update(part);
  return hash.digest();
};

/** Of a packed object: its kind, and how long it is. */
function packedHead(kind: number, length: number): Buffer {
  const bytes = [(kind << 4) | (length & 15)];
  for (let rest = Math.floor(length / 16); rest > 0; rest = Math.floor(rest / 128)) {
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) | 128;
    bytes.push(rest & 127);
  }
  return Buffer.from(bytes);
}

/** A pack's index, version 2. */
function indexOf(held: readonly [name: string, { packed: Buffer; crc: number }][], sum: Buffer): Buffer[] {
  const fanout = Buffer.alloc(8 + 1024);
  fanout.writeUInt32BE(0xff744f63, 0);
  fanout.writeUInt32BE(2, 4);
  const counts = new Array<number>(256).fill(0);
  const numbers = Buffer.alloc(held.length * 8);
  let offset = 12;
  for (const [at, [name, { packed, crc }]] of held.entries()) {
    const first = Number.parseInt(name.slice(0, 2), 16);
    counts[first] = (counts[first] ?? 0) + 1;
    numbers.writeUInt32BE(crc, at * 4);
    numbers.writeUInt32BE(offset, (held.length + at) * 4);
    offset += packed.length;
  }
  let before = 0;
  for (const [first, count] of counts.entries()) {
    before += count;
    fanout.writeUInt32BE(before, 8 + first * 4);
  }
  const names = Buffer.from(held.map(([name]) => name).join(""), "hex");
  const parts = [fanout, names, numbers, sum];
  return [...parts, sha1(parts)];
}

/** One lasting `git cat-file --batch`. */
class Reader {
  readonly #child: ChildProcess;
  readonly #waiting: { name: string; resolve(content: Buffer): void; reject(error: Error): void }[] = [];
  #chunks: Buffer[] = [];
  #length = 0;
  /** Of the answer that has begun: how many bytes it has, with its head and the line's end. */
  #needed = 0;

  constructor(folder: string, maker: string | null, ended: () => void) {
    const [program = "", ...args] = gitWords(["cat-file", "--batch"], folder, maker);
    this.#child = spawn(program, args, {
      cwd: folder,
      env: gitEnvironment(folder),
      stdio: ["pipe", "pipe", "ignore"],
    });
    this.#child.unref();
    const end = () => {
      ended();
      for (const { reject } of this.#waiting.splice(0)) reject(new Error("git ended"));
    };
    this.#child.once("error", end).once("close", end);
    this.#child.stdin?.on("error", () => undefined);
    this.#child.stdout?.on("data", (chunk: Buffer) => this.#received(chunk));
  }

  read(name: string): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ name, resolve, reject });
      this.#child.stdin?.write(`${name}\n`);
    });
  }

  #received(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    while (this.#waiting.length > 0 && this.#length >= Math.max(1, this.#needed) && this.#takeOne());
  }

  /** @returns whether there was a whole answer */
  #takeOne(): boolean {
    const all = this.#chunks.length === 1 ? (this.#chunks[0] ?? Buffer.alloc(0)) : Buffer.concat(this.#chunks);
    this.#chunks = [all];
    const line = all.indexOf(10);
    if (line < 0) return false;
    const words = all.toString("latin1", 0, line).split(" ");
    const length = words.length === 3 ? Number(words[2]) : -1;
    this.#needed = length < 0 ? line + 1 : line + 1 + length + 1;
    if (all.length < this.#needed) return false;
    const one = this.#waiting.shift();
    if (length < 0) one?.reject(new Error("it isn't in the store"));
    else one?.resolve(Buffer.from(all.subarray(line + 1, line + 1 + length)));
    this.#chunks = [all.subarray(this.#needed)];
    this.#length = all.length - this.#needed;
    this.#needed = 0;
    return true;
  }

  close(): void {
    this.#child.kill("SIGKILL");
  }
}
