import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { needsOfLine } from "../../packages/shell-reading/clear/line-needs.ts";
import { pathOf } from "../../packages/shell-reading/paths.ts";
import { gitReach } from "../../packages/shell-reading/programs/git-reach.ts";
import { readCommand } from "../../packages/shell-reading/shell/read-command.ts";
import { decidingCall } from "../../packages/shell-reading/targets/tree-scan.ts";
import { leastWork } from "../support/least-work.ts";
import { tempFolder } from "../support/temp-folder.ts";

/** What a hostile line can make its reader do is bounded: in names, words and files, counted over the whole line. */

const HOME = "/home/ada";
const many = (times: number, text: (at: number) => string, between = " ") =>
  Array.from({ length: times }, (_, at) => text(at)).join(between);
const unreadOf = (line: string) => readCommand(line, { cwd: HOME, home: HOME }).unread;

describe("words of all commands together", () => {
  it("are read up to 2,048", () => {
    expect(unreadOf(many(4, () => `ls ${many(500, (at) => `a${at}`)}`, ";"))).toBeNull();
    expect(unreadOf(many(5, () => `ls ${many(500, (at) => `a${at}`)}`, ";"))).toBe("it holds too many words");
  });

  it("count each time that a value stands for them", () => {
    const value = `A='${many(1000, () => "a*")}'`;
    expect(unreadOf(`${value};rm $A;rm $A`)).toBeNull();
    expect(unreadOf(`${value};rm $A;rm $A;rm $A`)).toBe("it holds too many words");
  });
});

it("a line sets 1,024 variables at the most: each makes a state of its own", () => {
  expect(unreadOf(`export ${many(1000, (at) => `A${at}=b`)}`)).toBeNull();
  expect(unreadOf(`export ${many(1100, (at) => `A${at}=b`)}`)).toBe("it sets too many variables");
});

it("more than 1,000 targets are refused, and no further one is looked for", () => {
  const { needs, unclear } = needsOfLine(`rm ${many(1900, (at) => `a${at}`)}`, HOME, HOME);
  expect(needs).toHaveLength(1001);
  expect(unclear).toBe("more targets than anybody reads");
});

it("a folder is listed for 100 patterns of a command that begin with anything, and for no further one", () => {
  const folder = tempFolder();
  const unclear = (patterns: number) => needsOfLine(`cat ${many(patterns, (at) => `*a${at}`)}`, HOME, folder).unclear;
  expect(unclear(100)).toBeNull();
  expect(unclear(101)).toBe("a pattern that may begin with anything");
});

describe("a pattern that is longer than any name", () => {
  it.each(["[a-z]".repeat(12_000), `x${"*a".repeat(2000)}`])("stands for any name", (pattern) => {
    const word = readCommand(`cat ${pattern}`, { cwd: HOME, home: HOME }).commands[0]?.argv[1];
    const segment = word && pathOf(word, HOME).segments.at(-1);
    expect(typeof segment === "object" && segment.kind === "pattern" && segment.expression.test(".ssh")).toBe(true);
  });

  it("is held against the names of a folder without an error", () => {
    const folder = tempFolder();
    writeFileSync(join(folder, "a=b"), "");
    expect(needsOfLine(`cat ${"?".repeat(60_000)}`, HOME, folder).unclear).toBe(
      "a pattern that may begin with anything",
    );
  });
});

it("a word's path is made once for the folder that it is in", () => {
  const word = readCommand("cat a*b", { cwd: HOME, home: HOME }).commands[0]?.argv[1];
  expect(word && pathOf(word, "/a")).toBe(word && pathOf(word, "/a"));
  expect(word && pathOf(word, "/b")).not.toEqual(word && pathOf(word, "/a"));
});

it("a repository's settings are read and taken apart once for a decision, however often a line names git", () => {
  const folder = tempFolder();
  execFileSync("git", ["init", "-q", folder]);
  const aliases = many(5000, (at) => `[alias]\n\ta${at} = status\n`, "");
  writeFileSync(join(folder, ".git/config"), `[core]\n\tbare = false\n${aliases}`);
  const argv = readCommand("git status", { cwd: folder, home: HOME }).commands[0]?.argv.slice(1) ?? [];
  const reached = (times: number) =>
    leastWork(() => decidingCall(() => Array.from({ length: times }, () => gitReach(argv, folder, HOME))), 4);
  expect(reached(50)).toBeLessThan(6 * reached(1));
});
