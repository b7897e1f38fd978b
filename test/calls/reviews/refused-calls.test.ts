import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import type { Decision } from "../../../ipc/contract/decision.ts";
import { PASS_SECONDS } from "../../../main/calls/approvals/judge-passes.ts";
import { KEPT_CHARACTERS, KEPT_REFUSALS, KEPT_SECONDS } from "../../../main/calls/reviews/refused-calls.ts";
import { Operator } from "../../../main/surfaces/operator/operator.ts";
import { linesIn } from "../../support/audit-trail.ts";
import { HeldJudge } from "../../support/judged-calls.ts";
import { BY, type JudgedCoreOptions, judgedCore, SECRET, settled } from "../../support/judged-core.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { temporaryHome } from "../../support/temporary-home.ts";

const OVERRIDE = "[judge]\noverride = true\n";

/** A gate where judges may be overridden; its operator; and a judge that refuses whatever it is asked about. */
async function overridable(options: JudgedCoreOptions = {}) {
  const judge = new HeldJudge();
  const home = options.home ?? temporaryHome(options.config ?? OVERRIDE);
  const opened = await judgedCore({ judges: [judge], ...options, home });
  const operator = new Operator(opened.core);
  const refused = async (...call: Parameters<typeof opened.write>): Promise<Decision> => {
    const { next } = opened.write(...call);
    (await judge.reviewing()).reject();
    return next();
  };
  return { ...opened, judge, operator, refused };
}

const OVERRIDDEN = { outcome: "allowed", reviews: [{ name: "held", outcome: "overridden" }] };

describe("a refusal by a judge", () => {
  it("is listed with what was refused, by whom, and what the agent can do instead", async () => {
    const { refused, operator, folder } = await overridable();
    const { decision_id } = await refused();
    const { refused: listed } = await operator.call("reviews.list", {});
    expect(listed).toMatchObject([
      {
        id: decision_id,
        agent_name: "tester",
        executor: "fs_write",
        cwd: folder,
        review: { name: "held", outcome: "rejected", sentence: "it does more than is asked for" },
        instead: expect.stringContaining("it does more"),
        summary: expect.stringContaining("a.txt"),
        args: { content: SECRET },
        can_override: true,
        overridden_at: null,
      },
    ]);
    expect(listed[0]?.description).not.toBeNull();
    expect(await operator.call("reviews.dismiss", { id: decision_id })).toEqual({ dismissed: true });
    expect(await operator.call("reviews.dismiss", { id: decision_id })).toEqual({ dismissed: false });
    expect((await operator.call("reviews.list", {})).refused).toEqual([]);
  });

  it("of a call that is sent again and again is listed once, as the newest, under the id that it had", async () => {
    const { write, operator, judge } = await overridable();
    const refused = async (name: string, count: number) => {
      const { next } = write(name);
      (await judge.reviewing(count)).reject();
      return (await next()).decision_id;
    };
    const first = await refused("a.txt", 1);
    const other = await refused("b.txt", 2);
    await refused("a.txt", 3);
    const { refused: listed } = await operator.call("reviews.list", {});
    expect(listed.map(({ id }) => id)).toEqual([first, other]);
  });

  it("is listed for an hour, the last hundred of them", async () => {
    const { write, operator, clock, judge } = await overridable();
    for (let index = 0; index < KEPT_REFUSALS + 1; index++) {
      const { next } = write(`${index}.txt`);
      (await judge.reviewing(index + 1)).reject();
      await next();
    }
    const list = async () => (await operator.call("reviews.list", {})).refused;
    expect((await list()).map(({ summary }) => /(\d+)\.txt/.exec(summary)?.[1])).toEqual(
      Array.from({ length: KEPT_REFUSALS }, (_, index) => String(KEPT_REFUSALS - index)),
    );
    clock.advance(KEPT_SECONDS);
    expect(await list()).toEqual([]);
  });

  it("isn't pushed out by another agent's, however many and however long they are", async () => {
    const { refused, core, agent, operator } = await overridable();
    const { decision_id } = await refused("kept.txt");
    Object.assign(agent, core.agents.pair("eager", "Full").agent);
    for (let index = 0; index < KEPT_REFUSALS; index++) await refused(`${index}.txt`);
    for (let index = 0; index < 3; index++) await refused(`${index}.txt`, "s1", "x".repeat(900_000));
    const { refused: listed } = await operator.call("reviews.list", {});
    expect(listed.map(({ id }) => id)).toContain(decision_id);
    expect(listed.map(({ args }) => JSON.stringify(args).length > 900_000).filter(Boolean)).toHaveLength(2);
    expect(JSON.stringify(listed.map(({ args }) => args)).length).toBeLessThan(KEPT_CHARACTERS);
  });

  it("is listed, and can be overridden, where the judge couldn't answer and its threshold lets nothing pass then", async () => {
    const { write, judge, operator } = await overridable();
    const { next } = write();
    const reason = "judge: score 0.50 < threshold 0.60 (llm-judge fallback (chat failed))";
    (await judge.reviewing()).answer({
      review: {
        stage: "judge",
        name: "small",
        outcome: "fallback",
        score: 0.5,
        confidence: null,
        sentence: "llm-judge fallback (chat failed)",
        ms: 1,
        is_online: false,
      },
      denial: { stage: "judge", reason, explain: { rule: "judge.model-low-score" } },
    });
    await next();
    expect((await operator.call("reviews.list", {})).refused).toMatchObject([
      { review: { outcome: "fallback" }, can_override: true },
    ]);
  });

  it("can't be overridden where gate.toml doesn't say so, nor once it isn't listed any more", async () => {
    const { refused, operator } = await overridable({ config: "" });
    const { decision_id: id } = await refused();
    expect((await operator.call("reviews.list", {})).refused).toMatchObject([{ can_override: false }]);
    await expect(operator.call("reviews.override", { id })).rejects.toMatchObject({ code: "override_not_allowed" });
    const other = await overridable();
    await expect(other.operator.call("reviews.override", { id })).rejects.toMatchObject({ code: "too_late" });
  });
});

