import { describe, expect, it } from "vitest";
import {
  MAX_WAITING_CHARACTERS,
  MAX_WAITING_PER_AGENT,
  shareKey,
  WaitingQuota,
} from "../../../main/calls/approvals/waiting-quota.ts";
import type { ResolvedRequirement } from "../../../main/targets/target.ts";

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

describe("what identical calls share", () => {
  const need = (real: string): ResolvedRequirement => ({
    capability: "fs:write",
    target: { kind: "path", lexical: "/srv/link/a.txt", real, is_tree: false },
  });
  const box = { project: "/srv", cwd: "/srv", reads: [], writes: [], network: false };
  const key = ({
    agent = "agent-1",
    cwd = "/srv",
    call = "hash",
    real = "/srv/a/a.txt",
    mode = "default",
    network = false,
  } = {}) => shareKey(agent, { cwd, mode }, call, [need(real)], { box: { ...box, network } });

  it("is another one where the same runs without a box", () => {
    expect(shareKey("agent-1", { cwd: "/srv", mode: "default" }, "hash", [need("/srv/a/a.txt")])).not.toBe(key());
  });

  it("is the same for the same call of the same agent from the same folder", () => {
    expect(key()).toBe(key());
  });

  it.each([
    ["another agent", { agent: "agent-2" }],
    ["another folder", { cwd: "/srv/other" }],
    ["another mode", { mode: "plan" }],
    ["the same texts, divided otherwise", { cwd: "/srv\\ndefault", mode: "" }],
    ["another call", { call: "other" }],
    ["a box with a network", { network: true }],
    ["a link that was moved", { real: "/srv/b/a.txt" }],
  ])("%s makes it another call", (_what, change) => {
    expect(key(change)).not.toBe(key());
  });
});
