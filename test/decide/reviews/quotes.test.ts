import { expect, it } from "vitest";
import type { Decision } from "../../../ipc/contract/decision.ts";
import type { Review } from "../../../ipc/contract/review.ts";
import { withoutQuotes } from "../../../main/decide/reviews/review-steps.ts";

const ARGS = { content: "hunter2-is-the-word" };

function shown(review: Partial<Review>, decision: Partial<Decision> = {}): Decision {
  const whole: Review = {
    stage: "judge",
    name: "small",
    outcome: "rejected",
    score: 0.1,
    confidence: null,
    sentence: "it writes hunter2-is-the-word",
    ms: 1,
    is_online: false,
    ...review,
  };
  return withoutQuotes(
    {
      decision_id: "d",
      outcome: "denied",
      stage: "judge",
      reason: "judge: score 0.10 < threshold 0.45 (it writes hunter2-is-the-word)",
      explain: { rule: "judge.model-low-score", instead: "say what it is for" },
      verdict: null,
      capabilities: [],
      reviews: [whole],
      ...decision,
    },
    ARGS,
  );
}

it("of a judge's sentence no value is left, and of the gate's own words around it nothing is lost", () => {
  const { reason, reviews } = shown({});
  expect(reason).toBe("judge: score 0.10 < threshold 0.45 (it writes <content>)");
  expect(reviews?.[0]?.sentence).toBe("it writes <content>");
});

it("a model's reason that isn't its sentence is taken as its words, all of it", () => {
  expect(shown({}, { reason: "it writes hunter2-is-the-word down" }).reason).toBe("it writes <content> down");
});

it("where a judge said nothing, or couldn't answer, the words are the gate's", () => {
  const reason = "judge: score 0.10 < threshold 0.45";
  expect(shown({ sentence: "" }, { reason }).reason).toBe(reason);
  const sentence = "llm-judge fallback (parse fail)";
  const fallback = shown({ outcome: "fallback", sentence }, { reason: `approved: score 0.50 (${sentence})` });
  expect([fallback.reason, fallback.reviews?.[0]?.sentence]).toEqual([`approved: score 0.50 (${sentence})`, sentence]);
});

it("a model's verdict is without values, the rules' is as it is", () => {
  const verdict = { approved: true, ts: 0, score: 0.9, blocked_by: null };
  const reason = "approved: score 0.90 (it writes hunter2-is-the-word)";
  const passed = { outcome: "passed" as const };
  const byModel = shown(passed, { verdict: { ...verdict, judge_kind: "llm-v1", reason } });
  expect(byModel.verdict?.reason).toBe("approved: score 0.90 (it writes <content>)");
  const byRules = { ...verdict, judge_kind: "rule-based-v1", reason: "approved: score 0.90", notes: [] };
  expect(shown(passed, { verdict: byRules }).verdict).toEqual(byRules);
});

it("what the agent is asked to do instead is without values, too", () => {
  const instead = 'tests says: "it writes hunter2-is-the-word"; change the call accordingly';
  const decision = { stage: "validators", explain: { rule: "validators.rejected", instead } } as const;
  expect(shown({ stage: "validators" }, decision).explain.instead).toBe(
    'tests says: "it writes <content>"; change the call accordingly',
  );
});
