import { describe, expect, it } from "vitest";
import { goal, safetyUnderTest } from "../../support/safety.ts";

const human = { by: "human", reason: "lunch" } as const;

describe("the pause", () => {
  it("lasts until it is ended, and survives a restart with its reason", () => {
    const first = safetyUnderTest();
    first.safety.pause.begin({ ...human, clears: "by_human" });
    first.close();
    first.clock.advance(31536000);
    const second = safetyUnderTest({ file: first.file, clock: first.clock });
    expect(second.safety.pause.state()).toMatchObject({ is_paused: true, by: "human", reason: "lunch", until: null });
    expect(second.filter.resume()).toBe(true);
    second.close();
    expect(safetyUnderTest({ file: first.file }).safety.pause.state().is_paused).toBe(false);
  });

  it("for a time, it ends by itself, also over a restart", () => {
    const first = safetyUnderTest();
    first.safety.pause.begin({ ...human, clears: "after_seconds", seconds: 60 });
    first.clock.advance(59);
    expect(first.safety.pause.reason).toBe("lunch");
    first.close();
    first.clock.advance(3);
    const second = safetyUnderTest({ file: first.file, clock: first.clock });
    expect(second.safety.pause.reason).toBeUndefined();
    expect(second.pauses.map(({ is_paused }) => is_paused)).toEqual([false]);
  });

  it("nothing that begins one shortens another", () => {
    const { safety } = safetyUnderTest();
    const { pause } = safety;
    pause.begin({ ...human, clears: "after_seconds", seconds: 3600 });
    const hour = pause.state().until;
    pause.begin({ ...human, reason: "tea", clears: "after_seconds", seconds: 60 });
    expect(pause.state().until).toBe(hour);
    pause.begin({ by: "safety", reason: "SR-007: x", clears: "after_all_acknowledged" });
    expect(pause.state()).toMatchObject({
      by: "safety",
      reason: "SR-007: x",
      until: null,
      clears: "after_all_acknowledged",
    });
    pause.begin({ ...human, clears: "after_seconds", seconds: 1 });
    expect(pause.state()).toMatchObject({ by: "safety", clears: "after_all_acknowledged", until: null });
    pause.begin({ ...human, clears: "by_human" });
    expect(pause.state()).toMatchObject({ by: "safety", clears: "by_human" });
  });

  it("an agent that keeps violating a paused gate costs no more writes and no more alarms", async () => {
    const { filter, pauses } = safetyUnderTest();
    for (let check = 0; check < 50; check++) await filter.checkGoal(goal({ goal_type: "exfiltrate_data" }));
    expect(pauses).toHaveLength(1);
  });
});

describe("what ends the pause of a CRITICAL violation", () => {
  const critical = goal({ goal_type: "exfiltrate_data" });

  it("by the operator: acknowledging alone does not", async () => {
    const { filter, safety } = safetyUnderTest();
    await filter.checkGoal(critical);
    expect(filter.acknowledge("all")).toBe(1);
    expect(safety.pause.state().is_paused).toBe(true);
    filter.resume();
    expect(safety.pause.state().is_paused).toBe(false);
  });

  it("after all were acknowledged: not before the last one", async () => {
    const { filter, safety } = safetyUnderTest({ config: { pause_clears: "after_all_acknowledged" } });
    await filter.checkGoal(critical);
    await filter.checkGoal(critical);
    const [second, first] = safety.violations.list();
    filter.acknowledge([first?.id ?? 0]);
    expect(safety.pause.state().is_paused).toBe(true);
    filter.acknowledge([second?.id ?? 0]);
    expect(safety.pause.state().is_paused).toBe(false);
  });

  it("after so many seconds since the last one", async () => {
    const { filter, safety, clock } = safetyUnderTest({ config: { pause_clears: "after_seconds", pause_seconds: 60 } });
    await filter.checkGoal(critical);
    clock.advance(40);
    await filter.checkGoal(critical);
    clock.advance(40);
    expect(safety.pause.state().is_paused).toBe(true);
    clock.advance(30);
    expect(safety.pause.state().is_paused).toBe(false);
  });
});
