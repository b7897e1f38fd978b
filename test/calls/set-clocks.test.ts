import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import type { Choice } from "../../ipc/contract/operator-api.ts";
import { openDatabase } from "../../main/base/sqlite/database.ts";
import { SAFETY_SCHEMA } from "../../main/decide/safety/schema.ts";
import {
  extraOf,
  freshGrants,
  openedApprovals,
  openedBroker,
  openedGrants,
  pendingOf,
  ROBERTO,
} from "../support/gate-stores.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { safetyUnderTest } from "../support/safety.ts";
import { tempFolder } from "../support/temp-folder.ts";

// Somebody sets the wall clock, or the machine is started anew: what ends when.

const HOUR = 3600;
const DAY = 24 * HOUR;
const HOLDER = { ...ROBERTO, agent: "agent-1", session: "s1" };

function inSeconds(clock: ManualClock, seconds: number): string {
  return new Date(clock.now() + seconds * 1000).toISOString();
}

describe("a pause with an end is over when both clocks say so", () => {
  function paused(seconds = 600) {
    const parts = safetyUnderTest();
    parts.safety.pause.begin({ by: "human", reason: "lunch", clears: "after_seconds", seconds });
    return { ...parts, pause: parts.safety.pause };
  }

  it("a day ahead doesn't shorten it, and what is shown as its end is when it ends", () => {
    const { pause, clock } = paused();
    clock.jump(DAY);
    expect(pause.reason).toBe("lunch");
    expect(Date.parse(pause.state().until ?? "") - clock.now()).toBeGreaterThanOrEqual(600_000);
    clock.advance(599);
    expect(pause.reason).toBe("lunch");
    clock.advance(2);
    expect(pause.reason).toBeUndefined();
  });

  it("a day ahead and back changes nothing", () => {
    const { pause, clock } = paused();
    clock.jump(DAY);
    clock.advance(300);
    expect(pause.reason).toBe("lunch");
    clock.jump(-DAY);
    clock.advance(299);
    expect(pause.reason).toBe("lunch");
    clock.advance(2);
    expect(pause.reason).toBeUndefined();
  });

  it("begun while the clock was a day behind, it doesn't end as the clock is set right", () => {
    const { pause, clock } = paused();
    clock.advance(60);
    clock.jump(DAY);
    expect(pause.reason).toBe("lunch");
    clock.advance(541);
    expect(pause.reason).toBeUndefined();
  });

  it("a day back makes it longer, never shorter", () => {
    const { pause, clock } = paused();
    clock.jump(-DAY);
    clock.advance(601);
    expect(pause.reason).toBe("lunch");
    clock.advance(DAY);
    expect(pause.reason).toBeUndefined();
  });

  it("a restart of the gate keeps both, after one of the machine the wall clock alone counts", () => {
    const { clock, file, close } = paused();
    close();
    clock.jump(DAY);
    const again = safetyUnderTest({ file, clock });
    expect(again.safety.pause.reason).toBe("lunch");
    again.close();
    clock.reboot();
    expect(safetyUnderTest({ file, clock }).safety.pause.reason).toBeUndefined();
  });

  it("of an earlier version, by the wall clock alone", () => {
    const clock = new ManualClock();
    const file = join(tempFolder(), "safety.db");
    const db = openDatabase(file, { ...SAFETY_SCHEMA, migrations: SAFETY_SCHEMA.migrations.slice(0, 1) });
    db.prepare("INSERT INTO pause VALUES (1, 'human', 'lunch', ?, ?, 'after_seconds')").run(
      inSeconds(clock, 0).replace(".000Z", "Z"),
      inSeconds(clock, 600).replace(".000Z", "Z"),
    );
    db.close();
    const { pause } = safetyUnderTest({ file, clock }).safety;
    expect(pause.state()).toMatchObject({ is_paused: true, until: inSeconds(clock, 600).replace(".000Z", "Z") });
    clock.jump(601);
    expect(pause.reason).toBeUndefined();
  });

  it("the longer of two keeps its end by both clocks", () => {
    const { pause, clock } = paused(3600);
    clock.jump(DAY);
    pause.begin({ by: "human", reason: "tea", clears: "after_seconds", seconds: 60 });
    clock.advance(3590);
    expect(pause.reason).toBe("lunch");
    clock.jump(-2 * DAY);
    expect(pause.reason).toBe("lunch");
  });
});

