import { createHash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { isAtOrBelow } from "../gate/targets/pattern.ts";

/**
 * How a file that often holds secrets is hidden. Git's own copy of it is no secret from who may read the repository: as it is
 * committed, it stays. A committed one with changes can't be read: an empty one would be committed as such. All others are empty.
 */
export type Cover = "none" | "empty" | "unreadable";

/** Larger files hold something else. */
const MAX_BYTES = 256 * 1024;

/** @param path real, in `project`'s working copy */
export function coverOf(path: string, project: string): Cover {
  const index = indexOf(project);
  if (index === undefined || !isAtOrBelow(path, project)) return "empty";
  const held = heldHash(index, path.slice(project.length + 1));
  if (held === undefined) return "empty";
  return held === contentHash(path) ? "none" : "unreadable";
}

function indexOf(project: string): Buffer | undefined {
  try {
    return readFileSync(join(project, ".git", "index"));
  } catch {
    return undefined; // no repository, or a worktree: everything is hidden there
  }
}

/** Of an index in the versions 2 and 3, an entry: 40 bytes, the hash of 20, flags of 2 that end in the name's length, its name, NUL. */
const HASH_BYTES = 20;
const FLAGS_BYTES = 2;
const NAME_LENGTH = 0x0fff;
const EXTENDED = 0x4000;

/** The hash of what git holds at `name`, as hex; undefined where it holds nothing there, or the index is of another kind. */
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
    if (statSync(path).size > MAX_BYTES) return undefined;
    const content = readFileSync(path);
    return createHash("sha1").update(`blob ${content.length}\0`).update(content).digest("hex");
  } catch {
    return undefined;
  }
}
