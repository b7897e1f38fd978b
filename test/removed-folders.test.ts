import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import setup from "./support/removed-folders.ts";
import { tempFolder } from "./support/temp-folder.ts";

it("what a run has done with is deleted while the run's own process listens to its last workers", async () => {
  const folder = tempFolder();
  vi.stubEnv("TMPDIR", folder);
  vi.stubEnv("METNOS_TESTS_REMOVED", undefined);
  const end = setup();
  const place = process.env.METNOS_TESTS_REMOVED ?? "";
  vi.unstubAllEnvs();
  mkdirSync(join(place, "r/folder"), { recursive: true });
  writeFileSync(join(place, "r/folder/a"), "");
  let hasHadTurn = false;
  setImmediate(() => {
    hasHadTurn = true;
  });
  await end();
  expect(existsSync(place)).toBe(false);
  expect(hasHadTurn).toBe(true);
});
