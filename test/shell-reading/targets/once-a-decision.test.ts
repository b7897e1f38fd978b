import fs, { symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { beginningOf } from "../../../packages/shell-reading/targets/file-beginning.ts";
import { kindOf, realForm } from "../../../packages/shell-reading/targets/path.ts";
import { decidingCall, onceADecision } from "../../../packages/shell-reading/targets/tree-scan.ts";
import { tempFolder } from "../../support/temp-folder.ts";

it("what is remembered in one decision is found anew in the next, and outside of any", () => {
  const remembered = onceADecision<number>();
  let finds = 0;
  const find = (key: string) => remembered(key, () => ++finds);
  const twice = () => [find("a"), find("a"), find("b"), find("a")];
  expect(decidingCall(twice)).toEqual([1, 1, 2, 1]);
  expect(decidingCall(() => decidingCall(twice))).toEqual([3, 3, 4, 3]);
  expect(twice()).toEqual([5, 6, 7, 8]);
  expect(decidingCall(twice)).toEqual([9, 9, 10, 9]);
});

it("where a path leads, and what is there, is looked at once in a decision, and anew in the next", () => {
  const path = join(tempFolder(), "a");
  const look = () => [realForm(path), kindOf(path)];
  const changed = (make: () => void) => {
    make();
    return look();
  };
  const nothing = [path, "nothing"];
  const decided = decidingCall(() => [look(), changed(() => symlinkSync("/usr", path))]);
  expect(decided).toEqual([nothing, nothing]);
  expect(look()).toEqual(["/usr", "link"]);
  expect(decidingCall(look)).toEqual(["/usr", "link"]);
  unlinkSync(path);
  writeFileSync(path, "");
  expect(decidingCall(look)).toEqual([path, "file"]);
});

it("whether a file is there is asked once in a decision that follows its path and reads its beginning, and anew in the next", () => {
  const path = join(tempFolder(), "a");
  writeFileSync(path, "first");
  const { lstatSync } = fs;
  let looks = 0;
  const counting = (...given: Parameters<typeof lstatSync>) => {
    if (given[0] === path) looks++;
    return lstatSync(...given);
  };
  Object.assign(fs, { lstatSync: counting });
  syncBuiltinESMExports();
  onTestFinished(() => {
    Object.assign(fs, { lstatSync });
    syncBuiltinESMExports();
  });
  const read = () => [realForm(path), kindOf(path), beginningOf(path, 100)];
  expect([decidingCall(read), looks]).toEqual([[path, "file", { kind: "file", text: "first" }], 1]);
  unlinkSync(path);
  expect(decidingCall(read)).toEqual([path, "nothing", { kind: "nothing" }]);
  const gone = () => {
    writeFileSync(path, "second");
    const seen = realForm(path);
    unlinkSync(path);
    return [seen, beginningOf(path, 100)];
  };
  expect(decidingCall(gone)).toEqual([path, { kind: "nothing" }]);
  writeFileSync(path, "third");
  expect(decidingCall(read)).toEqual([path, "file", { kind: "file", text: "third" }]);
});
