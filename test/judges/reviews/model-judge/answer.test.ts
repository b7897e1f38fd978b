import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isClearYes, readJudgeAnswer } from "../../../../main/judges/reviews/model-judge/answer.ts";

const GOOD = '{"score": 0.8, "reason": "It fits."}';
const READ = { score: 0.8, reason: "It fits." };

describe("a judge's answer", () => {
  it.each<[form: string, text: string, score: number, reason: string]>([
    ["alone", GOOD, 0.8, "It fits."],
    ["with blanks around it", `\n  ${GOOD}\n`, 0.8, "It fits."],
    ["in a code fence", `\`\`\`json\n${GOOD}\n\`\`\``, 0.8, "It fits."],
    ["in a fence, with prose around it", `Here it is:\n\`\`\`\n${GOOD}\n\`\`\`\nDone.`, 0.8, "It fits."],
    ["in prose", `I think ${GOOD} is right.`, 0.8, "It fits."],
    ["after thoughts", `<think>maybe {"score": 0.1}</think>\n${GOOD}`, 0.8, "It fits."],
    ["after other thoughts", `<Thinking>maybe {"score": 0.1}</Thinking>\n${GOOD}`, 0.8, "It fits."],
    ["twice the same", `${GOOD}\n${GOOD}`, 0.8, "It fits."],
    ["beside an object without a score", `{"note": 1} ${GOOD}`, 0.8, "It fits."],
    ["beside braces that are no JSON", `{so it is} ${GOOD}`, 0.8, "It fits."],
    ["with more keys", '{"score": 0.8, "reason": "It fits.", "confidence": {"score": 0}}', 0.8, "It fits."],
    ["without a reason", '{"score": 0.8}', 0.8, ""],
    ["with a reason that is no text", '{"score": 0.8, "reason": ["x"]}', 0.8, ""],
    ["0", '{"score": 0, "reason": "No."}', 0, "No."],
    ["-0", '{"score": -0, "reason": "No."}', 0, "No."],
    ["1", '{"score": 1, "reason": "Yes."}', 1, "Yes."],
    ["of braces within its reason", '{"score": 0.3, "reason": "a } and a { \\" b"}', 0.3, 'a } and a { " b'],
  ])("is read: %s", (_form, text, score, reason) => {
    const answer = readJudgeAnswer(text);
    expect(answer).toEqual({ score, reason });
    expect(Object.is(answer?.score, -0)).toBe(false);
  });

  it.each<[form: string, text: string]>([
    ["a numeric string", '{"score": "0.9", "reason": "x"}'],
    ["null", '{"score": null, "reason": "x"}'],
    ["true", '{"score": true, "reason": "x"}'],
    ["NaN", '{"score": NaN, "reason": "x"}'],
    ["more than 1", '{"score": 2, "reason": "x"}'],
    ["less than 0", '{"score": -0.1, "reason": "x"}'],
    ["infinite", '{"score": 1e400, "reason": "x"}'],
    ["no score", '{"reason": "x"}'],
    ["another case", '{"Score": 0.9}'],
    ["a score within another object only", '{"answer": {"score": 0.9}}'],
    ["a score named twice", '{"score": 0.1, "score": 0.9}'],
    ["a score named twice, once by an escape", '{"score": 0.1, "\\u0073core": 0.9}'],
    ["two objects that differ", '{"score": 0.1, "reason": "x"} {"score": 0.9, "reason": "x"}'],
    ["two objects of which one has an unusable score", `${GOOD} {"score": 2}`],
    ["the same score for another reason", `${GOOD} {"score": 0.8, "reason": "other"}`],
    ["a fence and another object after it", `\`\`\`json\n${GOOD}\n\`\`\`\n{"score": 0}`],
    ["half an object", '{"score": 0.9, "reason": "It fi'],
    ["half an object after a whole one", `${GOOD} {"score": 0`],
    ["an object in a text", '"{\\"score\\": 0.9}"'],
    ["a number alone", "0.9"],
    ["a list of numbers", "[0.9]"],
    ["prose", "It is fine, score 0.9."],
    ["nothing", ""],
    ["thoughts that don't end", `<think>it could be {"score": 0.9, "reason": "fine"}, but`],
    ["other thoughts that don't end", `<thinking>\n\`\`\`json\n${GOOD}\n\`\`\`\n`],
    ["a text that is too long", GOOD.padEnd(70_000)],
    ["braces and nothing else", "{".repeat(60_000)],
  ])("can't be read: %s", (_form, text) => {
    expect(readJudgeAnswer(text)).toBeNull();
  });

  it("a reason has at most 25 words, is never long, and shows what is hidden in it", () => {
    const words = Array.from({ length: 40 }, (_, index) => `w${index}`).join("\n");
    const answer = readJudgeAnswer(JSON.stringify({ score: 1, reason: words }));
    expect(answer?.reason).toBe(`${Array.from({ length: 25 }, (_, index) => `w${index}`).join(" ")}…`);
    expect(readJudgeAnswer(JSON.stringify({ score: 1, reason: "x".repeat(5000) }))?.reason.length).toBe(301);
    expect(readJudgeAnswer(JSON.stringify({ score: 1, reason: "a\u202eb\u001b[31m" }))?.reason).toBe(
      "a\\u{202e}b\\u{1b}[31m",
    );
  });

  it("ends in one of both states, whatever it is: 100,000 made of pieces of answers", { timeout: 60_000 }, () => {
    const piece = fc.oneof(
      fc.constantFrom("{", "}", "[", "]", '"', "\\", ":", ",", "```json\n", "```", "\n", "<think>", "</think>", " "),
      fc.constantFrom('"score"', '"score":', '"reason":', "0.8", "1", "2", "NaN", "null", '"0.9"', "-0", "1e400"),
      fc.constantFrom(GOOD, '{"score": 0.2}', '{"score": 2}', '{"reason": "x"}', "{}", "\u202e", "\ud800", "\0"),
      fc.string({ maxLength: 6 }),
    );
    const seen = { read: 0, failed: 0 };
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 7 }), (pieces) => {
        const text = pieces.join("");
        const answer = readJudgeAnswer(text);
        if (answer === null) {
          seen.failed++;
          return;
        }
        seen.read++;
        const { score, reason } = answer;
        if (!(Number.isFinite(score) && score >= 0 && score <= 1)) throw new Error(`score ${score}`);
        if (reason.split(/\s+/).length > 25 || reason.length > 6 * 301) throw new Error("a long reason");
        // Nothing is read that the text doesn't say.
        if (!/score/.test(text.replace(/\\u0*([0-9a-f]{2})/gi, "score"))) throw new Error("a score from nowhere");
      }),
      { numRuns: 100_000, seed: 16, endOnFailure: true },
    );
    expect(seen.read + seen.failed).toBe(100_000);
    expect(seen.read).toBeGreaterThan(1000);
    expect(seen.failed).toBeGreaterThan(1000);
  });

  it("is the same with any prose around it that has no braces", () => {
    const prose = fc.string({ maxLength: 40 }).filter((text) => !/[{}]/.test(text) && !text.includes("<think>"));
    fc.assert(
      fc.property(prose, prose, (before, after) => {
        expect(readJudgeAnswer(`${before}${GOOD}${after}`)).toEqual(READ);
      }),
      { numRuns: 1000, seed: 16 },
    );
  });
});

describe("the first, short question", () => {
  it.each(["allow", "Allow", " ALLOW.\n", '"allow"', "**allow**", "<think>hm</think>allow"])("is a yes: %s", (text) => {
    expect(isClearYes(text)).toBe(true);
  });
  it.each([
    "",
    "look",
    "allowed",
    "allow look",
    "don't allow",
    "allow, but",
    "yes",
    '{"score": 1}',
    "a\u200bllow",
    "allow".repeat(300),
  ])("isn't a clear yes: %s", (text) => {
    expect(isClearYes(text)).toBe(false);
  });
});
