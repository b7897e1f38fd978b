import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Decision } from "../../../ipc/contract/decision.ts";
import { connectDestination, type Destination } from "../../../main/box/network/destination.ts";
import { NETWORK_LIMITS } from "../../../main/box/network/limits.ts";
import { RunHosts } from "../../../main/box/network/run-hosts.ts";

const decision = (more: Partial<Decision>): Decision => ({
  decision_id: "d",
  outcome: "approval_required",
  stage: "approval",
  reason: "",
  explain: {},
  verdict: null,
  capabilities: [],
  ...more,
});

function destination(target: string): Destination {
  const found = connectDestination(target);
  if (!("ok" in found)) throw new Error(found.why);
  return found.ok;
}

const TO = destination("registry.example.org:443");
const here = () => new AbortController().signal;

/** A run whose questions stay open until they are answered by `answer`. */
function asking(first: Decision = decision({})) {
  const answers: ((final: Decision) => void)[] = [];
  const disconnect = vi.fn();
  const isAsked = vi.fn(() => true);
  const decide = vi.fn((_to: Destination, deliver: (final: Decision) => void) => {
    answers.push(deliver);
    return first.outcome === "approval_required" ? { pending: { disconnect, isAsked } } : { decision: first };
  });
  const isCovered = vi.fn(() => false);
  const failed = (_what: string, error: unknown) => {
    throw error;
  };
  const named: string[] = [];
  const gate = { decide, isCovered, isGranted: () => false };
  const hosts = new RunHosts(gate, NETWORK_LIMITS, failed, (host) => named.push(host));
  return { hosts, decide, isCovered, disconnect, isAsked, named, answer: (final: Decision) => answers.at(-1)?.(final) };
}

describe("the hosts of a run", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it("keep a question open for a program that tries again soon, and withdraw it after that", async () => {
    const { hosts, decide, disconnect } = asking();
    const first = new AbortController();
    const gone = hosts.ask(TO, first.signal);
    first.abort();
    expect(await gone).toMatchObject({ isAllowed: false });
    vi.advanceTimersByTime(NETWORK_LIMITS.retryMs - 1);
    const second = new AbortController();
    void hosts.ask(TO, second.signal);
    vi.advanceTimersByTime(NETWORK_LIMITS.retryMs * 10);
    expect(disconnect).not.toHaveBeenCalled();
    second.abort();
    vi.advanceTimersByTime(NETWORK_LIMITS.retryMs);
    expect(disconnect).toHaveBeenCalledOnce();
    expect(decide).toHaveBeenCalledOnce();
  });

  it("are named on the command's terminal after a second in which the user has not answered, each once", async () => {
    const { hosts, answer, named } = asking();
    const other = destination("OTHER.example.org:443");
    void hosts.ask(TO, here());
    vi.advanceTimersByTime(NETWORK_LIMITS.tellMs - 1);
    expect(named).toEqual([]);
    void hosts.ask(TO, here());
    vi.advanceTimersByTime(1);
    void hosts.ask(other, here());
    vi.advanceTimersByTime(NETWORK_LIMITS.tellMs * 5);
    expect(named).toEqual([TO.host, "other.example.org"]);
    // Asked about anew within the run.
    hosts.forgetApproved();
    answer(decision({ outcome: "denied", stage: "safety" }));
    void hosts.ask(other, here());
    vi.advanceTimersByTime(NETWORK_LIMITS.tellMs * 5);
    expect(named).toHaveLength(2);
  });

  it("are not named where the answer comes sooner, while judges look at them, or once their run has ended", () => {
    const { hosts, answer, isAsked, named } = asking();
    void hosts.ask(TO, here());
    vi.advanceTimersByTime(NETWORK_LIMITS.tellMs - 1);
    answer(decision({ outcome: "allowed" }));
    isAsked.mockReturnValue(false);
    void hosts.ask(destination("judged.example.org:443"), here());
    vi.advanceTimersByTime(NETWORK_LIMITS.tellMs * 5);
    expect(named).toEqual([]);
    isAsked.mockReturnValue(true);
    vi.advanceTimersByTime(NETWORK_LIMITS.tellMs);
    expect(named).toEqual(["judged.example.org"]);
    void hosts.ask(destination("late.example.org:443"), here());
    hosts.close();
    vi.advanceTimersByTime(NETWORK_LIMITS.tellMs * 5);
    expect(named).toHaveLength(1);
  });

  it("are decided on anew once a moment has passed, or what decisions rest on has changed", async () => {
    const { hosts, decide } = asking(decision({ outcome: "allowed", explain: { rule: "policy.grant-allows" } }));
    for (let times = 0; times < 100; times++) expect(await hosts.ask(TO, here())).toEqual({ isAllowed: true });
    expect(decide).toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(NETWORK_LIMITS.allowedMs);
    await hosts.ask(TO, here());
    expect(decide).toHaveBeenCalledTimes(2);
    hosts.forgetAllowed();
    await hosts.ask(TO, here());
    expect(decide).toHaveBeenCalledTimes(3);
  });

  it("aren't denied for good by a pause, nor by a question that was withdrawn", async () => {
    const { hosts, decide, answer } = asking();
    const first = hosts.ask(TO, here());
    answer(decision({ outcome: "denied", status: "cancelled", reason: "withdrawn: the gate is paused" }));
    expect(await first).toMatchObject({ isAllowed: false });
    void hosts.ask(TO, here());
    expect(decide).toHaveBeenCalledTimes(2);
  });

  it("aren't asked about again once nobody has answered", async () => {
    const { hosts, decide, answer } = asking();
    const first = hosts.ask(TO, here());
    answer(decision({ outcome: "denied", status: "expired", reason: "nobody answered" }));
    expect(await first).toEqual({ isAllowed: false, why: "nobody answered" });
    expect(await hosts.ask(TO, here())).toEqual({ isAllowed: false, why: "nobody answered" });
    expect(decide).toHaveBeenCalledTimes(1);
  });

  it("are refused as addresses where no grant is on that very address, and nobody is asked", async () => {
    const { hosts, decide } = asking();
    expect(await hosts.ask(destination("93.184.216.34:443"), here())).toMatchObject({ isAllowed: false });
    expect(decide).not.toHaveBeenCalled();
  });
});
