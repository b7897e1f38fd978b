import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { Seeded } from "../../../../fuzz/seeded.ts";
import {
  MAX_OUTPUT,
  OUTPUT_PROBLEMS,
  problemText,
  readGradientResult,
} from "../../../../main/judges/reviews/validators/gradient-result.ts";

const RESULT = '{"score": 0.92, "confidence": 0.88, "reasoning": "It is in the project."}';
const READ = {
  result: { score: 0.92, confidence: 0.88, reasoning: "It is in the project.", signals: [], metadata: {} },
};
const changed = (change: Record<string, unknown>) => JSON.stringify({ ...JSON.parse(RESULT), ...change });
const without = (key: string) => changed({ [key]: undefined });
const fenced = (text: string, language = "json") => `\`\`\`${language}\n${text}\n\`\`\``;

const READABLE: [string, string][] = [
  ["the object alone", RESULT],
  ["blanks and a byte order mark around it", `\uFEFF\n  ${RESULT}\r\n`],
  ["a fence", fenced(RESULT)],
  ["a fence without a language", fenced(RESULT, "")],
  ["a fence with Windows' line ends", fenced(RESULT).replaceAll("\n", "\r\n")],
  ["prose around a fence", `I looked at it.\n\n${fenced(RESULT)}\n\nThat is all.`],
  ["thoughts before it", `<think>\n${fenced(changed({ score: 0 }))}\n</think>\n${RESULT}`],
  ["a second fence with something else", `${fenced(RESULT)}\n${fenced("npm test", "sh")}`],
];

it.each(READABLE)("is read: %s", (_name, output) => {
  expect(readGradientResult(output)).toEqual(READ);
});

it("is read: whole numbers, signals, metadata, and keys that nobody knows, which are left out", () => {
  const signals = [{ category: "read_only", score: 1, message: "No side effects expected" }];
  const output = changed({ score: 1, confidence: 0, signals, metadata: { policy: "allow" }, verdict: "yes" });
  expect(readGradientResult(output)).toEqual({
    result: { score: 1, confidence: 0, reasoning: "It is in the project.", signals, metadata: { policy: "allow" } },
  });
});

it("is read: a fence that is quoted in the reasoning", () => {
  const reasoning = "```json\n{}\n```";
  expect(readGradientResult(changed({ reasoning }))).toMatchObject({ result: { reasoning } });
});

const UNUSABLE: [string, string, string][] = [
  ["nothing", "", "empty"],
  ["blanks", " \n\t", "empty"],
  ["10 MB", RESULT + " ".repeat(10_000_000), "too-long"],
  ["prose around it without a fence", `Here it is: ${RESULT}`, "no-object"],
  ["prose after it", `${RESULT}\nI hope that helps.`, "no-object"],
  ["two objects", `${RESULT}\n${RESULT}`, "no-object"],
  ["two objects in a fence", fenced(`${RESULT}\n${RESULT}`), "no-object"],
  ["half of it", RESULT.slice(0, 40), "no-object"],
  ["a fence that isn't closed", `\`\`\`json\n${RESULT}`, "no-object"],
  ["a draft in thoughts that don't end", `<think>\n${fenced(RESULT)}\nbut it`, "no-object"],
  ["a draft in thoughts, and no result", `<think>\n${fenced(RESULT)}\n</think>\nno`, "no-object"],
  ["a list", `[${RESULT}]`, "no-object"],
  ["a text", JSON.stringify(RESULT), "no-object"],
  ["null", "null", "no-object"],
  ["NaN, which is no JSON", RESULT.replace("0.92", "NaN"), "no-object"],
  ["Infinity, which is no JSON", RESULT.replace("0.92", "Infinity"), "no-object"],
  ["brackets, a whole output full", "[".repeat(MAX_OUTPUT), "no-object"],
  ["two fences, each with a result", `${fenced(RESULT)}\n${fenced(changed({ score: 0 }))}`, "several-results"],
  ["a result after the fence", `${fenced(RESULT)}\n${changed({ score: 0 })}`, "several-results"],
  ["a result before the fence", `${changed({ score: 0 })}\n${fenced(RESULT)}`, "several-results"],
  ["a score twice", `{"score": 0, ${RESULT.slice(1)}`, "several-results"],
  ["a score twice, once spelled with an escape", `{"\\u0073core": 0, ${RESULT.slice(1)}`, "several-results"],
];

it.each(UNUSABLE)("is refused: %s", (_name, output, problem) => {
  expect(readGradientResult(output)).toEqual({ problem });
});

