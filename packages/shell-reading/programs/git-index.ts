import { statSync } from "node:fs";
import { hasOwnTimes } from "../files/own-times.ts";
import { readRegularBytes } from "../files/regular-bytes.ts";
import { gitFoldersOf } from "./git-folders.ts";

/** git's index (gitformat-index): what it tracks, and of which content it holds a copy. Read without git. */

/** Bytes, of some 100,000 files: reading more would hold up the calls of others. */
const MAX_INDEX = 10 * 1024 * 1024;

/** What an index was read as, and from what. */
export interface IndexRead {
  /** Null where it has a form that isn't read. */
  readonly index: GitIndex | null;
  readonly mtime_ms: number;
}

/** The one that was read last: a decision looks at the same one for several reasons, and so do the next ones. */
let last: { is: string; read: IndexRead; readAt: number; isSure: boolean } | undefined;
/** For so long at the most: it may be large, and reading it anew for each call would keep the collector of garbage busy. */
const KEPT_MS = 10_000;
let forgetting: NodeJS.Timeout | undefined;

/**
 * A change so soon after another one may not show in a file's times; in milliseconds. For as long what was just read is taken for what is
 * there, as it would be had the decision been made then.
 */
const SAME_TICK_MS = 50;
const MS_OF_NS = 1e-6;

/** @throws the system's error, or one with the code `NOT_A_FILE` or `TOO_LARGE` */
export function readIndex(file: string): IndexRead {
  const { dev, ino, size, mtimeNs, ctimeNs } = statSync(file, { bigint: true });
  const is = [dev, ino, size, mtimeNs, ctimeNs].join(":");
  const now = Date.now();
  const known = last?.is === is && (last.isSure || now - last.readAt < SAME_TICK_MS) ? last.read : undefined;
  if (known !== undefined) return known;
  const bytes = readRegularBytes(file, { maxBytes: MAX_INDEX });
  const read = { index: GitIndex.read(bytes), mtime_ms: Number(mtimeNs) * MS_OF_NS };
  last = { is, read, readAt: now, isSure: now - Number(ctimeNs) * MS_OF_NS > SAME_TICK_MS && hasOwnTimes(file) };
  clearTimeout(forgetting);
  forgetting = setTimeout(() => {
    last = undefined;
  }, KEPT_MS).unref();
  return read;
}

/** Of a work tree (absolute); null where there is none, or it isn't read. */
export function indexOf(root: string): GitIndex | null {
  const git = gitFoldersOf(root)?.git;
  try {
    return git === undefined ? null : readIndex(`${git}/index`).index;
  } catch {
    return null;
  }
}

export interface IndexEntry {
  mode: number;
  name: string;
  /** In seconds, as the file system said when the content was stored. */
  mtime: number;
  mtimeNs: number;
  /** Bytes, modulo 2^32. */
  size: number;
  /** SHA-1 of the content, as git names it. */
  oid: string;
  /** git holds this very content: not only the name, nor one of a conflict's sides. */
  hasContent: boolean;
}

/** An index of version 2 or 3 that is whole. Its entries are sorted by their names' bytes: in one whose aren't, some aren't found. */
export class GitIndex {
  readonly #bytes: Buffer;
  /** Where each entry begins. */
  readonly #entries: Uint32Array;
  /** Other repositories are among them. */
  readonly hasSubmodules: boolean;
  /** Files outside of the work tree are among them: git itself writes no such names, and reads what they lead to all the same. */
  readonly leadsOut: boolean;

  private constructor(bytes: Buffer, { entries, hasSubmodules, leadsOut }: Entries) {
    this.#bytes = bytes;
    this.#entries = entries;
    this.hasSubmodules = hasSubmodules;
    this.leadsOut = leadsOut;
  }

  /** Null for any other, or for a split one. */
  static read(bytes: Buffer): GitIndex | null {
    const entries = entriesOf(bytes);
    return entries === null ? null : new GitIndex(bytes, entries);
  }

  get size(): number {
    return this.#entries.length;
  }

