import { expect, it } from "vitest";
import { type ValidatorConfig, validatorConfigSchema } from "../../../../main/decide/reviews/config.ts";
import type { JudgeAgent } from "../../../../main/judges/reviews/judge-ports.ts";
import { type ValidatorParts, validatorOf } from "../../../../main/judges/reviews/validators/validator.ts";
import { examinationOf } from "../../../support/examinations.ts";
import { gradient, judgeAgent, never } from "../../../support/judge-agents.ts";

const CALL = examinationOf({
  executor: "Write",
  args: { file_path: "/home/roberto/project/Zugangsdaten.txt", content: "Passwort: tr0ub4dor&3" },
  intent: "save the notes",
});

const PARTS: ValidatorParts = {
  catalog: { names: () => ["Read", "Write"] },
  decisions: { of: () => [], deniedInTurn: () => [] },
  send: "full",
  isConcerned: () => true,
  now: () => 0,
};

function reviewed(agent: JudgeAgent, change: Partial<ValidatorConfig> = {}, signal = new AbortController().signal) {
  const config = validatorConfigSchema.parse({
    type: "semantic",
    judge_agent: agent.name,
    criteria: "safe?",
    ...change,
  });
  return validatorOf(config, agent, PARTS).review(CALL, signal);
}

it("passes a call only where score and confidence both reach their minimum, which counts itself", async () => {
  const minimums = { min_score: 0.7, min_confidence: 0.5 };
  const outcome = async (score: number, confidence: number) =>
    (await reviewed(judgeAgent(gradient({ score, confidence })), minimums)).denial?.reason ?? "passed";
  expect(await outcome(0.7, 0.5)).toBe("passed");
  expect(await outcome(0.69, 1)).toBe("security-judge rejected the call: its score 0.69 is below 0.7");
  expect(await outcome(1, 0.49)).toBe("security-judge rejected the call: its confidence 0.49 is below 0.5");
  expect(await outcome(0, 0)).toContain("score");
});

it("without other numbers 0.7 is the least score, and any confidence will do", async () => {
  expect((await reviewed(judgeAgent(gradient({ score: 0.7, confidence: 0 })))).denial).toBeNull();
  expect((await reviewed(judgeAgent(gradient({ score: 0.699, confidence: 1 })))).denial).not.toBeNull();
});

it("what passed says score, confidence and the judge's sentence", async () => {
  const { review, denial } = await reviewed(judgeAgent(gradient()));
  expect(denial).toBeNull();
  expect(review).toEqual({
    stage: "validators",
    name: "security-judge",
    outcome: "passed",
    score: 0.92,
    confidence: 0.88,
    sentence: "It reads one file of the project.",
    ms: expect.any(Number),
    is_online: false,
  });
});

it("a rejection tells the agent what the judge says; what the trail keeps of it is the gate's own words", async () => {
  const reasoning = "It writes Passwort: tr0ub4dor&3 into a file.";
  const { review, denial } = await reviewed(judgeAgent(gradient({ score: 0.1, reasoning })));
  expect(review).toMatchObject({ outcome: "rejected", score: 0.1, sentence: reasoning });
  expect(denial).toEqual({
    stage: "validators",
    reason: "security-judge rejected the call: its score 0.1 is below 0.7",
    explain: {
      rule: "validators.rejected",
      instead: `security-judge says: "${reasoning}"; change what the call does, not its wording, or let the user know what was refused`,
    },
  });
});

it("a judge without a word still leaves the agent something to do", async () => {
  const { denial } = await reviewed(judgeAgent(gradient({ score: 0, reasoning: " \n" })));
  expect(denial?.explain.instead).toBe(
    "change what the call does, not its wording, or let the user know what was refused",
  );
});

it("a judge's words are one bounded line of visible characters", async () => {
  const reasoning = `\u001b[2J\u202egnp.exe\u0000\n\nline two ${"💥 long ".repeat(1000)}`;
  const { review, denial, trace } = await reviewed(judgeAgent(gradient({ score: 0, reasoning })));
  expect(review.sentence).toMatch(/^\\u\{1b\}\[2J\\u\{202e\}gnp\.exe\\u\{0\} line two 💥/);
  expect([...review.sentence]).toHaveLength(400);
  for (const text of [review.sentence, denial?.explain.instead, trace]) {
    expect(text).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}]/u);
    expect(text?.length).toBeLessThan(1000);
  }
});

it("the trace has reasoning and signals, and no value of an argument", async () => {
  const signals = [
    { category: "read_only", score: 0.25, message: "No side effects" },
    { category: "Zugangsdaten", score: 0, message: "Writes tr0ub4dor&3 to /home/roberto/project/Zugangsdaten.txt" },
    ...new Array(10).fill({ category: "more", score: 1, message: "again" }),
  ];
  const { trace } = await reviewed(judgeAgent(gradient({ reasoning: "The Passwort: tr0ub4dor&3 leaks.", signals })));
  expect(trace).toContain("score 0.92, confidence 0.88; The <");
  expect(trace).toContain("read only 0.25: No side effects");
  expect(trace).toContain("4 more signals");
  for (const value of ["tr0ub4dor", "Zugangsdaten", "Passwort", "/home"]) expect(trace).not.toContain(value);
});

