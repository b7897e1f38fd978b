import { expect, it } from "vitest";
import { differencesOf, type Row, summaryOf } from "../../conformance/compare.ts";
import type { Check } from "../../conformance/suite.ts";

const check = (name: string, status: Check["status"], more: Partial<Check> = {}): Check => ({
  id: "x",
  name,
  status,
  ...more,
});

function row(without: readonly Check[], address: readonly Check[]): Row {
  return { revision: "2025-11-25", side: "client", scenario: "ping", without, through: { address } };
}

it("two runs differ where a check has another status, is missing or is there more often; what is only information doesn't count", () => {
  const [passed, failed] = [check("A", "SUCCESS"), check("A", "FAILURE", { errorMessage: "no" })];
  expect(differencesOf(row([passed], [passed, check("B", "INFO")]))).toEqual([]);
  expect(differencesOf(row([passed], [failed]))).toEqual([
    "address: x (A) SUCCESS: 1 without, 0 with",
    "address: x (A) FAILURE: 0 without, 1 with: no",
  ]);
  expect(differencesOf(row([passed], []))).toEqual(["address: x (A) SUCCESS: 1 without, 0 with"]);
  expect(differencesOf(row([passed], [passed, passed]))).toEqual(["address: x (A) SUCCESS: 1 without, 2 with"]);
  expect(differencesOf(row([], [passed]))).toEqual(["nothing was checked without the proxy"]);
});

it("a summary counts what passed, failed and warned", () => {
  expect(summaryOf([check("A", "SUCCESS"), check("B", "FAILURE"), check("C", "WARNING"), check("D", "INFO")])).toBe(
    "1 passed, 1 failed, 1 warned",
  );
  expect(summaryOf([check("A", "SKIPPED")])).toBe("nothing");
});
