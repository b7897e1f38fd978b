import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { Bridge } from "../../ipc/socket/bridge.ts";
import { DesktopLink } from "../../renderer/gate/desktop-link.ts";
import type { LinkState } from "../../renderer/gate/link.ts";

/** A bridge whose other end can be away, as Electron's is once the app's channels are closed. */
function bridgeThatCanBeAway() {
  const gate = { isThere: true, hasEnded: false, asked: 0, report: (_isThere: boolean): void => undefined };
  const bridge = {
    async call() {
      gate.asked++;
      if (!gate.isThere) throw new Error("Error invoking remote method 'operator:call': no handler");
      if (gate.hasEnded)
        return { ok: false, failure: { code: "connection_lost", message: "the gate has ended", hint: "" } };
      return { ok: true, result: { pid: 7 } };
    },
    subscribe: () => () => undefined,
    watchGate: (listener: (isThere: boolean) => void) => {
      gate.report = listener;
      return () => {
        gate.report = () => undefined;
      };
    },
    resize: () => undefined,
    open: () => undefined,
  } as unknown as Bridge;
  const link = new DesktopLink(bridge);
  const states: LinkState[] = [];
  link.onState((state) => states.push(state));
  onTestFinished(() => link.close());
  return { gate, link, states };
}

describe("DesktopLink", () => {
  it("a call that nobody answers makes it silent, and says so in plain words", async () => {
    const { gate, link, states } = bridgeThatCanBeAway();
    await link.call("status", {});
    expect(states).toEqual([]);
    gate.isThere = false;
    await expect(link.call("status", {})).rejects.toMatchObject({
      name: "GateError",
      code: "not_answering",
      message: "the gate is not answering",
    });
    expect(link.state).toBe("silent");
    expect(states).toEqual(["silent"]);
  });

  it("asks again by itself while it is silent, and answers as soon as the gate does", async () => {
    vi.useFakeTimers();
    onTestFinished(() => {
      vi.useRealTimers();
    });
    const { gate, link, states } = bridgeThatCanBeAway();
    gate.isThere = false;
    await expect(link.call("status", {})).rejects.toMatchObject({ code: "not_answering" });
    await vi.advanceTimersByTimeAsync(5000);
    expect(gate.asked).toBe(3);
    expect(link.state).toBe("silent");
    gate.isThere = true;
    await vi.advanceTimersByTimeAsync(2000);
    expect(states).toEqual(["silent", "answering"]);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(gate.asked).toBe(4);
  });

  it("is silent at once when the app's gate has ended, and answers at once when there is one again", async () => {
    const { gate, link, states } = bridgeThatCanBeAway();
    await link.call("status", {});
    gate.hasEnded = true;
    gate.report(false);
    expect(states).toEqual(["silent"]);
    await expect(link.call("status", {})).rejects.toMatchObject({ code: "not_answering" });
    gate.hasEnded = false;
    gate.report(true);
    await expect.poll(() => states).toEqual(["silent", "answering"]);
  });

  it("a refusal is an answer: it stays answering", async () => {
    const failure = {
      code: "unknown_agent",
      message: "no agent named x is paired",
      hint: "see: metnos-gate agents list",
    };
    const bridge = {
      call: async () => ({ ok: false, failure }),
      watchGate: () => () => undefined,
    } as unknown as Bridge;
    const link = new DesktopLink(bridge);
    await expect(link.call("agents.level", { name: "x", level: "Full" })).rejects.toMatchObject(failure);
    expect(link.state).toBe("answering");
  });
});
