import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { localPrincipal } from "../../../ipc/base/paths.ts";
import type { PendingCall } from "../../../ipc/contract/agent-port.ts";
import type { Decision } from "../../../ipc/contract/decision.ts";
import type { Answer } from "../../../ipc/contract/operator-api.ts";
import { openCore } from "../../../main/core/core.ts";
import type { Reviewer } from "../../../main/decide/stages/examination.ts";
import { Operator } from "../../../main/surfaces/operator/operator.ts";
import { HeldJudge, judgedBy } from "../../support/judged-calls.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { refusalOf } from "../../support/refusals.ts";
import { type TemporaryHome, temporaryHome } from "../../support/temporary-home.ts";

const BY = localPrincipal();
const THREE_READS = `[rate.limits."fs:read"]\nper_minute = 60\ncapacity = 3`;
const FIVE_SAME = "[rate]\nsame_call_per_minute = 5";

/** A gate's core with a paired agent that reads files below its home. */
async function limitedGate(
  config: string,
  options: { home?: TemporaryHome; clock?: ManualClock; judges?: Reviewer[]; level?: "Supervised" | "Full" } = {},
) {
  const { home = temporaryHome(config), clock = new ManualClock(), judges = [], level = "Full" } = options;
  const core = await openCore({ env: home.env, clock, log: () => undefined });
  let isOpen = true;
  const close = () => {
    if (isOpen) core.close();
    isOpen = false;
  };
  onTestFinished(close);
  judgedBy(core, ...judges);
  const agent = core.agents.named("tester") ?? core.agents.pair("tester", level).agent;
  const folder = join(home.home, "work");
  mkdirSync(folder, { recursive: true });
  const callOf = (file: string) => ({ intent: "read", executor: "fs_read", args: { path: join(folder, file) } });
  const subjectOf = (session: string) => ({ agent, level: agent.level, session, principal: BY });
  /** What the agent gets for a read: each decision, in order. The turn isn't over yet. */
  const decide = (file = "a.txt", session = "s1") => {
    const decisions: Decision[] = [];
    const waits: { pending?: PendingCall | undefined } = {};
    const take = (decision: { current: Decision } | undefined, pending: PendingCall | undefined) => {
      waits.pending = pending;
      if (decision !== undefined) decisions.push(decision.current);
    };
    const decided = core.gate.decide(callOf(file), subjectOf(session), (decision, pending) => take(decision, pending));
    take(decided.decision, decided.pending);
    return { decisions, waits };
  };
  /** The same in a turn of its own: the last decision by then. */
  const read = (file?: string, session?: string) => {
    const { decisions } = decide(file, session);
    core.gate.record();
    core.gate.publish();
    const last = decisions.at(-1);
    if (last === undefined) throw new Error("no decision");
    return last;
  };
  const reads = (times: number, file?: string, session?: string) =>
    Array.from({ length: times }, () => read(file, session).outcome);
  const preview = (file = "a.txt") => core.gate.preview(callOf(file), subjectOf("s1"));
  const isCovered = () => core.gate.isCovered(callOf("a.txt"), subjectOf("s1"));
  const answer = (token: string | undefined, given: Omit<Answer, "token">) =>
    core.gate.answer({ token: token ?? "", ...given }, BY);
  const asked = (token: string | undefined) => core.gate.broker.registry.check(token ?? "", BY);
  return { core, home, clock, decide, read, reads, preview, isCovered, answer, asked, close, agent };
}

