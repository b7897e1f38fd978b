import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as passed } from "node:timers/promises";
import { expect, it } from "vitest";
import { readIndex } from "../../../main/gate/programs/git-index.ts";
import { gitProblem } from "../../../main/gate/programs/git-repository.ts";
import { indexOf } from "../../support/git-index.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const LONG_AGO = new Date("2024-01-01");

/** Times of a content older than what may still change unseen. */
const STEADY_MS = 120;

function namesIn(file: string): string[] | undefined {
  const { index } = readIndex(file);
  return index === null ? undefined : [...index.names()];
}

it("an index that has changed is read anew, also with the size and times that it had", async () => {
  const file = join(tempFolder(), "index");
  const content = (name: string) => {
    writeFileSync(file, indexOf([name]));
    utimesSync(file, LONG_AGO, LONG_AGO);
  };
  content("one");
  await passed(STEADY_MS);
  expect(namesIn(file)).toEqual(["one"]);
  expect(readIndex(file)).toBe(readIndex(file));
  content("two");
  expect(namesIn(file)).toEqual(["two"]);
});

it("what was read of an index that had just changed isn't believed later", async () => {
  const file = join(tempFolder(), "index");
  writeFileSync(file, indexOf(["one"]));
  const read = readIndex(file);
  await passed(STEADY_MS);
  expect(readIndex(file)).not.toBe(read);
});

it("an index is looked through again where other secrets, or other repositories, are in it", async () => {
  const root = tempFolder();
  for (const folder of ["objects", "refs"]) mkdirSync(join(root, ".git", folder), { recursive: true });
  writeFileSync(join(root, ".git/HEAD"), "ref: refs/heads/main\n");
  const problemWith = async (bytes: Buffer) => {
    writeFileSync(join(root, ".git/index"), bytes);
    await passed(STEADY_MS);
    return gitProblem(root, "/nobody", "show", true);
  };
  expect(await problemWith(indexOf(["a.txt"]))).toEqual({ root });
  expect(await problemWith(indexOf([".env.x"]))).toEqual({ problem: "a secret that it tracks" });
  expect(await problemWith(indexOf(["a.txt"], 0o160000))).toEqual({ problem: "its submodules" });
});

it("an index with a name that no path has isn't read", () => {
  const file = join(tempFolder(), "index");
  writeFileSync(file, indexOf(["x".repeat(5000)]));
  expect(readIndex(file).index).toBeNull();
});