  /** The entry of this name; of a conflict one of its sides. */
  entry(name: string): IndexEntry | undefined {
    const wanted = Buffer.from(name);
    let [low, high] = [0, this.#entries.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const at = this.#entries[middle] ?? 0;
      const { from, end } = nameAt(this.#bytes, at);
      const order = this.#bytes.compare(wanted, 0, wanted.length, from, end);
      if (order === 0) return entryAt(this.#bytes, at);
      if (order < 0) low = middle + 1;
      else high = middle;
    }
    return undefined;
  }

  /** Folders of other repositories, which git enters by itself. */
  *submodules(): Generator<string> {
    if (!this.hasSubmodules) return;
    for (const at of this.#entries) {
      if (!isSubmodule(this.#bytes, at)) continue;
      const { from, end } = nameAt(this.#bytes, at);
      yield this.#bytes.toString("utf8", from, end);
    }
  }

  /** Of all of them. */
  *names(): Generator<string> {
    for (const at of this.#entries) {
      const { from, end } = nameAt(this.#bytes, at);
      yield this.#bytes.toString("utf8", from, end);
    }
  }
}

/** Bytes of an entry before its name. */
const HEAD = 62;
const MODE_AT = 24;
/** What kind of entry it is: the other bits of its mode may be any. */
const KIND = 0o170000;
/** A name's length in an entry's flags. A longer name, which ends at a zero, fits into no path: an index with one isn't read. */
const MAX_LENGTH = 0xfff;
const SUBMODULE = 0o160000;
const SLASH = 0x2f;
const DOT = 0x2e;
/** Within a name: what leads up, or into a repository's own folder. An entry's name ends at a zero. */
const LEADING = ["/../", "/..\0", "/.git/", "/.git\0"];
const LONGEST_LEADING = 6;

interface Entries {
  /** Where each begins. */
  readonly entries: Uint32Array;
  readonly hasSubmodules: boolean;
  readonly leadsOut: boolean;
}

function entriesOf(index: Buffer): Entries | null {
  if (index.length < 12 || index.toString("latin1", 0, 4) !== "DIRC") return null;
  const version = index.readUInt32BE(4);
  const count = index.readUInt32BE(8);
  if ((version !== 2 && version !== 3) || count > index.length / HEAD) return null;
  const entries = new Uint32Array(count);
  let at = 12;
  let hasSubmodules = false;
  let leadsOut = LEADING.some((names) => index.includes(names));
  for (let number = 0; number < count; number++) {
    if (at + HEAD > index.length) return null;
    // A flag that version 2 doesn't have.
    if (version === 2 && ((index[at + 60] ?? 0) & 0x40) !== 0) return null;
    const { from, end } = nameAt(index, at);
    if (end - from === MAX_LENGTH || index[end] !== 0) return null;
    hasSubmodules ||= isSubmodule(index, at);
    leadsOut ||= beginsOutside(index, from);
    entries[number] = at;
    at += (end - at + 8) & ~7;
  }
  return hasOthers(index, entries, at) ? null : { entries, hasSubmodules, leadsOut };
}

/**
 * True for an index, of whatever version, by which git would read or write outside of its work tree, or that git wouldn't write so. A
 * split one is looked at apart from the one that it builds on. @param isSha256 what hashes its repository has: nothing in an index says that
 * @param noted where the folders are added in which git knows of untracked files
 */
export function namesOutside(index: Buffer, isSha256: boolean, noted?: NotedFolder[]): boolean {
  const hash = isSha256 ? HASH_SHA256 : HASH;
  if (index.length < 12 + hash || index.toString("latin1", 0, 4) !== "DIRC") return true;
  const [version, count, head] = [index.readUInt32BE(4), index.readUInt32BE(8), HEAD - HASH + hash];
  const end = index.length - hash;
  if (version < 2 || version > 4 || count > end / head) return true;
  const entries = new Uint32Array(count);
  const name = Buffer.alloc(MAX_LENGTH);
  let nameLength = 0;
  const leading = LEADING.map((names) => ({ names, at: index.indexOf(names) }));
  let at = 12;
  for (let number = 0; number < count; number++) {
    if (at + head > end) return true;
    const flags = index.readUInt16BE(at + head - 2);
    let from = at + head + ((flags & 0x4000) === 0 ? 0 : 2);
    let kept = 0;
    if (version === 4) {
      // So much of the last name isn't in this one.
      const cut = numberAt(index, from);
      from = cut.next;
      kept = nameLength - cut.value;
      if (kept < 0) return true;
    }
    const length = flags & MAX_LENGTH;
    const to = length === MAX_LENGTH ? index.indexOf(0, from) : from + length - kept;
    if (to < from || to >= end || index[to] !== 0) return true;
    if (version === 4) {
      nameLength = kept + to - from;
      // Longer than a path can be.
      if (nameLength >= name.length) return true;
      index.copy(name, kept, from, to);
      name[nameLength] = 0;
      if (beginsOutside(name, 0)) return true;
      for (let slashAt = Math.max(0, kept - LONGEST_LEADING); slashAt < nameLength; slashAt++)
        if (name[slashAt] === SLASH && name[slashAt + 1] === DOT && beginsOutside(name, slashAt + 1)) return true;
    } else {
      if (beginsOutside(index, from)) return true;
      for (const next of leading) {
        if (next.at !== -1 && next.at < from) next.at = index.indexOf(next.names, from);
        if (next.at !== -1 && next.at < to) return true;
      }
    }
    // At the beginning of a block git takes nothing of the last name.
    entries[number] = kept === 0 ? at : 0;
    at = version === 4 ? to + 1 : to + 8 - ((to - at) % 8);
  }
  return hasOthers(index, entries, at, { hash, isSplitOther: false, noted });
}

/** Of the name that begins there, or continues there behind a slash: what git keeps for itself isn't in the work tree either. */
function beginsOutside(bytes: Buffer, from: number): boolean {
  if (bytes[from] === SLASH) return true;
  if (bytes[from] !== DOT) return false;
  const isUp = bytes[from + 1] === DOT;
  const after = bytes[from + (isUp ? 2 : 4)];
  return (after === SLASH || after === 0) && (isUp || bytes.toString("latin1", from + 1, from + 4) === "git");
}

const isSubmodule = (index: Buffer, at: number): boolean => (index.readUInt32BE(at + MODE_AT) & KIND) === SUBMODULE;

/** Where the name of the entry at `at` begins and ends; of one that is cut off beyond the index. */
function nameAt(index: Buffer, at: number): { from: number; end: number } {
  const high = index[at + 60] ?? 0;
  const from = at + HEAD + ((high & 0x40) === 0 ? 0 : 2);
  return { from, end: from + (((high & 0x0f) << 8) | (index[at + 61] ?? 0)) };
}

function entryAt(index: Buffer, at: number): IndexEntry {
  const { from, end } = nameAt(index, at);
  const flags = index.readUInt16BE(at + 60);
  const extended = from - at > HEAD ? index.readUInt16BE(at + HEAD) : 0;
  return {
    mode: index.readUInt32BE(at + MODE_AT),
    name: index.toString("utf8", from, end),
    mtime: index.readUInt32BE(at + 8),
    mtimeNs: index.readUInt32BE(at + 12),
    size: index.readUInt32BE(at + 36),
    oid: index.toString("hex", at + 40, at + 60),
    hasContent: (flags & 0x3000) === 0 && (extended & 0x2000) === 0,
  };
}

/** Bytes of a hash. */
const HASH = 20;
const HASH_SHA256 = 32;
const LINK = nameOf("link");
const END_OF_ENTRIES = nameOf("EOIE");
const OFFSETS = nameOf("IEOT");
const UNTRACKED = nameOf("UNTR");
/** Bytes of the extension that says where the entries end, without its hash. */
const END_SIZE = 8 + 4;

function nameOf(extension: string): number {
  return Buffer.from(extension, "latin1").readUInt32BE();
}

interface Others {
  /** Bytes of a hash. */
  hash: number;
  /** One that builds on another one counts. */
  isSplitOther: boolean;
  /** Where what it knows of untracked files is added. */
  noted?: NotedFolder[] | undefined;
}

/**
 * True if git would find other entries than those: in another file, or where an extension says that they lie, which it follows with
 * several threads; or would look for untracked files elsewhere. It passes over extensions that it doesn't know, whatever their names.
 * @param end of the entries
 */
function hasOthers(
  index: Buffer,
  entries: Uint32Array,
  end: number,
  { hash, isSplitOther, noted }: Others = { hash: HASH, isSplitOther: true },
): boolean {
  const extensionsEnd = index.length - hash;
  const last = extensionsEnd - END_SIZE - hash;
  // Also where it lies in a name of the entries.
  if (last > 0 && index.readUInt32BE(last) === END_OF_ENTRIES && index.readUInt32BE(last + 8) !== end) return true;
  let hasUntracked = false;
  for (let at = end; at + 8 <= extensionsEnd; at += 8 + index.readUInt32BE(at + 4)) {
    const name = index.readUInt32BE(at);
    if (isSplitOther && name === LINK) return true;
    if (name === OFFSETS && !isInOrder(index, at, entries, extensionsEnd)) return true;
    if (name !== UNTRACKED) continue;
    const extension = { index, hash, from: at + 8, end: Math.min(at + 8 + index.readUInt32BE(at + 4), extensionsEnd) };
    // Git writes one.
    if (hasUntracked) return true;
    hasUntracked = true;
    if (noted === undefined ? ownFoldersEnd(extension) === null : !addNoted(extension, noted)) return true;
  }
  return false;
}

/** Whether a table of blocks of entries, each with its place and how many are in it, says where they are. */
function isInOrder(index: Buffer, extension: number, entries: Uint32Array, extensionsEnd: number): boolean {
  const end = Math.min(extension + 8 + index.readUInt32BE(extension + 4), extensionsEnd);
  let count = 0;
  for (let at = extension + 12; at + 8 <= end; at += 8) {
    if (entries[count] !== index.readUInt32BE(at)) return false;
    count += index.readUInt32BE(at + 4);
  }
  return count === entries.length;
}

/** Bytes in front of the untracked files, besides hashes: times of two files of ignored names, and what was asked for. */
const IGNORED_SIZE = 2 * 36 + 4;
/** Names of them: more than anybody has. */
const MAX_UNTRACKED = 250_000;

/** One of an index's extensions: where its content is. */
interface Extension {
  readonly index: Buffer;
  /** Bytes of a hash. */
  readonly hash: number;
  readonly from: number;
  readonly end: number;
}

/**
 * Whether the folders in which git knows of untracked files are the work tree's: it opens and lists them by these names.
 * @param seen is called for each, with its name and how many of the next ones are in it
 * @returns where they end; null where they aren't
 */
function ownFoldersEnd(
  { index, hash, from, end }: Extension,
  seen?: (name: Buffer, folders: number) => void,
): number | null {
  const machine = numberAt(index, from);
  const nameOfIgnored = index.indexOf(0, machine.next + machine.value + IGNORED_SIZE + 2 * hash);
  if (nameOfIgnored === -1 || nameOfIgnored >= end) return null;
  const folders = numberAt(index, nameOfIgnored + 1);
  let at = folders.next;
  let left = MAX_UNTRACKED;
  for (let folder = 0; folder < folders.value && at < end; folder++) {
    const files = numberAt(index, at);
    const inner = numberAt(index, files.next);
    at = inner.next;
    // The first is the work tree itself.
    for (let name = 0; name <= files.value; name++) {
      const to = folder === 0 && name === 0 ? index.indexOf(0, at) : endOfName(index, at);
      if (to === -1 || to >= end || left-- === 0) return null;
      if (name === 0) seen?.(index.subarray(at, to), inner.value);
      at = to + 1;
    }
  }
  return at;
}

/** A folder that git doesn't list anew while it is as it was then: what it notes as folders in it, it takes for folders. */
export interface NotedFolder {
  /** In the work tree, "" for that itself; with one character for each byte. */
  readonly path: string;
  /** In seconds, as git noted it. */
  readonly changed_at: number;
  readonly folders: readonly string[];
}

/** Adds those with folders in them. @returns false where they can't be read */
function addNoted(extension: Extension, into: NotedFolder[]): boolean {
  const inner: { path: string; folders: string[]; left: number }[] = [];
  const above: typeof inner = [];
  let isTooDeep = false;
  const end = ownFoldersEnd(extension, (bytes, count) => {
    while (above.at(-1)?.left === 0) above.pop();
    const parent = above.at(-1);
    const name = parent === undefined ? "" : bytes.toString("latin1").replace(/\/$/, "");
    const path = parent === undefined || parent.path === "" ? name : `${parent.path}/${name}`;
    isTooDeep ||= path.length > MAX_PATH;
    if (parent !== undefined) {
      parent.left--;
      parent.folders.push(name);
    }
    const folder = { path, folders: [], left: count };
    inner.push(folder);
    above.push(folder);
  });
  if (end === null || isTooDeep) return false;
  if (inner.length === 0) return true;
  const { index } = extension;
  // Of which of them git knows what is in them; which it only looked into; whose ignored names it knows. Then when each of the first was changed.
  const valid = bitsAt(extension, end, inner.length);
  const looked = valid && bitsAt(extension, valid.next, inner.length);
  const ignored = looked && bitsAt(extension, looked.next, inner.length);
  if (!valid || !ignored || ignored.next + valid.set.length * STAT_SIZE > extension.end) return false;
  for (const [number, at] of valid.set.entries()) {
    const { path, folders } = inner[at] ?? { path: "", folders: [] };
    const changedAt = index.readUInt32BE(ignored.next + number * STAT_SIZE + CHANGED_AT);
    if (folders.length > 0) into.push({ path, changed_at: changedAt, folders });
  }
  return true;
}

/** No path that the system opens is longer; in bytes. */
const MAX_PATH = 4096;
/** Bytes that git keeps of a file's times and the like, and where it was changed among them. */
const STAT_SIZE = 36;
const CHANGED_AT = 8;

/** Bits that are set among the first ones, in git's compressed form, and where that ends; null where it can't be read, or sets others. */
function bitsAt({ index, end }: Extension, at: number, count: number): { set: number[]; next: number } | null {
  if (at + 8 > end) return null;
  const words = index.readUInt32BE(at + 4);
  const next = at + 8 + 8 * words + 4;
  if (next > end) return null;
  // Git writes one word that says what follows for each that follows, at the most. What gives as many as fit in an index takes minutes.
  if (words > 2 * Math.ceil(count / 64) + 2) return null;
  const set: number[] = [];
  let bit = 0;
  const add = (isSet: boolean) => {
    if (isSet) set.push(bit);
    bit++;
  };
  for (let word = 0; word < words; word++) {
    const run = index.readBigUInt64BE(at + 8 + 8 * word);
    const length = Number((run >> 1n) & 0xffffffffn) * 64;
    if ((run & 1n) === 0n) bit += length;
    else if (bit + length > count + 64) return null;
    else for (let left = length; left > 0; left--) add(true);
    for (let literal = Number(run >> 33n); literal > 0 && ++word < words; literal--) {
      const bits = index.readBigUInt64BE(at + 8 + 8 * word);
      for (let one = 0n; one < 64n; one++) add(((bits >> one) & 1n) === 1n);
    }
  }
  return set.every((one) => one < count) ? { set, next } : null;
}

/**
 * Where the zero is behind the name of a file, or of a folder with a slash; -1 where that is none, or one that leads
 * up, or to what git keeps for itself. Byte by byte: there may be hundreds of thousands.
 */
function endOfName(bytes: Buffer, from: number): number {
  let to = from;
  while (to < bytes.length && bytes[to] !== 0 && bytes[to] !== SLASH) to++;
  if (to === from || (bytes[from] === DOT && beginsOutside(bytes, from)) || to - from > MAX_LENGTH) return -1;
  if (bytes[from] === DOT && to - from === 1) return -1;
  if (bytes[to] === SLASH) to++;
  return bytes[to] === 0 ? to : -1;
}

/** A number in as many bytes as git takes for it, and where it ends. */
function numberAt(bytes: Buffer, at: number): { value: number; next: number } {
  let next = at;
  let byte = bytes[next++] ?? 0;
  let value = byte & 0x7f;
  for (; (byte & 0x80) !== 0 && value < bytes.length; value = (value + 1) * 0x80 + (byte & 0x7f))
    byte = bytes[next++] ?? 0;
  return { value, next };
}
