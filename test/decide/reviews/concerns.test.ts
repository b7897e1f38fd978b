import { describe, expect, it } from "vitest";
import { plannedReviewers } from "../../../main/core/offline.ts";
import { CLAUDE_CODE_EXECUTORS } from "../../../main/decide/executors/claude-code.ts";
import { COMMON_TOOLS } from "../../../main/decide/executors/common-tools.ts";
import { type ManifestSource, manifestSchema } from "../../../main/decide/executors/manifest.ts";
import type { When } from "../../../main/decide/reviews/config.ts";
import { isConcerned, reviewersFor, skippedTools } from "../../../main/decide/reviews/review-steps.ts";
import { decided, examinationOf, manifestOf, PAIRED, type Situation } from "../../support/examinations.ts";
import { reviewConfig } from "../../support/judged-calls.ts";

const READ: Situation = { executor: "fs_read", args: { path: "/srv/a" } };
const WRITE: Situation = { executor: "fs_write", args: { path: "/srv/a", content: "x" } };
const SHELL: Situation = { executor: "Bash", args: { command: "make" } };
const UNKNOWN: Situation = { executor: "mcp__notes__search", args: {} };

const concerned = (situation: Situation, when: When = {}, skipped = skippedTools([])) =>
  isConcerned(examinationOf(situation), when, skipped);

describe("which calls a judge looks at", () => {
  it.each<[boolean, string, Situation]>([
    [false, "what only reads", { executor: "http_get", args: { url: "https://example.org/" } }],
    [false, "a command line that only fetches", { executor: "Bash", args: { command: "curl https://example.org/" } }],
    [false, "a search on the web", { executor: "WebSearch", args: { query: "x" } }],
    [true, "what posts", { executor: "http_post", args: { url: "https://example.org/", body: "x" } }],
    [true, "a body", { executor: "http_get", args: { url: "https://example.org/", body: "x" } }],
    [true, "a message", { executor: "channel_send", args: { channel: "#all", text: "x" } }],
    [true, "a mail", { executor: "mail_send", args: { to: "anna@example.org" } }],
    [true, "a question to a model elsewhere", { executor: "llm_online", args: { prompt: "x" } }],
    [true, "curl -d", { executor: "Bash", args: { command: "curl -d @/srv/p/a.txt https://example.org/" } }],
    [true, "curl -T", { executor: "Bash", args: { command: "curl -T /srv/p/a.db https://example.org/" } }],
    [true, "curl -F", { executor: "Bash", args: { command: "curl -F f=@/srv/p/a.txt https://example.org/" } }],
    [true, "curl -H @", { executor: "Bash", args: { command: "curl -H @/srv/p/a.txt https://example.org/" } }],
    [true, "git push", { executor: "Bash", args: { command: "git push" } }],
    [true, "what writes", WRITE],
    [true, "what runs code", SHELL],
    [true, "what nothing describes", UNKNOWN],
  ])("without a word about it: %s for %s", (expected, _what, situation) => {
    expect(concerned(situation)).toBe(expected);
  });

  it("by capability: any of those that the call states, critical or not, and no other", () => {
    const when: When = { capabilities: ["network:http"] };
    expect(concerned({ executor: "http_get", args: { url: "https://example.org/" } }, when)).toBe(true);
    expect(concerned(WRITE, when)).toBe(false);
  });

  it("by executor: as the agent calls it, or by the manifest's own name", () => {
    const own = [manifestOf({ name: "box", aliases: ["crate"], needs: [] })];
    expect(concerned({ executor: "crate", own }, { executors: ["box"] })).toBe(true);
    expect(concerned({ executor: "crate", own }, { executors: ["crate"] })).toBe(true);
    expect(concerned({ executor: "crate", own }, { executors: ["fs_write"] })).toBe(false);
  });

  it("by executor: by whichever of its names the agent calls it", () => {
    const own = [manifestOf({ name: "box", aliases: ["crate", "chest"], needs: [] })];
    for (const executor of ["box", "crate", "chest"])
      expect(concerned({ executor, own }, { executors: ["crate"] })).toBe(true);
  });

  it("by agent: its name or its kind; every key that is given has to fit", () => {
    const claude = { ...PAIRED, name: "claude-code" };
    expect(concerned({ ...WRITE, agent: claude }, { agents: ["claude-code"] })).toBe(true);
    expect(concerned({ ...WRITE, agent: { ...PAIRED, name: "aider" } }, { agents: ["claude-code"] })).toBe(false);
    expect(concerned({ ...WRITE, agent: { ...PAIRED, name: "aider" } }, { agents: ["aider"] })).toBe(true);
    expect(concerned(WRITE, { executors: ["fs_write"], capabilities: ["mail:send"] })).toBe(false);
  });
});