const WRONG: [string, string, string][] = [
  ["score 2", changed({ score: 2 }), "score"],
  ["score below 0", changed({ score: -0.1 }), "score"],
  ["score as a text", changed({ score: "0.9" }), "score"],
  ["score null", changed({ score: null }), "score"],
  ["score true", changed({ score: true }), "score"],
  ["no score", without("score"), "score"],
  ["a number too large for any score", RESULT.replace("0.92", "1e999"), "score"],
  ["no confidence", without("confidence"), "confidence"],
  ["confidence 1.01", changed({ confidence: 1.01 }), "confidence"],
  ["no reasoning", without("reasoning"), "reasoning"],
  ["reasoning as a list", changed({ reasoning: ["a"] }), "reasoning"],
  ["reasoning that is a book", changed({ reasoning: "a".repeat(16_385) }), "reasoning"],
  ["signals as an object", changed({ signals: {} }), "signals"],
  ["a signal without a score", changed({ signals: [{ category: "a", message: "b" }] }), "signals"],
  ["65 signals", changed({ signals: new Array(65).fill({ category: "a", score: 0, message: "" }) }), "signals"],
  ["metadata as a text", changed({ metadata: "none" }), "metadata"],
  ["an error of the judge's own", '{"error": "overloaded"}', "score"],
];

it.each(WRONG)("has the wrong shape: %s", (_name, output, key) => {
  expect(readGradientResult(output)).toEqual({ problem: "wrong-shape", key });
  expect(problemText({ problem: "wrong-shape", key })).toBe(`has no valid ${key}`);
});

// biome-ignore format: a table
const PIECES = [
  RESULT, changed({ score: 2 }), changed({ score: "1" }), "```json\n", "\n```", "```", "\n", "{", "}", "[", "]", '"score"', ":", ",",
  "0.9", "1e999", "-1", "null", "true", '"', "\\", "\\u0000", "\u202e", "\ud800", " ", "Sure! ", "NaN", '"confidence": 1', '"reasoning": ""',
  '"__proto__": {}', '"signals": []', '"metadata": {}', "\uFEFF", "\r\n",
];

/** An answer that is glued of pieces and broken at random. */
function fuzzed(random: Seeded): string {
  let text = random.chance(0.5) ? RESULT : "";
  for (let count = random.below(8); count > 0; count--) {
    const at = random.below(text.length + 1);
    text = text.slice(0, at) + random.pick(PIECES) + text.slice(at + (random.chance(0.3) ? random.below(10) : 0));
  }
  return random.chance(0.2) ? fenced(text) : text;
}

it("100,000 fuzzed outputs each end in a result within its bounds or in a documented problem", () => {
  const random = new Seeded(16);
  const seen = new Map<string, number>();
  for (let index = 0; index < 100_000; index++) {
    const output = fuzzed(random);
    const read = readGradientResult(output);
    const state = "problem" in read ? read.problem : "result";
    seen.set(state, (seen.get(state) ?? 0) + 1);
    if ("problem" in read) {
      if (!OUTPUT_PROBLEMS.includes(read.problem)) expect(output).toBe("in a documented state");
      continue;
    }
    const { score, confidence } = read.result;
    if (!(score >= 0 && score <= 1 && confidence >= 0 && confidence <= 1)) expect(output).toBe("within the bounds");
  }
  expect([...seen.keys()].sort()).toEqual(["empty", "no-object", "result", "several-results", "wrong-shape"]);
  expect(seen.get("result")).toBeGreaterThan(1000);
});

it("is read in time that grows with its length only: fences and braces without end", () => {
  const hostile = ["```a\n", "```\n", '{"score":', '"score"', '"\\', "{", '```json\n{"score"  '];
  const start = process.cpuUsage();
  for (const piece of hostile) readGradientResult(piece.repeat(Math.floor(MAX_OUTPUT / piece.length)));
  const { user, system } = process.cpuUsage(start);
  expect((user + system) / 1000).toBeLessThan(1000);
});

it("what is wrong is said without a word of the output", () => {
  for (const problem of OUTPUT_PROBLEMS) expect(problemText({ problem })).toMatch(/^(is|isn't|has) [a-zA-Z0-9 ,]+$/);
  expect(problemText({ problem: "wrong-shape", key: "rm -rf /" })).toBe("is no valid result");
});

it("the problems are those of the document", () => {
  const file = new URL("../../../../docs/decisions/requirements-validators.md", import.meta.url);
  const [, table = ""] = readFileSync(file, "utf8").split("| problem | the output is |");
  expect([...table.matchAll(/^\| `([a-z-]+)` \|/gm)].map(([, name]) => name)).toEqual([...OUTPUT_PROBLEMS]);
  expect(table).toContain(`longer than ${MAX_OUTPUT} characters`);
});

it("the document's example of a result is read", () => {
  const file = new URL("../../../../docs/decisions/requirements-validators.md", import.meta.url);
  expect(readGradientResult(readFileSync(file, "utf8"))).toMatchObject({ result: { score: 0.92, confidence: 0.88 } });
});
