import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, onTestFinished } from "vitest";

/** A real folder for the running test (its real path), removed when the test has ended. */
export function tempFolder(): string {
  const folder = madeFolder();
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The same for all tests of a file, removed when the last one has ended. */
export function tempFolderForFile(): string {
  const folder = madeFolder();
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const madeFolder = (): string => realpathSync(mkdtempSync(join(tmpdir(), "metnos-test-")));
