import { expect, it, onTestFinished } from "vitest";
import { Withdrawals } from "../../../main/calls/approvals/withdrawals.ts";

const withdrawal = (token: string, agentId = "agent-1") => ({
  token,
  agent_id: agentId,
  reason: "gone",
  rule: "approval.withdrawn" as const,
});

/** Withdrawals of which those of the tokens in `stuck` fail, and the whole transaction with them. */
function withdrawals(stuck: Set<string>) {
  const done: string[] = [];
  const failures: unknown[] = [];
  let attempts = 0;
  const all = new Withdrawals({
    withdraw(next) {
      attempts++;
      const taken: string[] = [];
      for (let one = next(); one !== undefined; one = next()) {
        if (stuck.has(one.token)) throw new Error("disk full");
        taken.push(one.token);
      }
      done.push(...taken);
    },
    failed: (error) => failures.push(error),
  });
  onTestFinished(() => {
    stuck.clear();
    all.finish();
  });
  return { all, done, failures, attempts: () => attempts };
}

it("one that can't be withdrawn keeps no other: after a failure they are tried one at a time", async () => {
  const { all, done, failures, attempts } = withdrawals(new Set(["b"]));
  all.add(["a", "b", "c", "d"].map((token) => withdrawal(token)));
  await expect.poll(() => done.toSorted()).toEqual(["a", "c", "d"]);
  await expect.poll(() => failures.length).toBe(1);
  expect(attempts()).toBeLessThan(12);
  expect([all.count("agent-1"), all.get("b")?.token, all.get("a")]).toEqual([1, "b", undefined]);
});

it("what couldn't be withdrawn is at the gate's end, once it can be", () => {
  const stuck = new Set(["a", "b"]);
  const { all, done } = withdrawals(stuck);
  all.add([withdrawal("a"), withdrawal("b", "agent-2")]);
  expect(done).toEqual([]);
  stuck.clear();
  all.finish();
  expect(done.toSorted()).toEqual(["a", "b"]);
  expect([all.count("agent-1"), all.count("agent-2")]).toEqual([0, 0]);
});

it("one that the caller takes is withdrawn by no other, and counts no more", () => {
  const { all, done } = withdrawals(new Set(["a"]));
  all.add([withdrawal("a"), withdrawal("a")]);
  expect(all.count("agent-1")).toBe(1);
  expect(all.take("a")).toEqual(withdrawal("a"));
  expect([all.take("a"), all.count("agent-1")]).toEqual([undefined, 0]);
  all.finish();
  expect(done).toEqual([]);
});
