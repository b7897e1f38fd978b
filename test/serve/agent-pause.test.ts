import { expect, it } from "vitest";
import { tokenOf } from "../support/agent-connection.ts";
import { startGate } from "../support/running-gate.ts";
import { goal } from "../support/safety.ts";

const READ = { executor: "fs_read", args: { path: "/srv/a" } };
const TIME = { executor: "time_now" };

it("one paused agent is denied everything, goals too; another is served as before", async () => {
  const gate = await startGate();
  const paused = await gate.agent("noisy", "Full");
  const other = await gate.agent("quiet", "Full");
  const view = await gate.operator.call("agents.pause", { name: "noisy" });
  expect(view).toMatchObject({ name: "noisy", paused: { until: null } });
  expect((await paused.ask(TIME)).decision).toMatchObject({
    outcome: "denied",
    stage: "safety",
    explain: { rule: "safety.agent-paused" },
  });
  paused.send("goal.check", { id: "g", goal: goal() });
  expect((await paused.next("safety.verdict")).data).toMatchObject({ allowed: false, is_paused: true });
  expect((await other.ask(TIME)).decision.outcome).toBe("allowed");
  expect((await gate.operator.call("status", {})).paused).toBe(false);
});

it("its requests are withdrawn, no answer to them counts, and others' requests stay", async () => {
  const gate = await startGate();
  const asked = await (await gate.agent("noisy")).ask(READ);
  const other = await (await gate.agent("quiet")).ask(READ);
  await gate.operator.call("agents.pause", { name: "noisy", for_seconds: 3600 });
  expect(await asked.final()).toMatchObject({ outcome: "denied", status: "cancelled" });
  const answer = { token: tokenOf(asked.decision), decision: "approved" } as const;
  await expect(gate.operator.call("approvals.resolve", answer)).rejects.toMatchObject({ code: "already_resolved" });
  expect(await gate.waiting()).toEqual([tokenOf(other.decision)]);
});

it("it learns of its pause and of its end, also where it connects later or the whole gate was paused meanwhile", async () => {
  const gate = await startGate();
  const paused = await gate.agent("noisy");
  const other = await gate.agent("quiet");
  await gate.operator.call("agents.pause", { name: "noisy" });
  const notice = { reason: "the user has paused this agent", since: expect.any(String), until: null };
  expect((await paused.next("safety.paused")).data).toEqual(notice);
  expect((await (await gate.agent("noisy")).next("safety.paused")).data).toEqual(notice);
  await gate.operator.call("safety.pause", { reason: "lunch" });
  expect((await paused.next("safety.paused")).data).toMatchObject({ reason: "lunch" });
  await gate.operator.call("safety.resume", {});
  await paused.next("safety.resumed");
  // The gate runs again, but not for this one.
  expect((await paused.next("safety.paused")).data).toEqual(notice);
  await gate.operator.call("agents.resume", { name: "noisy" });
  await paused.next("safety.resumed");
  expect((await paused.ask(TIME)).decision.outcome).toBe("allowed");
  await other.next("safety.resumed");
  expect(other.unread.map(({ type }) => type)).toEqual(["safety.paused"]);
});

it("survives a restart, is in the trail, and ends with the pairing", async () => {
  const gate = await startGate();
  await gate.agent("noisy");
  const changed = gate.event(({ type }) => type === "agents.changed");
  await gate.operator.call("agents.pause", { name: "noisy" });
  await changed;
  await gate.close();
  const again = await startGate({ home: gate.home });
  const back = await again.agent("noisy");
  expect((await back.ask(TIME)).decision.explain.rule).toBe("safety.agent-paused");
  await again.operator.call("agents.revoke", { name: "noisy" });
  const fresh = await again.agent("noisy", "Full");
  expect((await fresh.ask(TIME)).decision.outcome).toBe("allowed");
  const events = (await again.operator.call("audit.tail", { lines: 100 })).flatMap(({ event, agent }) =>
    agent === "noisy" && /^agent\.(paused|resumed)$/.test(event) ? [event] : [],
  );
  expect(events).toEqual(["agent.paused", "agent.resumed"]);
});

it("an agent can't end its own pause: it has no message for that, and a name that isn't paired has nothing to pause", async () => {
  const gate = await startGate();
  const paused = await gate.agent("noisy");
  await gate.operator.call("agents.pause", { name: "noisy" });
  for (const type of ["agents.resume", "safety.resume", "safety.resumed"]) {
    paused.send(type, { id: type, name: "noisy" });
    expect((await paused.next("error")).data).toMatchObject({ code: "unknown_type" });
  }
  expect((await paused.ask(TIME)).decision.outcome).toBe("denied");
  await expect(gate.operator.call("agents.pause", { name: "nobody" })).rejects.toMatchObject({ code: "unknown_agent" });
});
