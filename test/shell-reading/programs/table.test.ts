import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { PROGRAMS } from "../../../packages/shell-reading/programs/table.ts";
import { prepared } from "../../support/proposed-calls.ts";
import { tempFolderForFile } from "../../support/temp-folder.ts";
import { EXAMPLES } from "./examples.ts";

const HOME = tempFolderForFile();
const PROJECT = join(HOME, "project");
mkdirSync(join(PROJECT, "src"), { recursive: true });
for (const name of ["package.json", "tsconfig.json", "a.txt", "b.txt", "a.tgz", "a.zip"])
  writeFileSync(join(PROJECT, name), "{}\n");
execFileSync("git", ["init", "-q", PROJECT], { env: { PATH: process.env.PATH, HOME, GIT_CONFIG_NOSYSTEM: "1" } });

const kindsOf = (command: string) =>
  prepared(HOME, "Bash", { command }, { context: { cwd: PROJECT } }).needs.map(({ capability }) => capability);

describe("the table of programs", () => {
  it("names each program once", () => {
    const names = PROGRAMS.flatMap((program) => program.names);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });

  it("every program that can be cleared has an example, every one a counter-example", () => {
    const without = PROGRAMS.filter(({ names, guard_only }) => {
      const lines = EXAMPLES[names[0] ?? ""];
      return lines === undefined || (guard_only !== true && lines.example === undefined);
    });
    expect(without.map(({ names }) => names[0])).toEqual([]);
    const known = PROGRAMS.map(({ names }) => names[0]);
    expect(Object.keys(EXAMPLES).filter((name) => !known.includes(name))).toEqual([]);
  });

  it.each(PROGRAMS.map((program) => [program.names[0] ?? "", program] as const))(
    "%s: its example runs no code, its counter-example does more",
    (name, { names }) => {
      const { example, counter = "" } = EXAMPLES[name] ?? {};
      const isOwn = (command: string) => names.some((name) => command.startsWith(name));
      if (example !== undefined)
        expect([example, isOwn(example), kindsOf(example).includes("code:exec")]).toEqual([example, true, false]);
      const more = kindsOf(counter).filter((kind) => kind === "code:exec" || kind === "fs:write");
      expect([counter, isOwn(counter), more.length > 0]).toEqual([counter, true, true]);
    },
  );

  it("in any doubt running code is among what is needed", () => {
    for (const command of ["", "ls $(", "x() { :; }; ls", "ls | sh", "$CMD", "PATH=. ls", "ls; unheard-of"]) {
      expect([command, kindsOf(command)]).toEqual([command, expect.arrayContaining(["code:exec"])]);
    }
  });
});
