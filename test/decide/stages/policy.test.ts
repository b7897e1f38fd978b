import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, test } from "vitest";
import type { Capability, Outcome } from "../../../ipc/contract/decision.ts";
import { choicesFor } from "../../../main/calls/approvals/choices.ts";
import { ExecutorCatalog } from "../../../main/decide/executors/catalog.ts";
import { decisionOf, examineCall } from "../../../main/decide/pipeline.ts";
import { isDenial } from "../../../main/decide/stages/examination.ts";
import { policy } from "../../../main/decide/stages/policy.ts";
import { examinationOf, manifestOf, PAIRED, type Situation } from "../../support/examinations.ts";
import { freshGrants, ROBERTO } from "../../support/gate-stores.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const SETTINGS = { home: "/home/me", grants: null, pause: null, judge_threshold: 0.3, now: Date.now };
const SUBJECT = { agent: null, level: "Full", principal: { channel: "local", sender_id: "me" } } as const;

test.each([
  ["Glob", { pattern: "{/etc/ssh/*,x}" }, "/srv"],
  ["Glob", { pattern: "*/../../etc/ssh/*" }, "/srv"],
  ["Read", { file_path: "notes.txt" }, undefined],
  ["Read", { file_path: "file:///srv/notes.txt" }, "/srv"],
])("an unknown path is asked about also where the level would allow it: %s %j", (executor, args, cwd) => {
  const call = { intent: "", executor, args, ...(cwd === undefined ? {} : { context: { cwd } }) };
  const examined = examineCall(call, SUBJECT, new ExecutorCatalog(), SETTINGS);
  expect(decisionOf(examined).outcome).toBe("approval_required");
});

test("a link to what each process sees as its own leads elsewhere for the agent: asked about, and never remembered", () => {
  const home = tempFolder();
  symlinkSync("/proc/self/cwd", join(home, "mine"));
  symlinkSync("loop", join(home, "loop"));
  for (const path of ["mine/a.txt", "loop/a.txt"]) {
    const call = { intent: "", executor: "Write", args: { file_path: join(home, path), content: "" } };
    const examined = examineCall(call, SUBJECT, new ExecutorCatalog(), { ...SETTINGS, home });
    expect(decisionOf(examined).outcome).toBe("approval_required");
    expect(choicesFor(examined.x.needs ?? [], { home }).map(({ scope }) => scope)).toEqual(["none"]);
  }
});

test("what such a path leads to here is still guarded, and a process's own folder as for any command", () => {
  for (const filePath of [
    "/proc/self/cwd/notes.txt",
    "/proc/thread-self/cwd/notes.txt",
    "/proc/self/root/etc/shadow",
    "/proc/self/environ",
    "/proc/self/root/home/me/.ssh/id_rsa",
  ]) {
    const call = { intent: "", executor: "Read", args: { file_path: filePath } };
    expect(examineCall(call, SUBJECT, new ExecutorCatalog(), SETTINGS).denial?.stage).toBe("guard");
  }
});

test("more targets than a person could read are not asked about", () => {
  const call = (count: number) => ({
    intent: "",
    executor: "mail_send",
    args: { to: Array(count).fill("a@b.example") },
  });
  expect(examineCall(call(1000), SUBJECT, new ExecutorCatalog(), SETTINGS).denial).toBeNull();
  expect(examineCall(call(1001), SUBJECT, new ExecutorCatalog(), SETTINGS).denial?.stage).toBe("validation");
});

/** The policy stage's result alone: a denial, or what it finds. */
function answered(situation: Situation) {
  const x = examinationOf(situation);
  const found = policy(x);
  return isDenial(found)
    ? { denial: found, outcome: "denied", reason: found.reason, x }
    : { denial: null, outcome: found.outcome, reason: found.reason, x: { ...x, ...found } };
}

