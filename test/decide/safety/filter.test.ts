import Database from "better-sqlite3";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { SafeGoalDecomposer, SafeGoalRegistry, SafetyViolationError } from "../../../ipc/socket/safe-goals.ts";
import { goal, graphOf, safetyUnderTest } from "../../support/safety.ts";

const LONG = "x".repeat(2049);
const rules = ({ violations }: { violations: { rule_id: string }[] }) => violations.map(({ rule_id }) => rule_id);

describe("the built-in rules", () => {
  it("a clean goal passes", async () => {
    const { filter } = safetyUnderTest();
    expect(await filter.checkGoal(goal())).toMatchObject({ allowed: true, violations: [], is_paused: false });
    expect((await filter.checkGoal(goal({ description: "x".repeat(2048) }))).allowed).toBe(true);
  });

  it("SR-001 blocks a description longer than 2048", async () => {
    const { filter } = safetyUnderTest();
    const verdict = await filter.checkGoal(goal({ description: LONG }));
    expect([verdict.allowed, rules(verdict), verdict.violations[0]?.severity]).toEqual([false, ["SR-001"], "BLOCK"]);
  });

  it("SR-002 blocks critical priority that isn't allowed, and lets it through where it is", async () => {
    const { filter } = safetyUnderTest();
    const verdict = await filter.checkGoal(goal({ priority: "critical" }));
    expect([verdict.allowed, rules(verdict)]).toEqual([false, ["SR-002"]]);
    expect((await filter.checkGoal(goal({ priority: "critical", allow_critical: true }))).allowed).toBe(true);
    expect((await filter.checkGoal(goal({ priority: "critical", allow_critical: false }))).allowed).toBe(false);
  });

  it("SR-006 warns of a web address and allows", async () => {
    const { filter } = safetyUnderTest();
    const verdict = await filter.checkGoal(goal({ description: "send it to https://example.org" }));
    expect([verdict.allowed, rules(verdict), verdict.violations[0]?.severity]).toEqual([true, ["SR-006"], "WARN"]);
  });

  it.each(["self_modify_runtime", "disable_safety_filter", "exfiltrate_data"])(
    "SR-007: a goal of type %s is critical and pauses the gate",
    async (goalType) => {
      const { filter, safety } = safetyUnderTest();
      const verdict = await filter.checkGoal(goal({ goal_type: goalType }), "worker");
      expect([verdict.allowed, rules(verdict), verdict.is_paused]).toEqual([false, ["SR-007"], true]);
      expect(safety.pause.state()).toMatchObject({ is_paused: true, by: "safety", clears: "by_human" });
      expect(safety.pause.state().reason).toContain("SR-007");
    },
  );

  it.each(["network:external", "x-network:external-y", "exec:arbitrary"])(
    "SR-003 blocks a subtask that needs %s",
    async (cap) => {
      const { filter } = safetyUnderTest();
      const verdict = await filter.checkSubtask({ subtask_id: "t", required_caps: ["local:fs", cap] });
      expect([verdict.allowed, rules(verdict)]).toEqual([false, ["SR-003", "SR-004"]]);
    },
  );

  it("SR-004 warns of an unknown prefix and allows", async () => {
    const { filter } = safetyUnderTest();
    const verdict = await filter.checkSubtask({ subtask_id: "t", required_caps: ["cloud:gpu"] });
    expect([verdict.allowed, rules(verdict)]).toEqual([true, ["SR-004"]]);
    expect(rules(await filter.checkSubtask({ subtask_id: "t", required_caps: ["local:fs", "federation:x"] }))).toEqual(
      [],
    );
  });

  it("SR-005 blocks 129 subtasks, not 128", async () => {
    const { filter } = safetyUnderTest();
    const verdict = await filter.checkGraph(graphOf(129));
    expect([verdict.allowed, rules(verdict)]).toEqual([false, ["SR-005"]]);
    expect((await filter.checkGraph(graphOf(128))).allowed).toBe(true);
  });

  it("a graph's verdict lists its subtasks' violations too", async () => {
    const { filter } = safetyUnderTest();
    const verdict = await filter.checkGraph(graphOf(2, ["exec:arbitrary"]));
    expect([verdict.allowed, rules(verdict)]).toEqual([false, ["SR-003", "SR-004", "SR-003", "SR-004"]]);
    expect(verdict.violations.map(({ subject_id }) => subject_id)).toEqual(["t-0", "t-0", "t-1", "t-1"]);
  });

  it("several coexist: SR-001 and SR-006 together are a blocked verdict that lists both", async () => {
    const { filter } = safetyUnderTest();
    const verdict = await filter.checkGoal(goal({ description: `http://example.org ${LONG}` }));
    expect([verdict.allowed, rules(verdict)]).toEqual([false, ["SR-001", "SR-006"]]);
  });
});

