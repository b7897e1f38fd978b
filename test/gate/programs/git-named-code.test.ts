import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { codeNamedBySettings } from "../../../main/gate/programs/git-named-code.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const SIZE = 250 * 1024;

const projectWith = (config: string): string => {
  const project = tempFolder();
  mkdirSync(join(project, ".git"));
  writeFileSync(join(project, ".git/config"), `[core]\n\thooksPath = .hooks \n${config}\n`);
  return project;
};

describe("hostile settings of a repository", () => {
  it.each([
    ["a value with spaces in it", `x = a${" ".repeat(SIZE)}b`],
    ["a command of many words", `[alias]\nx = !${"a ".repeat(SIZE / 2)}`],
    ["many commands", `[alias]\n${"x = !a b c d\n".repeat(SIZE / 13)}`],
    ["a long name of a filter", `[filter "${"a.".repeat(SIZE / 2)}"]\nclean = a`],
  ])("keep nobody waiting: %s", (_what, config) => {
    const project = projectWith(config);
    const began = process.threadCpuUsage();
    expect(codeNamedBySettings(project)).toEqual([join(project, ".hooks")]);
    expect(process.threadCpuUsage(began).user / 1000).toBeLessThan(500);
  });
});
