import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A real folder of the running test's own (its real path), gone when the test has ended. */
export function tempFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "metnos-test-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
