import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { ModelBusy, ModelError } from "../../../../main/judges/reviews/judge-ports.ts";
import { JUDGE_ANSWER_SCHEMA } from "../../../../main/judges/reviews/model-judge/answer.ts";
import {
  type ModelJudgeParts,
  modelJudge,
  QUICK_SCORE,
} from "../../../../main/judges/reviews/model-judge/model-judge.ts";
import { JUDGE_SYSTEM, QUICK_SYSTEM } from "../../../../main/judges/reviews/model-judge/prompt.ts";
import { examinationOf, type Situation } from "../../../support/examinations.ts";
import { fakeModel, type Said, UNREACHABLE } from "../../../support/fake-model.ts";
import { tempFolder } from "../../../support/temp-folder.ts";

const GOOD = '{"score": 0.8, "reason": "It deletes what was asked for."}';
const BAD = '{"score": 0.2, "reason": "Nobody asked to delete anything."}';
const NOW_MS = 1_714_225_863_214;
const NEVER = new AbortController().signal;

const CALL: Situation = {
  executor: "Bash",
  args: { command: "rm -rf build" },
  intent: "clean up the build",
  context: { cwd: "/srv/shop" },
  session: "s1",
};

/** A judge whose model says this, and what it was asked. */
function judged(said: readonly Said[], parts: Partial<ModelJudgeParts> = {}) {
  const model = fakeModel(said, { timeoutMs: 10_000 });
  const judge = modelJudge({ model, threshold: 0.45, isConcerned: () => true, now: () => NOW_MS, ...parts });
  return {
    judge,
    model,
    review: (call: Situation = CALL, signal = NEVER) => judge.review(examinationOf(call), signal),
  };
}

describe("the model as judge", () => {
  it("passes what it scores at its threshold or above, in the words of the rules' verdict", async () => {
    const { review, judge } = judged([GOOD]);
    expect(await review()).toEqual({
      review: {
        stage: "judge",
        name: "small",
        outcome: "passed",
        score: 0.8,
        confidence: null,
        sentence: "It deletes what was asked for.",
        ms: expect.any(Number),
        is_online: false,
      },
      verdict: {
        approved: true,
        reason: "approved: score 0.80 (It deletes what was asked for.)",
        ts: NOW_MS / 1000,
        judge_kind: "llm-v1",
        score: 0.8,
        blocked_by: null,
      },
      denial: null,
    });
    expect([judge.stage, judge.name, judge.is_online]).toEqual(["judge", "small", false]);
  });

  it.each([
    [0.45, true],
    [0.4499, false],
    [0, false],
    [1, true],
  ])("a score of %d passes a threshold of 0.45: %s", async (score, passes) => {
    const { review } = judged([JSON.stringify({ score, reason: "" })]);
    const found = await review();
    expect(found.verdict?.approved).toBe(passes);
    expect(found.denial === null).toBe(passes);
  });

  it("denies what it scores below, and says what the agent can do instead", async () => {
    const { review } = judged([BAD]);
    const { denial, verdict, review: found } = await review();
    const reason = "judge: score 0.20 < threshold 0.45 (Nobody asked to delete anything.)";
    expect(found).toMatchObject({ outcome: "rejected", score: 0.2, sentence: "Nobody asked to delete anything." });
    expect(verdict).toMatchObject({ approved: false, blocked_by: "judge", reason });
    expect(denial).toEqual({
      stage: "judge",
      reason,
      explain: { rule: "judge.model-low-score", instead: expect.stringContaining("what the user asked for") },
      found: { verdict },
    });
  });

  it("gives no reason where the model gave none", async () => {
    expect((await judged(['{"score": 1}']).review()).verdict?.reason).toBe("approved: score 1.00");
  });

  it("asks once, in a conversation of its own, with its own instructions and the answer's schema", async () => {
    const { review, model } = judged([GOOD]);
    await review();
    expect(model.asked).toHaveLength(1);
    expect(model.asked[0]).toMatchObject({ system: JUDGE_SYSTEM, schema: JUDGE_ANSWER_SCHEMA, max_tokens: 512 });
    expect(model.asked[0]?.messages.map(({ role }) => role)).toEqual(["user"]);
    expect(model.asked[0]?.messages[0]?.text).toContain('intent: "clean up the build"');
  });

  it("sends an online model the arguments' names only, unless it is configured otherwise", async () => {
    const online = fakeModel([GOOD], { is_online: true });
    const { review, judge } = judged([], { model: online });
    expect((await review()).review.is_online).toBe(true);
    expect(judge.is_online).toBe(true);
    expect(online.asked[0]?.messages[0]?.text).toContain('args: ["command"]');
    expect(JSON.stringify(online.asked)).not.toContain("rm -rf build");
    const full = fakeModel([GOOD], { is_online: true });
    await judged([], { model: full, send: "full" }).review();
    expect(JSON.stringify(full.asked)).toContain("rm -rf build");
  });

  it("looks at the calls that concern it, and at none while its model's budget is used up", () => {
    const x = examinationOf(CALL);
    const { judge, model } = judged([GOOD]);
    expect(judge.concerns(x)).toBe(true);
    model.problem = "over-budget";
    expect(judge.concerns(x)).toBe(false);
    model.problem = "breaker-open";
    expect(judge.concerns(x)).toBe(true);
    expect(judged([GOOD], { isConcerned: () => false }).judge.concerns(x)).toBe(false);
  });
});

