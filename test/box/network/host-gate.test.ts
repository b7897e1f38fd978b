import { expect, it, vi } from "vitest";
import type { Decided, Deliver, UnsentDecision } from "../../../ipc/contract/agent-port.ts";
import type { Decision } from "../../../ipc/contract/decision.ts";
import { connectDestination, type Destination } from "../../../main/box/network/destination.ts";
import { HostGate } from "../../../main/box/network/host-gate.ts";
import { PAIRED } from "../../support/examinations.ts";

const decided = (outcome: Decision["outcome"]): UnsentDecision => {
  const current: Decision = {
    decision_id: "d",
    outcome,
    stage: "approval",
    reason: "",
    explain: {},
    verdict: null,
    capabilities: [],
  };
  return { current, sent: current };
};

const pendingOf = () => ({ token: null, cancel: () => null, disconnect: vi.fn() });

function destination(): Destination {
  const found = connectDestination("registry.example.org:443");
  if (!("ok" in found)) throw new Error(found.why);
  return found.ok;
}

/** A run's gate that answers `first` at once; `deliver` is the gate's, `record` is called where the gate records. */
function hostGate(first: Decided, record: (deliver: Deliver) => void = () => undefined) {
  let deliver: Deliver = () => undefined;
  const gate = {
    decide: (_call: unknown, _subject: unknown, later: Deliver) => {
      deliver = later;
      return first;
    },
    isCovered: () => false,
    record: () => record(deliver),
    publish: () => undefined,
  };
  const run = { agent_id: "agent-1", session: "s", line: "npm install", declaration: { cwd: "/srv" } };
  const parts = { gate, grants: { find: () => undefined }, agents: { get: () => PAIRED } };
  return { hosts: new HostGate(parts, run), deliver: (...later: Parameters<Deliver>) => deliver(...later) };
}

it("an answer that a surface gives while the question is recorded is the decision", () => {
  let isAnswered = false;
  const { hosts } = hostGate({ decision: decided("approval_required"), pending: pendingOf() }, (deliver) => {
    if (isAnswered) return;
    isAnswered = true;
    deliver(decided("allowed"));
  });
  const delivered = vi.fn();
  expect(hosts.decide(destination(), delivered)).toMatchObject({ decision: { outcome: "allowed" } });
  expect(delivered).not.toHaveBeenCalled();
});

it("a host that is judged and then asked about gets one answer, and is withdrawn where it is at the time", () => {
  const [judged, asked] = [pendingOf(), pendingOf()];
  const { hosts, deliver } = hostGate({ pending: judged });
  const delivered = vi.fn();
  const waiting = hosts.decide(destination(), delivered);
  if (!("pending" in waiting)) throw new Error("it is decided");
  deliver(decided("approval_required"), asked);
  expect(delivered).not.toHaveBeenCalled();
  waiting.pending.disconnect("gone");
  expect([judged.disconnect.mock.calls, asked.disconnect.mock.calls]).toEqual([[], [["gone"]]]);
  deliver(decided("denied"));
  expect(delivered.mock.calls).toMatchObject([[{ outcome: "denied" }]]);
});
