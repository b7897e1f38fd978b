import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { codeNamedBySettings } from "../../../packages/shell-reading/programs/git-named-code.ts";
import { settingsOf } from "../../../packages/shell-reading/programs/git-repository.ts";
import { looksOf } from "../../support/looks.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const SIZE = 250 * 1024;

const projectWith = (config: string): string => {
  const project = tempFolder();
  mkdirSync(join(project, ".git"));
  writeFileSync(join(project, ".git/config"), `[core]\n\thooksPath = .hooks \n${config}\n`);
  return project;
};

describe("what a repository's settings name", () => {
  it.each([
    ["hooksPath = tools/hooks ; the team's", "tools/hooks"],
    ["hooksPath = tools/hooks# the team's", "tools/hooks"],
    ['hooksPath = "tools/hooks" # the team\'s', "tools/hooks"],
    ['hooksPath = "tools/my; hooks"', "tools/my; hooks"],
    ['hooksPath = tools/"my hooks"', "tools/my hooks"],
    ['hooksPath = tools/\\"hooks\\"', 'tools/"hooks"'],
    ["fsmonitor = sh tools/watch.sh # the team's", "tools/watch.sh"],
  ])("is found as git reads it: %s", (setting, path) => {
    const project = tempFolder();
    mkdirSync(join(project, ".git"));
    writeFileSync(join(project, ".git/config"), `[core]\n\t${setting}\n`);
    const key = setting.slice(0, setting.indexOf(" "));
    const read = execFileSync("git", ["config", "--file", join(project, ".git/config"), `core.${key}`], {
      encoding: "utf8",
    });
    expect(read).toContain(path);
    expect(codeNamedBySettings(project)).toEqual([join(project, path)]);
  });
});

it("what settings name is found by what a shell, Node or Python makes of it", () => {
  const named = ["t/a.sh", "t/b.sh", "t/c.sh", "t/d.py", "t/e.js", "t/f.sh", "t/g.sh", "t/h/__main__.py"];
  const commands = [
    // biome-ignore lint/suspicious/noTemplateCurlyInString: of the shell
    ...["$PWD/t/a.sh", "sh ${PWD}/t/b.sh", '"$(git rev-parse --show-toplevel)"/t/c.sh', "python3 -m t.d"],
    ...["node t/e", "cd t && ./f.sh", "t\\/g.sh", "python3 -m t.h"],
  ];
  const project = projectWith("");
  for (const [at, command] of commands.entries())
    execFileSync("git", ["config", "--file", join(project, ".git/config"), `filter.f${at}.clean`, command]);
  for (const name of [...named, "t/free.sh", "t.js", "a.sh"]) {
    mkdirSync(dirname(join(project, name)), { recursive: true });
    writeFileSync(join(project, name), "");
  }
  const found = codeNamedBySettings(project).filter((path) => existsSync(path));
  expect(found.sort()).toEqual(named.map((name) => join(project, name)).sort());
});

it("what settings name in git's own folder is theirs, and not what git itself writes there", () => {
  const project = projectWith(
    "[include]\n\tpath = own/config\n[alias]\n\te = !vim .git/COMMIT_EDITMSG\n\tr = !.git/run/x",
  );
  for (const name of ["own/config", "run/x", "COMMIT_EDITMSG"]) {
    mkdirSync(dirname(join(project, ".git", name)), { recursive: true });
    writeFileSync(join(project, ".git", name), "[core]\n\tattributesFile = .git/attributes\n", {
      mode: name === "run/x" ? 0o755 : 0o644,
    });
  }
  const named = [".hooks", ".git/own/config", ".git/run/x", ".git/attributes"].map((name) => join(project, name));
  expect(codeNamedBySettings(project).sort()).toEqual(named.sort());
});

it("an alias names code where it is a shell's line, or has settings before it; another name of git's own commands names none", () => {
  const project = projectWith("[alias]\n\tl = log --oneline\n\td = !./log x\n\ts = -c core.pager=./page status");
  for (const name of ["log", "page", "status"]) writeFileSync(join(project, name), "");
  expect(codeNamedBySettings(project).sort()).toEqual(
    [".hooks", "log", "page", "status"].map((name) => join(project, name)),
  );
});

describe("hostile settings of a repository", () => {
  it.each([
    ["a value with spaces in it", `x = a${" ".repeat(SIZE)}b`],
    ["a command of many words", `[alias]\nx = !${"a ".repeat(SIZE / 2)}`],
    ["many commands", `[alias]\n${"x = !a b c d\n".repeat(SIZE / 13)}`],
    ["a command whose path is too long", `[alias]\nx = !.git/${"a".repeat(5000)} .git/config/x .git/\0`],
    ["a long name of a filter", `[filter "${"a.".repeat(SIZE / 2)}"]\nclean = a`],
    ["many settings of a long name", `[filter "${"a.".repeat(SIZE / 4)}"]\n${"x = 1\n".repeat(5000)}`],
    ["many settings of an unusual name", `[includeIf "${"a".repeat(480)}"]\n${"x=1\n".repeat(SIZE / 5)}`],
  ])("keep nobody waiting: %s", (_what, config) => {
    const project = projectWith(config);
    const began = process.threadCpuUsage();
    expect(codeNamedBySettings(project)).toEqual([join(project, ".hooks")]);
    expect(process.threadCpuUsage(began).user / 1000).toBeLessThan(500);
    expect(
      settingsOf(`[core]\n\thooksPath = .hooks\n${config}\n`)
        ?.map(([key]) => key)
        .join("").length ?? 0,
    ).toBeLessThan(2 ** 21);
  });

  it("are looked for in the work tree a few hundred times", () => {
    const words = Array.from({ length: 1000 }, (_, at) => `a${at}/b$ cd d`).join(" ");
    const project = projectWith(`[filter "x"]\n\tclean = tools/x ${words}\n\tsmudge = ${words}`);
    expect(looksOf(() => codeNamedBySettings(project)).length).toBeLessThan(600);
    expect(codeNamedBySettings(project)).toContain(join(project, "tools/x"));
  });

  it("don't keep anybody waiting in many files that include one another, either", () => {
    const all = Array.from({ length: 15 }, (_, at) => `\tpath = ../included${at}\n`).join("");
    const project = projectWith(`[include]\n${all}`);
    for (let at = 0; at < 15; at++)
      writeFileSync(join(project, `included${at}`), `[filter "${"a".repeat(480)}"]\n${"x=1\n".repeat(SIZE / 5)}`);
    const began = process.threadCpuUsage();
    expect(codeNamedBySettings(project)).toHaveLength(16);
    expect(process.threadCpuUsage(began).user / 1000).toBeLessThan(500);
  });
});