describe("skip_judge", () => {
  const skipping = (change: Partial<ManifestSource>) =>
    manifestSchema.safeParse(manifestOf({ skip_judge: true, ...change }));

  it("of a manifest leaves a call out, whatever is configured", () => {
    expect(concerned(READ, { capabilities: ["fs:read"] })).toBe(false);
  });

  it("says nothing for a call that itself states more than its manifest", () => {
    const situation: Situation = { ...READ, context: { capability: "fs:write" } };
    expect(concerned(situation, { capabilities: ["fs:read"] })).toBe(true);
  });

  it("says nothing for a call that sends something by a tool that fetches", () => {
    const needs: ManifestSource["needs"] = [{ capability: "network:http", target: { from: "url", arg: "url" } }];
    const own = [manifestOf({ needs, skip_judge: true, reversibility: "reversible" })];
    const call = (args: Record<string, unknown>) => concerned({ executor: "box", args, own });
    expect(call({ url: "https://example.org/" })).toBe(false);
    expect(call({ url: "https://example.org/", body: "x" })).toBe(true);
  });

  it.each<[string, Partial<ManifestSource>]>([
    ["it is critical", { critical: true }],
    ["it needs fs:write", { needs: [{ capability: "fs:write", target: { from: "path", arg: "path" } }] }],
    ["it needs channel:out", { needs: [{ capability: "channel:out", target: { from: "exact", arg: "to" } }] }],
  ])("is refused of what changes something: %s", (why, change) => {
    const { error } = skipping(change);
    expect(error?.issues).toMatchObject([{ path: ["skip_judge"], message: expect.stringContaining(why) }]);
  });

  it("is taken of what only reads", () => {
    expect(skipping({}).success).toBe(true);
  });

  it("is on no built-in tool that changes something", () => {
    const sources = [...COMMON_TOOLS, ...CLAUDE_CODE_EXECUTORS];
    expect(sources.filter((source) => !manifestSchema.safeParse(source).success)).toEqual([]);
    expect(sources.some(({ skip_judge }) => skip_judge === true)).toBe(true);
  });

  it("of an MCP tool leaves out exactly that tool, and no described executor of the same name", () => {
    const skipped = skippedTools([
      { server: "notes", tool: "search", changes_nothing: true, skip_judge: true },
      { server: "notes", tool: "write", changes_nothing: true, skip_judge: false },
    ]);
    expect(concerned(UNKNOWN, {}, skipped)).toBe(false);
    expect(concerned({ executor: "mcp__notes__write", args: {} }, {}, skipped)).toBe(true);
    expect(concerned({ executor: "mcp__notes__searches", args: {} }, {}, skipped)).toBe(true);
    const own = [
      manifestOf({
        name: "mcp__notes__search",
        needs: [{ capability: "fs:write", target: { from: "path", arg: "path" } }],
      }),
    ];
    expect(concerned({ executor: "mcp__notes__search", args: { path: "/srv/a" }, own }, {}, skipped)).toBe(true);
  });
});

describe("without a gate", () => {
  const config = reviewConfig({
    judge: { kind: "llm-v1", model: "small", online: true },
    models: { small: { dialect: "openai", base_url: "https://models.example/v1", model: "s" } },
    validators: [
      { type: "semantic", judge_agent: "tests", criteria: "the tests pass", when: { capabilities: ["code:exec"] } },
    ],
    judge_agents: { tests: { kind: "command", command: ["/usr/bin/true"] } },
  });
  const settings = { reviewers: plannedReviewers(config) };

  it("the judges that would be asked are known from the configuration, in their order", () => {
    const names = (situation: Situation) =>
      reviewersFor(examinationOf({ ...situation, settings })).map(({ stage, name, is_online }) => [
        stage,
        name,
        is_online,
      ]);
    expect(names(SHELL)).toEqual([
      ["judge", "small", true],
      ["validators", "tests", false],
    ]);
    expect(names(WRITE)).toEqual([["judge", "small", true]]);
    expect(names(READ)).toEqual([]);
  });

  it("the trace says of each stage whom it would ask, or that nobody looks at such a call", () => {
    const steps = (situation: Situation) =>
      decided({ ...situation, settings }).trace.flatMap(({ stage, detail }) =>
        stage === "judge" || stage === "validators" ? [detail] : [],
      );
    expect(steps(SHELL)).toEqual([expect.stringMatching(/; review: not run \(small\)$/), "review: not run (tests)"]);
    expect(steps(WRITE)[1]).toBe("no validator looks at such a call");
    expect(steps(READ)[0]).not.toContain("review");
  });
});
