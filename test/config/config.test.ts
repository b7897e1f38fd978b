import { parse } from "smol-toml";
import { describe, expect, it } from "vitest";
import { loadConfig, loadConfigWithSources, longestAnswerSeconds } from "../../main/config/config.ts";
import { Settings } from "../../main/config/settings.ts";
import { lineOf } from "../../main/config/toml-line.ts";
import { temporaryHome } from "../support/temporary-home.ts";

const LOCAL = '[models.local]\ndialect = "openai"\nbase_url = "http://127.0.0.1:11434/v1"\nmodel = "qwen3"\n';
const ONLINE = '[models.far]\ndialect = "anthropic"\nbase_url = "https://api.anthropic.com/v1"\nmodel = "claude"\n';
const AGENT = '[judge_agents.careful]\nkind = "model"\nmodel = "local"\nprompt = "Be careful."\n';
const VALIDATOR = '[[validators]]\ntype = "semantic"\njudge_agent = "careful"\ncriteria = "Is it needed?"\n';
const TOOL = '[[mcp_tools]]\nserver = "notes"\ntool = "search"\n';
const WHOLE = `${LOCAL}\n${AGENT}\n${VALIDATOR}\n${TOOL}`;

function load(text: string, env = {}) {
  return loadConfig(temporaryHome(text).paths.configFile, env);
}

/** What is said of a text that is refused, from the line's number on. */
function refusal(text: string): string {
  const { paths } = temporaryHome(text);
  try {
    loadConfig(paths.configFile, {});
  } catch (error) {
    expect(error).toMatchObject({ code: "invalid_config" });
    return String((error as Error).message).replace(`${paths.configFile}, line `, "");
  }
  return "loaded";
}

/** The text with this line in place of the one that sets the same key, or added at its end. */
function changed(text: string, line: string): string {
  const [key = ""] = line.split(" =");
  const lines = text.trimEnd().split("\n");
  const at = lines.findIndex((one) => one.startsWith(`${key} =`));
  return at === -1 ? [...lines, line].join("\n") : lines.with(at, line).join("\n");
}

const numberOf = (text: string, line: string) => text.split("\n").lastIndexOf(line) + 1;

