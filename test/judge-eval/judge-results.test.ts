import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { measuredText } from "../../ipc/words/judge-words.ts";
import { keepJudgeResult } from "../../judge-eval/keep-result.ts";
import { configSchema } from "../../main/config/config.ts";
import {
  fingerprintOf,
  type JudgeResult,
  type MeasuredConfig,
  measuredOf,
  readJudgeResults,
} from "../../main/judges/judge-results.ts";
import { tempFolder } from "../support/temp-folder.ts";

const LOCAL = { dialect: "openai", base_url: "http://127.0.0.1:11434/v1", model: "small" };
const PROMPT = "prompt 1";

function configured(judge: object = {}, model: object = {}): MeasuredConfig {
  return configSchema.parse({ judge: { online: true, ...judge }, models: { local: { ...LOCAL, ...model } } });
}

function result(change: Partial<JudgeResult> = {}): JudgeResult {
  return {
    fingerprint: fingerprintOf(configured(), "local", PROMPT) ?? "",
    data: "ours",
    calls: 150,
    of: 150,
    fallbacks: 0,
    measured_at: "2026-11-22T18:00:00.000Z",
    true_positives: 63,
    false_positives: 6,
    true_negatives: 69,
    false_negatives: 12,
    ...change,
  };
}

const newFile = () => join(tempFolder(), "judge-results.json");
const measured = (file: string, config = configured(), prompt = PROMPT) => measuredOf(file, config, "local", prompt);
const sentence = (file: string) => measuredText(measured(file), "en");

describe("what a judge was measured to be", () => {
  it("is one sentence beside its name, and the file is the user's alone", () => {
    const file = newFile();
    expect(measured(file)).toBeNull();
    expect(keepJudgeResult(file, result())).toBe(true);
    expect(sentence(file)).toBe("measured on ours (150 calls, 2026-11-22): precision 0.91, recall 0.84");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(measuredOf(file, configured(), "another", PROMPT)).toBeNull();
  });

  it("is of the configuration that was measured: whatever changes the answers makes it not measured", () => {
    const file = newFile();
    keepJudgeResult(file, result());
    const changed: [string, MeasuredConfig, string?][] = [
      ["dialect", configured({}, { dialect: "anthropic" })],
      ["base_url", configured({}, { base_url: "http://127.0.0.1:8080/v1" })],
      ["model", configured({}, { model: "large" })],
      ["max_tokens", configured({}, { max_tokens: 64 })],
      ["send", configured({ send: "full" })],
      ["threshold", configured({ llm_threshold: 0.6 })],
      ["stages", configured({ stage1_max_tokens: 4 })],
      ["prompt", configured(), "prompt 2"],
    ];
    for (const [what, config, prompt] of changed) expect(measured(file, config, prompt), what).toBeNull();
    for (const same of [configured({ send: "redacted", threshold: 0.4 }), configured({}, { timeout_seconds: 5 })])
      expect(measured(file, same)).not.toBeNull();
  });

  it("is the last one, but a part never replaces a measurement of all; a part says that it is one", () => {
    const file = newFile();
    const part = result({ calls: 20, fallbacks: 3, true_positives: 0, false_positives: 0 });
    expect(keepJudgeResult(file, part)).toBe(true);
    expect(sentence(file)).toBe(
      "measured on ours (20 of 150 calls, 3 without an answer, 2026-11-22): precision -, recall 0.00",
    );
    keepJudgeResult(file, result());
    expect(keepJudgeResult(file, part)).toBe(false);
    keepJudgeResult(file, result({ true_positives: 75, false_negatives: 0 }));
    expect(sentence(file)).toContain("precision 0.93, recall 1.00");
    expect(readJudgeResults(file)).toHaveLength(1);
  });

  it("is the one on our own calls where there are several", () => {
    const file = newFile();
    keepJudgeResult(file, result());
    keepJudgeResult(file, result({ data: "R-Judge", calls: 569, of: 569 }));
    expect(sentence(file)).toContain("measured on ours");
    keepJudgeResult(file, result({ fingerprint: "another", data: "ours" }));
    expect(readJudgeResults(file)).toHaveLength(3);
  });

  it("is nothing where the file is damaged, and the next measurement replaces it", () => {
    const file = newFile();
    for (const text of ["{", "[]", '{"results": [{"fingerprint": 1}]}']) {
      writeFileSync(file, text);
      expect(measured(file), text).toBeNull();
    }
    keepJudgeResult(file, result());
    expect(measured(file)).not.toBeNull();
  });
});
