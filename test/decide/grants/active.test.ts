import Database from "better-sqlite3";
import fc from "fast-check";
import { expect, it } from "vitest";
import type { Clock } from "../../../main/base/clocks/clock.ts";
import { endAt, moment, type TwoClockEnd } from "../../../main/base/clocks/two-clock-end.ts";
import { activeUntil, type Duration, IS_ACTIVE, isActive } from "../../../main/decide/grants/active.ts";

/** Clocks as somebody left them: the wall clock may have been set, the machine may have been started anew. */
const clock: fc.Arbitrary<Clock> = fc
  .record({
    boot: fc.constantFrom("boot-0000001", "boot-0000002"),
    ms: fc.integer({ min: 0, max: 8000 }),
    wall: fc.integer({ min: 0, max: 8000 }),
  })
  .map(({ boot, ms, wall }) => ({ now: () => Date.UTC(2026, 4, 4) + wall, boot: () => ({ id: boot, ms }) }));

const end: fc.Arbitrary<TwoClockEnd | null> = fc.option(
  fc.record({ clock, ms: fc.integer({ min: 0, max: 8000 }), hasBoot: fc.boolean() }).map(({ clock, ms, hasBoot }) => {
    const { at, boot_at } = endAt(clock, Date.UTC(2026, 4, 4) + ms);
    return { at, boot_at: hasBoot ? boot_at : null };
  }),
);

it("the statement and the lookup agree on which grants are active, however the clocks were set since they were given", () => {
  const db = new Database(":memory:");
  const select = db.prepare<unknown[], { active: 0 | 1 }>(
    `SELECT ${IS_ACTIVE} AS active FROM (SELECT $revoked_at AS revoked_at, $expires_at AS expires_at, $boot_expires_at AS boot_expires_at)`,
  );
  const seen = new Set<boolean>();
  fc.assert(
    fc.property(clock, end, fc.boolean(), (now, given, isRevoked) => {
      const row: Duration = {
        revoked_at: isRevoked ? "2026-05-04T00:00:00Z" : null,
        expires_at: given?.at ?? null,
        boot_expires_at: given?.boot_at ?? null,
      };
      const active = isActive(activeUntil(row, now.boot().id), now);
      seen.add(active);
      expect(select.get({ ...row, ...moment(now) })?.active).toBe(active ? 1 : 0);
    }),
    { numRuns: 2000 },
  );
  db.close();
  expect(seen.size).toBe(2);
});

it("by either clock a grant is active until the second of its end, and not in it", () => {
  const at = (wall: number, boot: number): Clock => ({
    now: () => wall,
    boot: () => ({ id: "boot-0000001", ms: boot }),
  });
  const until = activeUntil(
    { revoked_at: null, expires_at: "2026-05-04T00:00:10Z", boot_expires_at: "boot-0000001:0000000010" },
    "boot-0000001",
  );
  const second = Date.UTC(2026, 4, 4) + 10_000;
  expect(isActive(until, at(second - 1, 9999))).toBe(true);
  expect(isActive(until, at(second, 9999))).toBe(false);
  expect(isActive(until, at(second - 1, 10_000))).toBe(false);
});
