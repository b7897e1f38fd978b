import { describe, expect, it } from "vitest";
import { HOSTS, type Host, payloadFor, type Verdict, verdictOf } from "../../packages/hook-bench/hosts.ts";
import { placed, SCENARIO_KINDS, scenariosOf } from "../../packages/hook-bench/scenario.ts";

const PLACES = { home: "/home/ada", project: "/home/ada/project" };
const end = (stdout: string, code: number | null = 0, stderr = "") => ({ code, stdout, stderr });
const said = (permissionDecision: string, permissionDecisionReason = "why", more: object = {}) =>
  JSON.stringify({ hookSpecificOutput: { permissionDecision, permissionDecisionReason, ...more } });

describe("what a client does with a hook's end", () => {
  it.each<[Host, string, ReturnType<typeof end>, Verdict]>([
    ["claude-code", "a denial", end(said("deny")), "blocked"],
    ["claude-code", "a question", end(said("ask")), "asked"],
    ["claude-code", "consent", end(said("allow")), "allowed"],
    ["claude-code", "exit code 2", end("", 2), "blocked"],
    ["claude-code", "nothing", end(""), "allowed"],
    ["claude-code", "garbage", end("hm"), "error"],
    ["claude-code", "exit code 1", end("", 1), "error"],
    ["claude-code", "a signal", end("", null), "error"],
    ["codex", "nothing", end(""), "allowed"],
    ["codex", "a denial", end(said("deny")), "blocked"],
    ["codex", "a denial without a reason", end(said("deny", "")), "error"],
    ["codex", "a question", end(said("ask")), "error"],
    ["codex", "bare consent", end(said("allow")), "error"],
    ["codex", "consent with other input", end(said("allow", "", { updatedInput: {} })), "allowed"],
    ["codex", "a block", end('{"decision":"block","reason":"x"}'), "blocked"],
    ["codex", "exit code 2 with a text", end("", 2, "no"), "blocked"],
    ["codex", "exit code 2 without one", end("", 2), "error"],
    ["codex", "broken JSON", end("{"), "error"],
    ["codex", "exit code 127", end("", 127, "not found"), "error"],
    ["gemini", "nothing", end(""), "allowed"],
    ["gemini", "a denial", end('{"decision":"deny"}'), "blocked"],
    ["gemini", "a question", end('{"decision":"ask"}'), "error"],
    ["gemini", "exit code 127 with a text", end("", 127, "not found"), "blocked"],
    ["gemini", "exit code 1", end("", 1, "x"), "error"],
    ["gemini", "Claude Code's way to deny", end(said("deny")), "allowed"],
    ["gemini", "a signal", end("", null), "error"],
  ])("%s: %s", (host, _, hookEnd, verdict) => {
    expect(verdictOf(host, hookEnd)).toBe(verdict);
  });
});

describe("the scenarios", () => {
  it.each(HOSTS)("each call of each of them can be said to the hook of %s", (host) => {
    for (const kind of SCENARIO_KINDS)
      for (const { calls } of scenariosOf(kind))
        for (const call of calls) {
          const payload = payloadFor(host, placed(call, PLACES), PLACES, "session");
          expect(payload).not.toMatch(/\{(home|project)\}/);
          expect(JSON.parse(payload)).toMatchObject({ cwd: PLACES.project, tool_name: expect.any(String) });
        }
  });

  it("no two have one name, and each attack says what is bad about it", () => {
    const names = SCENARIO_KINDS.flatMap((kind) => scenariosOf(kind).map(({ name }) => name));
    expect(new Set(names).size).toBe(names.length);
    for (const { name, why } of scenariosOf("attacks")) expect(why, name).toBeTruthy();
  });
});
