import { expect, test } from "vitest";
import { noticeOf } from "../../main/hooks/notice.ts";

test.each([
  [
    "guard.protected-path",
    "guard: forbidden path violated: pattern '(^|/)\\.ssh(/|$)' in args",
    "guard: a path that agents never get: keys, passwords, the system's own",
  ],
  ["approval.rejected", "the user said no: not on a Friday", "the user said no: not on a Friday"],
  ["guard.of-a-later-gate", "guard: why", "guard: why"],
  ["constructor", "why", "why"],
  [undefined, "why", "why"],
])("of a denial by the rule %s the user reads a sentence, without patterns", (rule, reason, notice) => {
  expect(noticeOf({ rule, reason })).toBe(notice);
});
