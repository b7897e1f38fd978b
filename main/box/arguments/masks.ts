import { createHash } from "node:crypto";
import { dirname, join } from "node:path";
import { isAtOrBelow, kindOf } from "@metnos-gate/shell-reading/files";
import { type GitIndex, gitFoldersOf, readIndex } from "@metnos-gate/shell-reading/git";
import { readRegularBytes } from "../../../ipc/base/regular-file.ts";
import { errorCode } from "../../base/errors.ts";

/**
 * How a file that often holds secrets is hidden. Git's own copy of it is no secret from who may read the repository: as it is
 * committed, it stays. A committed one with changes can't be read: an empty one would be committed as such. All others are empty.
 */
export type Cover = "none" | "empty" | "unreadable";

/** Larger files hold something else. */
const MAX_BYTES = 256 * 1024;

/** Bytes of content that are compared with what git holds, for one box: beyond them it isn't known. */
const MAX_COMPARED = 32 * 1024 * 1024;

/** For one box: each working copy's index is read once, and only so much is compared. */
export class Indexes {
  readonly #known = new Map<string, ReturnType<typeof indexOf>>();
  #left = MAX_COMPARED;

  of(workingCopy: string): ReturnType<typeof indexOf> {
    const known = this.#known.has(workingCopy) ? this.#known.get(workingCopy) : indexOf(workingCopy);
    this.#known.set(workingCopy, known);
    return known;
  }

  /** The hash that git would hold this file by; undefined where it can't be read, or too much was. */
  contentHash(path: string): string | undefined {
    if (this.#left < 0) return undefined;
    try {
      const content = readRegularBytes(path, { maxBytes: MAX_BYTES });
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
  const held = index?.entry(path.slice(repository.length + 1))?.oid;
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
function indexOf(workingCopy: string): GitIndex | "unknown" | undefined {
  try {
    const folders = gitFoldersOf(workingCopy);
    return (folders === null ? null : readIndex(join(folders.git, "index")).index) ?? "unknown";
  } catch (error) {
    return errorCode(error) === "ENOENT" ? undefined : "unknown";
  }
}
