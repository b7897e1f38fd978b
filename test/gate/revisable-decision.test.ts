import { expect, it } from "vitest";
import { RevisableDecision } from "../../main/gate/revisable-decision.ts";
import { decided } from "../support/examinations.ts";

it("a revised decision is the current one; who read it before keeps what they read", () => {
  const { trace: _, ...made } = decided({});
  const decision = new RevisableDecision(made);
  const before = decision.current;
  decision.revise((draft) => {
    draft.outcome = "denied";
  });
  expect([before.outcome, made.outcome, decision.current.outcome]).toEqual(["allowed", "allowed", "denied"]);
});
