import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { NewRequest } from "../../../main/calls/approvals/stored-request.ts";
import { openCore } from "../../../main/core/core.ts";
import { freshApprovals, openedApprovals, openedBroker, pendingOf, ROBERTO } from "../../support/gate-stores.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { refusalOf } from "../../support/refusals.ts";
import { tempFolder } from "../../support/temp-folder.ts";
import { temporaryHome } from "../../support/temporary-home.ts";

const turn = () => new Promise((resolve) => setImmediate(resolve));

function request(shareKey: string, more: Partial<NewRequest> = {}): Omit<NewRequest, "ttl_seconds"> {
  const { ttl_seconds: _, ...rest } = pendingOf({ share_key: shareKey, ...more });
  return rest;
}

describe("the count of waiting requests, kept in memory", () => {
  const AGENTS = ["one", "two", "three"];
  const act = fc.tuple(fc.constantFrom("ask", "approve", "cancel", "expire", "lose", "restart"), fc.nat(30));

  it("is what the database says, whatever ends, expires, is undone or starts again", () => {
    fc.assert(
      fc.property(fc.array(act, { maxLength: 40 }), (acts) => {
        const clock = new ManualClock();
        const { file, db, ...first } = freshApprovals(clock);
        let registry = first.registry;
        for (const [what, which] of acts) {
          const tokens = registry.listPending({ limit: 100 }).map(({ token }) => token);
          const token = tokens[which % Math.max(1, tokens.length)] ?? "0".repeat(16);
          if (what === "ask") registry.createPending(pendingOf({ agent_id: AGENTS[which % 3] ?? "" }));
          else if (what === "approve" && tokens.length > 0)
            registry.resolve(registry.check(token, ROBERTO), "approved");
          else if (what === "cancel") registry.cancelPending(token, "gone");
          else if (what === "expire") {
            clock.advance(which * 60);
            registry.cleanupExpired();
          } else if (what === "lose") {
            registry.begin();
            registry.createPending(pendingOf({ agent_id: AGENTS[which % 3] ?? "" }));
            registry.rollback();
          } else if (what === "restart") registry = openedApprovals(file, clock).registry;
          for (const agentId of AGENTS) expect(registry.waitingOf(agentId)).toBe(registry.countWaiting(agentId));
        }
        db.close();
      }),
      { numRuns: 25 },
    );
  });
});

describe("what is asked in one turn", () => {
  it("is on disk, and sent to the surfaces, once it is committed and not before", async () => {
    const folder = tempFolder();
    const { broker, sent } = openedBroker(folder);
    const other = openedBroker(folder).registry;
    broker.begin();
    const { token } = broker.ask(request("a"));
    broker.ask(request("b"));
    expect([sent.length, other.getPending(token)]).toEqual([0, undefined]);
    broker.commit();
    expect(sent.map(({ event }) => event)).toEqual(["waiting", "waiting"]);
    expect(other.getPending(token)?.status).toBe("pending");
  });

  it("is committed by the end of the turn also where it is not asked for", async () => {
    const folder = tempFolder();
    const { broker } = openedBroker(folder);
    broker.begin();
    const { token } = broker.ask(request("a"));
    await Promise.resolve();
    expect(openedBroker(folder).registry.getPending(token)?.status).toBe("pending");
  });

  it("is undone as a whole where it can't be stored", () => {
    const { broker, approvals_db, registry, sent, failures } = openedBroker(tempFolder());
    broker.begin();
    const { token } = broker.ask(request("a"));
    const undone: string[] = [];
    broker.onUnstored(() => undone.push("undone"));
    const pages = approvals_db.pragma("page_count", { simple: true }) as number;
    approvals_db.pragma(`max_page_count = ${pages}`);
    const huge = request("b", { target_summary: "x".repeat(1_000_000) });
    const failed = () => {
      try {
        broker.ask(huge);
      } catch (error) {
        broker.abandon(error);
        throw error;
      }
    };
    expect(failed).toThrow(/full/);
    expect([undone, sent, failures]).toEqual([["undone"], [], ["storing requests"]]);
    expect([registry.getPending(token), registry.waitingOf(pendingOf().agent_id)]).toEqual([undefined, 0]);
    // The next turn's asks don't depend on it.
    approvals_db.pragma("max_page_count = 100000");
    broker.begin();
    const again = broker.ask(request("a"));
    broker.commit();
    expect(registry.getPending(again.token)?.status).toBe("pending");
  });
});