describe("level and capability", () => {
  it("what the level allows is allowed, by what it needs, each capability once", () => {
    const { outcome, reason, x } = answered({
      executor: "Bash",
      args: { command: "cat /srv/a /srv/b" },
      context: { cwd: "/srv" },
      level: "Full",
    });
    expect([outcome, reason]).toEqual(["allowed", "level Full allows fs:read"]);
    expect(x.trace).toEqual([{ stage: "policy", outcome: "passed", detail: "level Full allows fs:read" }]);
    expect(x.grants_used).toEqual([]);
  });

  it("what needs nothing is allowed at every level", () => {
    for (const level of ["ReadOnly", "Supervised", "Full"] as const)
      expect(answered({ executor: "TodoWrite", level, agent: { ...PAIRED, name: "claude-code" } })).toMatchObject({
        outcome: "allowed",
        reason: "it touches nothing outside the agent",
      });
  });

  it("what the level asks about is asked, by the first capability that it asks about", () => {
    const { outcome, reason, x } = answered({
      executor: "Bash",
      args: { command: "node x.js; cat /srv/a" },
      context: { cwd: "/srv" },
    });
    expect(x.needs.map(({ capability }) => capability)).toEqual(["code:exec", "fs:read"]);
    expect([outcome, reason]).toEqual(["approval_required", "level Supervised asks before code:exec"]);
    expect(x.trace).toEqual([
      {
        stage: "policy",
        outcome: "ask",
        detail: "level Supervised asks before code:exec",
        rule: "policy.level-asks",
      },
    ]);
  });

  it("what the level doesn't allow is denied with the level's rule, and whom to ask for a higher one", () => {
    const { denial, x } = answered({ executor: "fs_write", args: { path: "/srv/a" }, level: "ReadOnly" });
    expect(denial).toEqual({
      stage: "policy",
      reason: "level ReadOnly does not allow fs:write",
      explain: {
        rule: "policy.level-denies",
        matched: "ReadOnly reads after asking, and never writes, sends, runs code or spends money",
        instead: "ask the user for a higher level (metnos-gate agents level claude Supervised)",
      },
    });
    expect(x.trace).toEqual([
      {
        stage: "policy",
        outcome: "denied",
        detail: "level ReadOnly does not allow fs:write",
        rule: "policy.level-denies",
      },
    ]);
    expect(
      answered({ executor: "fs_write", args: { path: "/srv/a" }, level: "ReadOnly", agent: null }).denial?.explain
        .instead,
    ).toContain("agents level NAME Supervised");
  });
});

/** Every order of a list. */
function ordersOf<T>(list: readonly T[]): T[][] {
  if (list.length === 0) return [[]];
  return list.flatMap((first, index) => ordersOf(list.toSpliced(index, 1)).map((rest) => [first, ...rest]));
}

describe("of several needs the strictest outcome counts, in whatever order they come", () => {
  /** An executor that needs these, in this order, none of them on a path. */
  const needing = (capabilities: readonly Capability[]): Situation => ({
    executor: "box",
    own: [manifestOf({ needs: capabilities.map((capability) => ({ capability, target: { from: "none" } })) })],
  });

  it.each<[Situation["level"], Capability[], Outcome]>([
    ["Full", ["llm:online", "code:exec"], "approval_required"],
    ["Full", ["llm:online", "mail:send", "time:read"], "approval_required"],
    ["Supervised", ["time:read", "mail:read", "llm:local"], "approval_required"],
    ["ReadOnly", ["time:read", "mail:read"], "approval_required"],
    ["ReadOnly", ["mail:read", "mail:send"], "denied"],
    ["ReadOnly", ["time:read", "mail:read", "code:exec"], "denied"],
    ["Full", ["time:read", "llm:online", "mail:read"], "allowed"],
  ])("%s, %j: %s", (level, capabilities, wanted) => {
    for (const order of ordersOf(capabilities))
      expect([order, answered({ ...needing(order), level: level ?? "Full" }).outcome]).toEqual([order, wanted]);
  });

  it.each(["node x.js; cat a.txt", "cat a.txt; node x.js"])(
    "a line that runs code is asked about at level Full, whatever else it does: %s",
    (command) => {
      expect(
        answered({ executor: "Bash", args: { command }, context: { cwd: "/srv/project" }, level: "Full" }),
      ).toMatchObject({ outcome: "approval_required", reason: "level Full asks before code:exec" });
    },
  );

  it.each([
    ["/srv/a", "/proc/self/cwd/a"],
    ["/proc/self/cwd/a", "/srv/a"],
  ])("a path that can't be resolved is asked about beside one that is allowed: %s, %s", (...path) => {
    const own = [manifestOf()];
    expect(answered({ executor: "box", args: { path }, own, level: "Full" }).outcome).toBe("approval_required");
  });
});

