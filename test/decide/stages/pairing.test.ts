import { expect, it } from "vitest";
import { pairing } from "../../../main/decide/stages/pairing.ts";
import { examinationOf, PAIRED, REVOKED } from "../../support/examinations.ts";

it("an agent that is paired passes, by its name", () => {
  const x = examinationOf({ agent: PAIRED });
  expect(pairing(x)).toBeNull();
  expect(x.trace).toEqual([{ stage: "pairing", outcome: "passed", detail: "claude is paired" }]);
});

it("one whose pairing was revoked is denied, and learns how it gets another", () => {
  const x = examinationOf({ agent: REVOKED });
  expect(pairing(x)).toEqual({
    stage: "pairing",
    reason: "this agent's pairing was revoked",
    explain: { rule: "pairing.revoked", instead: "ask the user to pair it again" },
  });
  expect(x.trace).toEqual([
    { stage: "pairing", outcome: "denied", detail: "this agent's pairing was revoked", rule: "pairing.revoked" },
  ]);
});

it("without an agent there is nothing to check", () => {
  const x = examinationOf({ agent: null });
  expect(pairing(x)).toBeNull();
  expect(x.trace).toEqual([{ stage: "pairing", outcome: "passed", detail: "no agent involved" }]);
});
