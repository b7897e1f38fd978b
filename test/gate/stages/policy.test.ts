import { expect, test } from "vitest";
import { ExecutorCatalog } from "../../../main/gate/executors/catalog.ts";
import { decisionOf, examineCall } from "../../../main/gate/gate.ts";

const SETTINGS = { home: "/home/me", grants: null, pause: null, judge_threshold: 0.3, now: Date.now };
const SUBJECT = { agent: null, level: "Full", principal: { channel: "local", sender_id: "me" } } as const;

test.each([
  ["Glob", { pattern: "{/etc/ssh/*,x}" }, "/srv"],
  ["Glob", { pattern: "*/../../etc/ssh/*" }, "/srv"],
  ["Read", { file_path: "notes.txt" }, undefined],
])("a path that can't be told is asked about also where the level would allow it: %s %j", (executor, args, cwd) => {
  const call = { intent: "", executor, args, ...(cwd === undefined ? {} : { context: { cwd } }) };
  const { x, denial } = examineCall(call, SUBJECT, new ExecutorCatalog(), SETTINGS);
  expect(decisionOf(x, denial).outcome).toBe("approval_required");
});
