import { expect, it } from "vitest";
import {
  MAX_WAITING_CHARACTERS,
  MAX_WAITING_PER_AGENT,
  WaitingQuota,
} from "../../../main/calls/approvals/waiting-quota.ts";

const waiting = (count: number, recounted = count) => ({ waitingOf: () => count, recounted: () => recounted });

it("an agent that holds as many calls as it may can't have another wait, until one has ended", () => {
  const held = new WaitingQuota();
  const ends = Array.from({ length: MAX_WAITING_PER_AGENT }, () => held.add("agent-1", 10));
  expect(held.refusal("agent-1", 10, waiting(1))?.outcome).toBe("denied");
  expect(held.refusal("agent-2", 10, waiting(1))).toBeUndefined();
  ends[0]?.();
  expect(held.refusal("agent-1", 10, waiting(1))).toBeUndefined();
});

it("its requests that wait without a connection count as well, once they are counted anew", () => {
  const held = new WaitingQuota();
  expect(held.refusal("agent-1", 10, waiting(MAX_WAITING_PER_AGENT))?.outcome).toBe("denied");
  expect(held.refusal("agent-1", 10, waiting(MAX_WAITING_PER_AGENT, 3))).toBeUndefined();
});

it("what its calls hold has a bound in length, all together", () => {
  const held = new WaitingQuota();
  const end = held.add("agent-1", MAX_WAITING_CHARACTERS - 10);
  expect(held.refusal("agent-1", 10, waiting(1))).toBeUndefined();
  expect(held.refusal("agent-1", 11, waiting(1))?.outcome).toBe("denied");
  end();
  expect(held.refusal("agent-1", 11, waiting(0))).toBeUndefined();
});

it("a call is taken off once, however often it ends", () => {
  const held = new WaitingQuota();
  const end = held.add("agent-1", MAX_WAITING_CHARACTERS);
  held.add("agent-1", 10);
  end();
  end();
  expect(held.refusal("agent-1", MAX_WAITING_CHARACTERS - 10, waiting(1))).toBeUndefined();
  expect(held.refusal("agent-1", MAX_WAITING_CHARACTERS, waiting(1))?.outcome).toBe("denied");
});