describe("while the gate is paused", () => {
  it("no check is allowed, whatever it is about, and each says that the gate is paused", async () => {
    const { filter, safety } = safetyUnderTest();
    safety.pause.begin({ by: "human", reason: "lunch", clears: "by_human" });
    const paused = { allowed: false, violations: [], is_paused: true };
    expect(await filter.checkGoal(goal())).toMatchObject(paused);
    expect(await filter.checkSubtask({ subtask_id: "t", required_caps: ["local:fs"] })).toMatchObject(paused);
    expect(await filter.checkGraph(graphOf(2))).toMatchObject(paused);
    filter.resume();
    expect(await filter.checkGoal(goal())).toMatchObject({ allowed: true, violations: [], is_paused: false });
  });
});

describe("own rules", () => {
  it("a custom rule fires, sync or async", async () => {
    const { filter } = safetyUnderTest();
    filter.registerRule({
      rule_id: "OWN-1",
      subject_type: "goal",
      severity: "BLOCK",
      description: "no photos",
      predicate: ({ description }) => description.includes("photos"),
    });
    filter.registerRule({
      rule_id: "OWN-2",
      subject_type: "goal",
      severity: "WARN",
      description: "asked elsewhere",
      predicate: async () => true,
    });
    const verdict = await filter.checkGoal(goal());
    expect([verdict.allowed, rules(verdict)]).toEqual([false, ["OWN-1", "OWN-2"]]);
  });

  it("none replaces another, least of all a built-in one", () => {
    const { filter } = safetyUnderTest();
    const harmless = { subject_type: "goal", severity: "INFO", description: "", predicate: () => false } as const;
    expect(() => filter.registerRule({ ...harmless, rule_id: "SR-007" })).toThrow(
      expect.objectContaining({ code: "rule_exists" }),
    );
  });

  it("a built-in one counts however long it took, as on a machine that an agent keeps busy", async () => {
    const { filter, safety } = safetyUnderTest({ config: { rule_timeout_ms: 1 } });
    let now = 0;
    vi.spyOn(performance, "now").mockImplementation(() => (now += 1000));
    onTestFinished(() => void vi.restoreAllMocks());
    filter.registerRule({
      rule_id: "OWN",
      subject_type: "goal",
      severity: "BLOCK",
      description: "takes long",
      predicate: () => true,
    });
    const verdict = await filter.checkGoal(goal({ description: LONG, goal_type: "exfiltrate_data" }));
    expect([verdict.allowed, rules(verdict)]).toEqual([false, ["SR-001", "SR-007"]]);
    expect(
      safety
        .status()
        .rules.filter(({ errors }) => errors > 0)
        .map(({ rule_id }) => rule_id),
    ).toEqual(["OWN"]);
  });

  it("one that throws, rejects or takes too long is skipped, counted and shown; the others count on", async () => {
    const { filter, safety } = safetyUnderTest({ config: { rule_timeout_ms: 20 } });
    const rule = (ruleId: string, predicate: () => boolean | Promise<boolean>) =>
      filter.registerRule({
        rule_id: ruleId,
        subject_type: "goal",
        severity: "CRITICAL",
        description: "broken",
        predicate,
      });
    rule("THROWS", () => {
      throw new TypeError("with the subject's words");
    });
    rule("REJECTS", () => Promise.reject(new Error("no")));
    rule("HANGS", () => new Promise(() => undefined));
    rule("BLOCKS-THE-LOOP", () => {
      const end = performance.now() + 40;
      while (performance.now() < end);
      return true;
    });
    const verdict = await filter.checkGoal(goal({ description: LONG }));
    expect([verdict.allowed, rules(verdict)]).toEqual([false, ["SR-001"]]);
    expect(safety.pause.state().is_paused).toBe(false);
    const broken = safety.status().rules.filter(({ errors }) => errors > 0);
    expect(broken.map(({ rule_id, last_error }) => [rule_id, last_error])).toEqual([
      ["THROWS", "threw TypeError"],
      ["REJECTS", "threw Error"],
      ["HANGS", "took too long"],
      ["BLOCKS-THE-LOOP", "took too long"],
    ]);
  });
});

