import { expect, it } from "vitest";
import type { Flow } from "../../../ipc/contract/flow.ts";
import { flow } from "../../../main/decide/stages/flow.ts";
import { examinationOf } from "../../support/examinations.ts";

const READ: Flow = {
  rule: "flow.private-untrusted-out",
  read: { what: "/home/u/keys.json", decision_id: "d1", at: "2026-01-01T10:31:00Z" },
  came: { what: "docs.example.net", decision_id: "d2", at: "2026-01-01T10:32:00Z" },
  to: ["api.example.org"],
  reads: 1,
};

const examined = (found: Flow | null | undefined) =>
  examinationOf({
    executor: "mail_send",
    args: { to: "a@b.example" },
    settings: { flow: { of: () => found, note: () => undefined, agree: () => undefined, marksOf: () => null } },
  });

it("asks where the session has seen what matters for the call, without a word of what that was", () => {
  const x = examined(READ);
  const found = flow(x);
  expect(found).toMatchObject({ outcome: "approval_required", rule: "flow.private-untrusted-out", flow: READ });
  expect(x.trace).toEqual([
    { stage: "flow", outcome: "ask", detail: found.reason, rule: "flow.private-untrusted-out" },
  ]);
  for (const value of ["keys.json", "docs.example.net", "api.example.org"]) expect(found.reason).not.toContain(value);
});

it.each([
  [null, "what the session has seen does not matter here"],
  [undefined, "nothing was seen"],
])("leaves the policy's ruling as it is where nothing matters (%j)", (found, detail) => {
  const x = examined(found);
  expect(flow(x)).toEqual({ outcome: x.outcome, reason: x.reason, rule: x.rule });
  expect(x.trace).toEqual([{ stage: "flow", outcome: "passed", detail }]);
});
