import { execFileSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, onTestFinished } from "vitest";

/** A real folder for the running test (its real path), removed when the test has ended. */
export function tempFolder(): string {
  const folder = madeFolder();
  onTestFinished(() => remove(folder));
  return folder;
}

/** The same for all tests of a file, removed when the last one has ended. */
export function tempFolderForFile(): string {
  const folder = madeFolder();
  afterAll(() => remove(folder));
  return folder;
}

const madeFolder = (): string => realpathSync(mkdtempSync(join(tmpdir(), "metnos-test-")));

/** Also with folders in it that their owner may not read, as those are that cover others in a box. */
export function remove(folder: string): void {
  try {
    // What a gate has begun to make as it was closed may appear meanwhile.
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EACCES") throw error;
    execFileSync("chmod", ["-R", "u+rwX", folder]);
    rmSync(folder, { recursive: true, force: true });
  }
}
