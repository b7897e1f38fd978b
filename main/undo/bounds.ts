/** What is kept of projects for undo, and what isn't. */

/** A call waits so long at the most, in milliseconds: for its own files and for its snapshot together. */
export const CALL_WAITS_MS = 250;
/** Reading what an edit has left may take so long, while nobody waits for it. */
export const HELD_WAITS_MS = 2000;

/** What one store may hold. */
export interface Bounds {
  /** Files, links and folders of one project. */
  max_files: number;
  /** On the disk. */
  max_bytes: number;
  days: number;
}

/** Of one file, in bytes: what is larger is only known to be there. */
export const MAX_FILE = 32 * 1024 * 1024;
/** Of one that its repository ignores. */
export const MAX_IGNORED = 1024 * 1024;
/** Folders in folders: each is open while those in it are looked at. */
export const MAX_DEPTH = 200;

/** Folders that a program makes anew from the rest: they aren't kept where their repository ignores them. */
export const REBUILT: ReadonlySet<string> = new Set([
  ...["node_modules", ".venv", "venv", "target", "dist", "build", "out", ".next", ".nuxt", ".svelte-kit", ".turbo"],
  ...["__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".tox", ".gradle", ".cache", ".parcel-cache"],
  ...["coverage", ".terraform", "Pods", "DerivedData", "_build", "deps", "vendor", ".dart_tool", "zig-cache"],
  ...["bin", "obj"],
]);

/** Of a repository's own folder: what a command can lose, or can have run later. Its objects stay where they are. */
export const OF_REPOSITORY: ReadonlySet<string> = new Set([
  ...["HEAD", "ORIG_HEAD", "MERGE_HEAD", "MERGE_MSG", "CHERRY_PICK_HEAD", "REVERT_HEAD", "index", "packed-refs"],
  ...["refs", "reftable", "logs", "config", "config.worktree", "hooks", "info", "rebase-merge", "rebase-apply"],
  "worktrees",
]);
/** What of that is run, or says what is. */
const RUN_BY_GIT: ReadonlySet<string> = new Set(["config", "config.worktree", "hooks", "info"]);

/** True of branches, the index, stashes: what a repository itself is, and not what it runs. */
export function isOfRepository(path: string): boolean {
  const names = path.split("/");
  const at = names.indexOf(".git");
  return at >= 0 && at + 1 < names.length && !RUN_BY_GIT.has(names[at + 1] ?? "");
}
