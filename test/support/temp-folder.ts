import { mkdtempSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, onTestFinished } from "vitest";
import { remove } from "./removed-folders.ts";

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
