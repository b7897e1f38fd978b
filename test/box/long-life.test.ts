import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { linkPackages } from "../../dev/linked-packages.ts";
import { IS_EACH_FILE } from "../support/areas.ts";
import { BOX_USERS, type BoxRun, HAS_BUBBLEWRAP, hasProgram, testBox } from "../support/boxes.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { ofDay } from "../support/whole-run.ts";

/** What takes long: builds, type checks, virtual environments. Where each file is run, as another user each day. */

const ROOT = resolve(import.meta.dirname, "../..");
const LONG_MS = 280_000;

function expectDone({ code, stdout, stderr }: BoxRun): void {
  expect({ code, said: code === 0 ? "" : stdout + stderr }).toEqual({ code: 0, said: "" });
}

/** This project's files as git holds them, with the packages that are installed. */
function thisProject(folder: string): { project: string; packages: string } {
  const project = join(folder, "metnos gate");
  const listed = execFileSync("git", ["-c", "safe.directory=*", "ls-files", "-z"], { cwd: ROOT, encoding: "utf8" });
  for (const name of listed.split("\0").filter((line) => line !== "")) {
    mkdirSync(join(project, dirname(name)), { recursive: true });
    cpSync(join(ROOT, name), join(project, name));
  }
  const packages = realpathSync(join(ROOT, "node_modules"));
  // A folder of the project's own, as an installation makes it: tools keep files of theirs beside the packages.
  linkPackages(ROOT, project);
  return { project, packages };
}

describe.runIf(HAS_BUBBLEWRAP && IS_EACH_FILE).each(ofDay(BOX_USERS, BOX_USERS.length))(
  "inside a box, in its time, as $name",
  (user) => {
    it("this project builds, type-checks and passes tests of its own", { timeout: LONG_MS }, async () => {
      const folder = tempFolder();
      const { project, packages } = thisProject(folder);
      const box = testBox({ user, folder, declaration: { project, reads: [packages] } });
      expectDone(await box.run("npx vitest run test/shell-reading/targets"));
      expectDone(await box.run("npm run -s build"));
      expectDone(await box.run("npm run -s typecheck"));
    });

    it.runIf(hasProgram("python3"))(
      "a virtual environment is made and runs its tests",
      { timeout: LONG_MS },
      async () => {
        const folder = tempFolder();
        const project = join(folder, "project");
        mkdirSync(project);
        writeFileSync(
          join(project, "test_sum.py"),
          "import unittest\nclass T(unittest.TestCase):\n  def test_sum(self):\n    self.assertEqual(sum([1, 2]), 3)\n",
        );
        const box = testBox({ user, folder, declaration: { project } });
        expectDone(
          await box.run("python3 -m venv .venv && .venv/bin/python -m unittest -q && .venv/bin/pip --version"),
        );
      },
    );
  },
);
