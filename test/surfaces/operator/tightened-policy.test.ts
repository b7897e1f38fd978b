import { describe, expect, it } from "vitest";
import { OPERATOR_EVENTS } from "../../../ipc/contract/operator-api.ts";
import { openOfflineGate } from "../../../main/core/offline.ts";
import { linesIn } from "../../support/audit-trail.ts";
import { startGate } from "../../support/running-gate.ts";

const FETCH = { executor: "http_get", args: { url: "https://example.com" } };
const DENIED = { level: "Full", capability: "network:http", outcome: "denied" } as const;

describe("a cell that is made stricter by hand", () => {
  it("is in force for the next call, without a restart, for the agent or for all, until it is taken back", async () => {
    const gate = await startGate();
    const aider = await gate.agent("aider", "Full");
    const goose = await gate.agent("goose", "Full");
    expect((await aider.ask(FETCH)).decision.outcome).toBe("allowed");
    const { id } = await gate.operator.call("policy.tighten", { ...DENIED, agent: "aider" });
    expect((await aider.ask(FETCH)).decision).toMatchObject({
      outcome: "denied",
      stage: "policy",
      reason: "the user denies network:http at level Full to agent aider",
      explain: { rule: "policy.override-denies", matched: `made stricter by hand, ${id}` },
    });
    expect((await goose.ask(FETCH)).decision.outcome).toBe("allowed");
    const all = await gate.operator.call("policy.tighten", { ...DENIED, outcome: "approval_required" });
    expect((await goose.ask(FETCH)).decision).toMatchObject({
      outcome: "approval_required",
      reason: expect.stringContaining("of all agents"),
      explain: { rule: "policy.override-asks" },
    });
    expect(await gate.operator.call("policy.loosen", { id })).toEqual({ loosened: true });
    expect(await gate.operator.call("policy.loosen", { id })).toEqual({ loosened: false });
    await gate.operator.call("policy.loosen", { id: all.id });
    expect((await aider.ask(FETCH)).decision.outcome).toBe("allowed");
  });

  it("is listed and checked with the others, counts after a restart and without a gate, and every surface knows", async () => {
    const first = await startGate();
    await first.agent("aider", "Full");
    const published = first.event(({ type }) => type === "policy.changed");
    const { id } = await first.operator.call("policy.tighten", { ...DENIED, agent: "aider" });
    await published;
    expect(OPERATOR_EVENTS).toContain("policy.changed");
    const { overrides } = await first.operator.call("policy.overrides", {});
    expect(overrides).toMatchObject([
      { profile: "agent aider", before: "allowed", outcome: "denied", line: null, by_hand: { id }, agents: ["aider"] },
    ]);
    const check = { level: "Full", capability: "network:http" } as const;
    expect(await first.operator.call("policy.check", { ...check, agent: "aider" })).toBe("denied");
    expect(await first.operator.call("policy.check", check)).toBe("allowed");
    const rows = await first.operator.call("policy.matrix", { agent: "aider" });
    expect(rows.find(({ capability }) => capability === "network:http")?.cells.Full?.rule).toContain("by hand");
    await first.close();
    const offline = openOfflineGate(first.home.env);
    expect(offline.explain({ ...FETCH, agent: "aider", level: "Full" }).outcome).toBe("denied");
    expect(offline.explain({ ...FETCH, agent: "goose", level: "Full" }).outcome).toBe("allowed");
    offline.close();
    const again = await startGate({ home: first.home });
    const aider = await again.agent("aider", "Full");
    expect((await aider.ask(FETCH)).decision.outcome).toBe("denied");
  });

  it("ends what waits and can't be allowed any more; what needs no answer any more continues", async () => {
    const gate = await startGate();
    const aider = await gate.agent("aider", "Full");
    const asks = await gate.operator.call("policy.tighten", { ...DENIED, outcome: "approval_required" });
    const first = await aider.ask(FETCH);
    await gate.operator.call("policy.loosen", { id: asks.id });
    expect(await first.final()).toMatchObject({ outcome: "allowed" });
    await gate.operator.call("policy.tighten", { ...DENIED, outcome: "approval_required" });
    const second = await aider.ask(FETCH);
    await gate.operator.call("policy.tighten", { ...DENIED, agent: "aider" });
    expect(await second.final()).toMatchObject({ outcome: "denied" });
    expect(await gate.waiting()).toEqual([]);
  });

  it("leaves who, when, what it was and what it is in the trail; a call that is refused changes nothing", async () => {
    const gate = await startGate();
    const { id } = await gate.operator.call("policy.tighten", DENIED);
    await gate.operator.call("policy.tighten", { ...DENIED, outcome: "approval_required" });
    await gate.operator.call("policy.loosen", { id });
    const refused = [
      { ...DENIED, outcome: "allowed" },
      { ...DENIED, level: "Boundless" },
      { ...DENIED, capability: "everything" },
      { ...DENIED, agent: "../x" },
      { ...DENIED, agent: `a\u202e` },
    ];
    for (const params of refused)
      await expect(gate.operator.handle("policy.tighten", params)).rejects.toMatchObject({ code: "invalid_params" });
    await expect(gate.operator.call("policy.tighten", { ...DENIED, level: "ReadOnly" })).rejects.toMatchObject({
      code: "not_stricter",
    });
    const acts = linesIn(gate.paths.auditDir)
      .map((line) => JSON.parse(line))
      .filter(({ event }) => String(event).startsWith("policy."));
    const common = { level: "Full", capability: "network:http", agent: null, cell_id: id };
    expect(acts).toMatchObject([
      { event: "policy.tightened", ...common, before: null, outcome: "denied", by: expect.stringMatching(/^local:/) },
      { event: "policy.tightened", ...common, before: "denied", outcome: "approval_required" },
      { event: "policy.loosened", ...common, before: "approval_required" },
    ]);
    expect(typeof acts[0]?.ts).toBe("number");
  });
});
