import { mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { judgedGate } from "../../support/judged-gate.ts";
import { modelServer } from "../../support/model-server.ts";
import { startGate } from "../../support/running-gate.ts";

const REFUSES = '{"score": 0.1, "reason": "not what was asked for"}';
const config = (toml: string) => `[judge]\nkind = "llm-v1"\nmodel = "m"\noverride = true\n${toml}`;

it("an override lets this very call past the judges once: the next time they are asked again", async () => {
  const server = await modelServer(REFUSES);
  const gate = await judgedGate(config(server.toml("m")));
  const agent = await gate.agent();
  const [call, another] = [gate.write(), gate.write()];
  const refused = await gate.propose(agent, call).decision;
  expect(refused).toMatchObject({ outcome: "denied", stage: "judge", explain: { rule: "judge.model-low-score" } });
  const [listed] = (await gate.operator.call("reviews.list", {})).refused;
  expect(listed).toMatchObject({
    id: refused.decision_id,
    can_override: true,
    overridden_at: null,
    review: { outcome: "rejected", score: 0.1 },
  });
  const overridden = await gate.operator.call("reviews.override", { id: refused.decision_id });
  expect(overridden.overridden_at).not.toBeNull();
  expect(await gate.propose(agent, another).decision).toMatchObject({ outcome: "denied", stage: "judge" });
  const asked = server.requests.length;
  expect(await gate.propose(agent, call).decision).toMatchObject({
    outcome: "allowed",
    reviews: [{ stage: "judge", name: "m", outcome: "overridden" }],
  });
  expect(server.requests).toHaveLength(asked);
  expect(await gate.propose(agent, call).decision).toMatchObject({ outcome: "denied", stage: "judge" });
  expect(gate.trail().filter(({ event }) => event === "judge.overridden")).toHaveLength(1);
});

it("an override lifts nothing that guard, policy or a pause denies, and none is another agent's", async () => {
  const server = await modelServer(REFUSES);
  const gate = await judgedGate(config(server.toml("m")));
  const [agent, other] = [await gate.agent(), await gate.agent("other")];
  mkdirSync(join(gate.home.home, ".ssh"));
  const folder = join(gate.folder, "inner");
  mkdirSync(folder);
  const call = { executor: "fs_write", args: { path: join(folder, "config"), content: "x" } };
  const { decision_id } = await gate.propose(agent, call).decision;
  await gate.operator.call("reviews.override", { id: decision_id });
  expect(await gate.propose(other, call).decision).toMatchObject({ outcome: "denied", stage: "judge" });
  await gate.operator.call("safety.pause", { reason: "lunch" });
  expect(await gate.propose(agent, call).decision).toMatchObject({ outcome: "denied", stage: "safety" });
  await gate.operator.call("safety.resume", {});
  await gate.operator.call("agents.level", { name: "worker", level: "ReadOnly" });
  expect(await gate.propose(agent, call).decision).toMatchObject({ outcome: "denied", stage: "policy" });
  await gate.operator.call("agents.level", { name: "worker", level: "Full" });
  rmSync(folder, { recursive: true });
  symlinkSync(join(gate.home.home, ".ssh"), folder);
  expect(await gate.propose(agent, call).decision).toMatchObject({ outcome: "denied", stage: "guard" });
});

it("an agent has no way to an override, and without gate.toml's word there is none", async () => {
  const server = await modelServer(REFUSES);
  const gate = await judgedGate(`[judge]\nkind = "llm-v1"\nmodel = "m"\n${server.toml("m")}`);
  const agent = await gate.agent();
  const call = gate.write();
  const { decision_id } = await gate.propose(agent, call).decision;
  for (const type of ["reviews.override", "reviews.list", "reviews.run", "judge.status", "judge.test"]) {
    agent.send(type, { id: type, params: { id: decision_id } });
    expect((await agent.next("error")).data, type).toMatchObject({ code: "unknown_type" });
  }
  expect((await gate.operator.call("reviews.list", {})).refused).toMatchObject([{ can_override: false }]);
  const override = gate.operator.call("reviews.override", { id: decision_id });
  await expect(override).rejects.toMatchObject({ code: "override_not_allowed" });
  expect((await gate.propose(agent, call).decision).outcome).toBe("denied");
});

it("an override ends after ten minutes", async () => {
  const server = await modelServer(REFUSES);
  let now = Date.now();
  const gate = await startGate({ config: config(server.toml("m")), now: () => now });
  const agent = await gate.agent("worker", "Full");
  const call = { executor: "fs_write", args: { path: "/srv/notes/a.txt", content: "x" } };
  const { decision } = await agent.ask(call);
  await gate.operator.call("reviews.override", { id: decision.decision_id });
  now += 601_000;
  expect((await agent.ask(call)).decision).toMatchObject({ outcome: "denied", stage: "judge" });
});
