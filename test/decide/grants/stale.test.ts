import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Capability } from "../../../ipc/contract/decision.ts";
import { StaleGrants, type StaleGrantsParts } from "../../../main/decide/grants/stale.ts";
import { GrantStore } from "../../../main/decide/grants/store.ts";
import type { CallTarget } from "../../../main/targets/target.ts";
import { freshGrants, openedGrants, ROBERTO } from "../../support/gate-stores.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { refusalOf } from "../../support/refusals.ts";

const HOUR = 3600;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;
const UNUSED_DAYS = 5;

function given(grants: GrantStore, target = "inbox", terms: object = {}): number {
  return grants.recordGrant({ ...ROBERTO, capability: "mail:read" satisfies Capability, target, ...terms }).id;
}

const isFound = (grants: GrantStore, value: string, agent?: string) => {
  const target: CallTarget = { kind: "exact", value };
  return (
    grants.find({ ...ROBERTO, ...(agent === undefined ? {} : { agent, session: "s" }) }, "mail:read", target) !==
    undefined
  );
};

/** Nothing here is about a power failure. */
function fast(stored: ReturnType<typeof freshGrants>) {
  stored.db.pragma("synchronous = OFF");
  return stored;
}

/** Grants with what revokes them, and each batch that it revoked. */
function watched(stored = fast(freshGrants()), change: Partial<StaleGrantsParts> = {}) {
  const batches: number[][] = [];
  const failures: string[] = [];
  const stale = new StaleGrants({
    grants: stored.grants,
    afterDays: UNUSED_DAYS,
    isLost: () => false,
    revoked: ({ grants }) => batches.push(grants.map(({ id }) => id).sort((a, b) => a - b)),
    failed: (what) => failures.push(what),
    ...change,
  });
  /** So many days on which the gate runs. */
  const days = (count: number) => {
    for (let quarter = 0; quarter < count * 4; quarter++) {
      stored.clock.advance(DAY / 4);
      stale.look();
    }
  };
  stale.look();
  return { ...stored, stale, batches, failures, days };
}

describe("a grant that nobody uses", () => {
  it("is revoked as stale after the days that are configured, no sooner; one that is used is not", () => {
    const { grants, batches, days } = watched();
    const [unused, used] = [given(grants), given(grants, "sent")];
    days(UNUSED_DAYS - 1);
    grants.noteUse(used);
    days(1);
    expect(batches).toEqual([]);
    days(1);
    expect(batches).toEqual([[unused]]);
    expect([isFound(grants, "inbox"), isFound(grants, "sent")]).toEqual([false, true]);
    const [first] = grants.listGrants({ include_revoked: true }).filter(({ id }) => id === unused);
    expect(first?.revoked_reason).toBe("stale");
    days(UNUSED_DAYS);
    expect(batches).toEqual([[unused], [used]]);
  });

  it("is never revoked where 0 days are configured, and what ended or was revoked otherwise isn't stale", () => {
    const { grants, batches, days } = watched(fast(freshGrants()), { afterDays: 0 });
    given(grants);
    days(3 * UNUSED_DAYS);
    expect(batches).toEqual([]);
    const second = watched();
    const expiresAt = new Date(second.clock.ms + DAY * 1000).toISOString();
    given(second.grants, "a", { expires_at: expiresAt });
    second.grants.revokeGrant(given(second.grants, "b"));
    second.days(3 * UNUSED_DAYS);
    expect(second.batches).toEqual([]);
  });

  it("also counts the time in which no gate ran and the machine did", () => {
    const { grants, clock, file, home, stale } = watched();
    const id = given(grants);
    stale.close();
    clock.advance((UNUSED_DAYS + 1) * DAY);
    expect(watched(fast(openedGrants(file, home, clock))).batches).toEqual([[id]]);
  });

  it("of a gate that counted no days yet counts from then on", () => {
    const { grants, db, clock, batches, days } = watched();
    const id = given(grants);
    db.exec(`UPDATE grants SET used_day = NULL, granted_at = '2020-01-01T00:00:00Z' WHERE id = ${id}`);
    db.exec("DELETE FROM observed_time");
    clock.advance(HOUR);
    days(UNUSED_DAYS);
    expect(batches).toEqual([]);
    days(1);
    expect(batches).toEqual([[id]]);
  });

  it("stays where the database can't be written, and is revoked the next time", () => {
    const stored = fast(freshGrants());
    const broken = { is: false };
    const { grants, batches, failures, days } = watched(stored, {
      grants: {
        keepObserved: () => stored.grants.keepObserved(),
        revokeStale: (unusedDays) => {
          if (broken.is) throw new Error("disk full");
          return stored.grants.revokeStale(unusedDays);
        },
      },
    });
    const id = given(grants);
    broken.is = true;
    days(UNUSED_DAYS + 1);
    expect([batches, failures.length > 0]).toEqual([[], true]);
    broken.is = false;
    days(1);
    expect(batches).toEqual([[id]]);
  });

  it("is not touched by a gate whose database is another gate's", () => {
    const stored = fast(freshGrants());
    const { grants, batches, days } = watched(stored, { isLost: () => true });
    given(grants);
    days(2 * UNUSED_DAYS);
    expect(batches).toEqual([]);
  });
});

