import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { describe, expect, it } from "vitest";
import type { ApprovalRegistry } from "../../../main/calls/approvals/registry.ts";
import type { EndedRequest, RequestExtra } from "../../../main/calls/approvals/stored-request.ts";
import { extraOf, freshApprovals, openedApprovals, pendingOf, ROBERTO } from "../../support/gate-stores.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { refusalOf } from "../../support/refusals.ts";
import type { Race } from "../../support/resolve-racer.ts";

const ANNA = { channel: "local", sender_id: "anna" };

describe("a request", () => {
  // create_pending_genera_token_e_record
  it("is created with a 16-hex token, pending, and a deadline that fits its TTL", () => {
    const { registry } = freshApprovals();
    const first = registry.createPending(pendingOf());
    const second = registry.createPending(pendingOf({ ttl_seconds: 5 }));
    expect(first.token).toMatch(/^[0-9a-f]{16}$/);
    expect(second.token).not.toBe(first.token);
    expect(first).toMatchObject({
      ...ROBERTO,
      status: "pending",
      created_at: "2026-05-04T10:00:00Z",
      expires_at: "2026-05-04T10:10:00Z",
      decision_at: null,
      decision_by_channel: null,
      decision_by_sender: null,
      territory_concession: "none",
      granted: [],
    });
    expect(second.expires_at).toBe("2026-05-04T10:00:05Z");
    expect(registry.getPending(first.token)).toEqual(first);
    expect(registry.getPending("0123456789abcdef")).toBeUndefined();
  });

  // resolve_approve_aggiorna_status_e_decision
  it("approved by its requester, it says so, and when and by whom", () => {
    const { registry, clock } = freshApprovals();
    const { token } = registry.createPending(pendingOf());
    clock.advance(60);
    const decided = {
      status: "approved",
      decision_at: "2026-05-04T10:01:00Z",
      decision_by_channel: "local",
      decision_by_sender: "roberto",
    };
    expect(registry.resolve(registry.check(token, ROBERTO), "approved")).toMatchObject({
      ...decided,
      target_summary: "a.txt -> /srv/",
      extra: { args: null, intent: "save the invoice" },
    });
    expect(registry.getPending(token)).toMatchObject(decided);
  });

  // resolve_reject_simmetrico
  it("rejected by its requester, likewise, with what they said", () => {
    const { registry } = freshApprovals();
    const { token } = registry.createPending(pendingOf());
    expect(registry.resolve(registry.check(token, ROBERTO), "rejected", { message: "not on Fridays" })).toMatchObject({
      status: "rejected",
      decision_at: "2026-05-04T10:00:00Z",
      decision_by_sender: "roberto",
      message: "not on Fridays",
    });
  });

  it("keeps its arguments, its command line and its intent only while it waits, however it ends", () => {
    const { registry, clock, db } = freshApprovals();
    const kept: EndedRequest = {
      target_summary: "(in ~/x)",
      capabilities: [{ capability: "fs:write", target: "/home/r/x/*" }],
    };
    // A field that is added later is forgotten until it is named among those that are kept.
    const secret: Partial<RequestExtra> & { addedLater: string } = {
      addedLater: "SECRET",
      args: { command: "make SECRET" },
      intent: "make with SECRET",
      capabilities: [{ capability: "code:exec", target: "make SECRET" }],
      choices: [{ scope: "session", reach: "exact", grants: [{ capability: "fs:write", target: "/srv/SECRET" }] }],
      reals: { "/srv/SECRET": "/srv/x" },
      judge: { score: 0.7, reason: "about SECRET" },
      kept,
    };
    const ends: ((token: string) => unknown)[] = [
      (token) => registry.resolve(registry.check(token, ROBERTO), "approved"),
      (token) => registry.resolve(registry.check(token, ROBERTO), "rejected"),
      (token) => registry.cancelPending(token, "done"),
      () => {
        clock.advance(601);
        return registry.cleanupExpired();
      },
    ];
    for (const end of ends) {
      const { token, extra } = registry.createPending(
        pendingOf({ target_summary: "make SECRET  (in ~/x)", extra: extraOf(secret) }),
      );
      expect(extra.args).toEqual({ command: "make SECRET" });
      end(token);
      expect(registry.getPending(token)).toMatchObject({
        target_summary: "(in ~/x)",
        capability_class: "fs_write:/srv/*",
        extra: { executor: "fs_write", args: null, intent: "", choices: [], capabilities: kept.capabilities },
      });
      expect(JSON.stringify(db.prepare("SELECT * FROM pending WHERE token = ?").get(token))).not.toContain("SECRET");
    }
  });
});

