import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { expect, it } from "vitest";
import { tokenOf } from "../../support/agent-connection.ts";
import { startGate } from "../../support/running-gate.ts";

it("each decision can be opened, stage by stage, also the final one after the operator's answer", async () => {
  const gate = await startGate();
  const agent = await gate.agent();
  const asked = await agent.ask({ executor: "fs_write", args: { path: "/srv/a", content: "x" } });
  await gate.operator.call("approvals.resolve", {
    token: tokenOf(asked.decision),
    decision: "rejected",
    message: "no",
  });
  const [final, ...others] = (await gate.operator.call("activity.list", {})).entries;
  expect(others).toEqual([]);
  expect([final?.status, final?.outcome, final?.result]).toEqual(["rejected", "denied", "rejected"]);
  const opened = await gate.operator.call("activity.open", { decision_id: final?.decision_id ?? "" });
  expect(opened.decision.trace?.map(({ stage, outcome }) => `${stage} ${outcome}`)).toEqual([
    "pairing passed",
    expect.stringMatching(/^safety /),
    "validation passed",
    "scope passed",
    "policy ask",
    "flow passed",
    expect.stringMatching(/^rate /),
    "guard passed",
    "judge passed",
    expect.stringMatching(/^validators /),
    "approval denied",
  ]);
});

it("an agent never gets the trace", async () => {
  const gate = await startGate();
  const agent = await gate.agent();
  const { decision } = await agent.ask({ executor: "time_now" });
  expect(decision).not.toHaveProperty("trace");
  const [entry] = (await gate.operator.call("activity.list", {})).entries;
  expect(
    (await gate.operator.call("activity.open", { decision_id: entry?.decision_id ?? "" })).decision.trace,
  ).toHaveLength(11);
});

it("agents show how many calls they made today", async () => {
  const gate = await startGate();
  const agent = await gate.agent("busy");
  for (let call = 0; call < 3; call++) await agent.ask({ executor: "time_now" });
  expect((await gate.operator.call("agents.list", {})).agents[0]).toMatchObject({ name: "busy", calls_today: 3 });
  const { buckets } = await gate.operator.call("activity.counts", { range: "hour" });
  expect(buckets.reduce((sum, { allowed }) => sum + allowed, 0)).toBe(3);
});

it("what was called is listed after a restart, found by its words, and summed up", async () => {
  const gate = await startGate();
  const agent = await gate.agent("tester", "Full");
  await agent.ask({ executor: "Bash", args: { command: "git push --force origin main" } });
  await agent.ask({ executor: "time_now" });
  await gate.close();
  const again = await startGate({ home: gate.home });
  const { entries, gaps, keep, days } = await again.operator.call("activity.list", { text: "push" });
  expect(entries).toMatchObject([
    { agent_name: "tester", line: expect.stringMatching(/^git push --force/), stage: null, reason: "" },
  ]);
  expect([gaps, keep, days]).toEqual([[], "line", 30]);
  const { rows } = await again.operator.call("activity.today", {});
  expect(rows.reduce((sum, { total }) => sum + total, 0)).toBe(2);
  const [decision] = (await again.operator.call("activity.list", { text: "push" })).entries;
  const ids = [decision?.decision_id ?? ""];
  const { lines } = await again.operator.call("activity.lines", { decision_ids: ids, from: 0, until: 2e9 });
  expect(lines[ids[0] ?? ""]).toMatch(/^git push --force/);
});

it("what is forgotten is gone from the lists and from what is opened; the trail says that it was", async () => {
  const gate = await startGate();
  const agent = await gate.agent("tester", "Full");
  const { decision } = await agent.ask({ executor: "time_now" });
  expect(await gate.operator.call("activity.forget", { agent: "tester" })).toEqual({ forgotten: 1 });
  const { entries, gaps } = await gate.operator.call("activity.list", {});
  expect([entries, gaps.map(({ why }) => why)]).toEqual([[], ["forgotten"]]);
  await expect(gate.operator.call("activity.open", decision)).rejects.toMatchObject({ code: "not_kept" });
  expect(await gate.operator.call("audit.tail", { lines: 1 })).toMatchObject([
    { event: "activity.forgotten", count: 1, agent: "tester" },
  ]);
  for (const params of [{}, { all: true as const, agent: "tester" }])
    await expect(gate.operator.call("activity.forget", params)).rejects.toMatchObject({ code: "invalid_params" });
});

it("nothing of a call is on the disk where nothing is to be kept, also of what was; the list is of this run", async () => {
  const gate = await startGate();
  const agent = await gate.agent("tester", "Full");
  await agent.ask({ executor: "time_now" });
  await gate.close();
  expect(existsSync(gate.paths.lines_db)).toBe(true);
  mkdirSync(dirname(gate.paths.configFile), { recursive: true });
  writeFileSync(gate.paths.configFile, '[activity]\nkeep = "nothing"\n');
  const again = await startGate({ home: gate.home });
  expect(existsSync(gate.paths.lines_db)).toBe(false);
  await (await again.agent("other", "Full")).ask({ executor: "time_now" });
  const { entries, keep } = await again.operator.call("activity.list", {});
  expect([entries.map(({ agent_name }) => agent_name), keep]).toEqual([["other"], "nothing"]);
  expect(existsSync(gate.paths.lines_db)).toBe(false);
});
