import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { guard } from "../../../main/decide/guard/guard.ts";
import { workingDirectoryOf } from "../../../packages/shell-reading/clear/program-search.ts";
import { prepared } from "../../support/proposed-calls.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const folderOf = (cwd: string | undefined, home = "/home/roberto") =>
  workingDirectoryOf(cwd === undefined ? {} : { context: { cwd } }, home);

it.each([
  [undefined, undefined],
  ["", undefined],
  ["project", undefined],
  ["/srv\0/etc", undefined],
  ["/srv/project", "/srv/project"],
  ["/srv//project/./", "/srv/project"],
  ["~/project", "/home/roberto/project"],
])("the working directory %j is %j", (cwd, wanted) => {
  expect(folderOf(cwd)).toBe(wanted);
});

it("a name that goes up again leads where the system would come to, for paths and for command lines", () => {
  const home = tempFolder();
  mkdirSync(join(home, ".ssh/old"), { recursive: true });
  mkdirSync(join(home, "work"));
  symlinkSync(join(home, ".ssh/old"), join(home, "work/link"));
  const cwd = `${home}/work/link/..`;
  expect(folderOf(cwd, home)).toBe(join(home, ".ssh"));
  for (const [executor, args] of [
    ["Read", { file_path: "known" }],
    ["Bash", { command: "cat known" }],
    ["Bash", { command: "cat known | node x.js" }],
  ] as const) {
    const { call, executor: found, needs } = prepared(home, executor, args, { context: { cwd } });
    expect(guard(call, found, needs, { home }), JSON.stringify(args)).not.toBeNull();
  }
});
