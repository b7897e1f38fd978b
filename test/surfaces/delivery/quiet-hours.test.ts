import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isQuiet } from "../../../main/surfaces/delivery/when-due.ts";
import { inZone } from "../../support/time-zone.ts";

const time = fc
  .tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }))
  .map(([hours, minutes]) => `${String(hours).padStart(2, "0")}:${String(minutes).padStart(2, "0")}`);
const MINUTE = 60_000;

describe("quiet hours", () => {
  it.each(["Europe/Rome", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata", "America/St_Johns"])(
    "in %s are what a clock on the wall shows, at every minute around each change of the time and any other",
    (zone) => {
      inZone(zone);
      const format = new Intl.DateTimeFormat("en-GB", {
        timeZone: zone,
        hour: "2-digit",
        minute: "2-digit",
        hourCycle: "h23",
      });
      const changes = [
        "2026-03-08T06:00Z",
        "2026-03-29T01:00Z",
        "2026-04-04T15:00Z",
        "2026-10-03T15:30Z",
        "2026-10-25T01:00Z",
        "2026-11-01T06:00Z",
      ];
      const around = fc
        .tuple(fc.constantFrom(...changes), fc.integer({ min: -1440, max: 1440 }))
        .map(([iso, minutes]) => Date.parse(iso) + minutes * MINUTE);
      const any = fc.integer({ min: 0, max: 4_000_000_000 }).map((seconds) => seconds * 1000);
      fc.assert(
        fc.property(fc.oneof(around, any), time, time, (at, from, to) => {
          const wall = format.format(at);
          // Minute by minute from the beginning until the end, over midnight.
          const minutes = (text: string) => Number(text.slice(0, 2)) * 60 + Number(text.slice(3));
          const length = (minutes(to) - minutes(from) + 1440) % 1440 || 1440;
          const passed = (minutes(wall) - minutes(from) + 1440) % 1440;
          expect(isQuiet(at, { from, to })).toBe(passed < length);
        }),
        { numRuns: 400 },
      );
    },
  );
});
