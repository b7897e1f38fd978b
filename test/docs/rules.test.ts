import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { decisionSchema, judgeNotesSchema } from "../../ipc/contract/decision.ts";
import { LANGUAGES } from "../../ipc/contract/language.ts";
import { JUDGE_NOTES, RULES } from "../../ipc/contract/rules.ts";
import { NOTE_WORDS, RULE_WORDS } from "../../ipc/words/rule-words.ts";

const ROOT = new URL("../../", import.meta.url).pathname;
const TEXT = readFileSync(`${ROOT}docs/protocol.md`, "utf8");

/** The names in the first column of the table below this line, in its order, and whether each has a sentence. */
function documented(heading: string): { name: string; isExplained: boolean }[] {
  const [, rest = ""] = TEXT.split(`| ${heading} |`);
  const rows = rest.split("\n").slice(2);
  return rows.slice(0, rows.indexOf("")).map((row) => {
    const [, name = "", sentence = ""] = /^\| `([^`]+)` \| (.*) \|$/.exec(row) ?? [];
    return { name, isExplained: sentence.includes(" ") };
  });
}

/** The sources that decide, and the user's acts that withdraw: neither the list of the rules, nor their words, nor types over them. */
const SOURCES = globSync(
  [
    "main/{agents,base,calls,decide,records,targets,undo,judges/reviews}/**/*.ts",
    "packages/shell-reading/**/*.ts",
    "main/surfaces/operator/*.ts",
    "ipc/socket/agent-answers.ts",
  ],
  { cwd: ROOT },
)
  .filter((path) => !/\/(?:guard-shell|finding)\.ts$/.test(path))
  .map((path) => readFileSync(`${ROOT}${path}`, "utf8"));

test("the document has each rule and each note, in a sentence, and no other", () => {
  expect(documented("rule | is given when")).toEqual(RULES.map((name) => ({ name, isExplained: true })));
  expect(documented("note | means")).toEqual(JUDGE_NOTES.map((name) => ({ name, isExplained: true })));
});

test("each rule and each note is given somewhere", () => {
  const unused = [...RULES, ...JUDGE_NOTES].filter((name) => !SOURCES.some((text) => text.includes(`"${name}"`)));
  expect(unused).toEqual([]);
});

test("the sources name no rule that isn't in the list", () => {
  const areas = [...new Set(RULES.map((rule) => rule.split(".")[0]))].join("|");
  const named = SOURCES.flatMap((text) => [...text.matchAll(new RegExp(`"((?:${areas})\\.[a-z-]+)"`, "g"))]);
  const known: readonly string[] = [...RULES, ...JUDGE_NOTES];
  // The operator's settings and methods have names of their own with a dot, all of them in snake_case or one word.
  expect(named.map(([, name = ""]) => name).filter((name) => name.includes("-") && !known.includes(name))).toEqual([]);
});

test("every surface has words for each of them, in every language, that differ between the languages", () => {
  for (const language of LANGUAGES) {
    expect(Object.keys(RULE_WORDS[language])).toEqual([...RULES]);
    expect(Object.keys(NOTE_WORDS[language])).toEqual([...JUDGE_NOTES]);
  }
  expect(RULES.filter((rule) => RULE_WORDS.en[rule] === RULE_WORDS.it[rule])).toEqual([]);
});

test("a rule or a note that this version doesn't know is left out, and the decision is read all the same", () => {
  const decision = {
    decision_id: "1",
    outcome: "denied",
    stage: "guard",
    reason: "r",
    verdict: null,
    capabilities: [],
  };
  const explained = (explain: object) => decisionSchema.parse({ ...decision, explain }).explain;
  expect(explained({ rule: "guard.of-tomorrow", matched: "x" })).toEqual({ matched: "x" });
  expect(explained({ matched: "x" })).toEqual({ matched: "x" });
  expect(explained({ rule: "guard.gate-files" })).toEqual({ rule: "guard.gate-files" });
  expect(judgeNotesSchema.parse(["judge.of-tomorrow", "judge.not-critical"])).toEqual(["judge.not-critical"]);
});
