import { mkdirSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { localPrincipal } from "../../ipc/base/paths.ts";
import type { Decided, UnsentDecision } from "../../ipc/contract/agent-port.ts";
import { MAX_WAITING_PER_AGENT } from "../../main/calls/approvals/waiting-quota.ts";
import { type Core, openCore } from "../../main/core/core.ts";
import { decidedAtOnce } from "../support/judged-calls.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { refusalOf } from "../support/refusals.ts";
import { type TemporaryHome, temporaryHome } from "../support/temporary-home.ts";

const BY = localPrincipal();

/** A gate's core with one paired agent that writes files below its home. */
async function openedGate(home: TemporaryHome = temporaryHome(), clock = new ManualClock()) {
  const failures: string[] = [];
  const log = (line: string) => failures.push(...(/^error in ([^:]+):/.exec(line)?.slice(1) ?? []));
  const core = await openCore({ env: home.env, clock, log });
  let isOpen = true;
  const close = () => {
    if (isOpen) core.close();
    isOpen = false;
  };
  onTestFinished(close);
  const agent = core.agents.named("tester") ?? core.agents.pair("tester", "Supervised").agent;
  const folder = join(home.home, "work");
  mkdirSync(folder, { recursive: true });
  const finals: string[] = [];
  /** Decides a write of this file, and collects the final decision as `label: outcome`. */
  const write = (label: string, file = "a.txt", session = "s1", by = agent): Decided & { decision: UnsentDecision } => {
    const call = { intent: "write", executor: "fs_write", args: { path: join(folder, file), content: "x" } };
    const subject = { agent: by, level: by.level, session, principal: BY };
    return decidedAtOnce(core.gate.decide(call, subject, ({ current }) => finals.push(`${label}: ${current.outcome}`)));
  };
  return { core, home, clock, write, finals, failures, folder, agent, close };
}

function tokenOf({ decision }: { decision?: UnsentDecision }): string {
  const token = decision?.current.pending?.token;
  if (token === undefined) throw new Error(`nobody is asked: ${JSON.stringify(decision?.current)}`);
  return token;
}

const statusOf = (core: Core, token: string) => core.gate.broker.registry.getPending(token)?.status;
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe("identical calls that wait at the same time", () => {
  it("all get the answer, and nobody gets it again", async () => {
    const { core, write, finals } = await openedGate();
    const first = tokenOf(write("first"));
    expect(tokenOf(write("second"))).toBe(first);
    expect(tokenOf(write("other", "b.txt"))).not.toBe(first);
    core.gate.answer({ token: first, decision: "approved" }, BY);
    expect(finals).toEqual(["first: allowed", "second: allowed"]);
    const { registry } = core.gate.broker;
    const shareKey = registry.getPending(first)?.share_key ?? "";
    expect(shareKey).not.toBe("");
    expect(registry.takeUndelivered(shareKey, "s1", 20_000)).toBeUndefined();
  });

  it.each(["cancel", "disconnect"] as const)("the last one to %s withdraws it, not the first", async (leave) => {
    const { core, write, finals } = await openedGate();
    const [first, second] = [write("first"), write("second")];
    const token = tokenOf(first);
    first.pending?.[leave]("no longer needed");
    first.pending?.[leave]("no longer needed");
    await turn();
    expect(statusOf(core, token)).toBe("pending");
    second.pending?.[leave]("no longer needed");
    await expect.poll(() => statusOf(core, token)).toBe("cancelled");
    expect(core.gate.broker.registry.getPending(token)?.message).toBe("no longer needed");
    expect(finals).toEqual([]);
  });

  it("leaving after the answer changes nothing", async () => {
    const { core, write } = await openedGate();
    const waiting = write("call");
    core.gate.answer({ token: tokenOf(waiting), decision: "rejected" }, BY);
    waiting.pending?.cancel("no longer needed");
    expect(statusOf(core, tokenOf(waiting))).toBe("rejected");
  });
});

describe("a grant that covers what waits", () => {
  it("approves it, and for one session not what another session waits for, though both share a card", async () => {
    const { core, write, finals, folder } = await openedGate();
    for (const order of [
      ["s1", "s2"],
      ["s2", "s1"],
    ] as const) {
      const file = `${order.join("-")}.txt`;
      for (const session of order) write(`${file} ${session}`, file, session);
    }
    const alone = tokenOf(write("alone", "c.txt", "s1"));
    core.gate.answer(
      {
        token: tokenOf(write("granting", "d.txt", "s1")),
        decision: "approved",
        scope: "session",
        target: `${folder}/*`,
      },
      BY,
    );
    await expect.poll(() => statusOf(core, alone)).toBe("approved");
    await turn();
    expect(finals.sort()).toEqual(["alone: allowed", "granting: allowed"]);
  });
});

describe("a call that waits", () => {
  it("is denied once its request has expired, also where an answer comes too late", async () => {
    const { core, clock, write, finals } = await openedGate();
    const token = tokenOf(write("call"));
    clock.advance(601);
    expect(refusalOf(() => core.gate.answer({ token, decision: "approved" }, BY)).code).toBe("expired");
    expect(finals).toEqual(["call: denied"]);
  });

  it("gets its answer though telling another one fails", async () => {
    const { core, agent, folder, write, finals, failures } = await openedGate();
    const call = { intent: "write", executor: "fs_write", args: { path: join(folder, "a.txt"), content: "x" } };
    const subject = { agent, level: agent.level, session: "s1", principal: BY };
    const failing = core.gate.decide(call, subject, () => {
      throw new Error("its connection is broken");
    });
    write("second");
    core.gate.answer({ token: tokenOf(failing), decision: "approved" }, BY);
    expect([finals, failures]).toEqual([["second: allowed"], ["answering a call that waited"]]);
  });

  it("is denied where it can't be evaluated again once it is approved", async () => {
    const { core, write, finals, failures } = await openedGate();
    const token = tokenOf(write("call"));
    vi.spyOn(core.grants, "find").mockImplementation(() => {
      throw new Error("the grants can't be read");
    });
    core.gate.answer({ token, decision: "approved" }, BY);
    expect([finals, failures]).toEqual([["call: denied"], ["examining an answered call again"]]);
  });

  it("takes no part of its agent's quota once it is answered", async () => {
    const { core, write } = await openedGate();
    const token = tokenOf(write("call"));
    for (let count = 1; count < MAX_WAITING_PER_AGENT; count++) write("call");
    expect(write("call").decision.current.outcome).toBe("denied");
    core.gate.answer({ token, decision: "approved" }, BY);
    expect(write("call").decision.current.outcome).toBe("approval_required");
  });
});

describe("the withdrawal of all that waits for an agent", () => {
  it("withdraws no other agent's requests, also where the database can't be read", async () => {
    const { core, write, agent } = await openedGate();
    const other = core.agents.pair("other", "Supervised").agent;
    const [one, another] = [tokenOf(write("one")), tokenOf(write("another", "a.txt", "s1", other))];
    const reads = vi.spyOn(core.gate.broker.registry, "waitingTokens").mockImplementationOnce(() => {
      throw new Error("the database can't be read");
    });
    core.gate.waiting.withdrawAgent(agent.agent_id, "its pairing was revoked", "approval.withdrawn-pairing");
    expect(reads).toHaveBeenCalledOnce();
    await expect.poll(() => statusOf(core, one)).toBe("cancelled");
    await turn();
    expect(statusOf(core, another)).toBe("pending");
  });
});

describe("a request that can't be stored", () => {
  it("is a denial by the time its answer is encoded, and takes no part of its agent's quota", async () => {
    const { core, home, write, finals } = await openedGate();
    const other = new Database(home.paths.approvals_db);
    onTestFinished(() => {
      other.close();
    });
    other.exec(
      "CREATE TRIGGER refuses BEFORE INSERT ON pending WHEN NEW.target_summary LIKE 'b.txt%' BEGIN SELECT RAISE(ABORT, 'refused'); END",
    );
    const first = write("first");
    const token = tokenOf(first);
    expect(() => write("second", "b.txt")).toThrow(/refused/);
    core.gate.record();
    expect(first.decision.current).toMatchObject({ outcome: "denied", stage: "approval" });
    expect(first.decision.current).not.toHaveProperty("pending");
    other.exec("DROP TRIGGER refuses");
    const outcomes = Array.from(
      { length: MAX_WAITING_PER_AGENT + 1 },
      (_, index) => write("call", `many-${index}`).decision.current.outcome,
    );
    expect(outcomes.indexOf("denied")).toBe(MAX_WAITING_PER_AGENT);
    first.pending?.cancel("it was denied");
    expect([statusOf(core, token), finals]).toEqual([undefined, []]);
  });
});

describe("what an earlier gate left behind", () => {
  it("waits on where its agent has come back for it, and is withdrawn where not", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    const before = await openedGate();
    // One before and one after it: once both have ended, so would it have.
    const asked = ["c.txt", "a.txt", "b.txt"].map((file) => tokenOf(before.write("back", file)));
    const [first, back, last] = asked as [string, string, string];
    before.close();
    const { core, write } = await openedGate(before.home, before.clock);
    expect(tokenOf(write("back"))).toBe(back);
    vi.advanceTimersByTime(20_100);
    const gone = () => expect([first, last].map((token) => statusOf(core, token))).toEqual(["cancelled", "cancelled"]);
    await vi.waitFor(gone, { timeout: 20_000 });
    expect(statusOf(core, back)).toBe("pending");
  });

  it("is answered by what the operator answered meanwhile, once; where that can't be stored it is a denial", async () => {
    const before = await openedGate();
    const tokens = [tokenOf(before.write("call")), tokenOf(before.write("unstored", "b.txt"))];
    before.close();
    const { core, home, write } = await openedGate(before.home, before.clock);
    for (const token of tokens) core.gate.answer({ token, decision: "approved" }, BY);
    expect(write("call").decision.current).toMatchObject({ outcome: "allowed", status: "approved" });
    core.gate.record();
    expect(write("call").decision.current.outcome).toBe("approval_required");
    core.gate.record();
    const other = new Database(home.paths.approvals_db);
    onTestFinished(() => {
      other.close();
    });
    other.exec("CREATE TRIGGER refuses BEFORE INSERT ON pending BEGIN SELECT RAISE(ABORT, 'refused'); END");
    const { decision } = write("unstored", "b.txt");
    expect(() => write("new", "c.txt")).toThrow(/refused/);
    core.gate.record();
    expect(decision.current).toMatchObject({ outcome: "denied", explain: { rule: "approval.not-stored" } });
    expect(write("unstored", "b.txt").decision.current.outcome).toBe("allowed");
  });

  it("is withdrawn by its own agent alone, and not while a connection waits for it", async () => {
    const before = await openedGate();
    const [awaited, left] = [tokenOf(before.write("awaited")), tokenOf(before.write("left", "b.txt"))];
    before.close();
    const { core, write, agent } = await openedGate(before.home, before.clock);
    const other = core.agents.pair("other", "Supervised").agent;
    expect(tokenOf(write("awaited"))).toBe(awaited);
    const withdraw = (by: typeof agent, token: string) =>
      core.gate.waiting.withdrawLeft(by.agent_id, token, "no longer needed");
    expect([withdraw(other, left), withdraw(agent, awaited)]).toEqual([undefined, undefined]);
    expect([statusOf(core, left), statusOf(core, awaited)]).toEqual(["pending", "pending"]);
    expect(withdraw(agent, left)).toMatchObject({ outcome: "denied", status: "cancelled" });
    expect(statusOf(core, left)).toBe("cancelled");
    expect(withdraw(agent, left)).toBeUndefined();
  });
});