describe("resolve's four checks, in the required order", () => {
  // resolve_token_sconosciuto_solleva
  it("an unknown token", () => {
    const { registry } = freshApprovals();
    expect(refusalOf(() => registry.resolve(registry.check("0123456789abcdef", ROBERTO), "approved")).code).toBe(
      "unknown_token",
    );
  });

  // resolve_doppia_chiamata_e_idempotenza
  it("a token that is resolved already: nothing is decided twice", () => {
    const { registry } = freshApprovals();
    const { token } = registry.createPending(pendingOf());
    registry.resolve(registry.check(token, ROBERTO), "rejected");
    const first = registry.getPending(token);
    for (const decision of ["approved", "rejected"] as const) {
      expect(refusalOf(() => registry.resolve(registry.check(token, ROBERTO), decision)).code).toBe("already_resolved");
    }
    expect(refusalOf(() => registry.resolve(registry.check(token, ANNA), "approved")).code).toBe("already_resolved");
    expect(registry.getPending(token)).toEqual(first);
  });

  // resolve_decisore_diverso_solleva_e_persistenza_expired
  it("a decider who is not the requester: refused, and the request still waits", () => {
    const { registry } = freshApprovals();
    const before = registry.createPending(pendingOf());
    for (const by of [ANNA, { channel: "telegram", sender_id: "roberto" }, { channel: "local", sender_id: "" }]) {
      expect(refusalOf(() => registry.resolve(registry.check(before.token, by), "approved")).code).toBe(
        "not_authorised",
      );
    }
    expect(registry.getPending(before.token)).toEqual(before);
  });

  it("an expired one is marked expired, which stays so although resolve throws", () => {
    const { registry, clock, file } = freshApprovals();
    const { token } = registry.createPending(pendingOf());
    clock.advance(601);
    expect(refusalOf(() => registry.resolve(registry.check(token, ROBERTO), "approved")).code).toBe("expired");
    expect(openedApprovals(file, clock).registry.getPending(token)?.status).toBe("expired");
    expect(refusalOf(() => registry.resolve(registry.check(token, ROBERTO), "approved")).code).toBe("already_resolved");
  });

  it("expiry is checked before identity, and the deadline's own second still counts", () => {
    const { registry, clock } = freshApprovals();
    const inTime = registry.createPending(pendingOf());
    const late = registry.createPending(pendingOf());
    clock.advance(600);
    expect(registry.resolve(registry.check(inTime.token, ROBERTO), "approved").status).toBe("approved");
    clock.advance(1);
    expect(refusalOf(() => registry.resolve(registry.check(late.token, ANNA), "approved")).code).toBe("expired");
  });

  it("check alone changes nothing but what has expired", () => {
    const { registry, clock } = freshApprovals();
    const { token } = registry.createPending(pendingOf());
    expect(registry.check(token, ROBERTO).status).toBe("pending");
    expect(registry.getPending(token)?.status).toBe("pending");
    clock.advance(601);
    expect(refusalOf(() => registry.check(token, ROBERTO)).code).toBe("expired");
    expect(registry.getPending(token)?.status).toBe("expired");
  });
});

