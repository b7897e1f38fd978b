import { expect, it } from "vitest";
import { startGate } from "../../support/running-gate.ts";

it("finds a page of the grants by text, capability and agent, in the order that was asked for", async () => {
  const gate = await startGate();
  await gate.agent("one");
  await gate.agent("two");
  const add = (capability: "fs:read" | "fs:write", target: string, agent?: string) =>
    gate.operator.call("grants.add", { capability, target, ...(agent === undefined ? {} : { agent }) });
  const first = await add("fs:read", "/srv/Alpha/*", "one");
  const second = await add("fs:write", "/srv/beta/*", "two");
  const third = await add("fs:read", "/opt/alpha.txt");
  const ids = async (query: object) => {
    const { total, grants } = await gate.operator.call("grants.search", query);
    return [total, ...grants.map(({ id }) => id)];
  };
  expect(await ids({})).toEqual([3, third.id, second.id, first.id]);
  expect(await ids({ text: "ALPHA" })).toEqual([2, third.id, first.id]);
  expect(await ids({ text: "%" })).toEqual([0]);
  const own = await add("fs:read", "~/notes/**");
  expect(await ids({ text: "~/not" })).toEqual([1, own.id]);
  await gate.operator.call("grants.revoke", { id: own.id });
  expect(await ids({ capability: "fs:write" })).toEqual([1, second.id]);
  expect(await ids({ agent: "one" })).toEqual([2, third.id, first.id]);
  expect(await ids({ order: "target", descending: false })).toEqual([3, third.id, first.id, second.id]);
  expect(await ids({ offset: 1, limit: 1 })).toEqual([3, second.id]);
  await gate.operator.call("grants.revoke", { id: first.id });
  expect(await ids({})).toEqual([2, third.id, second.id]);
  expect(await ids({ include_revoked: true })).toEqual([4, own.id, third.id, second.id, first.id]);
  await expect(ids({ agent: "nobody" })).rejects.toMatchObject({ code: "unknown_agent" });
});
