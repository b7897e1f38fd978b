import { mkdirSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { callFacts, quietText } from "../../../ipc/words/card-facts.ts";
import { describe as describeCall } from "../../../main/decide/description/describe.ts";
import { examinationOf } from "../../support/examinations.ts";
import { tempFolderForFile } from "../../support/temp-folder.ts";

const home = tempFolderForFile();
const project = `${home}/shop`;
mkdirSync(project);
const scripts = {
  test: "vitest run",
  check: "npm run test && biome check",
  other: "vitest run && make totals",
  elsewhere: "vitest run && npm --prefix ../other run deploy",
  part: "vitest run && totals --all",
};
writeFileSync(`${project}/package.json`, JSON.stringify({ scripts }));
writeFileSync(`${project}/Makefile`, "totals:\n\tvitest run\nmixed:\n\tvitest run\n\t#!/usr/bin/env node\n");

function said(command: string): string {
  const settings = { home };
  const call = { executor: "Bash", args: { command }, context: { cwd: project }, settings };
  return quietText(callFacts(describeCall(examinationOf(call)), "en", home));
}

describe("what a script does is said where it is known of all of it", () => {
  it.each([
    ["npm test", "Runs this project's tests"],
    ["npm run check", "Checks this project's code and runs this project's tests"],
    ["make totals", "Runs this project's tests"],
  ])("%s", (command, sentence) => {
    expect(said(command)).toBe(sentence);
  });

  it.each([
    ["another file's script", "npm run other", "Runs other of package.json"],
    ["the same file of another folder", "npm run elsewhere", "Runs elsewhere of package.json"],
    ["a program that nothing is known of", "npm run part", "Runs part of package.json"],
    ["lines for another program than a shell", "make mixed", "Runs mixed of Makefile"],
  ])("not where it runs %s", (_what, command, sentence) => {
    expect(said(command)).toBe(sentence);
  });
});
