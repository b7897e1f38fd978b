import { expect, it } from "vitest";
import { CAPABILITIES, type Capability, type Decision, type TraceStep } from "../../../ipc/contract/decision.ts";
import { withhold } from "../../../main/calls/decided-calls.ts";

const ERROR = Object.assign(new Error("write"), { code: "EIO" });

function decisionOn(capabilities: readonly Capability[], outcome: Decision["outcome"] = "allowed"): Decision {
  return {
    decision_id: "11111111-1111-4111-8111-111111111111",
    outcome,
    stage: "policy",
    reason: "",
    explain: {},
    verdict: null,
    capabilities: capabilities.map((capability) => ({ capability, target: "*" })),
  };
}

/** What becomes of a decision whose line can't be written. */
function withheld(decision: Decision, onFailure: "deny" | "allow" = "deny"): Decision {
  withhold(decision, undefined, ERROR, onFailure);
  return decision;
}

it("what changes something is denied while its line can't be written, and says why", () => {
  const trace: TraceStep[] = [{ stage: "safety", outcome: "passed", detail: "the gate is not paused" }];
  const decision = decisionOn(["fs:write"]);
  withhold(decision, trace, ERROR, "deny");
  const reason = "the audit trail can't be written: EIO";
  expect(decision).toMatchObject({
    outcome: "denied",
    stage: "safety",
    reason,
    explain: { rule: "safety.trail-unwritable" },
  });
  expect(trace).toEqual([{ stage: "safety", outcome: "denied", detail: reason, rule: "safety.trail-unwritable" }]);
});

it("what only reads is allowed, whether a level asks about the read or not", () => {
  const allowed = CAPABILITIES.filter((one) => withheld(decisionOn([one])).outcome === "allowed");
  expect(allowed).toEqual([
    "fs:read",
    "llm:local",
    "mail:read",
    "channel:in",
    "time:read",
    "parse:local",
    "calendar:read",
  ]);
  expect(withheld(decisionOn([])).outcome).toBe("allowed");
});

it("one need that changes something is enough, wherever it is among the others", () => {
  expect(withheld(decisionOn(["fs:read", "code:exec"])).outcome).toBe("denied");
  expect(withheld(decisionOn(["code:exec", "fs:read"])).outcome).toBe("denied");
});

it("where the user wants calls allowed all the same, they are", () => {
  expect(withheld(decisionOn(["fs:write"]), "allow").outcome).toBe("allowed");
});

it("what isn't allowed stays as it was decided", () => {
  for (const outcome of ["denied", "approval_required"] as const)
    expect(withheld(decisionOn(["fs:write"], outcome))).toEqual(decisionOn(["fs:write"], outcome));
});