describe("what was violated", () => {
  it("a violation is in the database before its verdict is given, those of one turn together", async () => {
    const { filter, file } = safetyUnderTest();
    const other = new Database(file, { readonly: true });
    onTestFinished(() => void other.close());
    const checks = Array.from({ length: 3 }, () => filter.checkGoal(goal({ description: LONG })));
    const found = (await Promise.all(checks)).flatMap(({ violations }) => violations);
    expect(found).toHaveLength(3);
    expect(other.prepare("SELECT count(*) AS count FROM violations").get()).toEqual({ count: found.length });
  });

  it("a violation that can't be written now is kept, within a bound, and written later", async () => {
    const { safety, filter, db } = safetyUnderTest();
    db.pragma("query_only = 1");
    for (let number = 0; number < 1500; number++) {
      const verdict = await filter.checkGoal(goal({ goal_id: `g-${number}`, description: LONG }));
      expect(verdict.allowed).toBe(false);
    }
    expect(() => safety.violations.flush()).toThrow(/readonly/);
    db.pragma("query_only = 0");
    await filter.checkGoal(goal({ goal_id: "last", description: LONG }));
    const kept = filter.violationsSince(0).map(({ subject_id }) => subject_id);
    expect(kept).toHaveLength(500);
    expect([kept[0], kept.at(-1)]).toEqual(["last", "g-0"]);
  });

  it.each(["violations", "pause"])("a CRITICAL one pauses also when %s can't be written", async (table) => {
    const { safety, filter, db, pauses } = safetyUnderTest();
    filter.registerRule({
      rule_id: "MINE-1",
      subject_type: "goal",
      severity: "CRITICAL",
      description: "no launches",
      predicate: ({ description }) => description.includes("launch"),
    });
    db.exec(`CREATE TRIGGER full BEFORE INSERT ON ${table} BEGIN SELECT RAISE(ABORT, 'full'); END`);
    for (let number = 0; number < 600; number++) {
      await filter.checkGoal(goal({ goal_id: `g-${number}`, description: LONG }));
    }
    const verdict = await filter.checkGoal(goal({ description: "launch it" })).catch((error: Error) => error.message);
    expect(verdict).toEqual(table === "pause" ? "full" : expect.objectContaining({ allowed: false, is_paused: true }));
    expect([safety.pause.reason, pauses.length]).toEqual([expect.stringMatching(/^MINE-1: /), 1]);
    db.exec("DROP TRIGGER full");
    safety.violations.flush();
    expect(filter.violationsSince(0).map(({ rule_id }) => rule_id)).toContain(table === "pause" ? "MINE-1" : "SR-001");
  });

  it("violations_since gives the later ones, newest first", async () => {
    const { filter, clock } = safetyUnderTest();
    await filter.checkGoal(goal({ goal_id: "early", description: LONG }), "a");
    clock.advance(60);
    const since = clock.now();
    await filter.checkGoal(goal({ goal_id: "late-1", description: LONG }), "a");
    await filter.checkGoal(goal({ goal_id: "late-2", description: "http://x" }), "b");
    expect(filter.violationsSince(since).map(({ subject_id, agent_name }) => [subject_id, agent_name])).toEqual([
      ["late-2", "b"],
      ["late-1", "a"],
    ]);
    expect(filter.violationsSince(0)).toHaveLength(3);
  });

  it("an agent's own words are made visible and short, and none of the subject's text is kept", async () => {
    const { filter, db } = safetyUnderTest();
    await filter.checkGoal(goal({ goal_id: `a\u202e${"b".repeat(120)}`, description: `SECRET-4711 ${LONG}` }));
    const [violation] = filter.violationsSince(0);
    expect(violation?.subject_id).toMatch(/^a\\u\{202e\}b+…b+$/);
    expect(violation?.subject_id.length).toBeLessThanOrEqual(80);
    expect(JSON.stringify(db.prepare("SELECT * FROM violations").all())).not.toContain("SECRET-4711");
  });

  it("the log stays within its bound: the oldest go, a CRITICAL one never before it was acknowledged", async () => {
    const { filter, safety } = safetyUnderTest({ config: { max_violations: 100 } });
    await filter.checkGoal(goal({ goal_type: "exfiltrate_data" }), "bad");
    for (let check = 0; check < 700; check++) await filter.checkGoal(goal({ description: "http://x" }), "chatty");
    safety.violations.flush();
    expect(safety.violations.count()).toBe(100);
    expect(safety.violations.list().at(-1)?.rule_id).toBe("SR-007");
    filter.acknowledge("all");
    for (let check = 0; check < 600; check++) await filter.checkGoal(goal({ description: "http://x" }), "chatty");
    safety.violations.flush();
    expect(safety.violations.list().some(({ rule_id }) => rule_id === "SR-007")).toBe(false);
  });

  it("an agent that keeps being CRITICAL fills no disk: beyond a bound only the count grows", async () => {
    const { filter, safety } = safetyUnderTest();
    for (let check = 0; check < 450; check++)
      await filter.checkGoal(goal({ goal_id: `g-${check}`, goal_type: "exfiltrate_data" }), "bad");
    safety.violations.flush();
    expect(safety.violations.count()).toBe(200);
    const [last] = safety.violations.list({ limit: 1 });
    expect(last?.times).toBe(251);
  });
});