describe("the withdrawal of thousands", () => {
  const COUNT = 2000;

  function crowded() {
    const opened = openedBroker(tempFolder());
    opened.broker.begin();
    const tokens = Array.from({ length: COUNT }, (_, index) => opened.broker.ask(request(`call ${index}`)).token);
    opened.broker.commit();
    const withdrawals = tokens.map((token) => ({
      token,
      reason: "paused",
      rule: "approval.withdrawn-disconnect" as const,
      agent_id: pendingOf().agent_id,
    }));
    return { ...opened, tokens, withdrawals };
  }

  it("comes in pieces between which the event loop comes round, and reaches all of them", async () => {
    const { broker, registry, withdrawals, sent } = crowded();
    const ended = () => sent.length - COUNT;
    broker.withdraw(withdrawals);
    expect(ended()).toBeGreaterThan(0);
    expect(ended()).toBeLessThan(COUNT / 2);
    let turns = 0;
    for (; ended() < COUNT; turns++) await turn();
    expect(turns).toBeGreaterThan(5);
    expect(registry.countWaiting()).toBe(0);
  });

  it("is written as a whole before what follows is acknowledged, where that must not outlive it", () => {
    const { broker, registry, withdrawals } = crowded();
    broker.withdraw(withdrawals);
    expect(registry.countWaiting()).toBeGreaterThan(0);
    broker.completeWithdrawals();
    expect(registry.countWaiting()).toBe(0);
  });

  it("from its beginning none of them can be approved, joined or counted against its agent", async () => {
    const { broker, registry, withdrawals, tokens } = crowded();
    broker.withdraw(withdrawals);
    const [last, beforeLast] = [tokens.at(-1) ?? "", tokens.at(-2) ?? ""];
    expect(registry.getPending(last)?.status).toBe("pending");
    expect(refusalOf(() => broker.answer({ token: last, decision: "approved" }, ROBERTO)).code).toBe(
      "already_resolved",
    );
    expect(registry.getPending(last)?.status).toBe("cancelled");
    const again = broker.ask(request(`call ${COUNT - 2}`));
    expect(again.token).not.toBe(beforeLast);
    expect(registry.getPending(beforeLast)?.status).toBe("cancelled");
    expect(broker.waitingOf(pendingOf().agent_id)).toBeLessThanOrEqual(COUNT - 1000);
    broker.stop();
    expect(registry.countWaiting()).toBe(1);
  });

  it("is tried again where it fails: one that can't be withdrawn keeps no other, and can't be approved", async () => {
    const { broker, registry, approvals_db, withdrawals, tokens, failures } = crowded();
    const stuck = tokens[1000] ?? "";
    approvals_db.exec(
      `CREATE TRIGGER refuses BEFORE UPDATE OF status ON pending WHEN OLD.token = '${stuck}' AND NEW.status = 'cancelled'
         BEGIN SELECT RAISE(ABORT, 'refused'); END`,
    );
    broker.withdraw(withdrawals);
    await expect.poll(() => registry.countWaiting()).toBe(1);
    expect(() => broker.answer({ token: stuck, decision: "approved" }, ROBERTO)).toThrow(/refused/);
    expect(() => broker.answer({ token: stuck, decision: "approved" }, ROBERTO)).toThrow(/refused/);
    expect(failures.length).toBeLessThan(5);
    approvals_db.exec("DROP TRIGGER refuses");
    await expect.poll(() => registry.getPending(stuck)?.status).toBe("cancelled");
  });

  it("continues at the next start of a gate that was paused, where a crash ended it", async () => {
    const home = temporaryHome();
    const before = await openCore({ env: home.env });
    const { registry } = before.gate.broker;
    for (let index = 0; index < 300; index++) registry.createPending(pendingOf({ share_key: `call ${index}` }));
    before.safety.pause.begin({ by: "human", reason: "stop", clears: "by_human" });
    // What a crash leaves: more than was withdrawn by then.
    for (let index = 0; index < 300; index++) registry.createPending(pendingOf({ share_key: `more ${index}` }));
    const left = registry.countWaiting();
    expect(left).toBeGreaterThanOrEqual(300);
    before.close();
    const after = await openCore({ env: home.env });
    await expect.poll(() => after.gate.broker.registry.countWaiting()).toBe(0);
    after.close();
  });
});
