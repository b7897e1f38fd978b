import { expect, it } from "vitest";
import { safety } from "../../../main/decide/stages/safety.ts";
import { examinationOf } from "../../support/examinations.ts";
import { goal, safetyUnderTest } from "../../support/safety.ts";

it("while nothing is paused a call passes", () => {
  for (const pause of [null, safetyUnderTest().safety.pause]) {
    const x = examinationOf({ settings: { pause } });
    expect(safety(x)).toBeNull();
    expect(x.trace).toEqual([{ stage: "safety", outcome: "passed", detail: "the gate is not paused" }]);
  }
});

it("while the gate is paused every call is denied with the pause's reason, and passes again after it", () => {
  const { pause } = safetyUnderTest().safety;
  pause.begin({ by: "human", reason: "lunch", clears: "by_human" });
  const x = examinationOf({ settings: { pause }, level: "Full" });
  expect(safety(x)).toEqual({
    stage: "safety",
    reason: "the gate is paused: lunch",
    explain: {
      rule: "safety.paused",
      matched: "the pause",
      instead: "stop, and wait until the user resumes the gate",
    },
  });
  expect(x.trace).toEqual([
    { stage: "safety", outcome: "denied", detail: "the gate is paused: lunch", rule: "safety.paused" },
  ]);
  pause.end();
  expect(safety(x)).toBeNull();
});

it("a gate that has lost its lock or its files denies every call, also before its own pause", () => {
  const { pause } = safetyUnderTest().safety;
  pause.begin({ by: "human", reason: "lunch", clears: "by_human" });
  let lost: string | undefined = "another gate has taken this one's place";
  const x = examinationOf({ settings: { pause, lost: () => lost }, level: "Full" });
  expect(safety(x)).toEqual({
    stage: "safety",
    reason: "another gate has taken this one's place",
    explain: { rule: "safety.gate-replaced", instead: "connect again, to the gate that runs now" },
  });
  expect(x.trace).toEqual([
    {
      stage: "safety",
      outcome: "denied",
      detail: "another gate has taken this one's place",
      rule: "safety.gate-replaced",
    },
  ]);
  lost = undefined;
  expect(safety(x)?.reason).toBe("the gate is paused: lunch");
  pause.end();
  expect(safety(x)).toBeNull();
});

it("a pause without a word of why is a pause", () => {
  const { pause } = safetyUnderTest().safety;
  pause.begin({ by: "human", reason: "", clears: "by_human" });
  expect(safety(examinationOf({ settings: { pause } }))?.stage).toBe("safety");
});

it("a CRITICAL violation denies every call, by the rule that was violated", async () => {
  const { filter, safety: parts } = safetyUnderTest();
  await filter.checkGoal(goal({ goal_type: "exfiltrate_data" }));
  expect(safety(examinationOf({ settings: { pause: parts.pause } }))?.reason).toMatch(/^the gate is paused: SR-007: /);
});

it("a pause that ends by the clock denies until then", () => {
  const { clock, safety: parts } = safetyUnderTest();
  parts.pause.begin({ by: "human", reason: "a minute", clears: "after_seconds", seconds: 60 });
  const x = examinationOf({ settings: { pause: parts.pause } });
  clock.advance(59);
  expect(safety(x)?.stage).toBe("safety");
  clock.advance(3);
  expect(safety(x)).toBeNull();
});