describe("a judge that can't answer", () => {
  it.each<[what: string, parts: Partial<ModelJudgeParts>, said: Said[], sentence: string]>([
    ["an answer that can't be read", {}, ["I would say yes."], "llm-judge fallback (parse fail)"],
    ["no model", { model: null }, [], "llm-judge fallback (router missing)"],
    ["a model that isn't reached", {}, [UNREACHABLE], "llm-judge fallback (chat failed)"],
    ["an unexpected error", {}, [new Error("socket hang up")], "llm-judge fallback (chat failed)"],
  ])("gives 0.5, which passes, and says so: %s", async (_what, parts, said, sentence) => {
    const { review } = judged(said, parts);
    const found = await review();
    expect(found.review).toMatchObject({ outcome: "fallback", score: 0.5, sentence, confidence: null });
    expect(found.verdict).toEqual({
      approved: true,
      reason: `approved: score 0.50 (${sentence})`,
      ts: NOW_MS / 1000,
      judge_kind: "llm-v1",
      score: 0.5,
      blocked_by: null,
      degraded: true,
    });
    expect(found.denial).toBeNull();
  });

  it("denies with a threshold above 0.5, and says that it could not be asked", async () => {
    const { review } = judged([UNREACHABLE], { threshold: 0.6 });
    const { denial, verdict, review: found } = await review();
    expect(found.outcome).toBe("fallback");
    expect(verdict).toMatchObject({ approved: false, degraded: true, blocked_by: "judge" });
    expect(denial?.reason).toBe("judge: score 0.50 < threshold 0.60 (llm-judge fallback (chat failed))");
    expect(denial?.explain.instead).toContain("try again later");
  });

  it("is named after its kind where there is no model", () => {
    expect(judged([], { model: null }).judge.name).toBe("llm-v1");
  });

  it("doesn't answer within its model's time: the fallback, and the model itself knows that it took too long", async () => {
    const model = fakeModel(["hangs"], { timeoutMs: 20 });
    const { review } = judged([], { model });
    expect((await review()).review.sentence).toBe("llm-judge fallback (chat failed)");
    expect(model.signals[0]?.aborted).toBe(false);
  });

  it("leaves the rules' verdict where the budget was used up just then", async () => {
    const { review } = judged([new ModelError("over-budget", "no calls are left today")]);
    const found = await review();
    expect(found.verdict).toBeUndefined();
    expect(found.denial).toBeNull();
    expect(found.review.outcome).toBe("fallback");
  });

  it("knows less where the gate can't read what was before, and judges all the same", async () => {
    const failed = vi.fn();
    const history = {
      of: () => {
        throw new Error("disk I/O error");
      },
    };
    const { review, model } = judged([GOOD], { history, failed });
    expect((await review()).review.outcome).toBe("passed");
    expect(model.asked[0]?.messages[0]?.text).not.toContain("history:");
    expect(failed).toHaveBeenCalledOnce();
  });
});

describe("a review that is aborted", () => {
  it("throws the signal's reason, and nothing is asked any more", async () => {
    const abort = new AbortController();
    const { review, model } = judged(["hangs"]);
    const pending = review(CALL, abort.signal);
    const reason = new Error("the agent has gone");
    abort.abort(reason);
    await expect(pending).rejects.toBe(reason);
    expect(model.signals[0]?.aborted).toBe(true);
  });

  it("isn't begun where the signal was aborted before", async () => {
    const { review, model } = judged([GOOD]);
    await expect(review(CALL, AbortSignal.abort("paused"))).rejects.toBe("paused");
    expect(model.asked).toEqual([]);
  });
});

