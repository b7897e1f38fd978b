import { expect, it } from "vitest";
import { judgedGate } from "../../support/judged-gate.ts";
import { modelServer } from "../../support/model-server.ts";

const FENCE = "```";
const PARSE_FAIL = "llm-judge fallback (parse fail)";

/** What a model as judge answers, and the outcome and score that it counts as. */
const JUDGE: readonly [answer: string, outcome: string, score: number | null][] = [
  ['{"score": 0.9, "reason": "fine"}', "passed", 0.9],
  ['{"score": 0.45, "reason": "hm"}', "passed", 0.45],
  ['{"score": 0.44, "reason": "no"}', "rejected", 0.44],
  ['{"score": 0, "reason": "no"}', "rejected", 0],
  ['{"score": 2, "reason": "very"}', "fallback", 0.5],
  ['{"score": -1, "reason": "very"}', "fallback", 0.5],
  ['{"score": NaN, "reason": "?"}', "fallback", 0.5],
  ['{"score": 1e999, "reason": "?"}', "fallback", 0.5],
  ['{"score": "0.9", "reason": "text"}', "fallback", 0.5],
  ['{"score": null, "reason": "none"}', "fallback", 0.5],
  ['{"score": true, "reason": "yes"}', "fallback", 0.5],
  ['{"reason": "no score"}', "fallback", 0.5],
  ["null", "fallback", 0.5],
  ["[]", "fallback", 0.5],
  ["", "fallback", 0.5],
  ["I think this is fine.", "fallback", 0.5],
  ['{"score": 0.1, "reason": "a"} {"score": 0.9, "reason": "b"}', "fallback", 0.5],
  ['{"score": 0.1, "score": 0.9, "reason": "twice"}', "fallback", 0.5],
  [`${FENCE}json\n{"score": 0.9, "reason": "fenced"}\n${FENCE}`, "passed", 0.9],
  [`${FENCE}\n{"score": 0.1, "reason": "fenced"}\n${FENCE}`, "rejected", 0.1],
  ['Here it is: {"score": 0.9, "reason": "prose"} I hope it helps.', "passed", 0.9],
];

const result = (more: object) =>
  JSON.stringify({ score: 0.9, confidence: 0.9, reasoning: "fine", signals: [], metadata: {}, ...more });
const withScore = (text: string) => result({}).replace('"score":0.9', `"score":${text}`);

/** What a judge agent answers, and the rule that its validator decides by; none where the call passes. */
const VALIDATOR: readonly [answer: string, rule: string | undefined][] = [
  [result({}), undefined],
  [result({ score: 0.7, confidence: 0.6 }), undefined],
  [result({ score: 0.69 }), "validators.rejected"],
  [result({ confidence: 0.59 }), "validators.rejected"],
  [withScore("2"), "validators.unusable-answer"],
  [withScore("-0.1"), "validators.unusable-answer"],
  [withScore("NaN"), "validators.unusable-answer"],
  [withScore('"0.9"'), "validators.unusable-answer"],
  [withScore("null"), "validators.unusable-answer"],
  [result({ confidence: undefined }), "validators.unusable-answer"],
  [result({ score: undefined }), "validators.unusable-answer"],
  [`${result({})}\n${result({})}`, "validators.unusable-answer"],
  [`${FENCE}json\n${result({})}\n${FENCE}`, undefined],
  [`I looked at it.\n${FENCE}json\n${result({})}\n${FENCE}\nAll is well.`, undefined],
  [`${FENCE}\n${result({})}\n${FENCE}\n${FENCE}\n${result({ score: 0 })}\n${FENCE}`, "validators.unusable-answer"],
  [`It is fine: ${result({})}`, "validators.unusable-answer"],
  ["", "validators.unusable-answer"],
];

it("each answer of a model as judge ends in its documented state", async () => {
  const server = await modelServer();
  const gate = await judgedGate(`[judge]\nkind = "llm-v1"\nmodel = "m"\n${server.toml("m")}`);
  const agent = await gate.agent();
  for (const [answer, outcome, score] of JUDGE) {
    server.always(answer);
    const decision = await gate.propose(agent, gate.write()).decision;
    expect(decision.reviews, answer).toMatchObject([{ stage: "judge", outcome, score }]);
    expect(decision.outcome, answer).toBe(outcome === "rejected" ? "denied" : "allowed");
    expect(decision.verdict?.score, answer).toBe(score);
    expect(decision.verdict?.degraded, answer).toBe(outcome === "fallback" ? true : undefined);
    if (outcome === "fallback") expect(decision.reviews?.[0]?.sentence, answer).toBe(PARSE_FAIL);
    // An answer that can be read is none of the provider's failures: the next question is asked all the same.
    expect(server.requests.length, answer).toBeGreaterThan(0);
  }
  expect(server.requests).toHaveLength(JUDGE.length);
});

it("each answer of a judge agent ends in its documented state: a model's and a program's", async () => {
  const server = await modelServer();
  const agents = VALIDATOR.map(
    ([answer], index) => `[judge_agents.c${index}]
kind = "command"
command = ["/bin/sh", "-c", 'printf %s "$0"', ${JSON.stringify(answer)}]
[[validators]]
type = "semantic"
judge_agent = "c${index}"
criteria = "be careful"
min_confidence = 0.6
when = { agents = ["program-${index}"] }
`,
  );
  const config = `${server.toml("m")}
[judge_agents.model]
kind = "model"
model = "m"
prompt = "look at the call"
[[validators]]
type = "semantic"
judge_agent = "model"
criteria = "be careful"
min_confidence = 0.6
when = { agents = ["worker"] }
${agents.join("\n")}`;
  const gate = await judgedGate(config);
  const agent = await gate.agent();
  for (const [index, [answer, rule]] of VALIDATOR.entries()) {
    server.always(answer);
    const program = await gate.agent(`program-${index}`);
    for (const decision of [
      await gate.propose(agent, gate.write()).decision,
      await gate.propose(program, gate.write()).decision,
    ]) {
      expect(decision.outcome, answer).toBe(rule === undefined ? "allowed" : "denied");
      if (rule !== undefined) expect(decision, answer).toMatchObject({ stage: "validators", explain: { rule } });
      expect(decision.reviews, answer).toMatchObject([{ outcome: rule === undefined ? "passed" : "rejected" }]);
    }
  }
});