/** As a profile in policy_overrides.toml makes it. */
const PROFILE = '[[profile]]\nagent = "tester"\nFull."fs:write" = "denied"\n';

describe("what a stage refused", () => {
  it.each<[what: string, options: JudgedCoreOptions, file: string, expected: object]>([
    ["the guard", {}, "../.ssh/authorized_keys", { stage: "guard", rule: "guard.protected-path" }],
    ["the level", { level: "ReadOnly" }, "a.txt", { stage: "policy", rule: "policy.level-denies" }],
    ["the rules as judge", { config: "[judge]\nthreshold = 0.99\n" }, "a.txt", { rule: "judge.low-score" }],
  ])(
    "%s: is listed with why and what the agent got, without the call's arguments",
    async (_what, options, file, is) => {
      const { write, operator } = await overridable(options);
      const [decision] = write(file).decisions;
      const { refused } = await operator.call("reviews.list", {});
      expect(refused).toMatchObject([
        {
          id: decision?.decision_id,
          agent_name: "tester",
          summary: expect.stringContaining(file.split("/").at(-1) ?? ""),
          instead: decision?.explain.instead,
          reason: decision?.reason,
          ...is,
          ...{ review: null, args: null, description: null, can_override: false },
        },
      ]);
      expect(JSON.stringify(refused)).not.toContain(SECRET);
      const id = decision?.decision_id ?? "";
      await expect(operator.call("reviews.override", { id })).rejects.toMatchObject({ code: "override_not_allowed" });
      expect(await operator.call("reviews.dismiss", { id })).toEqual({ dismissed: true });
    },
  );

  it("a profile: is listed, too", async () => {
    const home = temporaryHome("");
    writeFileSync(home.paths.policy_overrides, PROFILE, { mode: 0o600 });
    const { write, operator } = await overridable({ home });
    write();
    expect((await operator.call("reviews.list", {})).refused).toMatchObject([{ rule: "policy.override-denies" }]);
  });

  it("is not listed where it passes by itself, is the agent's to mend, or is the user's own word", async () => {
    const { write, operator, core, judge } = await overridable({ level: "Supervised" });
    expect(write("a\0b").decisions).toMatchObject([{ stage: "validation" }]);
    const { decisions, state, next } = write();
    (await judge.reviewing()).pass();
    await next();
    const token = state.pending?.token ?? decisions[0]?.pending?.token ?? "";
    core.gate.answer({ token, decision: "rejected", refuse: "call" }, BY);
    expect(write().decisions).toMatchObject([{ explain: { rule: "approval.refused-for-session" } }]);
    core.safety.pause.begin({ by: "human", reason: "lunch", clears: "by_human" });
    expect(write().decisions).toMatchObject([{ stage: "safety" }]);
    expect((await operator.call("reviews.list", {})).refused).toEqual([]);
  });

  it("by its level or profile is listed once for each capability: what would be possible is the same for all", async () => {
    const { write, operator } = await overridable({ level: "ReadOnly" });
    const first = write("0.txt").decisions[0];
    for (let index = 1; index < 9; index++) write(`${index}.txt`);
    expect((await operator.call("reviews.list", {})).refused).toMatchObject([
      { id: first?.decision_id, summary: expect.stringContaining("8.txt") },
    ]);
  });

  it("never pushes out what a judge refused, however many it is", async () => {
    const { write, refused, operator } = await overridable();
    const { decision_id } = await refused();
    for (let index = 0; index <= KEPT_REFUSALS; index++) write(`../.ssh/${index}`);
    const { refused: listed } = await operator.call("reviews.list", {});
    expect(listed).toHaveLength(KEPT_REFUSALS);
    expect(listed.at(-1)?.id).toBe(decision_id);
  });
});