describe("grants", () => {
  const READ_AND_WRITE = manifestOf({
    needs: [
      { capability: "fs:read", target: { from: "path", arg: "from" } },
      { capability: "fs:write", target: { from: "path", arg: "to" } },
    ],
  });

  function granted() {
    const { grants, home } = freshGrants();
    const grant = (capability: Capability, target: string, of: { agent?: string; session?: string } = {}) =>
      grants.recordGrant({ ...ROBERTO, ...of, capability, target }).id;
    const ask = (more: Situation = {}) =>
      answered({
        executor: "box",
        own: [READ_AND_WRITE],
        args: { from: `${home}/a`, to: `${home}/b` },
        ...more,
        settings: { grants, home },
      });
    return { home, grant, ask };
  }

  it("one that covers what is asked about allows it, and is named", () => {
    const { home, grant, ask } = granted();
    const id = grant("fs:read", `${home}/**`);
    const { outcome, reason, x } = ask({ executor: "fs_read", args: { path: `${home}/a` } });
    expect([outcome, reason, x.grants_used]).toEqual(["allowed", `allowed by grant ${id}`, [id]]);
    expect(x.trace).toEqual([{ stage: "policy", outcome: "passed", detail: `allowed by grant ${id}` }]);
  });

  it("each need needs its own: one alone leaves the call asked about, by the need without one", () => {
    const { home, grant, ask } = granted();
    const read = grant("fs:read", `${home}/**`);
    expect(ask()).toMatchObject({ outcome: "approval_required", reason: "level Supervised asks before fs:write" });
    const write = grant("fs:write", `${home}/**`);
    expect(ask()).toMatchObject({ outcome: "allowed", reason: `allowed by grant ${read}, ${write}` });
  });

  it("one for the last need alone leaves the call asked about as well", () => {
    const { home, grant, ask } = granted();
    grant("fs:write", `${home}/**`);
    expect(ask()).toMatchObject({ outcome: "approval_required", reason: "level Supervised asks before fs:read" });
  });

  it("none lifts a denial, whatever the call's other needs", () => {
    const { home, grant, ask } = granted();
    grant("fs:read", `${home}/**`);
    grant("fs:write", `${home}/**`);
    expect(ask({ level: "ReadOnly" })).toMatchObject({ outcome: "denied", denial: { stage: "policy" } });
  });

  it("they are looked up by the agent that asks and its session", () => {
    const { home, grant, ask } = granted();
    const call: Situation = { executor: "fs_read", args: { path: `${home}/a` } };
    grant("fs:read", `${home}/**`, { agent: "another", session: "s1" });
    grant("fs:read", `${home}/**`, { agent: PAIRED.agent_id, session: "s1" });
    expect(ask({ ...call, session: "s1" }).outcome).toBe("allowed");
    expect(ask({ ...call, session: "s2" }).outcome).toBe("approval_required");
    expect(ask({ ...call, session: "s1", agent: null }).outcome).toBe("approval_required");
  });

  it("a path that can't be resolved is asked about although a grant would cover its name", () => {
    const { grant, ask } = granted();
    grant("fs:read", "/proc/**");
    const path = (text: string): Situation => ({ executor: "fs_read", args: { path: text } });
    expect(ask(path("/proc/cpuinfo")).outcome).toBe("allowed");
    expect(ask(path("/proc/self/cwd/a")).outcome).toBe("approval_required");
  });

  it("where nothing is remembered every question is asked", () => {
    expect(answered({ executor: "fs_read", args: { path: "/srv/a" }, settings: { grants: null } }).outcome).toBe(
      "approval_required",
    );
  });
});

describe("what is asked about each time", () => {
  const secret = (more: Situation = {}) =>
    answered({ executor: "fs_read", args: { path: "/srv/project/.env" }, level: "Full", ...more });

  it("is asked about at the level that would allow it, by what it is", () => {
    expect(secret()).toMatchObject({
      outcome: "approval_required",
      reason: expect.stringMatching(/^level Full asks before fs:read of .+, each time$/),
    });
    expect(secret({ args: { path: "/srv/project/notes.txt" } }).outcome).toBe("allowed");
  });

  it("no grant answers for it, and none is named", () => {
    const { grants } = freshGrants();
    grants.recordGrant({ ...ROBERTO, capability: "fs:read", target: "/srv/**" });
    const { outcome, x } = secret({ level: "Supervised", settings: { grants, now: Date.now } });
    expect([outcome, x.grants_used]).toEqual(["approval_required", []]);
  });
});

describe("plan mode", () => {
  const planning = (executor: string, args: Record<string, unknown>, more: Situation = {}) =>
    answered({ executor, args, context: { cwd: "/srv", mode: "plan" }, agent: PAIRED, ...more });

  it("no grant and no level answers for what writes, runs or sends: it is asked each time", () => {
    const { grants } = freshGrants();
    grants.recordGrant({ ...ROBERTO, capability: "fs:write", target: "/srv/**" });
    const settings = { grants, now: Date.now };
    const write = { path: "/srv/a.txt", content: "" };
    expect(planning("fs_write", write, { settings })).toMatchObject({
      outcome: "approval_required",
      reason: "level Supervised asks before fs:write in plan mode, each time",
    });
    expect(planning("fs_write", write, { level: "Full" }).outcome).toBe("approval_required");
    expect(planning("Bash", { command: "touch a.txt" }, { settings }).outcome).toBe("approval_required");
    const executing = { executor: "fs_write", args: write, settings, context: { cwd: "/srv", mode: "default" } };
    expect(answered(executing).outcome).toBe("allowed");
  });

  it("what only reads is answered as in every other mode", () => {
    const { grants } = freshGrants();
    grants.recordGrant({ ...ROBERTO, capability: "fs:read", target: "/srv/**" });
    const settings = { grants, now: Date.now };
    expect(planning("fs_read", { path: "/srv/a.txt" }, { settings }).outcome).toBe("allowed");
    expect(planning("fs_read", { path: "/srv/a.txt" }, { level: "Full" }).outcome).toBe("allowed");
    expect(planning("time_now", {}).outcome).toBe("allowed");
  });

  it("a level's no stays a no", () => {
    expect(planning("fs_write", { path: "/srv/a" }, { level: "ReadOnly" }).outcome).toBe("denied");
  });
});
