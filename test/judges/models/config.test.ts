import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { GateError } from "../../../ipc/contract/gate-error.ts";
import { loadConfigWithSources } from "../../../main/config/config.ts";
import { isOnline } from "../../../main/decide/reviews/config.ts";
import { tempFolder } from "../../support/temp-folder.ts";

function load(text: string, env: Record<string, string> = {}) {
  const file = join(tempFolder(), "gate.toml");
  writeFileSync(file, text);
  return loadConfigWithSources(file, env);
}

function refusalOf(text: string, env: Record<string, string> = {}): string {
  try {
    load(text, env);
  } catch (error) {
    const { code, message } = error as GateError;
    if (code !== "invalid_config") throw error;
    return message.replace(/^.*gate\.toml, /, "");
  }
  throw new Error("it was accepted");
}

const MODEL = ["[models.small]", 'dialect = "openai"', 'base_url = "http://127.0.0.1:11434/v1"', 'model = "qwen3:8b"'];
const withModel = (...more: string[]) => [...MODEL, ...more].join("\n");

describe("[models.NAME]", () => {
  it("a local one needs no more than where it is and what it is called", () => {
    expect(load(withModel()).config.models).toEqual({
      small: {
        dialect: "openai",
        base_url: "http://127.0.0.1:11434/v1",
        model: "qwen3:8b",
        input_price: 0,
        output_price: 0,
        timeout_seconds: 10,
        max_tokens: 512,
      },
    });
  });

  it.each([
    [
      "no such dialect",
      ["[models.a]", 'dialect = "cohere"', 'base_url = "http://x"', 'model = "m"'],
      /^line 2: models\.a\.dialect/,
    ],
    [
      "another scheme",
      ["[models.a]", 'dialect = "openai"', 'base_url = "file:///etc"', 'model = "m"'],
      /^line 3: models\.a\.base_url/,
    ],
    [
      "user and password in the address",
      [...MODEL, "[models.b]", 'dialect = "openai"', 'base_url = "https://me:secret@host/v1"', 'model = "m"'],
      /^line 7: models\.b\.base_url: a key in the address would be shown/,
    ],
    [
      "a query in the address",
      ["[models.a]", 'dialect = "openai"', 'base_url = "https://host/v1?key=secret"', 'model = "m"'],
      /^line 3: .*a key in the address/,
    ],
    ["two places for the key", [...MODEL, 'key_env = "A_KEY"', 'key_file = "/a/b"'], /key_env or key_file, not both/],
    [
      "a relative key file",
      [...MODEL, 'key_file = "keys/a"'],
      /^line 5: models\.small\.key_file: expected an absolute path/,
    ],
    ["a variable that is no name", [...MODEL, 'key_env = "A KEY"'], /^line 5: models\.small\.key_env/],
    [
      "a variable that every box gets",
      [...MODEL, 'key_env = "PYTHONSTARTUP"'],
      /^line 5: models\.small\.key_env: every box gets the variable PYTHONSTARTUP/,
    ],
    [
      "a variable that this configuration gives to boxes",
      ["[box]", 'environment = ["LLM_KEY"]', ...MODEL, 'key_env = "LLM_KEY"'],
      /^line 7: .*every box gets the variable LLM_KEY/,
    ],
    ["a key in the file itself", [...MODEL, 'key = "sk-secret"'], /^line 5: models\.small\.key: there is no such key/],
    ["a price below nothing", [...MODEL, "input_price = -1"], /^line 5: models\.small\.input_price/],
    ["no calls a day", [...MODEL, "calls_per_day = 0"], /^line 5: models\.small\.calls_per_day/],
    ["no time", [...MODEL, "timeout_seconds = 0"], /^line 5: models\.small\.timeout_seconds/],
  ])("is refused with %s, by its line", (_what, lines, message) => {
    const refusal = refusalOf(lines.join("\n"));
    expect(refusal).toMatch(message);
    expect(refusal).not.toMatch(/secret/);
  });

  it("on another machine the judge's model needs online = true, by its line", () => {
    const online = [
      "[models.far]",
      'dialect = "anthropic"',
      'base_url = "https://api.anthropic.com/v1"',
      'model = "m"',
    ];
    const judge = ["[judge]", 'kind = "llm-v1"', 'model = "far"'];
    expect(refusalOf([...judge, ...online].join("\n"))).toBe(
      "line 3: judge.model: far is on another machine: that needs online = true in [judge]",
    );
    expect(load([...judge, "online = true", ...online].join("\n")).config.judge.online).toBe(true);
  });

  it.each([
    ["http://127.0.0.1:1/v1", false],
    ["http://127.9.8.7/v1", false],
    ["http://localhost:11434/v1", false],
    ["http://LOCALHOST/v1", false],
    ["http://[::1]:8080/v1", false],
    ["http://0.0.0.0:8080/v1", true],
    ["http://localhost.example.com/v1", true],
    ["http://127.0.0.1.example.com/v1", true],
    ["http://10.0.0.5:8000/v1", true],
    ["http://[::ffff:10.0.0.5]/v1", true],
    ["https://openrouter.ai/api/v1", true],
  ])("%s: on another machine is %s", (baseUrl, online) => {
    expect(isOnline({ base_url: baseUrl })).toBe(online);
  });
});

describe("the environment wins over the file", () => {
  it("METNOS_JUDGE_KIND and METNOS_JUDGE_LLM_THRESHOLD", () => {
    const env = { METNOS_JUDGE_KIND: "llm-v1", METNOS_JUDGE_LLM_THRESHOLD: "0.6" };
    const { config, sources } = load("[judge]\nllm_threshold = 0.2\n", env);
    expect(config.judge).toMatchObject({ kind: "llm-v1", llm_threshold: 0.6, threshold: 0.3 });
    expect([...sources.environment]).toEqual(["judge.llm_threshold", "judge.kind"]);
    expect(load("").config.judge).toMatchObject({ kind: "rule-based-v1", llm_threshold: 0.45 });
  });

  it.each([
    [{ METNOS_JUDGE_LLM_THRESHOLD: "1.5" }, /^METNOS_JUDGE_LLM_THRESHOLD: expected a number from 0 to 1/],
    [{ METNOS_JUDGE_LLM_THRESHOLD: "high" }, /^METNOS_JUDGE_LLM_THRESHOLD/],
    [{ METNOS_JUDGE_KIND: "llm-v2" }, /^METNOS_JUDGE_KIND: there is no judge "llm-v2"/],
  ])("%j is refused", (env, message) => {
    expect(refusalOf("", env as Record<string, string>)).toMatch(message);
  });
});
