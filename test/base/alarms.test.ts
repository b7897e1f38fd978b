import { describe, expect, it } from "vitest";
import type { Alarm } from "../../ipc/contract/alarms.ts";
import { Alarms } from "../../main/base/alarms.ts";

describe("an alarm", () => {
  const full = { code: "trail_unwritable", subject: "/t/a.jsonl", message: "full", hint: "make room" } as const;

  it("is listed until it is cleared, since when it was raised first", () => {
    let now = 0;
    const seen: Alarm[][] = [];
    const alarms = new Alarms(
      () => now,
      (list) => seen.push(list),
    );
    alarms.raise(full);
    now = 60_000;
    alarms.raise({ ...full, message: "still full" });
    expect(alarms.list()).toEqual([{ ...full, message: "still full", since: "1970-01-01T00:00:00Z" }]);
    alarms.clear("trail_unwritable", "/t/a.jsonl");
    expect(alarms.list()).toEqual([]);
    expect(seen.map((list) => list.length)).toEqual([1, 1, 0]);
  });

  it("changes nothing when it is raised twice or cleared where there is none", () => {
    let changes = 0;
    const alarms = new Alarms(
      () => 0,
      () => changes++,
    );
    alarms.raise(full);
    alarms.raise({ ...full });
    alarms.clear("trail_unwritable", "/t/other.jsonl");
    alarms.clear("trail_lost", "/t/a.jsonl");
    expect(changes).toBe(1);
  });
});