describe("racing surfaces", () => {
  it("of eight, each with a connection in a separate thread, exactly one resolves each request", async () => {
    const clock = new ManualClock(new Date().toISOString());
    const { registry, file } = freshApprovals(clock);
    const tokens = Array.from({ length: 25 }, () => registry.createPending(pendingOf()).token);
    const racers = 8;
    const arrived = new SharedArrayBuffer(4 * tokens.length);
    const results = await Promise.all(
      Array.from({ length: racers }, async (_, index) => {
        const race: Race = {
          file,
          tokens,
          by: ROBERTO,
          decision: index % 2 ? "approved" : "rejected",
          arrived,
          racers,
        };
        const worker = new Worker(new URL("../../support/resolve-racer.ts", import.meta.url), { workerData: race });
        const [answers] = (await once(worker, "message")) as [string[]];
        return answers;
      }),
    );
    for (const [index, token] of tokens.entries()) {
      const answers = results.map((all) => all[index]);
      const won = answers.filter((answer) => answer !== "already_resolved");
      expect(won).toEqual([registry.getPending(token)?.status]);
      expect(["approved", "rejected"]).toContain(won[0]);
    }
  });

  it("one that passed its checks before another resolved it still loses", () => {
    const { registry, file, clock } = freshApprovals();
    const other = openedApprovals(file, clock).registry;
    const { token } = registry.createPending(pendingOf());
    const checked = registry.check(token, ROBERTO);
    other.resolve(other.check(token, ROBERTO), "rejected");
    expect(refusalOf(() => registry.resolve(checked, "approved")).code).toBe("already_resolved");
    expect(other.getPending(token)).toMatchObject({ status: "rejected", territory_concession: "none" });
  });
});

describe("ends without an answer", () => {
  it("cleanup marks what is past its deadline, once, and nothing else", () => {
    const { registry, clock } = freshApprovals();
    const old = registry.createPending(pendingOf());
    const young = registry.createPending(pendingOf({ ttl_seconds: 6000 }));
    const answered = registry.createPending(pendingOf());
    registry.resolve(registry.check(answered.token, ROBERTO), "approved");
    clock.advance(601);
    expect(registry.cleanupExpired()).toMatchObject([
      { token: old.token, status: "expired", decision_at: "2026-05-04T10:10:01Z" },
    ]);
    expect(registry.cleanupExpired()).toEqual([]);
    const statuses = [old, young, answered].map(({ token }) => registry.getPending(token)?.status);
    expect(statuses).toEqual(["expired", "pending", "approved"]);
  });

  it("a withdrawn request is cancelled, with the reason, and can't be answered", () => {
    const { registry } = freshApprovals();
    const { token } = registry.createPending(pendingOf());
    expect(registry.cancelPending(token, "not needed")).toMatchObject({ status: "cancelled", message: "not needed" });
    expect(registry.cancelPending(token, "again")).toBeUndefined();
    expect(registry.cancelPending("0123456789abcdef", "x")).toBeUndefined();
    expect(refusalOf(() => registry.resolve(registry.check(token, ROBERTO), "approved")).code).toBe("already_resolved");
  });
});

describe("listing and counting", () => {
  function tokensOf(registry: ApprovalRegistry, options?: Parameters<ApprovalRegistry["listPending"]>[0]) {
    return registry.listPending(options).map((request) => request.token);
  }

  it("newest first; only waiting ones, unless all are asked for", () => {
    const { registry, clock } = freshApprovals();
    const first = registry.createPending(pendingOf()).token;
    const sameSecond = registry.createPending(pendingOf()).token;
    clock.advance(1);
    const last = registry.createPending(pendingOf()).token;
    registry.resolve(registry.check(sameSecond, ROBERTO), "approved");
    expect(tokensOf(registry)).toEqual([last, first]);
    expect(tokensOf(registry, { include_resolved: true })).toEqual([last, sameSecond, first]);
    expect(tokensOf(registry, { include_resolved: true, limit: 1 })).toEqual([last]);
    clock.advance(600);
    expect(tokensOf(registry)).toEqual([last]); // the others' deadline has passed, marked or not
    expect(registry.countWaiting()).toBe(1);
    expect(registry.countWaiting("agent-2")).toBe(0);
  });

  it("recurrence counts what this agent was approved in this class", () => {
    const { registry } = freshApprovals();
    const answer = (decision: "approved" | "rejected", agentId = "agent-1", capabilityClass = "fs_write:/srv/*") =>
      registry.resolve(
        registry.check(
          registry.createPending(pendingOf({ agent_id: agentId, capability_class: capabilityClass })).token,
          ROBERTO,
        ),
        decision,
      );
    answer("approved");
    answer("approved");
    answer("rejected");
    answer("approved", "agent-2");
    answer("approved", "agent-1", "fs_write:/tmp/*");
    registry.createPending(pendingOf());
    expect(registry.countApproved("fs_write:/srv/*", "agent-1")).toBe(2);
  });
});

