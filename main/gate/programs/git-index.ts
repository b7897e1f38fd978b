/** git's index (gitformat-index): what it tracks, and of which content it holds a copy. Read without git. */

/** Bytes. A larger one is never read. */
export const MAX_INDEX = 16 * 1024 * 1024;

export interface IndexEntry {
  mode: number;
  name: string;
  /** In seconds, as the file system said when the content was stored. */
  mtime: number;
  mtime_ns: number;
  /** Bytes, modulo 2^32. */
  size: number;
  /** SHA-1 of the content, as git names it. */
  oid: string;
  /** git holds this very content: not only the name, nor one of a conflict's sides. */
  has_content: boolean;
}

/**
 * The entries of an index of version 2 or 3; null for any other, or for a split one.
 * @param at_or_below only the entry of this name, and those below the folder of this name
 */
export function indexEntries(index: Buffer, at_or_below?: string): IndexEntry[] | null {
  const wanted = at_or_below === undefined ? null : Buffer.from(at_or_below);
  const found = indexOffsets(index);
  if (found === null) return null;
  const here = wanted === null ? found : found.filter(({ name_at, end }) => isAtOrBelow(index, name_at, end, wanted));
  return here.map(({ at, name_at, end }) => entryAt(index, at, name_at, end));
}

/** Where in an index an entry and its name begin, and its name ends. */
export interface EntryOffsets {
  at: number;
  name_at: number;
  end: number;
}

/** Where the entries of such an index are. */
export function indexOffsets(index: Buffer): EntryOffsets[] | null {
  if (index.length < 12 || index.toString("latin1", 0, 4) !== "DIRC") return null;
  const version = index.readUInt32BE(4);
  if (version !== 2 && version !== 3) return null;
  const count = index.readUInt32BE(8);
  const entries: EntryOffsets[] = [];
  let at = 12;
  for (let number = 0; number < count; number++) {
    if (at + 62 > index.length) return null;
    const flags = index.readUInt16BE(at + 60);
    const is_extended = version === 3 && (flags & 0x4000) !== 0;
    const name_at = at + 62 + (is_extended ? 2 : 0);
    const end = index.indexOf(0, name_at);
    if (end === -1) return null;
    entries.push({ at, name_at, end });
    at += (end - at + 8) & ~7;
  }
  return isSplit(index, at) ? null : entries;
}

function entryAt(index: Buffer, at: number, name_at: number, end: number): IndexEntry {
  const flags = index.readUInt16BE(at + 60);
  const extended = name_at - at > 62 ? index.readUInt16BE(at + 62) : 0;
  return {
    mode: index.readUInt32BE(at + 24),
    name: index.toString("utf8", name_at, end),
    mtime: index.readUInt32BE(at + 8),
    mtime_ns: index.readUInt32BE(at + 12),
    size: index.readUInt32BE(at + 36),
    oid: index.toString("hex", at + 40, at + 60),
    has_content: (flags & 0x3000) === 0 && (extended & 0x2000) === 0,
  };
}

function isAtOrBelow(index: Buffer, from: number, end: number, wanted: Buffer): boolean {
  const length = end - from;
  if (wanted.length === 0) return true;
  if (length < wanted.length || index[from] !== wanted[0]) return false;
  if (index.compare(wanted, 0, wanted.length, from, from + wanted.length) !== 0) return false;
  return length === wanted.length || index[from + wanted.length] === 0x2f;
}

/** True if an extension says that other entries lie in another file. */
function isSplit(index: Buffer, from: number): boolean {
  for (let at = from; at + 8 < index.length; at += 8 + index.readUInt32BE(at + 4)) {
    const name = index.toString("latin1", at, at + 4);
    if (name === "link") return true;
    if (!/^[A-Za-z]{4}$/.test(name)) return false;
  }
  return false;
}
