import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { needsOfLine } from "../../../packages/shell-reading/clear/line-needs.ts";
import { tempFolderForFile } from "../../support/temp-folder.ts";

/**
 * What `git config` may do without being asked about, run by git itself: before 2.46 options say what is done, from then on a
 * subcommand may. NEWER_GIT names a git of the newer kind where the installed one is older.
 */

const HOME = tempFolderForFile();
const PROJECT = join(HOME, "project");
const SETTINGS = join(PROJECT, ".git/config");
const ENV = { HOME, GIT_CONFIG_NOSYSTEM: "1", GIT_EDITOR: "true", GIT_PAGER: "cat", PATH: process.env.PATH };

execFileSync("git", ["init", "-q", PROJECT], { env: ENV });
const BEFORE = `${readFileSync(SETTINGS, "utf8")}[color]\n\tui = auto\n[user]\n\tname = Ada\n`;
writeFileSync(SETTINGS, BEFORE);

interface Git {
  program: string;
  version: string;
  hasSubcommands: boolean;
}

function gitAt(program: string): Git | null {
  const { stdout, status } = spawnSync(program, ["--version"], { encoding: "utf8", env: ENV });
  const version = /(\d+)\.(\d+)/.exec(stdout ?? "");
  if (status !== 0 || version === null) return null;
  const [text, major, minor] = version;
  return { program, version: text, hasSubcommands: Number(major) * 100 + Number(minor) >= 246 };
}

const GITS = [gitAt("git"), gitAt(process.env.NEWER_GIT || "/usr/local/bin/git")].filter((git) => git !== null);
const NEWER = GITS.find(({ hasSubcommands }) => hasSubcommands);
if (NEWER === undefined) console.log("git config's subcommands aren't run: no git >= 2.46 here (NEWER_GIT names one)");

const WORDS = [
  ...["list", "get", "set", "unset", "edit", "rename-section", "remove-section"],
  ...["-l", "--list", "--get", "--get-all", "--get-regexp", "--local", "--all", "--type", "--type=bool", "--default"],
  ...["user.name", "user.email", "core.hookspath", "color.ui", "auto", "--", "true", "u.*"],
];

/** All of up to three words, and those with `--local` in front. */
function everyWay(): string[][] {
  const one = WORDS.map((word) => [word]);
  const longer = (shorter: string[][]) => shorter.flatMap((words) => WORDS.map((word) => [...words, word]));
  const all = [...one, ...longer(one), ...longer(longer(one))];
  return [...all, ...all.filter(([first]) => first?.startsWith("-") !== true).map((words) => ["--local", ...words])];
}

function clearWays(): { args: string[]; changes: boolean }[] {
  return everyWay().flatMap((args) => {
    const { unclear, needs } = needsOfLine(["git", "config", ...args], HOME, PROJECT);
    return unclear === null ? [{ args, changes: needs.some(({ capability }) => capability === "fs:write") }] : [];
  });
}

/** The settings that differ once git has run. */
function changedBy({ program }: Git, args: readonly string[]): string[] {
  spawnSync(program, ["config", ...args], { cwd: PROJECT, env: ENV });
  const after = readFileSync(SETTINGS, "utf8");
  if (after !== BEFORE) writeFileSync(SETTINGS, BEFORE);
  return after.split("\n").filter((line) => !/^\[\w+\]$/.test(line) && !BEFORE.split("\n").includes(line));
}

const clear = (line: string) => needsOfLine(line, HOME, PROJECT).unclear === null;
const written = (line: string) =>
  needsOfLine(line, HOME, PROJECT).needs.flatMap(({ capability, target }) =>
    capability === "fs:write" && target.kind === "path" ? [target.lexical] : [],
  );

describe("git config", () => {
  it("is a read only where git with and without subcommands takes it for one", { timeout: 120_000 }, () => {
    const ways = clearWays();
    expect(ways.length).toBeGreaterThan(50);
    const found: string[] = [];
    for (const git of GITS)
      for (const { args, changes } of ways) {
        const lines = changedBy(git, args);
        const isExpected =
          lines.length === 0 || (changes && lines.length === 1 && /^\t(?:name|email|ui) = /.test(lines[0] ?? ""));
        if (!isExpected) found.push(`git ${git.version}: ${args.join(" ")}: ${lines.join("; ")}`);
      }
    expect(found).toEqual([]);
  });

  it.skipIf(NEWER === undefined)("sets a setting to what looks like an option, since it has subcommands", () => {
    if (NEWER === undefined) return;
    for (const value of ["-l", "--list", "--get", "--get-all"])
      expect(changedBy(NEWER, ["set", "--local", "core.hookspath", value])).toEqual([`\thookspath = ${value}`]);
  });

  it.each([
    "git config core.hookspath -l",
    "git config core.hookspath --get",
    "git config --local core.hookspath -l",
    "git config --local core.hookspath --get-all",
    "git config --type=path --local core.hookspath --list",
    "git config user.name --get",
    "git config set --local core.hookspath -l",
    "git config set --local core.hookspath --list",
    "git config set --local core.hookspath --get",
    "git config set --local core.hookspath --get-all",
    "git config set --local --type=path core.hookspath -l",
    "git config --local set core.hookspath -l",
    "git config --local -l set",
    "git config --local --get set",
    "git config --local --default set --get user.name",
    "git config --local --get user",
    "git config edit --local -l",
    "git config unset --local user.name -l",
    "git config remove-section --local user -l",
    "git config get core.hookspath -l --local",
    "git config list --local -l",
    "git config -- user.name -l",
  ])("is unclear: %s", (line) => {
    expect(clear(line)).toBe(false);
  });

  it.each([
    "git config --get user.name",
    "git config user.name",
    "git config --local --list",
    "git config --local -l --name-only",
    "git config --local --get-regexp '^user'",
    "git config --local --get-regexp 'color\\..*' auto",
    "git config get user.name",
    "git config get --local color.ui",
    "git config list --local",
  ])("is a read: %s", (line) => {
    expect([clear(line), written(line)]).toEqual([true, []]);
  });

  it.each([
    "git config user.name Ada",
    "git config user.name 'Ada Lovelace'",
    "git config --local user.email ada@example.org",
    "git config set user.name Ada",
    "git config pull.rebase true",
    "git config color.ui auto",
    "git config core.autocrlf input",
    "git config init.defaultBranch main",
  ])("changes a harmless setting, as a commit changes the repository: %s", (line) => {
    expect([clear(line), written(line)]).toEqual([true, [PROJECT]]);
  });

  it.each([
    "git config core.hookspath x",
    "git config core.fsmonitor x",
    "git config core.pager x",
    "git config core.editor x",
    "git config alias.x '!touch pwned'",
    "git config diff.x.textconv x",
    "git config filter.x.clean x",
    "git config include.path ../x",
    "git config remote.origin.url https://example.com/x",
    "git config credential.helper x",
    "git config core.worktree ..",
    "git config core.bare true",
    "git config commit.gpgsign false",
    "git config safe.directory '*'",
    "git config --global user.name Ada",
    "git config --system user.name Ada",
    "git config --file x user.name Ada",
    "git config --add user.name Ada",
    "git config --replace-all user.name Ada",
    "git config --unset user.name",
    "git config user.name Ada x",
    "git config set user.name Ada x",
    "git config user.name $'a\\nb'",
    "git config user.name a*",
    "git -c core.pager=x config user.name Ada",
  ])("is asked about with any other setting, place or form: %s", (line) => {
    expect(clear(line)).toBe(false);
  });
});
