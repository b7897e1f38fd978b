import { expect, it } from "vitest";
import { reviewCall } from "../../../../main/calls/reviews/review-call.ts";
import { SessionDecisions } from "../../../../main/calls/reviews/session-decisions.ts";
import { ExecutorCatalog } from "../../../../main/decide/executors/catalog.ts";
import { validatorConfigSchema, type When } from "../../../../main/decide/reviews/config.ts";
import { isConcerned } from "../../../../main/decide/reviews/review-steps.ts";
import type { Reviewer } from "../../../../main/decide/stages/examination.ts";
import type { JudgeAgent } from "../../../../main/judges/reviews/judge-ports.ts";
import { validatorOf } from "../../../../main/judges/reviews/validators/validator.ts";
import { examinationOf, type Situation } from "../../../support/examinations.ts";
import { type AskedJudge, gradient, judgeAgent, never } from "../../../support/judge-agents.ts";

const catalog = new ExecutorCatalog();

function validator(agent: JudgeAgent, change: Record<string, unknown> = {}): Reviewer {
  const given = { type: "semantic", judge_agent: agent.name, criteria: `of ${agent.name}`, ...change };
  return validatorOf(validatorConfigSchema.parse(given), agent, {
    catalog,
    decisions: new SessionDecisions(catalog),
    send: "full",
    isConcerned: (x, when) => isConcerned(x, when, new Set()),
    now: Date.now,
  });
}

const COMMAND: Situation = { executor: "Bash", args: { command: "make" } };

async function reviewed(validators: readonly Reviewer[], signal = new AbortController().signal) {
  const failed: unknown[] = [];
  const x = examinationOf(COMMAND);
  const events = { begins: () => undefined, failed: (_what: string, error: unknown) => failed.push(error) };
  const reviews = await reviewCall(x, validators, signal, events);
  expect(failed).toEqual([]);
  return { denial: reviews.denial, reviews: reviews.noted.map(({ review }) => review) };
}

const criteriaIn = (asked: readonly AskedJudge[]) => asked.map(({ payload }) => payload.criteria);

it("a call passes once every validator agreed, each asked once, in their order, by its own criteria", async () => {
  const order: string[] = [];
  const agreeing = (name: string) =>
    judgeAgent(
      () => {
        order.push(name);
        return Promise.resolve(gradient());
      },
      { name },
    );
  const agents = [agreeing("first"), agreeing("second"), agreeing("third")];
  const { denial, reviews } = await reviewed(agents.map((agent) => validator(agent)));
  expect(denial).toBeNull();
  expect(order).toEqual(["first", "second", "third"]);
  expect(reviews.map(({ name, outcome }) => [name, outcome])).toEqual([
    ["first", "passed"],
    ["second", "passed"],
    ["third", "passed"],
  ]);
  expect(agents.flatMap(({ asked }) => criteriaIn(asked))).toEqual(["of first", "of second", "of third"]);
});

it.each([
  ["rejects", gradient({ score: 0.69 }), "validators.rejected"],
  ["answers nothing that can be used", "no", "validators.unusable-answer"],
  ["fails", () => Promise.reject(new Error("no box here")), "validators.failed"],
  ["doesn't answer in time", never, "validators.timed-out"],
])("where the first of two validators %s, the second never starts", async (_what, answer, rule) => {
  const second = judgeAgent(gradient(), { name: "second" });
  const first = validator(judgeAgent(answer, { name: "first" }), { timeout_seconds: 0.2 });
  const { denial, reviews } = await reviewed([first, validator(second)]);
  expect(denial).toMatchObject({ stage: "validators", explain: { rule } });
  expect(reviews).toMatchObject([{ name: "first", outcome: "rejected" }]);
  expect(second.asked).toEqual([]);
});

it("an agreement of the first doesn't outweigh the second's rejection", async () => {
  const first = judgeAgent(gradient({ score: 1, confidence: 1 }), { name: "first" });
  const second = judgeAgent(gradient({ score: 0 }), { name: "second" });
  const { denial, reviews } = await reviewed([validator(first), validator(second)]);
  expect(denial?.reason).toBe("second rejected the call: its score 0 is below 0.7");
  expect(reviews).toMatchObject([
    { name: "first", outcome: "passed" },
    { name: "second", outcome: "rejected" },
  ]);
});

it("the same judge agent asked by two validators has its own minimum for each", async () => {
  const agent = judgeAgent(gradient({ score: 0.8 }));
  const validators = [validator(agent, { criteria: "a" }), validator(agent, { criteria: "b", min_score: 0.9 })];
  expect((await reviewed(validators)).denial?.reason).toBe(
    "security-judge rejected the call: its score 0.8 is below 0.9",
  );
  expect(criteriaIn(agent.asked)).toEqual(["a", "b"]);
});

it("an abort while the first is asked ends it, and the second never starts", async () => {
  const outer = new AbortController();
  const reason = new Error("the user cancelled it");
  let hasEnded = false;
  const first = judgeAgent((signal) => {
    queueMicrotask(() => outer.abort(reason));
    return never(signal).finally(() => {
      hasEnded = true;
    });
  });
  const second = judgeAgent(gradient(), { name: "second" });
  await expect(reviewed([validator(first), validator(second)], outer.signal)).rejects.toBe(reason);
  expect(hasEnded).toBe(true);
  expect(second.asked).toEqual([]);
});

it("looks at critical calls, or at those that its `when` fits", () => {
  const looksAt = (when: When, situation: Situation) =>
    validator(judgeAgent(gradient()), { when }).concerns(examinationOf(situation));
  const getting = { executor: "http_get", args: { url: "https://example.com/" } };
  const reading = { executor: "Read", args: { file_path: "/srv/a" } };
  expect(looksAt({}, COMMAND)).toBe(true);
  expect(looksAt({ executors: ["Write"] }, COMMAND)).toBe(false);
  expect(looksAt({ agents: ["claude-code"] }, COMMAND)).toBe(false);
  expect(looksAt({}, getting)).toBe(false);
  expect(looksAt({ capabilities: ["network:http"] }, getting)).toBe(true);
  // Its manifest says skip_judge.
  expect(looksAt({ capabilities: ["fs:read"] }, reading)).toBe(false);
});