describe("a grant is over when either clock says so", () => {
  const target = { kind: "exact", value: "inbox" } as const;

  function granted(seconds = HOUR) {
    const stored = freshGrants();
    const expiresAt = inSeconds(stored.clock, seconds);
    const { id } = stored.grants.recordGrant({
      ...HOLDER,
      capability: "mail:read",
      target: "inbox",
      expires_at: expiresAt,
    });
    return { ...stored, id, find: (grants = stored.grants) => grants.find(HOLDER, "mail:read", target) };
  }

  it("a day ahead ends it", () => {
    const { clock, find } = granted();
    clock.jump(DAY);
    expect(find()).toBeUndefined();
  });

  it("a day back doesn't make it longer: not where it decides, not in a listing, a count or a check", () => {
    const { clock, grants, find } = granted();
    clock.jump(-DAY);
    expect(find()).toBeDefined();
    expect(grants.listGrants()[0]?.expires_at).toBe(inSeconds(clock, HOUR).replace(".000Z", "Z"));
    clock.advance(HOUR - 1);
    expect(find()).toBeDefined();
    expect(grants.countActive()).toBe(1);
    clock.advance(1);
    expect(find()).toBeUndefined();
    expect(grants.countActive()).toBe(0);
    expect(grants.hasGrant(ROBERTO.channel, ROBERTO.sender_id, "mail:read", "inbox")).toBe(false);
    expect(grants.listGrants()).toEqual([]);
    const page = { include_revoked: false, order: "expires_at", descending: false, offset: 0, limit: 10 } as const;
    expect(grants.searchGrants(page)).toEqual({ total: 0, grants: [] });
  });

  it("over by the time since boot, it is over after the next boot as well", () => {
    const { clock, file, home, db, grants, find } = granted();
    clock.jump(-DAY);
    clock.advance(HOUR);
    grants.flush();
    db.close();
    clock.reboot();
    expect(find(openedGrants(file, home, clock).grants)).toBeUndefined();
  });

  it("after the machine was started anew the wall clock alone counts", () => {
    const { clock, file, home, db, find } = granted();
    db.close();
    clock.reboot();
    clock.advance(HOUR - 31);
    const { grants } = openedGrants(file, home, clock);
    expect(find(grants)).toBeDefined();
    clock.advance(1);
    expect(find(grants)).toBeUndefined();
  });

  it("one without an end is touched by no jump", () => {
    const { grants, clock } = freshGrants();
    grants.recordGrant({ ...HOLDER, capability: "mail:read", target: "inbox" });
    for (const jump of [DAY, -2 * DAY, 400 * DAY]) {
      clock.jump(jump);
      expect(grants.find(HOLDER, "mail:read", target)).toBeDefined();
      expect(grants.listGrants()).toMatchObject([{ expires_at: null }]);
    }
  });

  it("for a session: a day back doesn't make it longer", () => {
    const { broker, grants, clock } = openedBroker(tempFolder(), new ManualClock(), { session_seconds: HOUR });
    const choices: Choice[] = [
      { scope: "session", reach: "exact", grants: [{ capability: "fs:write", target: "/srv/a.txt" }] },
    ];
    const { token } = broker.ask(pendingOf({ extra: extraOf({ choices }) }));
    broker.answer({ token, decision: "approved", scope: "session" }, ROBERTO);
    clock.jump(-DAY);
    clock.advance(HOUR - 1);
    expect(grants.countActive()).toBe(1);
    clock.advance(1);
    expect(grants.countActive()).toBe(0);
  });
});