describe("the sections of the judges", () => {
  it("load with their defaults", () => {
    const config = load(WHOLE);
    expect(config.models.local).toMatchObject({ timeout_seconds: 10, max_tokens: 512, input_price: 0 });
    expect(config.judge_agents.careful).toMatchObject({ tools: [], max_steps: 8, hosts: [] });
    expect(config.validators).toEqual([
      {
        type: "semantic",
        judge_agent: "careful",
        criteria: "Is it needed?",
        min_score: 0.7,
        min_confidence: 0,
        timeout_seconds: 300,
        when: {},
      },
    ]);
    expect(config.mcp_tools).toEqual([{ server: "notes", tool: "search", changes_nothing: false, skip_judge: false }]);
    expect(config.judge).toMatchObject({ llm_threshold: 0.45, online: false, override: false });
  });

  it("a model on another machine needs judge.online, as the judge's and as a judge agent's", () => {
    const judge = '[judge]\nmodel = "far"\n';
    expect(refusal(`${judge}${ONLINE}`)).toBe(
      "2: judge.model: far is on another machine: that needs online = true in [judge]",
    );
    expect(load(`${judge}online = true\n${ONLINE}`).judge.model).toBe("far");
    const agent = changed(AGENT, 'model = "far"');
    expect(refusal(`${ONLINE}\n${agent}`)).toMatch(/^8: judge_agents\.careful\.model: far is on another machine/);
    expect(load(ONLINE).models.far?.model).toBe("claude");
  });

  it.each(["http://localhost:1/v1", "http://127.0.0.1/v1", "http://127.8.9.1/v1", "http://[::1]:8080"])(
    "%s is this machine",
    (url) => {
      expect(load(`[judge]\nmodel = "local"\n${changed(LOCAL, `base_url = "${url}"`)}`).judge.model).toBe("local");
    },
  );

  it.each([
    "http://127.0.0.1.example.com/v1",
    "http://localhost.example.com/v1",
    "http://0.0.0.0/v1",
    "http://192.168.1.7:11434/v1",
    "http://[::2]/v1",
  ])("%s is another machine", (url) => {
    const text = `[judge]\nmodel = "local"\n${changed(LOCAL, `base_url = "${url}"`)}`;
    expect(refusal(text)).toMatch(/^2: judge\.model: local is on another machine/);
  });

  it.each([
    [
      'base_url = "not an address"',
      "models.local.base_url: expected an address such as http://127.0.0.1:11434/v1",
      LOCAL,
    ],
    ['base_url = "ftp://127.0.0.1/"', "models.local.base_url: expected an address", LOCAL],
    ['base_url = "http://me:secret@127.0.0.1/"', "models.local.base_url: a key in the address would be shown", LOCAL],
    ['dialect = "grpc"', 'models.local.dialect: expected one of "anthropic" or "openai"', LOCAL],
    ["timeout_seconds = 0", "models.local.timeout_seconds: expected at least 0.1", LOCAL],
    ["calls_per_day = 0", "models.local.calls_per_day: expected at least 1", LOCAL],
    ['key_file = "key.txt"', "models.local.key_file: expected an absolute path", LOCAL],
    ['api_key = "sk-1"', "models.local.api_key: there is no such key; a key isn't written here", LOCAL],
    ['key_file = "/srv/key"', "models.local.key_file: key_env or key_file, not both", `${LOCAL}key_env = "KEY"`],
    ['kind = "magic"', 'judge_agents.careful.kind: expected one of "model" or "command"', AGENT],
    ['model = "none"', "judge_agents.careful.model: there is no [models.none]", AGENT],
    ['model = "toString"', "judge_agents.careful.model: there is no [models.toString]", AGENT],
    ['model = "qwen3.1"', 'judge_agents.careful.model: there is no [models."qwen3.1"]', AGENT],
    ["max_steps = 51", "judge_agents.careful.max_steps: expected at most 50", AGENT],
    ['command = ["/bin/judge"]', "judge_agents.careful.command: there is no such key", AGENT],
    ['tools = [{ name = "rm" }]', "judge_agents.careful.tools.0.name: expected one of", AGENT],
    ['tools = [{ name = "cmd.run" }]', "judge_agents.careful.tools.0.allowlist: is missing", AGENT],
    ['tools = [{ name = "fs.read", path = "/" }]', "judge_agents.careful.tools.0.path: there is no such key", AGENT],
    [
      'tools = [{ name = "fs.read" }, { name = "fs.read" }]',
      "judge_agents.careful.tools.1.name: fs.read is there twice",
      AGENT,
    ],
    ['type = "regex"', 'validators.0.type: expected "semantic"', VALIDATOR],
    ['judge_agent = "nobody"', "validators.0.judge_agent: there is no [judge_agents.nobody]", VALIDATOR],
    ['judge_agent = "constructor"', "validators.0.judge_agent: there is no [judge_agents.constructor]", VALIDATOR],
    ["min_score = 2", "validators.0.min_score: expected at most 1", VALIDATOR],
    ['min_score = "0.7"', "validators.0.min_score: expected a number, without quotes", VALIDATOR],
    ["min_confidence = nan", "validators.0.min_confidence: expected a number", VALIDATOR],
    ["timeout_seconds = 3601", "validators.0.timeout_seconds: expected at most 3600", VALIDATOR],
    ['criteria = ""', "validators.0.criteria: must not be empty", VALIDATOR],
    [
      "when = { hosts = [] }",
      "validators.0.when.hosts: there is no such key; there are capabilities, executors, agents",
      VALIDATOR,
    ],
    ['when = { capabilities = ["fs"] }', "validators.0.when.capabilities.0: expected one of", VALIDATOR],
    ["skip_judge = true", "mcp_tools.0.skip_judge: only of a tool that changes nothing (changes_nothing = true)", TOOL],
    ['tool = "mcp__notes__search"', "mcp_tools.0.tool: the name alone", TOOL],
    ['key_env = "sk-secret"', "models.local.key_env: expected the name of an environment variable", LOCAL],
    ['server = "a b"', "mcp_tools.0.server: 1 to 100 letters", TOOL],
  ])("are refused, with the line and the key: %s", (line, why, section) => {
    const broken = changed(section, line);
    const text = WHOLE.replace(section.split("key_env")[0] ?? "", `${broken}\n`);
    expect(refusal(text)).toContain(`${numberOf(text, line)}: ${why}`);
  });

  it.each([
    ["notes", "search__all"],
    ["notes__search", "all"],
    ["notes_", "search"],
    ["notes", "_search"],
  ])("a tool that another server's may be called like is judged: %s, %s", (server, tool) => {
    const named = `[[mcp_tools]]\nserver = "${server}"\ntool = "${tool}"\nchanges_nothing = true\n`;
    expect(load(named).mcp_tools).toHaveLength(1);
    expect(refusal(`${named}skip_judge = true\n`)).toContain("5: mcp_tools.0.skip_judge: its name could be that of");
  });

  it("a key is sent to another machine by https only", () => {
    const text = changed(`${ONLINE}key_env = "KEY"\n`, 'base_url = "http://10.0.0.1/v1"');
    expect(refusal(text)).toBe("3: models.far.base_url: a key is sent to another machine by https only");
    expect(load(`${ONLINE}key_env = "KEY"\n`).models.far?.key_env).toBe("KEY");
    expect(load(`${LOCAL}key_env = "KEY"\n`).models.local?.key_env).toBe("KEY");
  });

  it("a second validator, and a tool that is there twice, are named by their own line", () => {
    const text = `${WHOLE}\n${changed(VALIDATOR, "min_score = 1.5")}\n`;
    expect(refusal(text)).toMatch(new RegExp(`^${numberOf(text, "min_score = 1.5")}: validators\\.1\\.min_score`));
    const twice = `${WHOLE}\n${TOOL}`;
    expect(refusal(twice)).toBe(`${numberOf(twice, 'tool = "search"')}: mcp_tools.1.tool: notes/search is there twice`);
  });

  it("what is missing is called so, at its table; a key that is misspelt is named rather than the one that is missing", () => {
    expect(refusal(`\n${LOCAL.replace(/^model.*\n/m, "")}`)).toBe("2: models.local.model: is missing");
    expect(refusal(`${LOCAL}\n[judge_agents.careful]\nprompt = "x"\n`)).toBe(
      "6: judge_agents.careful.kind: is missing",
    );
    expect(refusal(LOCAL.replace("dialect", "dialekt"))).toBe(
      "2: models.local.dialekt: there is no such key; did you mean dialect?",
    );
  });

  it.each([
    ['[judge]\nmodle = "x"', "2: judge.modle: there is no such key; did you mean model?"],
    ['[judge]\noverride = "true"', "2: judge.override: expected true or false, without quotes"],
    [
      "[judge]\noverride = yes",
      "2 (override): not valid TOML: a text has to be in quotes, and yes and no are true and false",
    ],
    [
      "[judge]\nkind = llm-v1",
      "2 (kind): not valid TOML: a text has to be in quotes, and yes and no are true and false",
    ],
    ["[judge]\n[judge]", "2 ([judge]): not valid TOML: this section is there twice"],
    [
      VALIDATOR.replace("[[validators]]", "[validators]"),
      "1: validators: expected a list of tables: write [[validators]]",
    ],
    [LOCAL.replace("[models.local]", "[[models]]"), "1: models: expected a table for each name: write [models.NAME]"],
    [LOCAL.replace("models", "model"), "1: model: there is no such key; did you mean models?"],
  ])("what a slip of the pen was meant to be is said: %s", (text, why) => {
    expect(refusal(text)).toBe(why);
  });

  it("a name with a dot is quoted; without quotes the part behind it is no key", () => {
    expect(load(LOCAL.replace("models.local", 'models."qwen3.1"')).models["qwen3.1"]?.model).toBe("qwen3");
    expect(refusal(LOCAL.replace("models.local", "models.qwen3.1"))).toBe(
      '1: models.qwen3.1: there is no such key; a name with a dot is quoted: [models."qwen3.1"]',
    );
    expect(refusal(LOCAL.replace("models.local", 'models."my model"'))).toContain(
      "1: models.my model: letters, digits",
    );
  });
});