describe("an answer given while the agent was away", () => {
  it("is taken once, and only before the request's deadline", () => {
    const { registry, clock } = freshApprovals();
    const key = pendingOf().share_key;
    const { token } = registry.createPending(pendingOf());
    expect(registry.takeUndelivered(key, "s1", 20_000)).toBeUndefined();
    registry.resolve(registry.check(token, ROBERTO), "approved");
    expect(registry.takeUndelivered("another call", "s1", 20_000)).toBeUndefined();
    expect(registry.takeUndelivered(key, "s1", 20_000)?.token).toBe(token);
    expect(registry.takeUndelivered(key, "s1", 20_000)).toBeUndefined();
    const late = registry.createPending(pendingOf());
    registry.resolve(registry.check(late.token, ROBERTO), "approved");
    clock.advance(601);
    expect(registry.takeUndelivered(key, "s1", 20_000)).toBeUndefined();
  });

  it("is taken by the session that asked, within the time that is given, and by no other", () => {
    const { registry, clock } = freshApprovals();
    const { token, share_key } = registry.createPending(pendingOf());
    registry.resolve(registry.check(token, ROBERTO), "approved");
    expect(registry.takeUndelivered(share_key, "another session", 20_000)).toBeUndefined();
    clock.advance(21);
    expect(registry.takeUndelivered(share_key, "s1", 20_000)).toBeUndefined();
    expect(registry.takeUndelivered(share_key, "s1", 21_000)?.token).toBe(token);
  });

  it("is taken by one of two connections, not by both", () => {
    const { registry, file, clock } = freshApprovals();
    const { token, share_key } = registry.createPending(pendingOf());
    registry.resolve(registry.check(token, ROBERTO), "rejected");
    const other = openedApprovals(file, clock).registry;
    expect([
      registry.takeUndelivered(share_key, "s1", 20_000)?.status,
      other.takeUndelivered(share_key, "s1", 20_000)?.status,
    ]).toEqual(["rejected", undefined]);
  });

  it("is not taken if it was delivered, withdrawn or expired", () => {
    const { registry, clock } = freshApprovals();
    const delivered = registry.createPending(pendingOf());
    registry.resolve(registry.check(delivered.token, ROBERTO), "approved");
    registry.markDelivered(delivered.token);
    registry.cancelPending(registry.createPending(pendingOf()).token, "gone");
    expect(registry.takeUndelivered(delivered.share_key, "s1", 20_000)).toBeUndefined();
    registry.createPending(pendingOf({ ttl_seconds: 1 }));
    clock.advance(2);
    registry.cleanupExpired();
    expect(registry.takeUndelivered(delivered.share_key, "s1", 20_000)).toBeUndefined();
  });
});

describe("identical calls", () => {
  it("find the one that waits, until it has ended or expired", () => {
    const { registry, clock } = freshApprovals();
    const { token, share_key } = registry.createPending(pendingOf());
    expect(registry.findWaiting(share_key)?.token).toBe(token);
    expect(registry.findWaiting("other")).toBeUndefined();
    clock.advance(601);
    expect(registry.findWaiting(share_key)).toBeUndefined();
    const again = registry.createPending(pendingOf());
    expect(registry.findWaiting(share_key)?.token).toBe(again.token);
    registry.resolve(registry.check(again.token, ROBERTO), "approved");
    expect(registry.findWaiting(share_key)).toBeUndefined();
  });
});