describe("the wrappers for agents that plan", () => {
  it("the registry raises on a blocked goal, and registers nothing", async () => {
    const { filter } = safetyUnderTest();
    const registered: string[] = [];
    const registry = new SafeGoalRegistry(({ goal_id }) => registered.push(goal_id), filter);
    await registry.register(goal({ goal_id: "fine" }));
    const refused = registry.register(goal({ goal_id: "long", description: LONG }));
    await expect(refused).rejects.toThrow(SafetyViolationError);
    await expect(refused).rejects.toMatchObject({ verdict: { violations: [{ rule_id: "SR-001" }] } });
    expect(registered).toEqual(["fine"]);
  });

  it("the decomposer raises on a blocked graph, and before a blocked dispatch", async () => {
    const { filter } = safetyUnderTest();
    const decomposer = new SafeGoalDecomposer((count: number) => graphOf(count), filter);
    expect(Object.keys((await decomposer.decompose(3)).subtasks)).toHaveLength(3);
    await expect(decomposer.decompose(129)).rejects.toMatchObject({ verdict: { violations: [{ rule_id: "SR-005" }] } });
    await expect(decomposer.checkDispatch({ subtask_id: "t", required_caps: ["exec:arbitrary"] })).rejects.toThrow(
      /SR-003/,
    );
  });
});
