import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { needsOfLine } from "../../../packages/shell-reading/clear/line-needs.ts";
import { tempFolder, tempFolderForFile } from "../../support/temp-folder.ts";

/** `git init` is a write to its folder, and nothing else: what lies there already may be more. */

const HOME = tempFolderForFile();
const PROJECT = join(HOME, "project");
const ENV = { PATH: process.env.PATH, HOME, GIT_CONFIG_NOSYSTEM: "1" };
for (const folder of ["new", "src", "hollow/.git", "bare", "hostile", "other"])
  mkdirSync(join(PROJECT, folder), { recursive: true });
writeFileSync(join(PROJECT, "bare/HEAD"), "ref: refs/heads/main\n");
writeFileSync(join(PROJECT, "hollow/.git/config"), "[core]\n\tfsmonitor = touch pwned\n");
mkdirSync(join(PROJECT, "file"));
writeFileSync(join(PROJECT, "file/.git"), "gitdir: ../other\n");
execFileSync("git", ["init", "-q", join(PROJECT, "hostile")], { env: ENV });
writeFileSync(join(PROJECT, "hostile/.git/config"), "[core]\n\tfsmonitor = touch pwned\n");
execFileSync("git", ["init", "-q", join(PROJECT, "again")], { env: ENV });
mkdirSync(join(PROJECT, "linked"));
symlinkSync("../other", join(PROJECT, "linked/.git"));
execFileSync("git", ["init", "-q", join(PROJECT, "samples")], { env: ENV });
rmSync(join(PROJECT, "samples/.git/hooks"), { recursive: true });
symlinkSync("../../other", join(PROJECT, "samples/.git/hooks"));

const unclear = (line: string, home = HOME) => needsOfLine(line, home, PROJECT).unclear;
const written = (line: string) =>
  needsOfLine(line, HOME, PROJECT).needs.flatMap(({ capability, target }) =>
    capability === "fs:write" && target.kind === "path" ? [target.lexical.replace(PROJECT, ".")] : [],
  );

describe("git init", () => {
  it.each([
    ["git init", "."],
    ["git init -q", "."],
    ["git init .", "."],
    ["git init -b main", "."],
    ["git init --initial-branch=main new", "./new"],
    ["git init later", "./later"],
    ["git -C new init", "./new"],
    ["cd new && git init", "./new"],
    ["git init again", "./again"],
  ])("is a write to its folder: %s", (line, folder) => {
    expect([unclear(line), written(line)]).toEqual([null, [folder]]);
  });

  it.each([
    "git init hollow",
    "git init bare",
    "git init hostile",
    "git init file",
    "git init linked",
    "git init samples",
    "git init --bare new",
    "git init --template=src new",
    "git init --separate-git-dir=src new",
    "git init --shared new",
    "git init new src",
    "git init ../x",
    "git init /srv/x",
    "git -c init.templateDir=src init",
    "git -c core.hooksPath=src init",
  ])("is asked about where it may do more: %s", (line) => {
    expect(unclear(line)).not.toBeNull();
  });

  it("is asked about where the user's own settings say what is put there", () => {
    const home = tempFolder();
    writeFileSync(join(home, ".gitconfig"), "[init]\n\ttemplateDir = /srv/template\n");
    expect(unclear("git init", home)).not.toBeNull();
  });

  it.each([
    "git init && git status",
    "git init again && git -C again status",
    "time git init new; cd new && git status",
    "/usr/bin/git init again && cd again && git commit -m x",
  ])("no git behind it in its line is clear: %s", (line) => {
    expect(unclear(line)).not.toBeNull();
  });

  it("makes nothing but the repository", () => {
    const folder = tempFolder();
    execFileSync("git", ["init", "-q"], { cwd: folder, env: { ...ENV, HOME: folder } });
    expect(existsSync(join(folder, ".git/HEAD"))).toBe(true);
    expect(needsOfLine("git status", HOME, folder).unclear).toBeNull();
  });
});
