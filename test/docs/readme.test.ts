import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Command } from "commander";
import { expect, test } from "vitest";
import { commandLine } from "../../cli/main.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const README = readFileSync(join(ROOT, "README.md"), "utf8");

/** What is read: without what pictures show, and without the addresses of links. */
const WORDS = README.replace(/!\[[^\]]*\]\([^)]*\)/g, "")
  .replace(/\]\([^)]*\)/g, "]")
  .split(/[\s|]+/)
  .filter((word) => /\w/.test(word));

test("the README is short", () => {
  expect(WORDS.length).toBeGreaterThan(600);
  expect(WORDS.length).toBeLessThanOrEqual(920);
});

test("what it has one clone is the package's own address, which is nobody's", () => {
  const { repository } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
    repository: { url: string };
  };
  expect(README).toContain(`git clone ${repository.url} && `);
  expect(new URL(repository.url).hostname).toMatch(/(?:^|\.)example\.(?:org|com|net)$/);
});

test("it tells of the product in its order, and of work on it in CONTRIBUTING.md", () => {
  expect([...README.matchAll(/^## (.+)$/gm)].map(([, title]) => title)).toEqual([
    "What you see",
    "What runs in a box",
    "When you are away",
    "Questions people ask",
    "What decides",
    "Every day",
  ]);
});

test("each command that it shows is there, with its options", () => {
  const shown = [...README.matchAll(/`?npx metnos-gate((?: [\w-]+)*)/g)].map(([, words = ""]) =>
    words.trim().split(" "),
  );
  expect(shown.length).toBeGreaterThan(8);
  expect(shown.filter((words) => !isThere(words)).map((words) => words.join(" "))).toEqual([]);
});

/** A word that is in capitals stands for something. */
function isThere(words: readonly string[]): boolean {
  let command: Command = commandLine(() => undefined);
  for (const word of words) {
    if (word === "" || /^[A-Z]+$/.test(word)) continue;
    if (word.startsWith("--")) {
      if (!command.options.some(({ long }) => long === word)) return false;
      continue;
    }
    const below = command.commands.find((one) => one.name() === word);
    if (below !== undefined) command = below;
    else if (command.registeredArguments.length === 0) return false;
  }
  return true;
}
