import { describe, expect, it, test } from "vitest";
import { judgeChecks } from "../../cli/doctor-checks.ts";
import { judgeStatusLines, judgeTestLines, refusedCallLines, reviewLines } from "../../cli/judge-lines.ts";
import { type JudgeTest, MODEL_PROBLEMS } from "../../ipc/contract/judges.ts";
import { LANGUAGES } from "../../ipc/contract/language.ts";
import { REVIEW_OUTCOMES } from "../../ipc/contract/review.ts";
import {
  agentGotText,
  costText,
  judgesSaid,
  measuredText,
  modelProblemText,
  modelUseText,
  reviewText,
} from "../../ipc/words/judge-words.ts";
import type { ReviewConfig } from "../../main/decide/reviews/config.ts";
import { WORKING_BOX } from "../support/box-status.ts";
import { runGate } from "../support/gate-process.ts";
import { guardRefusal, judgeStatus, modelStatus, refusedCall, review } from "../support/judge-views.ts";
import { HeldJudge, judgedBy } from "../support/judged-calls.ts";
import { startGate } from "../support/running-gate.ts";
import { temporaryHome } from "../support/temporary-home.ts";

const TESTED: JudgeTest = {
  name: "haiku",
  ok: true,
  problem: null,
  sentence: "It lists\na folder.",
  score: 0.9,
  ms: 812,
  cost: 0.00042,
  input_tokens: 345,
  output_tokens: 40,
};

describe("the words about judges", () => {
  it("each problem and outcome has its own words, in each language", () => {
    const said = LANGUAGES.flatMap((language) => [
      ...MODEL_PROBLEMS.filter((problem) => problem !== "malformed").map((one) => modelProblemText(one, language)),
      ...REVIEW_OUTCOMES.map((outcome) => reviewText(review({ outcome, sentence: `${language} why` }), language)),
    ]);
    expect(new Set(said).size).toBe(said.length);
    expect(said.filter((text) => text === "" || text.endsWith("."))).toEqual([]);
  });

  it("each fallback is said in words, and a sentence that isn't known as it is", () => {
    for (const language of LANGUAGES) {
      const texts = ["parse fail", "router missing", "chat failed"].map((why) =>
        reviewText(review({ outcome: "fallback", sentence: `llm-judge fallback (${why})` }), language),
      );
      expect(new Set(texts).size).toBe(3);
      expect(texts.join()).not.toContain("fallback");
    }
    expect(reviewText(review({ outcome: "fallback", sentence: "else" }), "en")).toBe(
      "The judge could not be asked: else",
    );
  });

  it("what a card says comes once: of a model that doubts it, its sentence alone", () => {
    const judge = { score: 0.46, reason: "score 0.46: odd" };
    expect(judgesSaid({ judge, reviews: [review({ sentence: "odd" })] }, "en")).toEqual([
      { text: "Judge local-8b: odd", isDoubt: false },
    ]);
    expect(judgesSaid({ judge, reviews: [] }, "en")).toEqual([
      { text: "The judge doubts it: score 0.46: odd", isDoubt: true },
    ]);
    const degraded = { score: 0.5, reason: "llm-judge fallback (chat failed)", degraded: true as const };
    expect(judgesSaid({ judge: degraded, reviews: [] }, "it")).toHaveLength(1);
    expect(judgesSaid({ judge: { score: 0.9, reason: "fits" }, reviews: [review({ sentence: " " })] }, "en")).toEqual(
      [],
    );
  });

  it("what the agent got is said without repeating the judge's sentence", () => {
    const rejected = review({ name: "reviewer", outcome: "rejected", sentence: "It publishes." });
    const got = (instead: string) => agentGotText({ review: rejected, instead }, "en");
    expect(got('reviewer says: "It publishes."; change the call, or ask the user')).toBe(
      "The agent got the same, and: change the call, or ask the user",
    );
    expect(got("It publishes.")).toBe("The agent got: It publishes.");
    expect(got("ask the user")).toBe("The agent got: ask the user");
    expect(got(" ")).toBe(null);
  });

  it("a sentence of any length is shortened", () => {
    expect(reviewText(review({ sentence: "x".repeat(100_000) }), "en").length).toBeLessThan(400);
  });

  it("the use of a day names each limit that there is, and no cost where nothing costs", () => {
    const free = { calls_today: 1, calls_per_day: null, cost_today: 0, cost_per_day: null };
    expect(modelUseText(free, "en")).toBe("1 call today");
    expect(
      modelUseText({ ...free, calls_today: 12, calls_per_day: 100, cost_today: 0.02, cost_per_day: 0.5 }, "en"),
    ).toBe("12 of 100 calls, 0.02 of 0.50 today");
    expect(modelUseText({ ...free, calls_today: 12, cost_today: 1.5 }, "it")).toBe("oggi 12 chiamate, 1,50 spesi");
    expect([0, 0.00042, 12].map((cost) => costText(cost, "en"))).toEqual(["0.00", "0.00042", "12.00"]);
  });

  it("how good a model is as a judge is said only where it was measured", () => {
    const { measured } = modelStatus();
    if (measured === null) throw new Error("it is measured");
    expect(measuredText(measured, "en")).toBe("measured on ours (150 calls, 2026-11-22): precision 0.91, recall 0.84");
    const part = { ...measured, calls: 20, fallbacks: 3, precision: null };
    expect(measuredText(part, "it")).toBe(
      "misurato su ours (20 di 150 chiamate, 3 senza risposta, 2026-11-22): precisione -, richiamo 0,84",
    );
    expect(measuredText(null, "en")).toContain("not measured");
  });
});

