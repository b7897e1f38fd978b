import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { MAX_REVIEWED_CHARACTERS, MAX_REVIEWS_PER_AGENT } from "../../main/calls/calls-in-review.ts";
import { linesIn } from "../support/audit-trail.ts";
import { HeldJudge } from "../support/judged-calls.ts";
import { BY, judgedCore, SECRET, settled } from "../support/judged-core.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { temporaryHome } from "../support/temporary-home.ts";

describe("the judges of a call", () => {
  it("look at it one after the other, the model first", async () => {
    const [model, first, second] = [new HeldJudge("model", "judge"), new HeldJudge("first"), new HeldJudge("second")];
    const { write } = await judgedCore({ judges: [model, first, second] });
    const { decisions, next } = write();
    (await model.reviewing(1)).pass();
    const review = await first.reviewing(1);
    await settled();
    expect(second.asked).toEqual([]);
    review.pass();
    (await second.reviewing(1)).pass();
    const decision = await next();
    expect(decision.outcome).toBe("allowed");
    expect(decision.reviews?.map(({ name, outcome }) => [name, outcome])).toEqual([
      ["model", "passed"],
      ["first", "passed"],
      ["second", "passed"],
    ]);
    expect(decision.verdict).toMatchObject({ judge_kind: "llm-v1", score: 0.9 });
    expect(decisions).toHaveLength(1);
  });

  it("end with the first that denies: the next one never starts", async () => {
    const [first, second] = [new HeldJudge("first"), new HeldJudge("second")];
    const { write } = await judgedCore({ judges: [first, second] });
    const { next } = write();
    (await first.reviewing(1)).reject("it deletes more");
    expect(await next()).toMatchObject({
      outcome: "denied",
      stage: "validators",
      explain: { rule: "validators.rejected", instead: expect.stringContaining("it deletes more") },
      reviews: [{ name: "first", outcome: "rejected" }],
    });
    await settled();
    expect(second.asked).toEqual([]);
  });

  it("aren't asked about what a stage denies, nor about what doesn't concern them", async () => {
    const judge = new HeldJudge("held", "validators", ({ call }) => String(call.args.path).endsWith("b.txt"));
    const { write, core, agent } = await judgedCore({ judges: [judge], level: "ReadOnly" });
    expect(write("b.txt").decisions).toMatchObject([{ outcome: "denied", stage: "policy" }]);
    core.agents.setLevel("tester", "Full");
    Object.assign(agent, { level: "Full" });
    expect(write("a.txt").decisions).toMatchObject([{ outcome: "allowed" }]);
    expect(write("b.txt").decisions).toEqual([]);
    expect((await judge.reviewing(1)).x.call.args.path).toMatch(/b\.txt$/);
  });

  it.each([
    ["judge", "judge.failed"],
    ["validators", "validators.failed"],
  ] as const)("deny it where one of them fails in a way that it shouldn't: %s", async (stage, rule) => {
    const judge = new HeldJudge("held", stage);
    const { write, log } = await judgedCore({ judges: [judge] });
    const { next } = write();
    (await judge.reviewing(1)).crash(new TypeError(`no such thing: ${SECRET}`));
    expect(await next()).toMatchObject({ outcome: "denied", stage, explain: { rule } });
    expect(log.join("\n")).toContain("error in the review by held");
    expect(log.join("\n")).not.toContain(SECRET);
  });

  it("begin in turns of the event loop of their own: however many calls come at once, agents are served in between", async () => {
    const judge = new HeldJudge();
    const { write } = await judgedCore({ judges: [judge] });
    for (let index = 0; index < 10; index++) write(`${index}.txt`);
    const begun: number[] = [];
    while (begun.length < 100 && judge.asked.length < 10) {
      await new Promise((resolve) => setImmediate(resolve));
      begun.push(judge.asked.length);
    }
    expect(begun.every((count, index) => count - (begun[index - 1] ?? 0) <= 1)).toBe(true);
    expect(judge.asked.map(({ x }) => String(x.call.args.path).at(-5))).toEqual([..."0123456789"]);
  });

  it("are too many at once: the next call of the agent is denied, and as soon as one has ended another one is judged", async () => {
    const judge = new HeldJudge();
    const { write } = await judgedCore({ judges: [judge] });
    const calls = Array.from({ length: MAX_REVIEWS_PER_AGENT }, (_, index) => write(`${index}.txt`));
    const refused = { outcome: "denied", stage: "judge", explain: { rule: "judge.too-many-at-once" } };
    expect(write("more.txt").decisions).toMatchObject([refused]);
    (await judge.reviewing(1)).pass();
    await calls[0]?.next();
    expect(write("more.txt").decisions).toEqual([]);
    expect(write("still-more.txt").decisions).toMatchObject([refused]);
  });

  it("are too many at once by the length of what they look at, too", async () => {
    const { write } = await judgedCore();
    // It is in the intent, too.
    expect(write("a.txt", "s1", "x".repeat(MAX_REVIEWED_CHARACTERS / 2 - 1000)).decisions).toEqual([]);
    expect(write("b.txt", "s1", "x".repeat(1000)).decisions).toMatchObject([
      { outcome: "denied", explain: { rule: "judge.too-many-at-once" } },
    ]);
  });

  it("are too many at once by what an agent writes beside the arguments", async () => {
    const { core, agent, folder } = await judgedCore();
    const subject = { agent, level: agent.level, session: "s1", principal: BY };
    const sent = (file: string) => {
      const context = { cwd: folder, note: "x".repeat(MAX_REVIEWED_CHARACTERS / 2) };
      const call = { intent: "", executor: "fs_write", args: { path: join(folder, file), content: "" }, context };
      return core.gate.decide(call, subject, () => undefined).decision?.current;
    };
    expect(sent("a.txt")).toBeUndefined();
    expect(sent("b.txt")).toMatchObject({ outcome: "denied", explain: { rule: "judge.too-many-at-once" } });
  });

  it("count until they have ended, though their call was withdrawn: nobody has more done at once by withdrawing", async () => {
    const judge = new HeldJudge();
    const { write } = await judgedCore({ judges: [judge] });
    const calls = Array.from({ length: MAX_REVIEWS_PER_AGENT }, (_, index) => write(`${index}.txt`));
    await judge.reviewing(MAX_REVIEWS_PER_AGENT);
    for (const { state } of calls) state.pending?.cancel("");
    expect(write("more.txt").decisions).toMatchObject([{ explain: { rule: "judge.too-many-at-once" } }]);
    const [first] = judge.asked;
    first?.crash(first.signal.reason);
    await settled();
    expect(write("more.txt").decisions).toEqual([]);
    expect(write("still-more.txt").decisions).toMatchObject([{ explain: { rule: "judge.too-many-at-once" } }]);
  });

  it("that never end after they were withdrawn count for a few seconds", async () => {
    const { write } = await judgedCore();
    const calls = Array.from({ length: MAX_REVIEWS_PER_AGENT }, (_, index) => write(`${index}.txt`));
    await settled();
    vi.useFakeTimers({ toFake: ["setTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    for (const { state } of calls) state.pending?.cancel("");
    vi.advanceTimersByTime(4999);
    expect(write("more.txt").decisions).toMatchObject([{ explain: { rule: "judge.too-many-at-once" } }]);
    vi.advanceTimersByTime(1);
    expect(write("more.txt").decisions).toEqual([]);
  });
});

describe("a call that its judges have passed", () => {
  it("is examined again: a link that leads elsewhere by then makes it another call", async () => {
    const judge = new HeldJudge();
    const { write, folder } = await judgedCore({ judges: [judge] });
    const link = join(folder, "link");
    mkdirSync(join(folder, "one"));
    mkdirSync(join(folder, "two"));
    symlinkSync(join(folder, "one"), link);
    const { next } = write("link/a.txt");
    const review = await judge.reviewing(1);
    rmSync(link);
    symlinkSync(join(folder, "two"), link);
    review.pass();
    expect(await next()).toMatchObject({
      outcome: "denied",
      stage: "judge",
      explain: { rule: "judge.changed-while-judged" },
      reviews: [{ outcome: "passed" }],
    });
  });

  it("is asked about where the grant that allowed it was revoked meanwhile", async () => {
    const judge = new HeldJudge();
    const { write, core, folder, agent } = await judgedCore({ judges: [judge], level: "Supervised" });
    const grant = core.grants.recordGrant({
      ...BY,
      capability: "fs:write",
      agent: agent.agent_id,
      target: `${folder}/**`,
    });
    const { next } = write();
    const review = await judge.reviewing(1);
    core.grants.revokeGrant(grant.id);
    review.pass();
    const asked = await next();
    expect(asked).toMatchObject({ outcome: "approval_required", reviews: [{ outcome: "passed" }] });
    expect(core.gate.broker.registry.getPending(asked.pending?.token ?? "")?.extra.reviews).toHaveLength(1);
  });

  it("is denied where the gate was paused meanwhile, by whatever way the pause came", async () => {
    const judge = new HeldJudge();
    const { write, core } = await judgedCore({ judges: [judge] });
    const { next } = write();
    await judge.reviewing(1);
    core.safety.pause.begin({ by: "human", reason: "lunch", clears: "by_human" });
    expect(await next()).toMatchObject({ outcome: "denied", explain: { rule: "approval.withdrawn-pause" } });
  });

  it("asks nobody while it is judged, nor a judge once the user has answered; a yes is examined again", async () => {
    const judge = new HeldJudge();
    const { write, core } = await judgedCore({ judges: [judge], level: "Supervised" });
    const { decisions, next, state } = write();
    const review = await judge.reviewing(1);
    expect([core.gate.broker.registry.listPending({ limit: 9 }), state.pending?.token]).toEqual([[], null]);
    review.pass("as asked");
    const token = (await next()).pending?.token ?? "";
    expect(state.pending?.token).toBe(token);
    core.gate.answer({ token, decision: "approved" }, BY);
    expect(decisions.map(({ outcome }) => outcome)).toEqual(["approval_required", "allowed"]);
    expect(decisions[1]).toMatchObject({ reviews: [{ outcome: "passed" }], status: "approved" });
    expect(new Set(decisions.map(({ decision_id }) => decision_id)).size).toBe(1);
    expect(judge.asked).toHaveLength(1);
  });

  it("is answered by a request's answer of an earlier gate, without another review", async () => {
    const home = temporaryHome();
    const clock = new ManualClock();
    const judge = new HeldJudge();
    const first = await judgedCore({ home, clock, judges: [judge], level: "Supervised" });
    const call = first.write();
    (await judge.reviewing(1)).pass();
    const token = (await call.next()).pending?.token ?? "";
    first.core.gate.waiting.forget();
    first.close();
    const second = await judgedCore({ home, clock, judges: [judge] });
    second.core.gate.answer({ token, decision: "approved" }, BY);
    expect(second.write().decisions).toMatchObject([{ outcome: "allowed", status: "approved" }]);
    expect(judge.asked).toHaveLength(1);
  });
});

describe("a result that comes too late", () => {
  it("counts for nothing: what was withdrawn in the same turn stays denied, and gets no second answer", async () => {
    const judge = new HeldJudge();
    const { write, core, agent } = await judgedCore({ judges: [judge] });
    const { decisions, next } = write();
    const review = await judge.reviewing(1);
    review.pass();
    core.gate.waiting.withdrawAgent(agent.agent_id, "the agent was paused", "approval.withdrawn-pause");
    await next();
    await settled();
    expect(decisions).toMatchObject([{ outcome: "denied", status: "cancelled" }]);
    expect(review.signal.aborted).toBe(true);
  });

  it("withdraws nothing either: a decision that was made is not made again", async () => {
    const judge = new HeldJudge();
    const { write, core, agent } = await judgedCore({ judges: [judge] });
    const { decisions, next, state } = write();
    const pending = state.pending;
    (await judge.reviewing(1)).pass();
    await next();
    expect(pending?.cancel("too late")).toBeNull();
    core.gate.waiting.withdrawAgent(agent.agent_id, "paused", "approval.withdrawn-pause");
    expect(decisions).toMatchObject([{ outcome: "allowed" }]);
  });

  it("of one agent's calls leaves another's alone", async () => {
    const judge = new HeldJudge();
    const { write, core } = await judgedCore({ judges: [judge] });
    const { next } = write();
    const review = await judge.reviewing(1);
    core.gate.waiting.withdrawAgent("somebody else", "paused", "approval.withdrawn-pause");
    review.pass();
    expect(await next()).toMatchObject({ outcome: "allowed" });
  });
});

describe("what is kept of a review", () => {
  it("in the trail: who found what, and no value of the call, not even in a judge's sentence", async () => {
    const judge = new HeldJudge("model", "judge");
    const { write, core, home } = await judgedCore({ judges: [judge] });
    const { next } = write();
    (await judge.reviewing(1)).reject(`it writes ${SECRET} down`);
    const decision = await next();
    expect(decision.reason).toContain(SECRET);
    core.audit.flush();
    const line: unknown = JSON.parse(linesIn(home.paths.auditDir).at(-1) ?? "");
    expect(line).toMatchObject({
      judge_kind: "llm-v1",
      score: 0.1,
      rule: "judge.model-low-score",
      reason: "score 0.1: it writes <content> down",
      reviews: [
        { stage: "judge", name: "model", outcome: "rejected", score: 0.1, confidence: null, ms: 3, online: false },
      ],
    });
    expect(JSON.stringify(line)).not.toContain(SECRET);
  });

  it("in Activity: the sentence without values, in the trace and beside it", async () => {
    const judge = new HeldJudge();
    const { write, core } = await judgedCore({ judges: [judge] });
    const { next } = write();
    (await judge.reviewing(1)).reject(`it writes ${SECRET} down`);
    const { decision_id } = await next();
    const kept = core.activity.open({ decision_id });
    expect(kept.decision.reviews?.[0]?.sentence).toBe("it writes <content> down");
    expect(kept.decision.trace?.find(({ stage }) => stage === "validators")).toEqual({
      stage: "validators",
      outcome: "denied",
      detail: "held: rejected, it writes <content> down",
      rule: "validators.rejected",
    });
    expect(JSON.stringify(kept.decision)).not.toContain(SECRET);
  });

  it("on a card while it waits; an ended request keeps no sentence", async () => {
    const judge = new HeldJudge("model", "judge");
    const { write, core } = await judgedCore({ judges: [judge], level: "Supervised" });
    const { next } = write();
    (await judge.reviewing(1)).pass(`it writes ${SECRET}`);
    const token = (await next()).pending?.token ?? "";
    const { registry } = core.gate.broker;
    expect(registry.getPending(token)?.extra).toMatchObject({
      reviews: [{ name: "model", sentence: `it writes ${SECRET}` }],
      judge: { score: 0.9 },
    });
    core.gate.answer({ token, decision: "rejected" }, BY);
    expect(registry.getPending(token)?.extra.reviews).toMatchObject([{ name: "model", sentence: "" }]);
  });

  it("counts as one call, though it was withdrawn before it was decided on", async () => {
    const judge = new HeldJudge();
    const { write, core, agent } = await judgedCore({ judges: [judge] });
    const { next } = write();
    await judge.reviewing(1);
    core.gate.waiting.withdrawAgent(agent.agent_id, "paused", "approval.withdrawn-pause");
    await next();
    expect(core.activity.callsToday().get(agent.agent_id)).toBe(1);
    expect(core.gate.meter.outcomes).toMatchObject({ denied: 1 });
  });
});

describe("while the trail can't be written", () => {
  it("a call that changes something is denied, though its judges have passed it", async () => {
    const judge = new HeldJudge();
    const home = temporaryHome();
    mkdirSync(dirname(home.paths.auditDir), { recursive: true });
    writeFileSync(home.paths.auditDir, "in the way");
    const { write } = await judgedCore({ judges: [judge], home });
    const { next } = write();
    (await judge.reviewing(1)).pass();
    expect(await next()).toMatchObject({ outcome: "denied", explain: { rule: "safety.trail-unwritable" } });
  });
});

describe("while the approvals database can't be written", () => {
  it("a call that its judges have passed, and that would be asked about, is denied: it gets an answer all the same", async () => {
    const judge = new HeldJudge();
    const { write, home, log, core } = await judgedCore({ judges: [judge], level: "Supervised" });
    const refusing = new Database(home.paths.approvals_db);
    refusing.exec("CREATE TRIGGER refuses BEFORE INSERT ON pending BEGIN SELECT RAISE(ABORT, 'refused'); END");
    refusing.close();
    const { decisions, next } = write();
    (await judge.reviewing(1)).pass();
    expect(await next()).toMatchObject({ outcome: "denied", stage: "judge", explain: { rule: "judge.failed" } });
    expect(decisions).toHaveLength(1);
    expect(log.join()).toContain("error in deciding on a judged call");
    expect(core.gate.waiting.reviews.running()).toEqual([]);
  });
});

describe("where nobody is asked", () => {
  it("a plan says which judges would look at a call, and asks none", async () => {
    const judge = new HeldJudge();
    const { core, agent, folder } = await judgedCore({ judges: [judge] });
    const call = { intent: "", executor: "fs_write", args: { path: join(folder, "a.txt"), content: "x" } };
    const decision = core.gate.preview(call, { agent, level: agent.level, session: "s1", principal: BY });
    expect(decision).toMatchObject({
      outcome: "allowed",
      reviews: [{ name: "held", outcome: "not_run", sentence: "" }],
    });
    await settled();
    expect(judge.asked).toEqual([]);
  });
});
