import { createHash } from "node:crypto";
import { dirname, join, resolve } from "node:path";
import { readRegularBytes } from "../../../ipc/regular-file.ts";
import { errorCode } from "../../gate/errors.ts";
import { MAX_INDEX } from "../../gate/programs/git-index.ts";
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

/** Indexes by working copy, for one box: each is read once. */
export type Indexes = Map<string, ReturnType<typeof indexOf>>;

/** @param path real, below `project` */
export function coverOf(path: string, project: string, indexes: Indexes = new Map()): Cover {
  const repository = repositoryOf(path, project);
  if (repository === undefined) return "empty";
  const index = indexes.has(repository) ? indexes.get(repository) : indexOf(repository);
  indexes.set(repository, index);
  if (index === "unknown") return "unreadable";
  const held = index && heldHash(index, path.slice(repository.length + 1));
  if (held === undefined) return "empty";
  return held === contentHash(path) ? "none" : "unreadable";
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
function indexOf(working_copy: string): Buffer | "unknown" | undefined {
  try {
    const index = readRegularBytes(join(gitFolder(working_copy), "index"), { max_bytes: MAX_INDEX });
    const is_known = index.length >= 8 && READ_VERSIONS.has(index.readUInt32BE(4)) && !index.includes(SPLIT);
    return is_known ? index : "unknown";
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

/** Of an index in the versions 2 and 3, an entry: 40 bytes, the hash of 20, flags of 2 that end in the name's length, its name, NUL. */
const HASH_BYTES = 20;
const FLAGS_BYTES = 2;
const NAME_LENGTH = 0x0fff;
const EXTENDED = 0x4000;

/** The hash of what git holds at `name`, as hex; undefined where it holds nothing there. */
function heldHash(index: Buffer, name: string): string | undefined {
  const wanted = Buffer.from(`${name}\0`);
  for (let at = index.indexOf(wanted); at !== -1; at = index.indexOf(wanted, at + 1)) {
    for (const extra of [0, FLAGS_BYTES]) {
      const flags_at = at - extra - FLAGS_BYTES;
      if (flags_at < HASH_BYTES) continue;
      const flags = index.readUInt16BE(flags_at);
      const is_entry = (flags & NAME_LENGTH) === wanted.length - 1 && ((flags & EXTENDED) !== 0) === (extra !== 0);
      if (is_entry) return index.subarray(flags_at - HASH_BYTES, flags_at).toString("hex");
    }
  }
  return undefined;
}

/** The hash that git would hold this file by; undefined where it can't be read. */
function contentHash(path: string): string | undefined {
  try {
    const content = readRegularBytes(path, { max_bytes: MAX_BYTES });
    return createHash("sha1").update(`blob ${content.length}\0`).update(content).digest("hex");
  } catch {
    return undefined;
  }
}
