import { kindOf, scanTree } from "@metnos-gate/shell-reading/files";

/** How much lies at paths that would be deleted. */

/** Entries that are counted for one sentence; beyond the first of them only for so long, in milliseconds. */
const MAX_COUNTED = 5000;
const ALWAYS_COUNTED = 1000;
const MAX_MS = 8;
const NONE: ReadonlySet<string> = new Set();

export interface Counted {
  folders?: number;
  files?: number;
  is_more?: true;
}

/** Folders that are named, and the files in them and among the paths; nothing where none of the paths is there. Links count as files. */
export function counted(paths: readonly string[]): Counted {
  const endsAt = performance.now() + MAX_MS;
  let seen = 0;
  let folders = 0;
  let files = 0;
  let isWhole = true;
  for (const path of new Set(paths)) {
    const kind = kindOf(path);
    if (kind === "nothing") continue;
    if (kind !== "folder") {
      files++;
      continue;
    }
    folders++;
    const left = MAX_COUNTED - files;
    if (left <= 0 || !isWhole) {
      isWhole = false;
      continue;
    }
    isWhole = scanTree(path, { maxEntries: left, maxDepth: 64, skipped: NONE }, ({ is_folder }) => {
      if (!is_folder) files++;
      return ++seen < ALWAYS_COUNTED || performance.now() < endsAt;
    });
  }
  if (folders === 0 && files === 0) return {};
  return { ...(folders > 0 ? { folders } : {}), files, ...(isWhole ? {} : { is_more: true }) };
}
