import { expect, it } from "vitest";
import { readMessage } from "../../ipc/socket/agent-server.ts";

const MARKER = "Zx9-Secret-4711";
const HELLO = { id: "1", protocol: 1, agent: { name: "a" } };
const CALL = { id: "1", intent: "", executor: "fs_read", args: {} };

function refusalOf(type: string, data: unknown): string {
  const read = readMessage({ type, data }, type === "hello" ? "new" : "ready");
  return "error" in read ? read.error.message : "taken";
}

it.each([
  ["hello", undefined, "hello: data: expected object"],
  ["hello", {}, "hello: id: expected string"],
  ["hello", { ...HELLO, id: MARKER.repeat(99) }, "hello: id: expected at most 128 characters"],
  ["hello", { ...HELLO, protocol: MARKER }, "hello: protocol: expected number"],
  ["hello", { ...HELLO, agent: MARKER }, "hello: agent: expected object"],
  ["hello", { ...HELLO, agent: { name: 7 } }, "hello: agent.name: expected string"],
  ["hello", { ...HELLO, agent: { name: `${MARKER} !` } }, "hello: agent.name: 1 to 64 letters, digits"],
  ["hello", { ...HELLO, token: { [MARKER]: MARKER } }, "hello: token: expected string"],
  ["tool.call", { ...CALL, context: { critical: MARKER } }, "tool.call: context.critical: expected boolean"],
  ["tool.plan", { id: "1", intent: "", calls: [] }, "tool.plan: calls: expected at least 1 entries"],
  ["tool.outcome", { decision_id: MARKER }, "tool.outcome: decision_id: expected uuid"],
])(
  "a %s that doesn't fit (%j) is refused with the field and what was expected, never with the value",
  (type, data, message) => {
    const refusal = refusalOf(type, data);
    expect(refusal.startsWith(message), refusal).toBe(true);
    expect(refusal).not.toContain(MARKER);
  },
);

it("what fits is taken", () => {
  expect(refusalOf("hello", HELLO)).toBe("taken");
  expect(refusalOf("tool.call", CALL)).toBe("taken");
});