it.each([
  ["prose", "I would allow it, score 1.", "its answer isn't a JSON object, alone or in a code fence"],
  ["nothing", "", "its answer is empty"],
  ["score 2", gradient({ score: 2 }), "its answer has no valid score"],
  ["no confidence", gradient({ confidence: undefined }), "its answer has no valid confidence"],
  ["10 MB", "a".repeat(10_000_000), "its answer is longer than 65536 characters"],
])("an answer that can't be used is a rejection: %s", async (_name, answer, sentence) => {
  const { review, denial, trace } = await reviewed(judgeAgent(answer), { min_score: 0 });
  expect(review).toMatchObject({ outcome: "rejected", score: null, confidence: null, sentence });
  expect(trace).toBe(sentence);
  expect(denial).toEqual({
    stage: "validators",
    reason: "security-judge gave no usable answer, so the call is rejected",
    explain: {
      rule: "validators.unusable-answer",
      instead: `try it once more; if that fails too, tell the user that security-judge does not work: ${sentence}`,
    },
  });
});

it.each([
  ["an error", () => Promise.reject(new Error("the model is over its budget\u0007"))],
  [
    "an error that is thrown at once",
    () => {
      throw new Error("the model is over its budget\u0007");
    },
  ],
])("a judge agent that fails is a rejection: %s", async (_name, answer) => {
  const { review, denial } = await reviewed(judgeAgent(answer), { min_score: 0 });
  expect(review).toMatchObject({ outcome: "rejected", score: null, sentence: "the model is over its budget\\u{7}" });
  expect(denial?.reason).toBe("security-judge could not look at the call, so the call is rejected");
  expect(denial?.explain).toMatchObject({
    rule: "validators.failed",
    instead: expect.stringContaining("over its budget"),
  });
});

it("mounts that can't be found out are a failure of the judge agent, not of the gate", async () => {
  const agent = {
    ...judgeAgent(gradient()),
    mounts: () => {
      throw new Error("the folder is gone");
    },
  };
  expect((await reviewed(agent)).denial?.explain.rule).toBe("validators.failed");
  expect(agent.asked).toEqual([]);
});

it("a judge agent that doesn't answer in its time is aborted, and that is a rejection", async () => {
  let wasAborted = false;
  const agent = judgeAgent((signal) => never(signal).finally(() => (wasAborted = signal.aborted)));
  const { review, denial } = await reviewed(agent, { timeout_seconds: 0.1 });
  expect(wasAborted).toBe(true);
  expect(review).toMatchObject({ outcome: "rejected", sentence: "security-judge has not answered within 0.1 seconds" });
  expect(review.ms).toBeGreaterThanOrEqual(95);
  expect(denial).toMatchObject({
    reason: "security-judge did not answer in time, so the call is rejected",
    explain: { rule: "validators.timed-out" },
  });
});

it("an answer that comes after the time is over is none", async () => {
  const late = judgeAgent((signal) => never(signal).catch(() => gradient()));
  expect((await reviewed(late, { timeout_seconds: 0.1 })).denial?.explain.rule).toBe("validators.timed-out");
});

it("a judge agent that doesn't end when it is aborted is waited for only a second", async () => {
  const deaf = judgeAgent(() => new Promise(() => undefined));
  const start = performance.now();
  expect((await reviewed(deaf, { timeout_seconds: 0.1 })).denial?.explain.rule).toBe("validators.timed-out");
  const took = performance.now() - start;
  expect(took).toBeGreaterThan(1000);
  expect(took).toBeLessThan(5000);
});

it("an aborted review throws its reason, once the judge agent has ended", async () => {
  const outer = new AbortController();
  let hasEnded = false;
  const agent = judgeAgent((signal) => never(signal).finally(() => (hasEnded = true)));
  const review = reviewed(agent, {}, outer.signal);
  const reason = new Error("the user paused the gate");
  outer.abort(reason);
  await expect(review).rejects.toBe(reason);
  expect(hasEnded).toBe(true);
});

it("an aborted review throws its reason even where the judge agent answers all the same", async () => {
  const outer = new AbortController();
  const review = reviewed(
    judgeAgent((signal) => never(signal).catch(() => gradient())),
    {},
    outer.signal,
  );
  outer.abort("cancelled");
  await expect(review).rejects.toBe("cancelled");
});

it("where the review was aborted before it began, the judge agent isn't started", async () => {
  const agent = judgeAgent(gradient());
  await expect(reviewed(agent, {}, AbortSignal.abort("gone"))).rejects.toBe("gone");
  expect(agent.asked).toEqual([]);
});

it("looks at the calls that its `when` fits", () => {
  const agent = judgeAgent(gradient());
  const config = validatorConfigSchema.parse({ type: "semantic", judge_agent: agent.name, criteria: "safe?" });
  const of = (isConcerned: boolean) =>
    validatorOf(config, agent, {
      ...PARTS,
      isConcerned: (x, when) => x === CALL && when === config.when && isConcerned,
    });
  expect(of(true).concerns(CALL)).toBe(true);
  expect(of(false).concerns(CALL)).toBe(false);
});
