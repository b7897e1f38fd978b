import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { ACTIVITY_RANGES } from "../../../ipc/contract/activity.ts";
import { openDatabase } from "../../../main/base/sqlite/database.ts";
import { ACTIVITY_SCHEMA, DecisionCounts } from "../../../main/records/activity/activity.ts";
import { tempFolder } from "../../support/temp-folder.ts";

it("what can't be written now is written later, minute by minute", () => {
  const db = openDatabase(join(tempFolder(), "activity.db"), ACTIVITY_SCHEMA);
  onTestFinished(() => {
    db.close();
  });
  let at = Date.parse("2026-11-21T08:37:11Z");
  const counts = new DecisionCounts(db, () => at);
  db.pragma("query_only = 1");
  for (let minute = 0; minute < 3; minute++) {
    counts.add("agent-1", "denied");
    at += 60_000;
  }
  expect(() => counts.flush()).toThrow(/readonly/);
  db.pragma("query_only = 0");
  expect(
    counts
      .over("hour")
      .buckets.slice(-4)
      .map(({ denied }) => denied),
  ).toEqual([1, 1, 1, 0]);
});

it.each(ACTIVITY_RANGES)("what was counted is in the bucket of its time, over the last %s", (range) => {
  const db = openDatabase(join(tempFolder(), "activity.db"), ACTIVITY_SCHEMA);
  onTestFinished(() => {
    db.close();
  });
  // Neither the beginning of an hour nor of a bucket.
  const now = Date.parse("2026-11-21T08:37:11Z");
  let at = now;
  const counts = new DecisionCounts(db, () => at);
  for (const minutesAgo of [50, 20, 3, 0]) {
    at = now - minutesAgo * 60_000;
    counts.add("agent-1", "allowed");
    counts.add("agent-1", "approval_required");
  }
  at = now;
  const { buckets, bucket_seconds } = counts.over(range);
  const counted = (moment: number) =>
    buckets.find(({ start }) => start * 1000 <= moment && moment < (start + bucket_seconds) * 1000)?.allowed ?? 0;
  for (const minutesAgo of [50, 20, 3, 0]) expect(counted(now - minutesAgo * 60_000)).toBeGreaterThan(0);
  expect(buckets.reduce((sum, { allowed, asked, denied }) => sum + allowed * 100 + asked * 10 + denied, 0)).toBe(440);
  expect(buckets.at(-1)?.start).toBeGreaterThan(now / 1000 - bucket_seconds);
});
