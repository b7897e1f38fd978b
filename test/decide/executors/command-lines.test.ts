import { expect, it } from "vitest";
import { ExecutorCatalog } from "../../../main/decide/executors/catalog.ts";
import { CommandLines } from "../../../main/decide/executors/command-lines.ts";
import { examineCall } from "../../../main/decide/pipeline.ts";
import { ROBERTO } from "../../support/gate-stores.ts";

const call = (args: Record<string, unknown>) => ({ intent: "", executor: "Bash", args, context: { cwd: "/srv" } });
const HOME = "/home/roberto";

it("a call's command lines are read once, when they are asked for", () => {
  const lines = new CommandLines(call({ command: "cat a", cmd: ["node", "x.js"] }), HOME);
  expect(lines.all.map(({ arg, text, is_list }) => [arg, text, is_list])).toEqual([
    ["command", "cat a", false],
    ["cmd", "node x.js", true],
  ]);
  expect(lines.all).toBe(lines.all);
  expect(lines.all[0]?.reading.commands[0]?.cwd).toBe("/srv");
});

it("a call that is examined again is examined by the same reading", () => {
  const subject = { agent: null, level: "Supervised", principal: ROBERTO } as const;
  const settings = { home: HOME, grants: null, pause: null, judge_threshold: 0.3, now: Date.now };
  const proposed = call({ command: "make" });
  const { x } = examineCall(proposed, subject, new ExecutorCatalog(), settings);
  const { all } = x.lines;
  const again = examineCall(proposed, subject, new ExecutorCatalog(), settings, false, { lines: x.lines });
  expect(again.x.lines.all).toBe(all);
  expect(again.denial).toBeNull();
});
