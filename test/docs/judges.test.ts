import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { ALARM_CODES } from "../../ipc/contract/alarms.ts";
import { loadConfig } from "../../main/config/config.ts";
import { judgedGate } from "../support/judged-gate.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { temporaryHome } from "../support/temporary-home.ts";

const TEXT = readFileSync(new URL("../../docs/judges.md", import.meta.url), "utf8");

/** The examples of a kind, in their order. */
const examples = (fence: string): string[] =>
  [...TEXT.matchAll(new RegExp(`^\`\`\`${fence}\n([\\s\\S]*?)^\`\`\`$`, "gm"))].map(([, text = ""]) => text);

const linesOf = (text: string) => text.split("\n").filter((line) => line !== "").length;

test("each example of gate.toml is one that the gate starts with", () => {
  const files = examples("toml gate.toml");
  expect(files.length).toBe(TEXT.split("```toml").length - 1);
  const configs = files.map((text) => loadConfig(temporaryHome(text).paths.configFile, {}));
  expect(configs.length).toBeGreaterThanOrEqual(7);
  expect(configs.some(({ validators }) => validators.length > 0)).toBe(true);
  expect(configs.filter(({ judge }) => judge.online).map(({ judge }) => judge.model)).toEqual(["claude"]);
});

test("a model on this machine is set up in five lines, one elsewhere in eight", () => {
  const [ollama = "", llamaCpp = "", online = ""] = examples("toml gate.toml");
  expect([ollama, llamaCpp, online].map(linesOf)).toEqual([5, 5, 8]);
});

test("what the table says of the defaults is so", () => {
  const [text = ""] = examples("toml gate.toml").filter((example) => example.includes("[[validators]]"));
  const { judge, models } = loadConfig(temporaryHome(examples("toml gate.toml")[0]).paths.configFile, {});
  expect(TEXT).toContain(`\`llm_threshold\` (${judge.llm_threshold})`);
  expect(TEXT).toContain(`\`timeout_seconds\` (${models.local?.timeout_seconds})`);
  const [validator] = loadConfig(temporaryHome(text.replace(/^min_score.*\n/m, "")).paths.configFile, {}).validators;
  expect(TEXT).toContain(
    `\`min_score\` (${validator?.min_score}) or \`min_confidence\` (${validator?.min_confidence})`,
  );
  expect(ALARM_CODES).toContain("judge_over_budget");
});

test.each([
  ["npm publish", 5, 0],
  ["npm publish", 4, 1],
  ["npm test", 5, 1],
])("the judge agent in Python, given %s on weekday %i, answers a result with score %i", (command, weekday, score) => {
  const [script = ""] = examples("python no-friday-releases");
  expect(linesOf(script)).toBeLessThanOrEqual(15);
  const file = join(tempFolder(), "judge.py");
  // The test decides which day it is: python's weeks begin with Monday as 0.
  writeFileSync(file, script.replace("datetime.date.today().weekday()", String(weekday - 1)));
  const payload = { proposed_tool_call: { name: "Bash", arguments: { command } } };
  const output = execFileSync("python3", [file], { input: JSON.stringify(payload), encoding: "utf8" });
  expect(JSON.parse(output)).toMatchObject({ score, confidence: 1, reasoning: expect.any(String) });
});

test("the judge agent in Python, as the document sets it up, refuses a release on a Friday and lets the rest pass", async () => {
  const home = temporaryHome();
  const program = join(home.home, "judges/no-friday-releases");
  const [script = ""] = examples("python no-friday-releases");
  mkdirSync(dirname(program));
  writeFileSync(program, script.replace("datetime.date.today().weekday()", "4"), { mode: 0o755 });
  const [config = ""] = examples("toml gate.toml").filter((text) => text.includes('kind = "command"'));
  mkdirSync(dirname(home.paths.configFile), { recursive: true });
  writeFileSync(home.paths.configFile, config.replace("/home/you/judges/no-friday-releases", program));
  const gate = await judgedGate(config, { home });
  const agent = await gate.agent();
  const run = (command: string) => gate.propose(agent, { executor: "shell_exec", args: { command } }).decision;
  expect(await run("npm publish")).toMatchObject({
    outcome: "denied",
    explain: { rule: "validators.rejected" },
    reviews: [{ name: "fridays", score: 0, sentence: "no releases on Fridays: ask again on Monday" }],
  });
  expect(await run("npm test")).toMatchObject({
    outcome: "approval_required",
    reviews: [{ name: "fridays", outcome: "passed" }],
  });
});
