import { expect, it } from "vitest";
import { GateError } from "../../ipc/contract/gate-error.ts";
import { OPERATOR_EVENTS } from "../../ipc/contract/operator-api.ts";
import { type GateEvent, Listeners } from "../../main/agents/agent-pauses.ts";

function listenersThatReport() {
  const failures: unknown[] = [];
  return { listeners: new Listeners((error) => failures.push(error)), failures };
}

it("a listener gets the events of its types alone, in the order in which they come, until it ends", () => {
  const { listeners } = listenersThatReport();
  const received: string[] = [];
  const end = listeners.add(["agents.changed", "grants.changed"], ({ type }) => received.push(type));
  for (const type of ["grants.changed", "agents.changed"] as const) listeners.publish({ type, data: {} });
  listeners.publish({ type: "alarms.changed", data: [] });
  end();
  listeners.publish({ type: "agents.changed", data: {} });
  expect(received).toEqual(["grants.changed", "agents.changed"]);
});

it("listeners are called in the order in which they came: the log's line is there before a surface acts", () => {
  const { listeners } = listenersThatReport();
  const called: string[] = [];
  for (const name of ["log", "agents", "surface"]) listeners.add(["agents.changed"], () => called.push(name));
  listeners.publish({ type: "agents.changed", data: {} });
  expect(called).toEqual(["log", "agents", "surface"]);
});

it("one that throws stops nobody, and what it threw is reported", () => {
  const { listeners, failures } = listenersThatReport();
  const error = new Error("a surface broke");
  const received: string[] = [];
  listeners.add(["agents.changed"], () => {
    throw error;
  });
  listeners.add(["agents.changed"], ({ type }) => received.push(type));
  listeners.publish({ type: "agents.changed", data: {} });
  expect(received).toEqual(["agents.changed"]);
  expect(failures).toEqual([error]);
});

it("whether somebody listens is known by type, so that an event that nobody wants is not made", () => {
  const { listeners } = listenersThatReport();
  expect(listeners.hasListener("decision")).toBe(false);
  const ends = [listeners.add(["decision"], () => undefined), listeners.add(["decision"], () => undefined)];
  expect(listeners.hasListener("decision")).toBe(true);
  expect(listeners.hasListener("audit.line")).toBe(false);
  ends[0]?.();
  expect(listeners.hasListener("decision")).toBe(true);
  ends[1]?.();
  expect(listeners.hasListener("decision")).toBe(false);
});

it("that the gate is lost is the gate's own matter: none of the operator's events", () => {
  const { listeners } = listenersThatReport();
  const received: GateEvent[] = [];
  listeners.add(OPERATOR_EVENTS, (event) => received.push(event));
  const loss = new GateError("gate_replaced", "the gate's lock was removed");
  listeners.publish({ type: "gate.lost", data: loss });
  expect(received).toEqual([]);
  listeners.add(["gate.lost"], (event) => received.push(event));
  listeners.publish({ type: "gate.lost", data: loss });
  expect(received).toEqual([{ type: "gate.lost", data: loss }]);
});
