import { createHash } from "node:crypto";
import { isAtOrBelow, kindOf, projectRoot, scanTree, statOf } from "@metnos-gate/shell-reading/files";
import { type GitIndex, gitFoldersOf, type IndexEntry, readIndex } from "@metnos-gate/shell-reading/git";
import { readRegularBytes } from "../../../ipc/base/regular-file.ts";

/**
 * Whether git holds the content that a file has now, by the repository's index: without git, its settings or its hooks. In any doubt
 * it doesn't.
 */

/** Files of which git would have to hold each one, for a folder to be held. */
const MAX_FILES = 500;
const LIMITS = { maxEntries: 2000, maxDepth: 32, skipped: new Set<string>() };
/** Bytes: up to here the content itself is compared, not only its size and time. */
const MAX_HASHED = 1024 * 1024;
/** Bytes of content that are compared for one description: beyond them git holds nothing. */
const MAX_HASHED_TOGETHER = 16 * 1024 * 1024;

/** `nothing`: no file is there, in a folder of a repository, so that nothing is lost by writing one. */
export type Held = "held" | "nothing" | "not_held";

interface Read {
  index: GitIndex;
  mtime_ms: number;
}

/** One look, for one description: each index is read once, and only so much is compared. */
export class HeldByGit {
  readonly #home: string;
  readonly #keeps: ((path: string) => boolean) | undefined;
  readonly #indexes = new Map<string, Read | null>();
  readonly #held = new Map<string, Held>();
  readonly #allHeld = new Map<string, boolean>();
  #hashedLeft = MAX_HASHED_TOGETHER;

  /** @param keeps whether the gate itself keeps all that lies at and below a path before a call changes it */
  constructor(home: string, keeps?: (path: string) => boolean) {
    this.#home = home;
    this.#keeps = keeps;
  }

  /** True where git need not hold it: the gate itself can put it back. */
  isKept(path: string): boolean {
    return this.#keeps?.(path) === true;
  }

  /** @param path absolute, as its links lead */
  heldAt(path: string): Held {
    const known = this.#held.get(path);
    if (known !== undefined) return known;
    const found = this.#look(path);
    this.#held.set(path, found);
    return found;
  }

  #look(path: string): Held {
    const root = projectRoot(path.slice(0, path.lastIndexOf("/")) || "/", this.#home);
    if (root === null || isAtOrBelow(path, `${root}/.git`)) return "not_held";
    const kind = kindOf(path);
    if (kind === "nothing") return "nothing";
    if (kind !== "file") return "not_held";
    const entry = this.#index(root)?.index.entry(path.slice(root.length + 1));
    return entry !== undefined && this.#isSame(root, entry, path) ? "held" : "not_held";
  }

  /** True for a folder in a repository. */
  isInRepository(folder: string): boolean {
    return projectRoot(folder, this.#home) !== null;
  }

  /** True if git holds all that lies at and below a path; an empty folder, or nothing at all, is held. */
  holdsAllBelow(path: string): boolean {
    if (kindOf(path) !== "folder") return this.heldAt(path) !== "not_held";
    const known = this.#allHeld.get(path);
    if (known !== undefined) return known;
    const found = this.#lookBelow(path);
    this.#allHeld.set(path, found);
    return found;
  }

  #lookBelow(path: string): boolean {
    const root = projectRoot(path, this.#home);
    if (root === null || root === path) return false;
    const index = this.#index(root)?.index;
    let files = 0;
    const isSeen = scanTree(path, LIMITS, ({ relative, is_folder, is_link }) => {
      if (is_folder) return true;
      const file = `${path}/${relative}`;
      const entry = index?.entry(file.slice(root.length + 1));
      return !is_link && ++files <= MAX_FILES && entry !== undefined && this.#isSame(root, entry, file);
    });
    return isSeen;
  }

  #index(root: string): Read | null {
    const known = this.#indexes.get(root);
    if (known !== undefined) return known;
    const found = indexOf(root);
    this.#indexes.set(root, found);
    return found;
  }

  #isSame(root: string, entry: IndexEntry, path: string): boolean {
    const stat = fileAt(path);
    if (stat === undefined || !entry.hasContent || (entry.mode & 0o170000) !== 0o100000) return false;
    if (stat.size % 2 ** 32 !== entry.size) return false;
    if (stat.size <= MAX_HASHED) {
      this.#hashedLeft -= stat.size;
      return this.#hashedLeft >= 0 && blobName(path) === entry.oid;
    }
    // A file of the same time as the index may have changed after it was looked at.
    const indexMs = this.#index(root)?.mtime_ms ?? 0;
    return Math.floor(stat.mtimeMs / 1000) === entry.mtime && stat.mtimeMs < indexMs - 1000;
  }
}

function fileAt(path: string): ReturnType<typeof statOf> {
  const stat = statOf(path);
  return stat?.isFile() === true ? stat : undefined;
}

function blobName(path: string): string | null {
  try {
    const content = readRegularBytes(path, { maxBytes: MAX_HASHED });
    return createHash("sha1").update(`blob ${content.length}\0`).update(content).digest("hex");
  } catch {
    return null; // it can't be read: then it isn't known to be the same
  }
}

function indexOf(root: string): Read | null {
  try {
    const folders = gitFoldersOf(root);
    if (folders === null) return null;
    const { index, mtime_ms } = readIndex(`${folders.git}/index`);
    return index === null ? null : { index, mtime_ms };
  } catch {
    return null; // no index, one that is too large, or one that can't be read: git holds nothing that is known
  }
}
