import { createHash } from "node:crypto";
import { dirname, join, resolve } from "node:path";
import { readRegularBytes } from "../../../ipc/regular-file.ts";
import { errorCode } from "../../gate/errors.ts";
import { type EntryOffsets, indexOffsets, MAX_INDEX } from "../../gate/programs/git-index.ts";
import { kindOf } from "../../gate/targets/path-kind.ts";
import { isAtOrBelow } from "../../gate/targets/pattern.ts";

/**
 * How a file that often holds secrets is hidden. Git's own copy of it is no secret from who may read the repository: as it is
 * committed, it stays. A committed one with changes can't be read: an empty one would be committed as such. All others are empty.
 */
export type Cover = "none" | "empty" | "unreadable";

/** Larger files hold something else. */
const MAX_BYTES = 256 * 1024;
/** More than a file that names a folder holds, in bytes. */
const MAX_NAME = 4096;

/** Bytes of content that are compared with what git holds, for one box: beyond them it isn't known. */
const MAX_COMPARED = 32 * 1024 * 1024;

/** For one box: each working copy's index is read once, and only so much is compared. */
export class Indexes {
  readonly #known = new Map<string, ReturnType<typeof indexOf>>();
  #left = MAX_COMPARED;

  of(working_copy: string): ReturnType<typeof indexOf> {
    const known = this.#known.has(working_copy) ? this.#known.get(working_copy) : indexOf(working_copy);
    this.#known.set(working_copy, known);
    return known;
  }

  /** The hash that git would hold this file by; undefined where it can't be read, or too much was. */
  contentHash(path: string): string | undefined {
    if (this.#left < 0) return undefined;
    try {
      const content = readRegularBytes(path, { max_bytes: MAX_BYTES });
      this.#left -= content.length;
      return createHash("sha1").update(`blob ${content.length}\0`).update(content).digest("hex");
    } catch {
      return undefined;
    }
  }
}

/** @param path real, below `project` */
export function coverOf(path: string, project: string, indexes = new Indexes()): Cover {
  const repository = repositoryOf(path, project);
  if (repository === undefined) return "empty";
  const index = indexes.of(repository);
  if (index === "unknown") return "unreadable";
  const held = index && heldHash(index, path.slice(repository.length + 1));
  if (held === undefined) return "empty";
  return held === indexes.contentHash(path) ? "none" : "unreadable";
}

/** The nearest working copy that `path` is in, at or below `project`. */
function repositoryOf(path: string, project: string): string | undefined {
  for (let folder = dirname(path); isAtOrBelow(folder, project); folder = dirname(folder)) {
    if (kindOf(join(folder, ".git")) !== "nothing") return folder;
    if (folder === "/") break;
  }
  return undefined;
}

/** What git holds for a working copy: undefined where it holds nothing yet, `unknown` where it keeps it in a way that isn't read here. */
function indexOf(working_copy: string): Index | "unknown" | undefined {
  try {
    const index = readRegularBytes(join(gitFolder(working_copy), "index"), { max_bytes: MAX_INDEX });
    const is_known = index.length >= 8 && READ_VERSIONS.has(index.readUInt32BE(4)) && !index.includes(SPLIT);
    const entries = is_known ? indexOffsets(index) : null;
    return entries === null ? "unknown" : { bytes: index, entries };
  } catch (error) {
    return errorCode(error) === "ENOENT" ? undefined : "unknown";
  }
}

const READ_VERSIONS: ReadonlySet<number> = new Set([2, 3]);

/** The mark of an index whose entries are in another file. */
const SPLIT = Buffer.from("link\0");

/** A worktree's and a submodule's `.git` is a file that names the folder. */
function gitFolder(working_copy: string): string {
  const git = join(working_copy, ".git");
  if (kindOf(git) !== "file") return git;
  const [, named = ""] = /^gitdir: (.+)$/m.exec(readRegularBytes(git, { max_bytes: MAX_NAME }).toString()) ?? [];
  return resolve(working_copy, named);
}

/** Its entries are sorted by their names' bytes. */
interface Index {
  bytes: Buffer;
  entries: readonly EntryOffsets[];
}

/** The hash of what git holds at `name`, as hex; undefined where it holds nothing there. */
function heldHash({ bytes, entries }: Index, name: string): string | undefined {
  const wanted = Buffer.from(name);
  let [low, high] = [0, entries.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const entry = entries[middle];
    if (entry === undefined) return undefined;
    const order = bytes.compare(wanted, 0, wanted.length, entry.name_at, entry.end);
    if (order === 0) return bytes.toString("hex", entry.at + HASH_AT, entry.at + HASH_AT + HASH_BYTES);
    if (order < 0) low = middle + 1;
    else high = middle;
  }
  return undefined;
}

const HASH_AT = 40;
const HASH_BYTES = 20;