describe("a call takes its share of a budget", () => {
  it("once, as it is decided on: the next one in the same turn knows of it", async () => {
    const { decide, clock, core } = await limitedGate(THREE_READS);
    const outcomes = Array.from({ length: 5 }, (_, index) => decide(`${index}.txt`).decisions[0]);
    expect(outcomes.map((decision) => decision?.outcome)).toEqual([
      "allowed",
      "allowed",
      "allowed",
      "denied",
      "denied",
    ]);
    expect(outcomes[4]).toMatchObject({
      stage: "rate",
      retry_after_ms: 1250,
      explain: { rule: "rate.budget-used", instead: "wait 2 s, then send it again" },
      verdict: null,
    });
    expect(core.rate.list()).toMatchObject([{ capability: "fs:read", capacity: 3, per_minute: 60, left: 0 }]);
    clock.advance(1);
    expect([decide().decisions[0]?.outcome, decide().decisions[0]?.outcome]).toEqual(["allowed", "denied"]);
  });

  it("and looking at it takes nothing: a plan, what is covered, what a judge would say", async () => {
    const { preview, isCovered, reads, core, agent } = await limitedGate(THREE_READS);
    for (let time = 0; time < 10; time++) {
      expect(preview().outcome).toBe("allowed");
      expect(isCovered()).toBe(true);
      const call = { intent: "", executor: "fs_read", args: { path: "/srv/a" } };
      const tried = core.gate.tryCall(call, { agent, level: "Full", session: "s1", principal: BY });
      expect((await tried).outcome).toBe("allowed");
    }
    expect(reads(4)).toEqual(["allowed", "allowed", "allowed", "denied"]);
    expect(preview().explain.rule).toBe("rate.budget-used");
    // What a grant covers it still covers.
    expect(isCovered()).toBe(true);
  });

  it("also where the guard denies it, but not where something before the budgets does", async () => {
    const { read, reads, core } = await limitedGate(THREE_READS);
    for (let time = 0; time < 10; time++) expect(read("a\0b").stage).toBe("validation");
    core.safety.pause.begin({ by: "human", reason: "lunch", clears: "by_human" });
    expect(read().stage).toBe("safety");
    core.safety.pause.end();
    for (let time = 0; time < 2; time++) expect(read("../.ssh/id_rsa").stage).toBe("guard");
    expect(reads(2)).toEqual(["allowed", "denied"]);
    expect(read("../.ssh/id_rsa").stage).toBe("rate");
  });

  it("and not again once its judges have looked at it, though others have used up the budget meanwhile", async () => {
    const judge = new HeldJudge();
    const { decide, core } = await limitedGate(THREE_READS, { judges: [judge] });
    const [first, second, third] = ["1.txt", "2.txt", "3.txt"].map((file) => decide(file));
    expect(decide("4.txt").decisions[0]?.stage).toBe("rate");
    for (const count of [1, 2, 3]) (await judge.reviewing(count)).pass();
    await expect
      .poll(() => [first, second, third].map((one) => one?.decisions.at(-1)?.outcome))
      .toEqual(Array(3).fill("allowed"));
    expect(core.rate.list()).toMatchObject([{ left: 0 }]);
  });

  it("and not again once the user has approved it", async () => {
    const { decide, read, answer, core } = await limitedGate(THREE_READS, { level: "Supervised" });
    const waiting = decide();
    core.gate.record();
    expect(waiting.decisions[0]?.outcome).toBe("approval_required");
    for (const file of ["b.txt", "c.txt"]) read(file);
    expect(read("d.txt").stage).toBe("rate");
    answer(waiting.decisions[0]?.pending?.token, { decision: "approved" });
    expect(waiting.decisions.at(-1)).toMatchObject({ outcome: "allowed", status: "approved" });
  });

  it.each(["while its agent is away", "once its agent is back", "before the gate ended", "and remembered"])(
    "and not again after a restart by the call that its card is kept for: approved %s, it runs",
    async (when) => {
      const first = await limitedGate(`[rate.limits."fs:read"]\nper_minute = 1\ncapacity = 1`, { level: "Supervised" });
      const waiting = first.decide();
      first.core.gate.record();
      const token = waiting.decisions[0]?.pending?.token;
      const approved = { decision: "approved", scope: when === "and remembered" ? "session" : "none" } as const;
      // It had no connection any more when the gate ended.
      if (when === "before the gate ended") first.core.gate.broker.registry.resolve(first.asked(token), "approved");
      first.close();
      const { home, clock } = first;
      const second = await limitedGate("", { home, clock });
      if (when === "while its agent is away" || when === "and remembered") second.answer(token, approved);
      const returned = second.decide();
      second.core.gate.record();
      if (when === "once its agent is back") {
        expect(returned.decisions[0]).toMatchObject({ outcome: "approval_required", pending: { token } });
        second.answer(token, approved);
      }
      expect(returned.decisions.at(-1)?.outcome).toBe("allowed");
      // It was counted once, and so is the next call like it.
      expect(second.read()).toMatchObject({ stage: "rate", explain: { rule: "rate.budget-used" } });
    },
  );

  it("and by no call of another session, nor by a second one like it", async () => {
    const first = await limitedGate(THREE_READS, { level: "Supervised" });
    for (const file of ["a.txt", "b.txt", "c.txt"]) first.read(file);
    first.close();
    const { home, clock } = first;
    const { read } = await limitedGate("", { home, clock });
    expect([read("a.txt", "s2"), read("d.txt")].map(({ stage }) => stage)).toEqual(["rate", "rate"]);
    expect([read(), read()].map(({ stage }) => stage)).toEqual(["approval", "rate"]);
  });

  it("of its agent's budget, in whatever session", async () => {
    const { read } = await limitedGate(THREE_READS);
    const outcomes = Array.from({ length: 5 }, (_, index) => read("a.txt", `session ${index}`).outcome);
    expect(outcomes).toEqual(["allowed", "allowed", "allowed", "denied", "denied"]);
  });

  it("which a gate that starts again knows", async () => {
    const first = await limitedGate(THREE_READS);
    first.reads(2);
    first.close();
    const { home, clock } = first;
    const second = await limitedGate("", { home, clock });
    expect(second.reads(2)).toEqual(["allowed", "denied"]);
  });

  it("which the operator sees with the agent's name", async () => {
    const { reads, core } = await limitedGate(THREE_READS);
    reads(2);
    const operator = new Operator(core);
    expect(await operator.call("rate.budgets", {})).toMatchObject([
      { agent_name: "tester", capability: "fs:read", capacity: 3, per_minute: 60, left: 1 },
    ]);
  });
});

