import { expect, it } from "vitest";
import { decidingCall, onceADecision } from "../../../packages/shell-reading/targets/tree-scan.ts";

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
