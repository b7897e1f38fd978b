import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { choicesFor } from "../../../main/gate/approvals/choices.ts";
import { ExecutorCatalog } from "../../../main/gate/executors/catalog.ts";
import { decisionOf, examineCall } from "../../../main/gate/pipeline.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const SETTINGS = { home: "/home/me", grants: null, pause: null, judge_threshold: 0.3, now: Date.now };
const SUBJECT = { agent: null, level: "Full", principal: { channel: "local", sender_id: "me" } } as const;

test.each([
  ["Glob", { pattern: "{/etc/ssh/*,x}" }, "/srv"],
  ["Glob", { pattern: "*/../../etc/ssh/*" }, "/srv"],
  ["Read", { file_path: "notes.txt" }, undefined],
  ["Read", { file_path: "file:///srv/notes.txt" }, "/srv"],
])("a path that can't be told is asked about also where the level would allow it: %s %j", (executor, args, cwd) => {
  const call = { intent: "", executor, args, ...(cwd === undefined ? {} : { context: { cwd } }) };
  const { x, denial } = examineCall(call, SUBJECT, new ExecutorCatalog(), SETTINGS);
  expect(decisionOf(x, denial).outcome).toBe("approval_required");
});

test("a link to what each process sees as its own leads elsewhere for the agent: asked about, and never remembered", () => {
  const home = tempFolder();
  symlinkSync("/proc/self/cwd", join(home, "mine"));
  symlinkSync("loop", join(home, "loop"));
  for (const path of ["mine/a.txt", "loop/a.txt"]) {
    const call = { intent: "", executor: "Write", args: { file_path: join(home, path), content: "" } };
    const { x, denial } = examineCall(call, SUBJECT, new ExecutorCatalog(), { ...SETTINGS, home });
    expect(decisionOf(x, denial).outcome).toBe("approval_required");
    expect(choicesFor(x.needs, home).map(({ scope }) => scope)).toEqual(["none"]);
  }
});

test("what such a path leads to here is still guarded, and a process's own folder as for any command", () => {
  for (const file_path of [
    "/proc/self/cwd/notes.txt",
    "/proc/thread-self/cwd/notes.txt",
    "/proc/self/root/etc/shadow",
    "/proc/self/environ",
    "/proc/self/root/home/me/.ssh/id_rsa",
  ]) {
    const call = { intent: "", executor: "Read", args: { file_path } };
    expect(examineCall(call, SUBJECT, new ExecutorCatalog(), SETTINGS).denial?.stage).toBe("guard");
  }
});

test("more targets than a human could read are not asked about", () => {
  const call = (count: number) => ({
    intent: "",
    executor: "mail_send",
    args: { to: Array(count).fill("a@b.example") },
  });
  expect(examineCall(call(1000), SUBJECT, new ExecutorCatalog(), SETTINGS).denial).toBeNull();
  expect(examineCall(call(1001), SUBJECT, new ExecutorCatalog(), SETTINGS).denial?.stage).toBe("validation");
});