describe("a request is over when either clock says so", () => {
  it("a day ahead expires a waiting request, and says expired", () => {
    const { broker, clock, registry } = openedBroker(tempFolder());
    const { token } = broker.ask(pendingOf());
    clock.jump(DAY);
    expect(() => broker.answer({ token, decision: "approved" }, ROBERTO)).toThrow(/expired/);
    expect(registry.getPending(token)?.status).toBe("expired");
  });

  it("a day back while it waits: it ends when it would have, and its date is when", () => {
    const { broker, clock, registry } = openedBroker(tempFolder());
    const pending = broker.ask(pendingOf());
    clock.advance(100);
    clock.jump(-DAY);
    expect(broker.view(pending).expires_at).toBe(inSeconds(clock, 500).replace(".000Z", "Z"));
    clock.advance(500);
    expect(registry.check(pending.token, ROBERTO).status).toBe("pending");
    clock.advance(1);
    expect(broker.cleanup()).toBe(1);
    expect(registry.getPending(pending.token)?.status).toBe("expired");
  });

  it("a day back: neither joined nor answered by the same call once its time is over", () => {
    const { broker, clock, registry } = openedBroker(tempFolder());
    const { token } = broker.ask(pendingOf());
    const answered = broker.ask(pendingOf({ share_key: "other" }));
    broker.start();
    broker.answer({ token: answered.token, decision: "approved" }, ROBERTO);
    clock.jump(-DAY);
    clock.advance(601);
    expect(registry.findWaiting(pendingOf().share_key)).toBeUndefined();
    expect(broker.takeAnswer("other", answered.session)).toBeUndefined();
    expect(() => broker.answer({ token, decision: "approved" }, ROBERTO)).toThrow(/expired/);
  });

  it("the timer that ends it waits for the nearer of both clocks", () => {
    vi.useFakeTimers();
    try {
      const { broker, clock, registry } = openedBroker(tempFolder());
      const { token } = broker.ask(pendingOf({ share_key: "x" }));
      clock.jump(-DAY);
      for (let second = 0; second < 602; second++) {
        clock.advance(1);
        vi.advanceTimersByTime(1000);
      }
      expect(registry.getPending(token)?.status).toBe("expired");
    } finally {
      vi.useRealTimers();
    }
  });

  it("a clock that was set back is noticed, and every surface gets the new date", () => {
    vi.useFakeTimers();
    try {
      const { broker, clock, sent } = openedBroker(tempFolder());
      broker.ask(pendingOf());
      const pass = (seconds: number) => {
        for (let second = 0; second < seconds; second++) {
          clock.advance(1);
          vi.advanceTimersByTime(1000);
        }
        return sent.filter(({ event }) => event === "moved").map(({ request }) => request.expires_at);
      };
      expect(pass(60)).toEqual([]);
      clock.jump(-DAY);
      const setAt = clock.now();
      expect(pass(30)).toEqual([new Date(setAt + 540_000).toISOString().replace(".000Z", "Z")]);
      expect(pass(60)).toHaveLength(1);
    } finally {
      vi.useRealTimers();
    }
  });

  it("holding its card moves both ends, and a jump in between is worth nothing", () => {
    for (const jump of [0, -DAY]) {
      const { broker, clock, registry } = openedBroker(tempFolder());
      const { token } = broker.ask(pendingOf());
      broker.hold(token, ROBERTO);
      clock.advance(4);
      clock.jump(jump);
      broker.hold(token, ROBERTO);
      clock.advance(604);
      expect(registry.check(token, ROBERTO).status).toBe("pending");
      clock.advance(2);
      expect(() => registry.check(token, ROBERTO)).toThrow(/expired/);
    }
  });

  it("of an earlier version, by the wall clock alone", () => {
    const { db, registry, clock } = openedApprovals(join(tempFolder(), "approvals.db"));
    const { token } = registry.createPending(pendingOf());
    db.exec("UPDATE pending SET boot_expires_at = NULL");
    clock.jump(-HOUR);
    clock.advance(HOUR + 600);
    expect(registry.check(token, ROBERTO).status).toBe("pending");
    clock.advance(1);
    expect(registry.cleanupExpired()).toHaveLength(1);
  });

  it("the newest comes first, whatever the clock said when it was asked", () => {
    const { registry, clock } = openedApprovals(join(tempFolder(), "approvals.db"));
    const first = registry.createPending(pendingOf());
    clock.jump(-300);
    const second = registry.createPending(pendingOf());
    expect(registry.listPending().map(({ token }) => token)).toEqual([second.token, first.token]);
  });
});