describe("the variables of the judge", () => {
  it("win over the file, and are checked", () => {
    const file = "[judge]\nthreshold = 0.1\nllm_threshold = 0.2\n";
    const env = { METNOS_JUDGE_THRESHOLD: "0.5", METNOS_JUDGE_LLM_THRESHOLD: "0.6", METNOS_JUDGE_KIND: "llm-v1" };
    expect(load(file, env).judge).toMatchObject({ threshold: 0.5, llm_threshold: 0.6, kind: "llm-v1" });
    for (const [name, value] of [
      ["METNOS_JUDGE_LLM_THRESHOLD", "1.1"],
      ["METNOS_JUDGE_LLM_THRESHOLD", "half"],
      ["METNOS_JUDGE_KIND", "llm-v2"],
    ] as const)
      expect(() => load(file, { [name]: value })).toThrow(expect.objectContaining({ code: "invalid_config" }));
  });
});

describe("the keys that are set", () => {
  it("are known by their source, also below names of the user's own", () => {
    const { paths } = temporaryHome(`[judge]\nthreshold = 0.4\n${WHOLE}`);
    const { sources } = loadConfigWithSources(paths.configFile, { METNOS_JUDGE_KIND: "llm-v1" });
    expect([...sources.file]).toEqual([
      "judge.threshold",
      "models.local.dialect",
      "models.local.base_url",
      "models.local.model",
      "judge_agents.careful.kind",
      "judge_agents.careful.model",
      "judge_agents.careful.prompt",
      "validators",
      "mcp_tools",
    ]);
    expect([...sources.environment]).toEqual(["judge.kind"]);
  });

  it("a setting that gate.toml says beside such sections can't be chosen; others can", () => {
    const { paths } = temporaryHome(`${WHOLE}\n[judge]\nthreshold = 0.4\n`);
    const { config, sources } = loadConfigWithSources(paths.configFile, {});
    const settings = new Settings(paths, config, sources);
    const found = (key: string) => settings.list(undefined).find((setting) => setting.key === key);
    expect(found("judge.threshold")).toMatchObject({ value: 0.4, source: "gate.toml", can_change: false });
    expect(found("judge.kind")).toMatchObject({ value: "rule-based-v1", can_change: false });
    expect(settings.set("language", "it", undefined)).toMatchObject({ value: "it", source: "chosen" });
    expect(config.language).toBe("it");
  });
});

