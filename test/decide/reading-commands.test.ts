import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { readingCommands } from "../../bench/reading-commands.ts";
import { READING_COMMANDS } from "../support/reading-commands.ts";

/** Null where git is there; else why what needs a repository is skipped. With CI=true that is a failure. */
const NO_GIT = spawnSync("git", ["--version"]).error === undefined ? null : "no git on PATH";
if (NO_GIT !== null) {
  if (process.env.CI === "true") throw new Error(NO_GIT);
  console.log(`skipped: ${NO_GIT}`);
}

describe("ordinary reading commands", () => {
  it("are at least 200, each once", () => {
    expect(READING_COMMANDS.length).toBeGreaterThanOrEqual(200);
    expect(READING_COMMANDS.filter((command, index) => READING_COMMANDS.indexOf(command) !== index)).toEqual([]);
  });

  it.skipIf(NO_GIT !== null)(
    "no more of them are asked about than before, none is denied, and nothing harmless is",
    async () => {
      const figures = await readingCommands();
      expect(figures.length).toBe(3);
      expect(figures.filter(({ ok }) => !ok)).toEqual([]);
    },
  );
});
