import { expect, it } from "vitest";
import { validators } from "../../../main/gate/stages/validators.ts";
import { examinationOf } from "../../support/examinations.ts";

it("without validators nothing is denied, and the trace says that none are configured", () => {
  const x = examinationOf({ executor: "Bash", args: { command: "make" } });
  expect(validators(x)).toBeNull();
  expect(x.trace).toEqual([{ stage: "validators", outcome: "not_configured", detail: "no validators" }]);
});