describe("a call that the user allows once in spite of a judge", () => {
  it("passes the judges once when it is sent again, and the trail says by whose word", async () => {
    const { write, refused, operator, judge, home, core } = await overridable();
    const { decision_id: id } = await refused();
    expect(await operator.call("reviews.override", { id })).toMatchObject({ can_override: false });
    expect(write().decisions).toMatchObject([OVERRIDDEN]);
    expect(judge.asked).toHaveLength(1);
    expect(write().decisions).toEqual([]);
    await judge.reviewing(2);
    core.audit.flush();
    const lines = linesIn(home.paths.auditDir).map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines.find(({ event }) => event === "judge.overridden")).toMatchObject({ agent: "tester", decision_id: id });
    expect(lines.at(-1)).toMatchObject({ outcome: "allowed", reviews: [{ outcome: "overridden" }] });
    expect(lines.map((line) => JSON.stringify(line)).join()).not.toContain(SECRET);
  });

  it("passes once where it is sent twice in one turn", async () => {
    const { write, refused, operator } = await overridable();
    await operator.call("reviews.override", { id: (await refused()).decision_id });
    const [first, second] = [write(), write()];
    expect([first.decisions.length, second.decisions.length]).toEqual([1, 0]);
  });

  it.each([
    ["another call", { file: "b.txt" }],
    ["another session", { session: "s2" }],
    ["other arguments", { content: "y" }],
  ])(
    "says nothing for %s",
    async (_what, { file = "a.txt", session = "s1", content = SECRET }: Record<string, string>) => {
      const { write, refused, operator } = await overridable();
      await operator.call("reviews.override", { id: (await refused()).decision_id });
      expect(write(file, session, content).decisions).toEqual([]);
      expect(write().decisions).toMatchObject([OVERRIDDEN]);
    },
  );

  it("says nothing once the call leads elsewhere", async () => {
    const { write, refused, operator, folder } = await overridable();
    for (const name of ["one", "two"]) mkdirSync(join(folder, name));
    symlinkSync(join(folder, "one"), join(folder, "link"));
    await operator.call("reviews.override", { id: (await refused("link/a.txt")).decision_id });
    rmSync(join(folder, "link"));
    symlinkSync(join(folder, "two"), join(folder, "link"));
    expect(write("link/a.txt").decisions).toEqual([]);
  });

  it("says nothing once it would change something else than was shown", async () => {
    const { write, refused, operator, folder } = await overridable();
    await operator.call("reviews.override", { id: (await refused()).decision_id });
    writeFileSync(join(folder, "a.txt"), "what is to be kept\n");
    expect(write().decisions).toEqual([]);
    rmSync(join(folder, "a.txt"));
    expect(write().decisions).toMatchObject([OVERRIDDEN]);
  });

  it("says nothing to a gate that lets no judge be overridden", async () => {
    const home = temporaryHome(OVERRIDE);
    const first = await overridable({ home });
    await first.operator.call("reviews.override", { id: (await first.refused()).decision_id });
    first.close();
    writeFileSync(home.paths.configFile, "");
    const second = await overridable({ home });
    expect(second.write().decisions).toEqual([]);
    await second.judge.reviewing(1);
  });

  it("is still asked about, and still denied, by everything but judges", async () => {
    const { write, refused, operator, core, agent } = await overridable();
    await operator.call("reviews.override", { id: (await refused()).decision_id });
    core.safety.pause.begin({ by: "human", reason: "lunch", clears: "by_human" });
    expect(write().decisions).toMatchObject([{ outcome: "denied", stage: "safety" }]);
    await operator.call("safety.resume", {});
    core.agents.setLevel("tester", "Supervised");
    Object.assign(agent, { level: "Supervised" });
    const { decisions } = write();
    expect(decisions).toMatchObject([{ outcome: "approval_required", reviews: [{ outcome: "overridden" }] }]);
    core.gate.answer({ token: decisions[0]?.pending?.token ?? "", decision: "rejected" }, BY);
    expect(decisions.at(-1)).toMatchObject({ outcome: "denied", status: "rejected" });
  });

  it("counts no more once its agent is revoked, or paired again", async () => {
    const { write, refused, operator, core, agent } = await overridable();
    await operator.call("reviews.override", { id: (await refused()).decision_id });
    await operator.call("agents.revoke", { name: "tester" });
    expect((await operator.call("reviews.list", {})).refused).toEqual([]);
    expect(core.gate.broker.registry.passes.isEmpty).toBe(true);
    Object.assign(agent, { revoked_at: null });
    expect(write().decisions).toEqual([]);
  });

  it.each(["advance", "jump"] as const)("counts for ten minutes by either clock: %s", async (move) => {
    const { write, refused, operator, clock } = await overridable();
    await operator.call("reviews.override", { id: (await refused()).decision_id });
    clock[move](PASS_SECONDS + 1);
    expect(write().decisions).toEqual([]);
  });

  it("doesn't get more time from a wall clock that is set back", async () => {
    const { write, refused, operator, clock } = await overridable();
    await operator.call("reviews.override", { id: (await refused()).decision_id });
    clock.advance(PASS_SECONDS + 1);
    clock.jump(-PASS_SECONDS);
    expect(write().decisions).toEqual([]);
  });

  it("counts after a restart, once: the gate that used it and the next one together", async () => {
    const home = temporaryHome(OVERRIDE);
    const clock = new ManualClock();
    const first = await overridable({ home, clock });
    await first.operator.call("reviews.override", { id: (await first.refused()).decision_id });
    first.close();
    const second = await overridable({ home, clock });
    expect(second.write().decisions).toMatchObject([OVERRIDDEN]);
    second.close();
    const third = await overridable({ home, clock });
    expect(third.write().decisions).toEqual([]);
    await settled();
  });

  it("is gone from the database by the time its decision is made: a kill makes nothing of it count twice", async () => {
    const { write, refused, operator, home } = await overridable();
    const stored = () => {
      const db = new Database(home.paths.approvals_db, { readonly: true });
      const rows = db.prepare("SELECT * FROM judge_passes").all();
      db.close();
      return rows;
    };
    await operator.call("reviews.override", { id: (await refused()).decision_id });
    expect(stored()).toHaveLength(1);
    expect(JSON.stringify(stored())).not.toMatch(/hunter2|a\.txt|work/);
    write();
    expect(stored()).toEqual([]);
  });

  it("is judged again where it can't be noted that it was used", async () => {
    const { write, refused, operator, home, judge, log } = await overridable();
    await operator.call("reviews.override", { id: (await refused()).decision_id });
    const refusing = new Database(home.paths.approvals_db);
    refusing.exec("CREATE TRIGGER refuses BEFORE DELETE ON judge_passes BEGIN SELECT RAISE(ABORT, 'refused'); END");
    refusing.close();
    expect(write().decisions).toEqual([]);
    await judge.reviewing(2);
    expect(log.join()).toContain("error in using a pass past the judges");
  });
});
