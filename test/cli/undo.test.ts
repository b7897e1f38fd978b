import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { undoCheck } from "../../cli/doctor-checks.ts";
import { gitProblem } from "../../main/undo/git-program.ts";
import { tempFolder } from "../support/temp-folder.ts";

it.each([
  ["git version 2.19.6", "git is older than 2.20"],
  ["git version 1.99", "git is older than 2.20"],
  ["git version 2.20.1", null],
  ["git version 3.0", null],
  ["what?", "git is older than 2.20"],
])("of a git that says %s: %s", (said, problem) => {
  const folder = tempFolder();
  expect(gitProblem(folder)).toBe("git is not installed");
  const program = join(folder, "git");
  writeFileSync(program, `#!/bin/sh\necho "${said}"\n`, { mode: 0o755 });
  expect(gitProblem(folder)).toBe(problem);
  writeFileSync(program, "#!/bin/sh\nexit 1\n");
  expect(gitProblem(folder)).toBe("git doesn't start");
});

it("doctor says when nothing can be taken back, and what to do", () => {
  expect(undoCheck(true, null)).toMatchObject({ check: "undo", ok: true });
  expect(undoCheck(false, "git is not installed")).toEqual({ check: "undo", ok: true, detail: "switched off" });
  expect(undoCheck(true, "git is older than 2.20")).toEqual({
    check: "undo",
    ok: false,
    detail: "nothing can be taken back: git is older than 2.20",
    fix: "install git 2.20 or newer",
  });
});