describe("judge status", () => {
  it("says kind, models with their use and their problem, validators and judge agents", () => {
    const over = modelStatus({
      name: "haiku",
      host: "api.example.com",
      is_online: true,
      problem: "over-budget",
      measured: null,
    });
    const status = judgeStatus({ kind_now: "rule-based-v1", model: "haiku", models: [modelStatus(), over] });
    expect(judgeStatusLines(status)).toEqual([
      "judge: llm-v1 by haiku, now rule-based-v1; a score below 0.3 is denied",
      "model local-8b: qwen3:8b at 127.0.0.1:11434",
      "  no problem known; 12 of 100 calls, 0.02 of 0.50 today",
      "  measured on ours (150 calls, 2026-11-22): precision 0.91, recall 0.84",
      "model haiku: qwen3:8b at api.example.com, another machine",
      "  can't be asked: its budget for today is used up; 12 of 100 calls, 0.02 of 0.50 today",
      "  not measured: how good it is as a judge is unknown",
      "validator 1: reviewer, score at least 0.7: Nothing is published.",
      "judge agent reviewer: the model local-8b",
      expect.stringMatching(/^you may allow once what a judge refused: .*judge refusals$/),
    ]);
    expect(judgeStatusLines(judgeStatus({ model: null, models: [] }))[1]).toContain("no model is set in [judge]");
  });
});

describe("judge test", () => {
  it("is one line: whether it works, how long it took, what it cost, and who asked", () => {
    expect(judgeTestLines(TESTED, false)).toEqual([
      "haiku works: 812 ms, cost 0.00042 (345 tokens there, 40 back); score 0.90: It lists a folder.",
    ]);
    const failed = {
      ...TESTED,
      ok: false,
      problem: "key-missing",
      sentence: "KEY isn't set",
      score: null,
      cost: 0,
      ms: 1,
    };
    const unknown = { ...failed, input_tokens: null, output_tokens: null } as JudgeTest;
    expect(judgeTestLines(unknown, true)).toEqual([
      "haiku does not work: KEY isn't set; 1 ms, cost 0.00; asked from here, as no gate is running",
      "  set the variable of key_env where the gate is started, or write the file of key_file (0600)",
    ]);
  });
});

describe("judge refusals", () => {
  const now = Date.parse(refusedCall().refused_at) + 60_000;

  const hostile = refusedCall({
    id: "d2d2d2d2-0000",
    can_override: false,
    overridden_at: new Date(now).toISOString(),
    review: review({ outcome: "rejected", sentence: "no\u202e\u001b[2J\nyes" }),
  });

  it("say in full what was refused, by whom and why, and how it is allowed once", () => {
    const { id } = refusedCall();
    expect(refusedCallLines([refusedCall(), hostile], now, 200)).toEqual([
      expect.stringMatching(/: run npm test && git push --force origin main/),
      "  Refused by reviewer: It rewrites the history of main, and nobody asked for that.",
      expect.stringMatching(new RegExp(`^  to allow it once: .*judge override ${id.slice(0, 6)}$`)),
      expect.stringMatching(/^d2d2d2 /),
      expect.stringContaining("no\\u{202e}\\u{1b}[2J yes"),
      "  you allowed it once",
    ]);
  });

  it("say what is possible where nobody can allow it, with the command that does it", () => {
    const byLevel = guardRefusal({ stage: "policy", rule: "policy.level-denies" });
    const byRules = guardRefusal({ stage: "judge", rule: "judge.low-score", notes: ["judge.path-traversal"] });
    const lines = [guardRefusal(), byLevel, byRules].map((one) => refusedCallLines([one], now, 200).slice(1));
    expect(lines).toEqual([
      [
        "  Refused by the guard: a command that leaves no way back",
        "  Nothing overrides the guard: what you want done, do yourself in a terminal",
      ],
      [
        "  Refused by the policy: the agent's level doesn't allow it",
        expect.stringMatching(/: .*agents level claude-code Supervised$/),
      ],
      [
        "  Refused by the judge's rules: the judge's score is below its threshold (a path goes up by '..')",
        expect.stringContaining("threshold in [judge]"),
      ],
    ]);
  });

  it("are never wider than the terminal, and lose no word", () => {
    const lines = refusedCallLines([refusedCall()], now, 40);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(40);
    expect(lines.map((line) => line.trim()).join(" ")).toContain("and nobody asked for that.");
  });
});

