import { describe, expect, it } from "vitest";
import { loadConfig } from "../../../main/config/config.ts";
import { ownRule, ownRuleSchema } from "../../../main/decide/safety/own-rules.ts";
import { goal, graphOf } from "../../support/safety.ts";
import { temporaryHome } from "../../support/temporary-home.ts";

function load(text: string) {
  return loadConfig(temporaryHome(text).paths.configFile, {});
}

describe("a configuration can only make the built-in rules tighter", () => {
  it.each([
    ["max_goal_description_len = 2049", "SR-001"],
    ["max_subtasks_per_graph = 129", "SR-005"],
    ['allowed_capability_prefixes = ["local:", "cloud:"]', "SR-004"],
    ['allowed_capability_prefixes = ["cloud-local:"]', "SR-004"],
    ['allowed_capability_prefixes = [""]', "allowed_capability_prefixes"],
    ['blocked_capability_patterns = ["exec:arbitrary"]', "SR-003"],
    ["blocked_capability_patterns = []", "SR-003"],
    ["pause_on_critical = false", "CRITICAL"],
  ])("%s refuses to load, and says which line", (line, why) => {
    const loading = () => load(`language = "en"\n\n[safety]\nmax_violations = 500\n${line}\n`);
    expect(loading).toThrow(expect.objectContaining({ code: "invalid_config" }));
    expect(loading).toThrow(/gate\.toml, line 5: safety\./);
    expect(loading).toThrow(why);
  });

  it("tighter ones load", () => {
    const { safety } = load(
      '[safety]\nmax_goal_description_len = 100\nmax_subtasks_per_graph = 3\nallowed_capability_prefixes = ["local:fs"]\n' +
        'blocked_capability_patterns = ["network:external", "exec:arbitrary", "mail:"]\npause_clears = "after_all_acknowledged"\n',
    );
    expect(safety).toMatchObject({ max_goal_description_len: 100, max_subtasks_per_graph: 3 });
  });

  it.each([
    ['id = "SR-001"', "built-in"],
    ['id = "own rule"', "capital letters"],
    ['severity = "FATAL"', "severity"],
    ['condition = { field = "description", operator = "matches", value = "(a+)+$" }', "condition"],
    ['condition = { field = "password", operator = "equals", value = "x" }', "condition"],
  ])("an own rule with %s refuses to load at its own line", (line, why) => {
    const rule = (id: string) =>
      `[[safety.rules]]\nid = "${id}"\nsubject = "goal"\nseverity = "BLOCK"\ncondition = { field = "goal_type", operator = "equals", value = "x" }\n`;
    const [key = ""] = line.split(" =");
    const broken = rule("SECOND").replace(new RegExp(`^${key} = .*$`, "m"), line);
    const loading = () => load(`${rule("FIRST")}\n${broken}`);
    expect(loading).toThrow(why);
    const number = `${rule("FIRST")}\n${broken}`.split("\n").indexOf(line) + 1;
    expect(loading).toThrow(new RegExp(`line ${number}: safety\\.rules\\.1`));
  });
});

describe("conditions", () => {
  const check = (subject: string, condition: object, value: unknown) => {
    const rule = ownRule(ownRuleSchema.parse({ id: "OWN", subject, severity: "WARN", condition }));
    return (rule.predicate as (given: unknown) => boolean)(value);
  };
  it.each([
    ["goal", { field: "goal_type", operator: "equals", value: "trade" }, goal({ goal_type: "trade" }), goal()],
    ["goal", { field: "goal_type", operator: "not_equals", value: "task" }, goal({ goal_type: "x" }), goal()],
    ["goal", { field: "description", operator: "contains", value: "bank" }, goal({ description: "my bank" }), goal()],
    ["goal", { field: "goal_id", operator: "starts_with", value: "tmp" }, goal({ goal_id: "tmp-1" }), goal()],
    [
      "goal",
      { field: "priority", operator: "one_of", value: ["high", "critical"] },
      goal({ priority: "high" }),
      goal(),
    ],
    [
      "goal",
      { field: "description", operator: "longer_than", value: 20 },
      goal({ description: "x".repeat(21) }),
      goal(),
    ],
    [
      "subtask",
      { field: "required_caps", operator: "starts_with", value: "mail:" },
      { subtask_id: "t", required_caps: ["local:a", "mail:send"] },
      { subtask_id: "t", required_caps: ["local:mail:"] },
    ],
    [
      "subtask",
      { field: "required_caps", operator: "more_than", value: 1 },
      { subtask_id: "t", required_caps: ["a", "b"] },
      { subtask_id: "t", required_caps: ["a"] },
    ],
    ["graph", { field: "subtasks", operator: "more_than", value: 2 }, graphOf(3), graphOf(2)],
    [
      "graph",
      { field: "root_goal_id", operator: "equals", value: "g-1" },
      graphOf(1),
      { ...graphOf(1), root_goal_id: "x" },
    ],
  ])("%s %j", (subject, condition, violated, fine) => {
    expect([check(subject, condition, violated), check(subject, condition, fine)]).toEqual([true, false]);
  });
});
