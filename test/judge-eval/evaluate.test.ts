import { describe, expect, it } from "vitest";
import { evaluate, figuresOf } from "../../judge-eval/evaluate.ts";
import type { LabelledCall } from "../../judge-eval/labelled-call.ts";
import { ExecutorCatalog } from "../../main/decide/executors/catalog.ts";
import type { Reviewed, Reviewer } from "../../main/decide/stages/examination.ts";

const LIMITS = { atOnce: 3, threshold: 0.3 };
const catalog = new ExecutorCatalog();
const never = new AbortController().signal;

function call(id: string, label: LabelledCall["label"], change: Partial<LabelledCall> = {}): LabelledCall {
  const rest = { executor: "fs_read", args: { path: `/srv/${id}` }, context: {}, category: "test", reason: "" };
  return { id, intent: id, label, ...rest, ...change };
}

type Answer = "refuse" | "allow" | "fallback";

/** A judge that answers by the intent. */
function judge(answer: (intent: string, signal: AbortSignal) => Answer | Promise<Answer>): Reviewer {
  return {
    stage: "judge",
    name: "table",
    is_online: false,
    concerns: () => true,
    async review(x, signal): Promise<Reviewed> {
      const found = await answer(x.call.intent, signal);
      const review = {
        stage: "judge" as const,
        name: "table",
        confidence: null,
        sentence: found,
        ms: 10,
        is_online: false,
      };
      if (found === "fallback") return { review: { ...review, outcome: "fallback", score: 0.5 }, denial: null };
      if (found === "allow") return { review: { ...review, outcome: "passed", score: 0.9 }, denial: null };
      const denial = { stage: "judge" as const, reason: "no", explain: { rule: "judge.model-low-score" as const } };
      return { review: { ...review, outcome: "rejected", score: 0.1 }, denial };
    },
  };
}

describe("an evaluation", () => {
  it("counts a question without an answer as let through, as the gate does", async () => {
    const calls = [call("allow", "allow"), call("refuse", "refuse"), call("fallback", "refuse")];
    const { judged, endedEarly } = await evaluate(
      calls,
      judge((intent) => intent as Answer),
      catalog,
      LIMITS,
      never,
    );
    expect(endedEarly).toBeNull();
    expect(figuresOf(judged)).toMatchObject({
      judge: { true_positives: 1, false_negatives: 1, true_negatives: 1, false_positives: 0 },
      refuseEverything: { recall: { value: 1 }, precision: { hits: 2, of: 3 } },
      allowEverything: { precision: null, recall: { value: 0 } },
      fallbacks: 1,
      p50Ms: 10,
    });
  });

  it("measures the rules on the same calls, those that they deny included", async () => {
    const odd = { path: "/srv/../etc/hosts", "not a name": 1 };
    const calls = [call("one", "refuse", { args: odd }), call("two", "allow")];
    const limits = { ...LIMITS, threshold: 0.6 };
    const { judged } = await evaluate(
      calls,
      judge(() => "allow"),
      catalog,
      limits,
      never,
    );
    expect(figuresOf(judged)).toMatchObject({
      rules: { true_positives: 1, true_negatives: 1 },
      judge: { false_negatives: 1, true_negatives: 1 },
    });
  });

  it("asks nobody about what the guard denies, and counts it nowhere", async () => {
    const denied = call("guarded", "refuse", { executor: "Bash", args: { command: "rm -rf /" } });
    const asked: string[] = [];
    const watching = judge((intent) => {
      asked.push(intent);
      return "allow";
    });
    const result = await evaluate([denied, call("two", "allow")], watching, catalog, LIMITS, never);
    expect([asked, result.notAsked, result.judged.length]).toEqual([["two"], { guard: 1 }, 1]);
  });

  it("has no more than so many questions under way", async () => {
    let now = 0;
    let most = 0;
    const slow = judge(async () => {
      most = Math.max(most, ++now);
      await new Promise((resolve) => setImmediate(resolve));
      now--;
      return "allow" as const;
    });
    await evaluate(
      Array.from({ length: 20 }, (_, index) => call(`${index}`, "allow")),
      slow,
      catalog,
      LIMITS,
      never,
    );
    expect(most).toBe(3);
  });

  it("ends with what was judged so far when the user interrupts it", async () => {
    const interrupt = new AbortController();
    const hanging = judge((intent, signal) => {
      if (intent !== "hangs") return "allow";
      const hangs = new Promise<Answer>((_, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason), { once: true });
      });
      interrupt.abort(new Error("enough"));
      return hangs;
    });
    const calls = [call("one", "allow"), call("hangs", "allow"), call("three", "allow")];
    const limits = { ...LIMITS, atOnce: 1 };
    const { judged, endedEarly } = await evaluate(calls, hanging, catalog, limits, interrupt.signal);
    expect([judged.map(({ call }) => call.id), endedEarly]).toEqual([["one"], "interrupted"]);
  });

  it("ends when the model answers none of the first questions", async () => {
    const calls = Array.from({ length: 50 }, (_, index) => call(`${index}`, "allow"));
    const { judged, endedEarly } = await evaluate(
      calls,
      judge(() => "fallback"),
      catalog,
      LIMITS,
      never,
    );
    expect(endedEarly).toBe("unreachable");
    expect(judged.length).toBeLessThan(15);
  });
});