test("explain --review has a line for each judge that was asked, with its figures", () => {
  const fallback = review({ outcome: "fallback", score: 0.5, sentence: "llm-judge fallback (chat failed)" });
  const validator = review({ stage: "validators", name: "b", outcome: "not_run", sentence: "" });
  expect(reviewLines([review({ sentence: "Fine." }), fallback, validator])).toEqual([
    "Judge local-8b: Fine. (score 0.82, 412 ms)",
    "The judge could not be asked: its model didn't answer (score 0.50, 412 ms)",
  ]);
});

describe("doctor", () => {
  const program = (command: string): ReviewConfig =>
    ({ judge_agents: { reviewer: { kind: "command", command: [command], hosts: [] } } }) as never;
  const failed = (checks: ReturnType<typeof judgeChecks>) => checks.filter(({ ok }) => !ok).map(({ check }) => check);

  it("passes where all can be asked, and where the rules alone judge", () => {
    expect(judgeChecks(judgeStatus(), undefined, WORKING_BOX).map(({ ok }) => ok)).toEqual([true, true]);
    const rules = judgeStatus({ kind: "rule-based-v1", model: null, models: [], validators: [], judge_agents: [] });
    expect(judgeChecks(rules, undefined, WORKING_BOX)).toEqual([{ check: "judge", ok: true, detail: "rule-based-v1" }]);
  });

  it("fails for a judge without a model, or whose model can't be asked, with what to do", () => {
    const none = judgeStatus({ model: null, models: [], validators: [] });
    expect(failed(judgeChecks(none, undefined, WORKING_BOX))).toEqual(["judge"]);
    for (const problem of MODEL_PROBLEMS) {
      const checks = judgeChecks(judgeStatus({ models: [modelStatus({ problem })] }), undefined, WORKING_BOX);
      expect(failed(checks)).toEqual(["judge", "judge agent reviewer"]);
      expect(checks.every(({ fix }) => fix !== undefined && fix.length > 10)).toBe(true);
    }
  });

  it("fails for a validator's judge agent whose program isn't there, or that has no box", () => {
    const status = judgeStatus({ judge_agents: [{ name: "reviewer", kind: "command", model: null }] });
    expect(failed(judgeChecks(status, program("/nowhere/at-all"), WORKING_BOX))).toEqual(["judge agent reviewer"]);
    expect(failed(judgeChecks(status, program(process.execPath), WORKING_BOX))).toEqual([]);
    const noBox = { ...WORKING_BOX, is_available: false };
    expect(failed(judgeChecks(status, program(process.execPath), noBox))).toEqual(["judge agent reviewer"]);
  });
});

describe("a gate with a judge", () => {
  it("logs by which judge and rule a call was refused, and nothing of what it said", async () => {
    const gate = await startGate();
    const judge = new HeldJudge("reviewer");
    judgedBy(gate.gate.core, judge);
    const agent = await gate.agent("tester", "Full");
    const answered = agent.ask({ executor: "Bash", args: { command: "make" } });
    (await judge.reviewing(1)).reject("secret-of-the-call");
    await answered;
    const line = await gate.logged(/^denied tester Bash /);
    expect(line).toMatch(/ validators [0-9a-f-]+ refused by reviewer: validators\.rejected$/);
    expect(gate.log.join("\n")).not.toContain("secret-of-the-call");
  });
});

test("without a running gate what a gate alone knows says so, with the exit code for it", async () => {
  const home = temporaryHome();
  for (const words of [
    ["judge", "status"],
    ["judge", "refusals"],
    ["explain", "--review", "{}"],
  ]) {
    const { code, stdout, stderr } = await runGate(home, words);
    expect([words, code, stdout]).toEqual([words, 3, ""]);
    expect(stderr).toContain("no gate is running");
  }
});