describe("the same call again and again", () => {
  it("is asked about once: only whether it may be made, and those like it share the card", async () => {
    const { reads, read, core } = await limitedGate(FIVE_SAME);
    expect(reads(7)).toEqual([...Array(5).fill("allowed"), "approval_required", "approval_required"]);
    expect(read("b.txt").outcome).toBe("allowed");
    const cards = core.gate.broker.registry.listPending({});
    expect(cards).toHaveLength(1);
    const [card] = cards.map((request) => core.gate.broker.view(request));
    expect(card).toMatchObject({
      repeated: { count: 6, seconds: 1 },
      choices: [{ scope: "none", reach: null, grants: [] }],
      refusals: [{ refuse: "call", targets: [] }],
      proposal: null,
    });
    expect(read().explain.rule).toBe("rate.same-call-asks");
  });

  it("in one turn of the event loop as well", async () => {
    const { decide } = await limitedGate(FIVE_SAME);
    const outcomes = Array.from({ length: 7 }, () => decide().decisions[0]?.outcome);
    expect(outcomes).toEqual([...Array(5).fill("allowed"), "approval_required", "approval_required"]);
  });

  it("approved, continues without another question in this session, and no other", async () => {
    const { reads, decide, answer, core } = await limitedGate(FIVE_SAME);
    reads(5);
    const waiting = [decide(), decide()];
    core.gate.record();
    const token = waiting[0]?.decisions[0]?.pending?.token;
    for (const answered of [{ scope: "session" }, { scope: "permanent" }] as const)
      expect(refusalOf(() => answer(token, { decision: "approved", ...answered })).code).toBe("only_once");
    expect(answer(token, { decision: "approved" }).repeated).toEqual({ count: 6, seconds: 1 });
    for (const { decisions } of waiting) expect(decisions.at(-1)?.outcome).toBe("allowed");
    expect(new Set(reads(50))).toEqual(new Set(["allowed"]));
    expect(reads(6, "a.txt", "s2").at(-1)).toBe("approval_required");
  });

  it.each(["a plain no", "a no for the session", "a button of a channel"])(
    "stopped by %s, is denied for the rest of the session, whatever level and grants there are, also after a restart",
    async (how) => {
      const { reads, read, decide, answer, core, home, clock, close, agent } = await limitedGate(FIVE_SAME);
      reads(5);
      const waiting = decide();
      core.gate.record();
      const token = waiting.decisions[0]?.pending?.token;
      const published: string[] = [];
      core.subscribe(({ type }) => published.push(type), ["refusals.changed"]);
      if (how === "a button of a channel")
        await new Operator(core).call("approvals.callback", { data: `reject:${token}` });
      else answer(token, { decision: "rejected", ...(how === "a plain no" ? {} : { refuse: "call" as const }) });
      expect(waiting.decisions.at(-1)).toMatchObject({
        outcome: "denied",
        status: "rejected",
        explain: { rule: "rate.same-call-stopped" },
      });
      expect(published).toEqual(["refusals.changed"]);
      core.grants.recordGrant({ ...BY, capability: "fs:read", target: `${home.home}/**`, agent: agent.agent_id });
      expect(read()).toMatchObject({ stage: "rate", explain: { rule: "rate.same-call-stopped" } });
      expect([read("b.txt").outcome, read("a.txt", "s2").outcome]).toEqual(["allowed", "allowed"]);
      clock.advance(120);
      expect(read().outcome).toBe("denied");
      close();
      const again = await limitedGate("", { home, clock });
      expect(again.read()).toMatchObject({ stage: "rate", explain: { rule: "rate.same-call-stopped" } });
      const [refusal] = again.core.gate.broker.registry.refusals.list();
      expect(refusal).toMatchObject({ refuse: "call", capability: null, session: "s1" });
      again.core.gate.broker.registry.refusals.revoke(refusal?.id ?? 0);
      expect(again.read().outcome).toBe("allowed");
    },
  );

  it("can't be stopped for its target: that was no question", async () => {
    const { reads, read, answer } = await limitedGate(FIVE_SAME);
    reads(5);
    const token = read().pending?.token;
    expect(refusalOf(() => answer(token, { decision: "rejected", refuse: "target" })).code).toBe("only_this_call");
  });

  it("is still asked about where a grant is given meanwhile, and where the minute is over", async () => {
    const { reads, decide, core, clock, home, agent } = await limitedGate(FIVE_SAME);
    reads(5);
    const waiting = decide();
    core.gate.record();
    clock.advance(90);
    core.grants.recordGrant({ ...BY, capability: "fs:read", target: `${home.home}/**`, agent: agent.agent_id });
    core.gate.waiting.endCovered(BY);
    await new Promise((resolve) => setImmediate(resolve));
    expect(waiting.decisions).toHaveLength(1);
    expect(decide().decisions[0]?.pending?.token).toBe(waiting.decisions[0]?.pending?.token);
  });

  it("and its card waits while the gate starts again", async () => {
    const { reads, decide, core, home, clock, close } = await limitedGate(FIVE_SAME);
    reads(5);
    const waiting = decide();
    core.gate.record();
    const token = waiting.decisions[0]?.pending?.token;
    close();
    const again = await limitedGate("", { home, clock });
    expect(again.read().pending?.token).toBe(token);
    expect(again.read("b.txt").outcome).toBe("allowed");
    again.answer(token, { decision: "approved" });
    expect(again.read().outcome).toBe("allowed");
  });

  it("that its agent gave up is counted as before", async () => {
    const { reads, decide, read, clock, core } = await limitedGate(FIVE_SAME);
    reads(5);
    const waiting = decide();
    core.gate.record();
    waiting.waits.pending?.cancel("no longer needed");
    expect(read().outcome).toBe("approval_required");
    clock.advance(61);
    waiting.waits.pending?.cancel("no longer needed");
  });
});