describe("two stages", () => {
  const two = { stage1_max_tokens: 4 };

  it("a clear yes to the short question passes, with a score that says so", async () => {
    const { review, model } = judged(["allow"], two);
    const found = await review();
    expect(found.review).toMatchObject({ outcome: "passed", score: QUICK_SCORE });
    expect(found.verdict?.reason).toBe("approved: score 0.90 (clearly fits, at a first look)");
    expect(model.asked).toHaveLength(1);
    expect(model.asked[0]).toMatchObject({ system: QUICK_SYSTEM, max_tokens: 4 });
    expect(model.asked[0]?.schema).toBeUndefined();
  });

  it.each<[Said]>([["look"], ["I can't allow this"], [""], ["\u0000"], [new ModelError("malformed", "no text")]])(
    "anything else asks the long question: %s",
    async (said) => {
      const { review, model } = judged([said, BAD], two);
      expect((await review()).review).toMatchObject({ outcome: "rejected", score: 0.2 });
      expect(model.asked.map(({ system }) => system)).toEqual([QUICK_SYSTEM, JUDGE_SYSTEM]);
    },
  );

  it("a model that isn't reached isn't asked twice", async () => {
    const { review, model } = judged([UNREACHABLE, GOOD], two);
    expect((await review()).review.sentence).toBe("llm-judge fallback (chat failed)");
    expect(model.asked).toHaveLength(1);
  });

  it("take the model's time together: the second has what the first has left", async () => {
    vi.useFakeTimers();
    onTestFinished(() => {
      vi.useRealTimers();
    });
    const model = fakeModel(["look", "hangs"], { timeoutMs: 10_000 });
    const ask = model.ask;
    model.ask = async (question, signal) => {
      const isFirst = model.asked.length === 0;
      if (isFirst) await new Promise((resolve) => setTimeout(resolve, 8000));
      return ask(question, signal);
    };
    const { review } = judged([], { ...two, model });
    const pending = review();
    await vi.advanceTimersByTimeAsync(9990);
    expect(model.signals.map(({ aborted }) => aborted)).toEqual([false, false]);
    await vi.advanceTimersByTimeAsync(10);
    expect(model.signals.map(({ aborted }) => aborted)).toEqual([false, true]);
    expect((await pending).review).toMatchObject({ outcome: "fallback", sentence: "llm-judge fallback (chat failed)" });
  });
});

it("a call that wasn't judged as too many others were is denied: it doesn't pass unseen", async () => {
  const { review, model } = judged([new ModelBusy(), GOOD]);
  expect(await review()).toMatchObject({
    review: { outcome: "rejected", score: null },
    denial: { stage: "judge", explain: { rule: "judge.too-many-at-once" } },
  });
  expect((await review()).review.outcome).toBe("passed");
  expect(model.asked.map(({ asked_for }) => asked_for)).toEqual(["claude", "claude"]);
});

describe("an answer of the last ten minutes", () => {
  it("counts for the same call, at once and with its sentence", async () => {
    const { review, model } = judged([BAD, GOOD]);
    await review();
    const again = await review();
    expect(model.asked).toHaveLength(1);
    expect(again.review).toMatchObject({
      outcome: "rejected",
      score: 0.2,
      sentence: "Nobody asked to delete anything.",
      ms: 0,
    });
  });

  it.each<[what: string, other: Situation]>([
    ["another command", { ...CALL, args: { command: "rm -rf dist" } }],
    ["another intent", { ...CALL, intent: "something else" }],
    ["another folder", { ...CALL, context: { cwd: "/srv/other" } }],
    ["another session", { ...CALL, session: "s2" }],
    ["another executor", { ...CALL, executor: "shell_exec" }],
    ["another mode", { ...CALL, context: { cwd: "/srv/shop", mode: "plan" } }],
  ])("doesn't count for %s", async (_what, other) => {
    const { review, model } = judged([GOOD]);
    await review();
    await review(other);
    expect(model.asked).toHaveLength(2);
  });

  it("doesn't count once a script that the call runs is another one, nor where it isn't known", async () => {
    const cwd = tempFolder();
    const script = join(cwd, "x.sh");
    writeFileSync(script, "echo 1\n");
    const { review, model } = judged([GOOD]);
    const call = { ...CALL, args: { command: "bash x.sh" }, context: { cwd } };
    await review(call);
    await review(call);
    expect(model.asked).toHaveLength(1);
    writeFileSync(script, "echo 2\n");
    await review(call);
    expect(model.asked).toHaveLength(2);
    rmSync(script);
    await review(call);
    await review(call);
    expect(model.asked).toHaveLength(4);
  });

  it("doesn't count once a file that it changes is another", async () => {
    const cwd = tempFolder();
    const call: Situation = {
      executor: "fs_write",
      args: { path: join(cwd, "a.txt"), content: "new\n" },
      session: "s1",
    };
    const { review, model } = judged([GOOD]);
    await review(call);
    await review(call);
    expect(model.asked).toHaveLength(1);
    writeFileSync(join(cwd, "a.txt"), "what is to be kept\n");
    await review(call);
    expect(model.asked).toHaveLength(2);
  });

  it("doesn't count afterwards, nor before a clock that was set back", async () => {
    const time = { now: NOW_MS };
    const { review, model } = judged([GOOD], { now: () => time.now });
    await review();
    time.now += 599_000;
    await review();
    expect(model.asked).toHaveLength(1);
    time.now += 1_000;
    await review();
    expect(model.asked).toHaveLength(2);
    time.now -= 60_000;
    await review();
    expect(model.asked).toHaveLength(3);
  });

  it("is a real one: a fallback is asked for again", async () => {
    const { review, model } = judged([UNREACHABLE, GOOD]);
    await review();
    expect((await review()).review.outcome).toBe("passed");
    expect(model.asked).toHaveLength(2);
  });
});
