import { describe, expect, it } from "vitest";
import type { Capability, Outcome } from "../../../ipc/contract/decision.ts";
import { POLICY_TABLE } from "../../../main/decide/policy/policy.ts";
import { dependsOnOthers, type KeptRuling, type RuledNeed, replayed } from "../../../main/decide/policy/replay.ts";

// Each rule of main/decide/policy/replay.ts by itself; test/records/activity/try-policy.test.ts compares it with the pipeline.

const cells = (change: Partial<Record<Capability, Outcome>> = {}) => ({ ...POLICY_TABLE.Full, ...change });
const need = (capability: Capability, change: Partial<RuledNeed> = {}): RuledNeed => ({
  capability,
  by: "grants",
  grant: null,
  ...change,
});

/** A read that level Full allows by itself. */
const kept = (change: Partial<KeptRuling> = {}): KeptRuling => ({
  level: "Full",
  cells: cells(),
  stated: ["fs:read"],
  ruled: [need("fs:read")],
  is_dear: false,
  may_confine: false,
  outcome: "allowed",
  stage: null,
  rule: "policy.level-allows",
  ...change,
});

const ASKED = { "fs:read": "approval_required" } as const;
const DENIED = { "fs:read": "denied" } as const;

describe("a call that the policy let pass", () => {
  it("is asked about where the cell asks, unless a grant covers it, and denied where it denies", () => {
    expect(replayed(kept(), cells(ASKED))).toEqual({ outcome: "approval_required" });
    expect(replayed(kept({ ruled: [need("fs:read", { grant: 7 })] }), cells(ASKED))).toEqual({ outcome: "allowed" });
    const beyond = need("fs:read", { grant: 7, by: "level" });
    expect(replayed(kept({ ruled: [beyond] }), cells(ASKED))).toEqual({ outcome: "approval_required" });
    expect(replayed(kept({ ruled: [need("fs:read", { grant: 7 })] }), cells(DENIED))).toEqual({ outcome: "denied" });
  });

  it("is unknown where a grant that wasn't looked up would decide", () => {
    const one = kept({ ruled: [need("fs:read", { grant: undefined })] });
    expect(replayed(one, cells(ASKED))).toEqual({ unknown: "other", may_loosen: false });
    expect(replayed(one, cells({ "fs:write": "denied" }))).toEqual({ outcome: "allowed" });
  });

  it("is unknown where whether it runs confined depends on what it may read, unless its profile denies it either way", () => {
    const one = kept({ may_confine: true, stated: ["code:exec"], ruled: [need("fs:read")] });
    expect(replayed(one, cells(ASKED))).toEqual({ unknown: "confinement", may_loosen: false });
    expect(replayed({ ...one, outcome: "approval_required", rule: "flow.untrusted-later" }, cells(ASKED))).toEqual({
      unknown: "confinement",
      may_loosen: true,
    });
    expect(replayed(one, cells({ ...ASKED, "code:exec": "denied" }))).toEqual({ outcome: "denied" });
    expect(replayed(one, cells({ "network:http": "denied" }))).toEqual({ outcome: "allowed" });
  });

  it("that what is kept doesn't explain is unknown: another policy was in force by then", () => {
    const one = kept({ outcome: "approval_required", rule: "policy.override-asks" });
    expect(replayed(one, cells())).toEqual({ unknown: "other", may_loosen: true });
  });
});

describe("a call that was asked about for something else", () => {
  it("for what its session has seen is asked about under every policy that doesn't deny it", () => {
    const one = kept({ cells: cells(ASKED), outcome: "approval_required", rule: "flow.private-untrusted-out" });
    expect(replayed(one, cells())).toEqual({ outcome: "approval_required" });
    expect(replayed(one, cells(DENIED))).toEqual({ outcome: "denied" });
    expect([dependsOnOthers(one, cells()), dependsOnOthers(one, cells(ASKED))]).toEqual([true, false]);
  });

  it("as it came again and again stays so", () => {
    const one = kept({ outcome: "approval_required", rule: "rate.same-call-asks" });
    expect(replayed(one, cells(ASKED))).toEqual({ outcome: "approval_required" });
    expect(dependsOnOthers(one, cells())).toBe(false);
  });
});

describe("a call that was denied", () => {
  it("before the policy, or by the guard, the rules, a budget or a refusal, is denied under every policy", () => {
    for (const change of [
      { stage: "validation", stated: null, ruled: null, rule: "validation.invalid-arguments" },
      { stage: "scope", ruled: null, rule: "scope.outside-perimeter" },
      { stage: "guard", rule: "guard.secrets-folder" },
      { stage: "judge", rule: "judge.low-score" },
      { stage: "rate", rule: "rate.budget-used" },
      { stage: "approval", rule: "approval.refused-for-session" },
    ] as const)
      expect(replayed(kept({ outcome: "denied", ...change }), cells(ASKED)), change.rule).toEqual({
        outcome: "denied",
      });
    expect(dependsOnOthers(kept({ outcome: "denied", stage: "rate", rule: "rate.budget-used" }), cells())).toBe(true);
  });

  it("by a judge may have been asked about otherwise, and is unknown as soon as the policy says something else of it", () => {
    const one = kept({ outcome: "denied", stage: "judge", rule: "judge.model-low-score" });
    expect(replayed(one, cells())).toEqual({ outcome: "denied" });
    expect(replayed(one, cells(ASKED))).toEqual({ unknown: "judges", may_loosen: true });
    expect(replayed(one, cells(DENIED))).toEqual({ outcome: "denied" });
  });

  it("by a profile that is gone is looser, whatever a later stage would have said", () => {
    const one = kept({
      cells: cells(DENIED),
      ruled: null,
      outcome: "denied",
      stage: "policy",
      rule: "policy.override-denies",
    });
    expect(replayed(one, cells())).toEqual({ outcome: null });
    expect(replayed(one, cells(ASKED))).toEqual({ outcome: null });
    expect(replayed(one, cells({ ...DENIED, "mail:send": "denied" }))).toEqual({ outcome: "denied" });
  });

  it("by a profile for what its box would let through stays denied while that profile is there", () => {
    const boxed = kept({
      ...{ cells: cells({ "network:http": "denied" }), stated: ["code:exec"], ruled: null, may_confine: true },
      ...{ outcome: "denied", stage: "policy", rule: "policy.override-denies" },
    });
    expect(replayed(boxed, cells({ "network:http": "denied", "mail:send": "denied" }))).toEqual({ outcome: "denied" });
    expect(replayed(boxed, cells())).toEqual({ outcome: null });
    expect(replayed(boxed, cells({ "network:http": "denied", ...ASKED }))).toEqual({
      unknown: "confinement",
      may_loosen: true,
    });
  });

  it("by its level no profile lifts", () => {
    const one = kept({
      ...{ level: "ReadOnly", cells: POLICY_TABLE.ReadOnly, stated: ["fs:write"], ruled: null },
      ...{ outcome: "denied", stage: "policy", rule: "policy.level-denies" },
    });
    expect(replayed(one, { ...POLICY_TABLE.ReadOnly, "fs:read": "denied" })).toEqual({ outcome: "denied" });
  });
});