describe("the line of a key", () => {
  const TEXT = `# [models.a]
language = "en"
judge.kind = "rule-based-v1"

[models."a.b"]
dialect = "openai" # model = "x"
'model' = "m"

[[validators]] # the first
criteria = """
[models.c]
min_score = 0.5
"""
min_score = 0.6
[validators.when]
executors = ["[x]", "min_score = 1"]

[[validators]]
  [ validators . when ]
  agents = [
    "one",
    "two",
  ]

[judge_agents.j]
[[judge_agents.j.tools]]
name = "fs.read"
[[judge_agents.j.tools]]
name = "cmd.run"
allowlist = [
  "a",
]
`;

  it.each([
    [["language"], 2],
    [["judge", "kind"], 3],
    [["models", "a.b"], 5],
    [["models", "a.b", "dialect"], 6],
    [["models", "a.b", "model"], 7],
    [["models", "a.b", "missing"], 5],
    [["models", "a"], 1],
    [["models", "c"], 1],
    [["validators", "0"], 9],
    [["validators", "0", "criteria"], 10],
    [["validators", "0", "min_score"], 14],
    [["validators", "0", "when", "executors", "1"], 16],
    [["validators", "1"], 18],
    [["validators", "1", "min_score"], 18],
    [["validators", "1", "when"], 19],
    [["validators", "1", "when", "agents", "1"], 20],
    [["judge_agents", "j"], 25],
    [["judge_agents", "j", "tools", "0", "name"], 27],
    [["judge_agents", "j", "tools", "1", "name"], 29],
    [["judge_agents", "j", "tools", "1", "allowlist", "0"], 30],
  ])("%j is in line %i", (path, line) => {
    expect(parse(TEXT)).toBeTruthy();
    expect(lineOf(TEXT, path)).toBe(line);
  });

  it("is found in time that grows with the text's length only", () => {
    const start = process.cpuUsage();
    for (const piece of ['"""', "'''", '"\\', "[a.", "a . ", "#\n", "[[a]]\n"])
      lineOf(piece.repeat(20_000), ["a", "b"]);
    const { user, system } = process.cpuUsage(start);
    expect((user + system) / 1000).toBeLessThan(2000);
  });
});

describe("how long an agent waits at the most", () => {
  it("is the judge's model, each validator and then the user", () => {
    const judge = '[judge]\nkind = "llm-v1"\nmodel = "local"\n';
    const validators = `${VALIDATOR}timeout_seconds = 20\n${VALIDATOR}timeout_seconds = 0.5\n`;
    const seconds = (text: string) => longestAnswerSeconds(load(text));
    expect(seconds("")).toBe(600);
    expect(seconds("[approvals]\nttl_seconds = 60\n")).toBe(60);
    expect(seconds(`${LOCAL}${AGENT}${validators}`)).toBe(621);
    expect(seconds(`${judge}${LOCAL}${AGENT}${validators}`)).toBe(631);
    expect(seconds(`${judge}stage1_max_tokens = 1\n${LOCAL}`)).toBe(620);
    expect(seconds('[judge]\nkind = "llm-v1"\n')).toBe(600);
  });
});
