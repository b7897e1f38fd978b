import { mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { realForm } from "../../../main/shell-reading/targets/path.ts";
import { decidingCall, onceADecision } from "../../../main/shell-reading/targets/tree-scan.ts";
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

it("a path leads to one place for all of a decision, also where its link is exchanged meanwhile", () => {
  const folder = tempFolder();
  const link = join(folder, "link");
  const leadTo = (name: string) => {
    rmSync(link, { force: true });
    symlinkSync(join(folder, name), link);
  };
  for (const name of ["one", "other"]) mkdirSync(join(folder, name));
  leadTo("one");
  const [first, second] = decidingCall(() => {
    const before = realForm(link);
    leadTo("other");
    return [before, realForm(link)];
  });
  expect(first).toBe(join(folder, "one"));
  expect(second).toBe(first);
  expect(decidingCall(() => realForm(link))).toBe(join(folder, "other"));
});
