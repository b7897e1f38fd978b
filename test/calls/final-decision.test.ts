import { describe, expect, it } from "vitest";
import type { ApprovalStatus, Decision } from "../../ipc/contract/decision.ts";
import { finalDecision } from "../../main/calls/final-decision.ts";
import type { Denial, Examined, Reviewable } from "../../main/decide/stages/examination.ts";
import { decided, examinationOf } from "../support/examinations.ts";
import { freshApprovals, pendingOf } from "../support/gate-stores.ts";

const CALL = { executor: "fs_write", args: { path: "/srv/a.txt", content: "x" } };
const TTL_SECONDS = 600;

/** The final decision on a call that waited, and how often it was evaluated again. */
function final(status: ApprovalStatus, again: (before: Reviewable) => Examined): [Decision, number] {
  const { registry } = freshApprovals();
  const { trace: _, ...asked } = decided(CALL);
  const ended = { ...registry.createPending(pendingOf()), status };
  let count = 0;
  const examineAgain = (before: Reviewable) => {
    count++;
    return again(before);
  };
  return [finalDecision(examinationOf(CALL), asked, ended, examineAgain, TTL_SECONDS), count];
}

const unchanged = (x: Reviewable): Examined => ({ x, denial: null });

describe("the final decision on a call that waited", () => {
  it("allows it where it was approved, and nothing has changed", () => {
    const [decision, count] = final("approved", unchanged);
    expect(decision).toMatchObject({ outcome: "allowed", stage: "approval", status: "approved" });
    expect(decision.explain.rule).toBe("approval.approved-once");
    expect(count).toBe(1);
  });

  it.each([
    ["rejected", "approval.rejected"],
    ["expired", "approval.expired"],
    ["cancelled", "approval.withdrawn"],
  ] as const)("denies it where its request is %s, without another look", (status, rule) => {
    const [decision, count] = final(status, unchanged);
    expect(decision).toMatchObject({ outcome: "denied", stage: "approval", status, explain: { rule } });
    expect(count).toBe(0);
  });

  it("denies what a stage denies by now, in that stage's words, though it was approved", () => {
    const denial: Denial = {
      stage: "guard",
      reason: "it is protected by now",
      explain: { rule: "guard.protected-path" },
    };
    const [decision] = final("approved", (x) => ({ x, denial }));
    expect(decision).toMatchObject({ outcome: "denied", status: "approved", ...denial });
  });

  it("denies what needs something else by now, though it was approved and its own needs are allowed", () => {
    const { needs } = examinationOf({ ...CALL, args: { path: "/srv/elsewhere.txt", content: "x" } });
    const [decision] = final("approved", (x) => ({ x: { ...x, needs }, denial: null }));
    expect(decision).toMatchObject({
      outcome: "denied",
      stage: "approval",
      status: "approved",
      explain: { rule: "approval.changed-while-waiting" },
    });
  });

  it("denies what would run in another box by now, or in none, or in one at all", () => {
    const declaration = { project: "/srv", cwd: "/srv", reads: [], writes: [], network: false };
    const confined = (change = {}) => ({
      confinement: { reason: null, line: "make", needs: [], declaration: { ...declaration, ...change } },
    });
    const changes = [
      [confined(), confined({ network: true })],
      [confined(), confined({ cwd: "/srv/a" })],
      [confined(), confined({ reads: ["/etc"] })],
      [confined(), { confinement: null }],
      [{ confinement: null }, confined()],
    ] as const;
    for (const [asked, now] of changes) {
      const before = { ...examinationOf(CALL), ...asked };
      const { registry } = freshApprovals();
      const { trace: _, ...decision } = decided(CALL);
      const ended = { ...registry.createPending(pendingOf()), status: "approved" as const };
      const again = (x: Reviewable): Examined => ({ x: { ...x, ...now }, denial: null });
      expect(finalDecision(before, decision, ended, again, TTL_SECONDS)).toMatchObject({
        outcome: "denied",
        explain: { rule: "approval.changed-while-waiting" },
      });
    }
  });
});
