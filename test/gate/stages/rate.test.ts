import { expect, it } from "vitest";
import { rate } from "../../../main/gate/stages/rate.ts";
import { examinationOf } from "../../support/examinations.ts";

it("without budgets nothing is denied, and the trace says that none are configured", () => {
  const x = examinationOf({ executor: "mail_send", args: { to: "a@b.example" } });
  expect(rate(x)).toBeNull();
  expect(x.trace).toEqual([{ stage: "rate", outcome: "not_configured", detail: "no budgets" }]);
});
