import { expect, it } from "vitest";
import { RevisableDecision } from "../../main/calls/life.ts";
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

it("the words that run a call are sent with it, kept from what is shown, and taken back if it isn't allowed after all", () => {
  const { trace: _, ...made } = decided({});
  const discarded: string[] = [];
  const decision = new RevisableDecision(made);
  expect(decision.sent).toEqual(made);
  decision.runBy({ argv: ["launcher", "run", "7"], discard: () => discarded.push("7") });
  expect(decision.sent).toEqual({ ...made, confine: { argv: ["launcher", "run", "7"] } });
  expect(decision.current).toEqual(made);
  decision.revise((draft) => {
    draft.reason = "another sentence";
  });
  expect(decision.sent.confine).toBeDefined();
  expect(discarded).toEqual([]);
  decision.revise((draft) => {
    draft.outcome = "denied";
  });
  expect(decision.sent).toEqual({ ...made, outcome: "denied", reason: "another sentence" });
  expect(discarded).toEqual(["7"]);
});
