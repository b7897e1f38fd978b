import { execFile } from "node:child_process";
import { mkdtempSync, renameSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { removeFolder } from "../../main/base/files/remove-folder.ts";

/** Says to each of a run's processes where they put the folders that they have done with. */
const REMOVED = "METNOS_TESTS_REMOVED";

/**
 * Deletes them all when the run has ended, not one by one: an ext4 without a journal passes over each inode that was freed in the last
 * minutes whenever it makes a file, which takes four times as long after some ten thousand of them.
 */
export default function setup(): () => Promise<void> {
  if (process.env[REMOVED] !== undefined) return async () => undefined;
  const place = mkdtempSync(join(tmpdir(), "metnos-removed-"));
  process.env[REMOVED] = place;
  return () => removed(place);
}

/** By another process: meanwhile the last of a run's own tell this one that they have ended, and aren't taken for hung. */
async function removed(place: string): Promise<void> {
  // What may not be entered is left to the one that opens it.
  await promisify(execFile)("rm", ["-rf", place]).catch(() => removeFolder(place));
}

/** Set aside until the run has ended, or deleted where there is no run of tests. */
export function remove(folder: string): void {
  const place = process.env[REMOVED];
  try {
    if (place !== undefined) return renameSync(folder, join(mkdtempSync(join(place, "r")), "folder"));
  } catch {
    // It isn't there, something is mounted on it, or it lies on another disk.
  }
  removeFolder(folder);
}