describe("a clock that is wrong", () => {
  it("revokes nothing where it jumps ahead by years, while the gate runs, over its restart, or over one of the machine", () => {
    const { grants, clock, file, home, batches, stale, days } = watched();
    given(grants);
    days(1);
    clock.jump(9 * YEAR);
    days(1);
    stale.close();
    clock.jump(9 * YEAR);
    const restarted = watched(fast(openedGrants(file, home, clock)));
    restarted.stale.close();
    clock.jump(9 * YEAR);
    clock.reboot();
    const rebooted = watched(fast(openedGrants(file, home, clock)));
    expect([batches, restarted.batches, rebooted.batches]).toEqual([[], [], []]);
    expect(isFound(rebooted.grants, "inbox")).toBe(true);
    rebooted.days(UNUSED_DAYS);
    expect(rebooted.batches).toHaveLength(1);
  });

  it("that was years ahead when the grant was used, and then set right, doesn't keep the grant for years", () => {
    const { grants, clock, batches, days } = watched();
    const id = given(grants);
    clock.jump(9 * YEAR);
    grants.noteUse(id);
    grants.flush();
    clock.jump(-9 * YEAR);
    days(UNUSED_DAYS + 1);
    expect(batches).toEqual([[id]]);
  });

  it("never has a grant revoked that was used in the last days, however clocks jump and machines restart", () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant("run" as const), hours: fc.integer({ min: 1, max: 40 }) }),
      fc.record({ kind: fc.constant("jump" as const), seconds: fc.integer({ min: -3 * YEAR, max: 3 * YEAR }) }),
      fc.record({ kind: fc.constant("use" as const), which: fc.nat({ max: 2 }) }),
      fc.record({ kind: fc.constant("reboot" as const) }),
      fc.record({ kind: fc.constant("restart" as const), hours: fc.integer({ min: 0, max: 40 }) }),
    );
    let revoked = 0;
    const { db, home } = fast(freshGrants());
    fc.assert(
      fc.property(fc.array(step, { minLength: 5, maxLength: 40 }), (steps) => {
        const clock = new ManualClock();
        db.exec("DELETE FROM grants; DELETE FROM observed_time; DELETE FROM stale_revocations");
        let grants = new GrantStore(db, home, clock);
        // By true time; a restart of the machine may count as a day.
        let passed = 0;
        const used = [0, 0, 0];
        const ids = ["a", "b", "c"].map((target) => given(grants, target));
        const look = () => {
          grants.keepObserved();
          for (const { id } of grants.revokeStale(UNUSED_DAYS)?.grants ?? []) {
            revoked++;
            expect(passed - (used[ids.indexOf(id)] ?? 0)).toBeGreaterThanOrEqual(UNUSED_DAYS * DAY);
          }
        };
        look();
        for (const one of steps) {
          if (one.kind === "jump") clock.jump(one.seconds);
          if (one.kind === "use") {
            grants.noteUse(ids[one.which] ?? 0);
            grants.flush();
            used[one.which] = passed;
          }
          if (one.kind === "reboot") {
            clock.reboot();
            passed += DAY;
          }
          if (one.kind === "restart" || one.kind === "run") {
            clock.advance(one.hours * HOUR);
            passed += one.hours * HOUR;
          }
          if (one.kind === "reboot" || one.kind === "restart") grants = new GrantStore(db, home, clock);
          look();
        }
      }),
      { numRuns: 60 },
    );
    expect(revoked).toBeGreaterThan(0);
  });
});

