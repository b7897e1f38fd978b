import { linkSync, lstatSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { makeCovers } from "../../../main/box/arguments/caches.ts";
import { tempFolder } from "../../support/temp-folder.ts";

it("the files that hide others stay the same files when they are made again: a box may be starting with them", () => {
  const folder = tempFolder();
  const { empty, unreadable, closed } = makeCovers(folder);
  const identities = () => [empty, unreadable, closed].map((path) => lstatSync(path).ino);
  const first = identities();
  makeCovers(folder);
  expect(identities()).toEqual(first);
});

it.each<[string, (empty: string, other: string) => void]>([
  ["has something in it", (empty) => writeFileSync(empty, "text")],
  ["is a link", (empty, other) => symlinkSync(other, empty)],
  ["has another name, too", (empty, other) => linkSync(other, empty)],
])("a file in its place that %s is replaced by an empty one of its own", (_, replace) => {
  const folder = tempFolder();
  const other = join(folder, "other");
  writeFileSync(other, "");
  const { empty } = makeCovers(folder);
  rmSync(empty);
  replace(empty, other);
  makeCovers(folder);
  const stat = lstatSync(empty);
  expect([stat.isFile(), stat.nlink, readFileSync(empty, "utf8")]).toEqual([true, 1, ""]);
});
