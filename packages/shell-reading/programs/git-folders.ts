import { dirname, join, resolve } from "node:path";
import { readRegularBytes } from "../files/regular-bytes.ts";
import { isAtOrBelow, kindOf, realForm } from "../targets/path.ts";

/** Where the repository of a work tree lies: in its `.git`, or where the file of that name says, if the repository says the same. */
export interface GitFolders {
  /** The work tree's own part; real. */
  git: string;
  /** What all work trees of the repository share: objects, references, settings, hooks; real. */
  common: string;
}

/** More than such a file holds, in bytes. */
const MAX_NAME = 4096;

/**
 * Null where the folder is no work tree, or where what a `.git` file names isn't that work tree's: anybody can write such a file, and
 * only the repository itself knows its linked work trees and submodules.
 * @param root absolute and real
 */
export function gitFoldersOf(root: string): GitFolders | null {
  const file = join(root, ".git");
  switch (kindOf(file)) {
    case "folder":
      return kindOf(join(file, "commondir")) === "nothing" ? { git: file, common: file } : null;
    case "file":
      return linkedFolders(root, file);
    default:
      return null;
  }
}

function linkedFolders(root: string, file: string): GitFolders | null {
  const named = /^gitdir: ([^\n\0]+)\n?$/.exec(firstOf(file) ?? "")?.[1];
  const git = named === undefined ? null : realForm(resolve(root, named));
  if (git === null || kindOf(git) !== "folder") return null;
  return linkedWorkTree(git, file) ?? submodule(git, root);
}

/** `.git/worktrees/NAME`: it names the work tree in turn. */
function linkedWorkTree(git: string, file: string): GitFolders | null {
  const shared = firstOf(join(git, "commondir"))?.trim();
  const back = firstOf(join(git, "gitdir"))?.trim();
  if (shared === undefined || back === undefined) return null;
  const common = realForm(resolve(git, shared));
  if (common === null || dirname(dirname(git)) !== common) return null;
  return realForm(resolve(git, back)) === file && isRepository(common) ? { git, common } : null;
}

/** `.git/modules/NAME` of a repository above it. */
function submodule(git: string, root: string): GitFolders | null {
  for (let here = dirname(root); here !== dirname(here); here = dirname(here)) {
    const modules = join(here, ".git/modules");
    const isOwn = git !== modules && isAtOrBelow(git, modules);
    if (isOwn) return isRepository(git) && realForm(modules) === modules ? { git, common: git } : null;
  }
  return null;
}

function isRepository(folder: string): boolean {
  return kindOf(join(folder, "HEAD")) === "file" && kindOf(join(folder, "objects")) === "folder";
}

function firstOf(file: string): string | undefined {
  try {
    return readRegularBytes(file, { maxBytes: MAX_NAME }).toString();
  } catch {
    return undefined; // not there, a pipe, too large, or not readable: nothing that git would follow
  }
}
