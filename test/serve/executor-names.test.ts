import { expect, it } from "vitest";
import { tokenOf } from "../support/agent-connection.ts";
import { startGate } from "../support/running-gate.ts";

it.each([
  ["TodoWrite", "tester"],
  ["TaskGet", "tester"],
  ["KillShell", "codex"],
  ["ExitPlanMode", "Claude-Code"],
  ["time_now", "claude-code"],
  ["llm_local", "claude-code"],
  ["channel_receive", "claude-code"],
  ["fs_read", "claude-code"],
])("%s is asked about as running code when %s calls it", async (executor, name) => {
  const gate = await startGate();
  const agent = await gate.agent(name, "Full");
  const { decision } = await agent.ask({ executor, args: { path: "/tmp/a", channel: "x" } });
  expect(decision).toMatchObject({ outcome: "approval_required", capabilities: [{ capability: "code:exec" }] });
  expect((await gate.request(tokenOf(decision))).choices.map(({ scope }) => scope)).toEqual(["none"]);
});

it("each agent's own names mean what they always meant, in a plan too", async () => {
  const gate = await startGate();
  const [claude, other] = [await gate.agent("claude-code", "Full"), await gate.agent("tester", "Full")];
  expect((await claude.ask({ executor: "TodoWrite", args: { todos: [] } })).decision.outcome).toBe("allowed");
  expect((await other.ask({ executor: "time_now", args: {} })).decision.outcome).toBe("allowed");
  other.send("tool.plan", {
    id: "plan",
    intent: "",
    calls: ["time_now", "TaskList"].map((executor) => ({ executor, args: {} })),
  });
  expect((await other.next("tool.plan.decisions")).data.decisions).toMatchObject([
    { outcome: "allowed" },
    { outcome: "approval_required" },
  ]);
});
