import { expect, it } from "vitest";
import { CAPABILITIES, LEVELS } from "../../../ipc/contract/decision.ts";
import { POLICY_TABLE } from "../../../main/decide/policy/policy.ts";
import { startGate } from "../../support/running-gate.ts";

it("the matrix is the policy table, cell by cell, and each cell says which rule made it", async () => {
  const gate = await startGate();
  const rows = await gate.operator.call("policy.matrix", {});
  expect(rows.map(({ capability }) => capability)).toEqual(CAPABILITIES);
  for (const { capability, cells } of rows) {
    for (const level of LEVELS) {
      expect([capability, level, cells[level].outcome]).toEqual([capability, level, POLICY_TABLE[level][capability]]);
      expect(cells[level].rule).toMatch(/\S.{10,}/);
    }
  }
  const rule = (capability: string, level: "ReadOnly" | "Supervised" | "Full") =>
    rows.find((row) => row.capability === capability)?.cells[level].rule;
  expect(rule("code:exec", "Full")).toContain("asked every time");
  expect(rule("fs:write", "ReadOnly")).toContain("more than it may");
  expect(rule("time:read", "ReadOnly")).toContain("allowed at every level");
  expect(rule("fs:write", "Supervised")).toContain("unless a grant covers");
});