describe("what was revoked as stale", () => {
  /** Two grants that were revoked on one day, and the batch's name. */
  function revoked() {
    const parts = watched();
    const { grants, days, clock } = parts;
    const terms = { agent: "agent-1" };
    const ids = [given(grants, "inbox"), given(grants, "sent", terms), given(grants, "drafts", terms)] as const;
    days(UNUSED_DAYS + 1);
    const [batch] = grants.listStale();
    if (batch === undefined) throw new Error("nothing was revoked");
    return { ...parts, ids, batch, until: clock.ms };
  }

  it("is given back within a week with one act, counts again, and isn't revoked the next day", () => {
    const { grants, ids, batch, batches, days } = revoked();
    expect(batch).toMatchObject({ unused_days: UNUSED_DAYS, grants: [...ids].reverse().map((id) => ({ id })) });
    days(6);
    expect(
      grants
        .restoreStale(batch.revoked_at)
        .map(({ id }) => id)
        .sort(),
    ).toEqual([...ids]);
    expect(isFound(grants, "inbox")).toBe(true);
    expect(grants.listStale()).toEqual([]);
    expect(grants.listGrants().map(({ revoked_at, revoked_reason }) => [revoked_at, revoked_reason])).toEqual(
      ids.map(() => [null, null]),
    );
    expect(refusalOf(() => grants.restoreStale(batch.revoked_at)).code).toBe("too_late");
    days(UNUSED_DAYS - 1);
    expect(batches).toHaveLength(1);
    days(2);
    expect(batches).toHaveLength(2);
  });

  it.each([
    ["a week has passed", (clock: ManualClock) => clock.advance(7 * DAY + 1)],
    ["the wall clock says that it has passed", (clock: ManualClock) => clock.jump(8 * DAY)],
    [
      "it has passed, and the wall clock was set back",
      (clock: ManualClock) => {
        clock.jump(-YEAR);
        clock.advance(7 * DAY + 1);
      },
    ],
  ])("is not given back once %s", (_when, pass) => {
    const { grants, clock, batch } = revoked();
    pass(clock);
    expect(grants.listStale()).toEqual([]);
    expect(refusalOf(() => grants.restoreStale(batch.revoked_at)).code).toBe("too_late");
    expect(isFound(grants, "inbox")).toBe(false);
  });

  it("is given back after a restart, but for what has ended otherwise since: its agent's pairing, its own end, by the user", () => {
    const parts = watched();
    const { grants, clock, days, file, home } = parts;
    const expiresAt = new Date(clock.ms + (UNUSED_DAYS + 3) * DAY * 1000).toISOString();
    given(grants, "of-agent", { agent: "agent-1" });
    given(grants, "of-session", { agent: "agent-2", session: "s" });
    given(grants, "ends", { expires_at: expiresAt });
    const byUser = given(grants, "by-user");
    given(grants, "stays");
    days(UNUSED_DAYS + 1);
    grants.revokeAgent("agent-1", "the agent's pairing was revoked");
    grants.endSession("agent-2", "s");
    grants.revokeGrant(byUser);
    days(3);
    const again = fast(openedGrants(file, home, clock)).grants;
    const [batch] = again.listStale();
    expect(batch?.grants.map(({ target }) => target)).toEqual(["stays"]);
    expect(again.restoreStale(batch?.revoked_at ?? "").map(({ target }) => target)).toEqual(["stays"]);
    const shown = ["of-agent", "ends", "by-user", "stays"].map((target) => isFound(again, target, "agent-1"));
    expect(shown).toEqual([false, false, false, true]);
    expect(isFound(again, "of-session", "agent-2")).toBe(false);
  });

  it("and what the user revoked is never listed as such", () => {
    const { grants } = watched();
    const id = given(grants);
    grants.revokeGrant(id);
    const [row] = grants.listGrants({ include_revoked: true });
    expect(grants.listStale()).toEqual([]);
    expect(refusalOf(() => grants.restoreStale(row?.revoked_at ?? "")).code).toBe("too_late");
  });
});
