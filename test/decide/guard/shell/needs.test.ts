import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { targetText } from "../../../../main/targets/target.ts";
import { prepared } from "../../../support/proposed-calls.ts";
import { tempFolderForFile } from "../../../support/temp-folder.ts";
import { NEEDS, NEVER_LESS, REACHES } from "./cases/needs.ts";

/** A real project: what a line needs depends on what is there. The tables call its home /home/ada. */
const HOME = tempFolderForFile();
const CWD = join(HOME, "project");
mkdirSync(join(CWD, "src"), { recursive: true });
for (const name of ["a.txt", "b.txt", "a.bin", "b.bin", "data.csv", "package.json", "src/a.ts", "src/b.ts"])
  writeFileSync(join(CWD, name), "{}\n");
symlinkSync("..", join(CWD, "l"));
execFileSync("git", ["init", "-q", CWD], { env: { PATH: process.env.PATH, HOME, GIT_CONFIG_NOSYSTEM: "1" } });

const here = (text: string) => text.replaceAll("/home/ada", HOME);
const unique = (texts: readonly string[]) => [...new Set(texts)].sort();

/** What a call of `Bash` needs, as the gate shows the user. */
function needed(command: string) {
  const { needs } = prepared(HOME, "Bash", { command: here(command) }, { context: { cwd: CWD } });
  return {
    needs: unique(needs.map(({ capability }) => capability)),
    targets: unique(needs.map(({ capability, target }) => `${capability} ${targetText(target)}`)),
  };
}

describe("what a command line needs", () => {
  it("the table has at least 80 command lines, 30 of them with their targets", () => {
    expect(NEEDS.length).toBeGreaterThanOrEqual(80);
    expect(NEEDS.filter(({ targets }) => targets !== undefined).length).toBeGreaterThanOrEqual(30);
    const commands = [...NEEDS, ...NEVER_LESS, ...REACHES].map(({ command }) => command);
    expect(commands.filter((command, index) => commands.indexOf(command) !== index)).toEqual([]);
  });

  it.each(NEEDS.map((one) => [one.command, one] as const))("exactly: %j", (command, one) => {
    const said = needed(command);
    expect(said.needs).toEqual(unique(one.needs));
    if (one.targets !== undefined) expect(said.targets).toEqual(unique(one.targets.map(here)));
  });

  it.each(NEVER_LESS.map((one) => [one.command, one] as const))("not less: %j", (command, one) => {
    const said = needed(command).needs;
    expect([one.why, one.one_of, said, said.some((kind) => one.one_of.some((wanted) => wanted === kind))]).toEqual([
      one.why,
      one.one_of,
      said,
      true,
    ]);
  });

  it.each(REACHES.map((one) => [one.command, one] as const))("reaches it: %j", (command, { why, target: written }) => {
    const target = here(written);
    const said = needed(command);
    expect([why, target, said.targets, said.needs.includes("code:exec") || said.targets.includes(target)]).toEqual([
      why,
      target,
      said.targets,
      true,
    ]);
  });
});
